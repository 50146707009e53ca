package retro

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/retro/rules"
	"github.com/retrosweep/retrosweep/retro/signal"
)

// additions are the lines that signals wrote into knowledge files, by path, as
// [letters]. A rule of tonight must not be shown to triage as one that stood
// already: the lesson would be covered by its own source.
type additions map[string][]string

func newAdditions(signals []*signal.Signal) additions {
	a := additions{}
	for _, s := range signals {
		if s.Class == signal.Change {
			continue
		}
		for _, h := range s.Hunks {
			for _, line := range h.Added {
				if l := statement(line); len(l) >= 12 {
					a[s.Path] = append(a[s.Path], l)
				}
			}
		}
	}
	return a
}

// stood reports whether a rule stood before the signals under review.
func (n *night) stood(r *rules.Rule) bool {
	lines := n.added[r.Doc.Path]
	if len(lines) > 0 && r.Doc.Format == knowledge.Memory {
		return false // a memory is one statement
	}
	text := letters(r.Fact.Text)
	for _, line := range lines {
		if strings.Contains(text, line) {
			return false
		}
	}
	return true
}

var marker = regexp.MustCompile(`^\s*(?:>\s*)*(?:#{1,6}\s+|(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?)`)

// statement is a line without its list, heading or task marker, as [letters]:
// what the fact that it became says.
func statement(line string) string { return letters(marker.ReplaceAllString(line, "")) }

// letters is a text without what Markdown and line breaks may change.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
