package prompts

import (
	"errors"
	"strings"
)

// Text is text of a repository or of a model. It reaches a prompt only through
// the [Fencer] of the data it stands in; printed in any other way it shows a
// placeholder.
type Text struct{ raw string }

// Untrusted wraps text that somebody outside this program wrote.
func Untrusted(s string) Text { return Text{raw: s} }

// String hides the text, so that a template that forgets the fence shows it.
func (Text) String() string { return "[unfenced text withheld]" }

// GoString is String: %#v must not show it either.
func (t Text) GoString() string { return t.String() }

// Empty reports whether there is nothing in it.
func (t Text) Empty() bool { return strings.TrimSpace(t.raw) == "" }

// Fencer scrubs and redacts text and wraps it so that it cannot end its own
// fence. The label says what the text is.
type Fencer func(label, text string) string

// Name is a short name made by code: an id, a class, a date, a short commit.
// It is the only data that may stand outside a fence.
type Name struct{ s string }

// NameOf keeps letters, digits and "._/-" of s, at most 120 bytes, and puts "_"
// for the rest: whatever it is given, it cannot hold a sentence.
func NameOf(s string) Name {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._/-", r):
			return r
		}
		return '_'
	}, s)
	return Name{s: clean[:min(len(clean), 120)]}
}

// String returns the name.
func (n Name) String() string { return n.s }

var errNoFence = errors.New("no fence is given for untrusted text")
