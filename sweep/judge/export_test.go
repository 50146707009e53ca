package judge

import (
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/symbols"
)

// Differs reports whether the fingerprint of a target is another one now: that
// of a definition where both sides have one, else that of the file.
func (c *Change) Differs(t Target) bool {
	was, is := c.print(c.before, t), c.print(c.after, t)
	return was != is
}

func (c *Change) print(tree *repo.Tree, t Target) string {
	e, ok, err := tree.Entry(t.Path)
	if err != nil || !ok {
		return ""
	}
	if src, err := c.repo.Blob(e.Hash, maxFile); err == nil && t.Symbol != "" {
		if print, err := symbols.Fingerprint(t.Path, src, t.Symbol); err == nil {
			return print
		}
	}
	return e.Hash.String()
}
