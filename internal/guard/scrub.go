package guard

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// escapeSequence is what a terminal takes as one command: CSI, OSC and the
// other strings up to their end (or the line's), and two-character escapes.
var escapeSequence = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|\x{9d}|\x{90})[^\x07\x1b\x{9c}\n]*(?:\x07|\x1b\\|\x{9c})?|\x{9b}[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]`)

// showComments makes the ends of HTML comments visible where Markdown is
// rendered, so that a reader sees what a model sees.
var showComments = []*strings.Replacer{strings.NewReplacer("-->", "--›", "--!>", "--!›"), strings.NewReplacer("<!--", "‹!--")}

// Scrub returns text without what hides in it: terminal sequences, runes that
// do not show (see [Hidden]) and invalid UTF-8, with HTML comments made
// visible. Line breaks stay where they are. removed counts the sequences and
// runes that were taken out.
func Scrub(text string) (clean string, removed int) {
	if strings.ContainsAny(text, "\x1b\u0090\u009b\u009d") {
		text = escapeSequence.ReplaceAllStringFunc(text, func(string) string { removed++; return "" })
	}
	var b strings.Builder
	b.Grow(len(text))
	walk(text, func(h HiddenRune) {
		removed++
		if h.Rune == 0x2028 || h.Rune == 0x2029 || h.Rune == 0x85 {
			b.WriteByte(' ') // they separate words
		}
	}, func(s string) { b.WriteString(s) })
	clean = b.String()
	for _, r := range showComments { // ends first: <!--> is both
		clean = r.Replace(clean)
	}
	return clean, removed
}

// Terminal returns text that is safe to print: what hides in it is replaced by
// its name, so that a reader sees that something was there.
func Terminal(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	walk(text, func(h HiddenRune) { b.WriteString(name(h)) }, func(s string) {
		if s != "\r" { // kept only before a line feed
			b.WriteString(s)
		}
	})
	return b.String()
}

// TerminalLine is [Terminal] for text that must stay on one line, at most max
// runes long: a subject, a name, a path.
func TerminalLine(text string, max int) string {
	return shorten(oneLine.Replace(Terminal(text)), max)
}

var oneLine = strings.NewReplacer("\n", "␊", "\t", " ")

// name is what is printed in place of a hidden rune.
func name(h HiddenRune) string {
	switch {
	case h.Kind == HiddenInvalid:
		return string(utf8.RuneError)
	case h.Rune < ' ':
		return string(0x2400 + h.Rune) // control pictures
	default:
		return fmt.Sprintf("‹%U›", h.Rune)
	}
}

// shorten cuts text to at most max runes, an ellipsis included.
func shorten(text string, max int) string {
	if utf8.RuneCountInString(text) <= max {
		return text
	}
	runes := []rune(text)
	return strings.TrimRight(string(runes[:max-1]), " ") + "…"
}
