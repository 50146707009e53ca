package proposal

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	mention   = regexp.MustCompile(`(^|[^\pL\pN_@])@([\pL\pN])`)
	reference = regexp.MustCompile(`#(\d)`)
	schemeURL = regexp.MustCompile(`\b([a-zA-Z][a-zA-Z0-9+.-]*)://`)
)

// oneLine folds white space and drops what is not printable, so that text can
// neither break out of its line nor move the cursor.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// quiet is oneLine for commit messages: nobody is notified, no issue is linked
// or closed, and no link can be followed.
func quiet(s string) string {
	s = oneLine(s)
	s = mention.ReplaceAllString(s, "${1}(at)${2}")
	s = reference.ReplaceAllString(s, "no. $1")
	return schemeURL.ReplaceAllString(s, "$1:")
}

// code sets s as a Markdown code span, with a fence longer than any in it.
func code(s string) string {
	s = oneLine(s)
	if s == "" {
		return ""
	}
	fence, run, longest := "`", 0, 0
	for _, r := range s {
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence = strings.Repeat("`", longest+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// prose is text for a Markdown body: quiet, and nothing in it is markup.
func prose(s string) string {
	return markup.Replace(quiet(s))
}

var markup = strings.NewReplacer("\\", "\\\\", "<", "&lt;", ">", "&gt;", "[", "\\[", "]", "\\]", "!", "\\!", "*", "\\*", "_", "\\_", "|", "\\|")

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
