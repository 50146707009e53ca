package judge

// Differs reports whether the fingerprint of a target is another one now: that
// of a definition where both sides have one, else that of the file.
func (c *Change) Differs(t Target) bool {
	was, is := c.print(c.before, t), c.print(c.after, t)
	return was != is
}
