package proposal

import (
	"regexp"
	"strings"

	"github.com/retrosweep/retrosweep/internal/guard"
)

var (
	mention   = regexp.MustCompile(`(^|[^\pL\pN_@])@([\pL\pN])`)
	reference = regexp.MustCompile(`#(\d)`)
)

// maxText is the longest sentence in a message or body, maxPlace the longest
// path.
const (
	maxText  = 400
	maxPlace = 200
)

// quiet is text for commit messages: one line that notifies nobody, links and
// closes no issue, and commands no bot.
func quiet(s string) string { return guard.Title(s, maxText) }

// place is quiet for paths, which keep their first character whatever it is.
func place(s string) string {
	s = guard.TerminalLine(s, maxPlace)
	s = mention.ReplaceAllString(s, "${1}(at)${2}")
	return reference.ReplaceAllString(s, "no. $1")
}

// wrap breaks a line between words at width; further lines begin with indent.
func wrap(s, indent string, width int) string {
	var b strings.Builder
	col := 0
	for i, word := range strings.Fields(s) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case col+1+n > width:
			b.WriteString("\n" + indent)
			col = len(indent)
		default:
			b.WriteByte(' ')
			col++
		}
		b.WriteString(word)
		col += n
	}
	return b.String()
}
