// Package markup owns how text that others wrote is set in Markdown of ours: as
// a code span or as prose, in which nothing is markup, mentions anybody or
// links anywhere.
package markup

import (
	"regexp"
	"strings"

	"github.com/retrosweep/retrosweep/internal/guard"
)

// maxText is the longest sentence, maxCode the longest code span.
const (
	maxText = 400
	maxCode = 200
)

// Code sets s as a code span, with a fence longer than any in it.
func Code(s string) string {
	s = guard.TerminalLine(s, maxCode)
	if s == "" {
		return ""
	}
	run, longest := 0, 0
	for _, r := range s {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// CodeCell is [Code] for a cell of a table, which a pipe would end even inside
// a code span.
func CodeCell(s string) string { return strings.ReplaceAll(Code(s), "|", `\|`) }

// Prose sets s as plain text.
func Prose(s string) string {
	s = escape.Replace(guard.Title(s, maxText))
	return numbered.ReplaceAllString(s, `$1\$2`)
}

// numbered is what begins an ordered list.
var numbered = regexp.MustCompile(`^(\d+)([.)])`)

var escape = strings.NewReplacer(
	"\\", "\\\\", "<", "&lt;", ">", "&gt;", "&", "&amp;", "[", "\\[", "]", "\\]", "!", "\\!",
	"*", "\\*", "_", "\\_", "|", "\\|", "`", "\\`", "~", "\\~",
)
