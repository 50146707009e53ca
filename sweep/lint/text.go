package lint

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// files names what could not be read, and what is ignored for too long.
func (c *checker) files() {
	for _, u := range c.Unread {
		c.file("file/unread", u.Path, u.Why, "It is not checked: "+u.Why+".")
	}
	for _, l := range c.Lapsed {
		c.lapsed(l)
	}
}

// configuration is where a repository's own ignores stand.
const configuration = ".retrosweep.yaml"

func (c *checker) lapsed(l Lapsed) {
	f := c.file("ignore/expired", configuration, l.Path, fmt.Sprintf("The ignore of %s (%s) ended on %s.", l.Path, l.Reason, l.Until.Format("2006-01-02")))
	if c.Read == nil {
		return
	}
	if src, ok := c.Read(configuration); ok {
		if i := bytes.Index(src, []byte(l.Path)); i >= 0 {
			f.Fact.Line = bytes.Count(src[:i], []byte{'\n'}) + 1
			f.Fact.EndLine = f.Fact.Line
		}
	}
}

// hidden names runes that do not show, once a line and kind.
func (c *checker) hidden(d *knowledge.Document) {
	if plainASCII(d.Source) {
		return
	}
	type place struct {
		line int
		kind guard.HiddenKind
	}
	count := map[place]int{}
	var order []place
	runes := map[place]rune{}
	for _, h := range unwanted(d.Source) {
		at := place{h.Line, h.Kind}
		if count[at] == 0 {
			order = append(order, at)
			runes[at] = h.Rune
		}
		count[at]++
	}
	for _, at := range order {
		f := c.line("text/hidden", d, at.line, fmt.Sprintf("%s %U", at.kind, runes[at]), fmt.Sprintf("The line holds %s that %s not show: %s (%U).", plural(count[at], "character"), does(count[at]), at.kind, runes[at]))
		if at.kind != guard.HiddenTag && at.kind != guard.HiddenBidi && at.kind != guard.HiddenZeroWidth {
			f.Severity = min2(f.Severity)
		}
		if c.Route != nil && c.Route(d.Path) != "" {
			f.Action = &knowledge.Action{Type: knowledge.ActionEdit, Route: c.Route(d.Path)}
		}
	}
}

// min2 lowers an error to a warning and a warning to a note: blanks and stray
// controls hide nothing.
func min2(s knowledge.Severity) knowledge.Severity {
	if s == knowledge.Error {
		return knowledge.Warning
	}
	return knowledge.Info
}

func does(n int) string {
	if n == 1 {
		return "does"
	}
	return "do"
}

// plainASCII reports whether a text holds nothing but what shows.
func plainASCII(src []byte) bool {
	for i, b := range src {
		if b >= 0x7f || b < ' ' && b != '\n' && b != '\t' && (b != '\r' || i+1 >= len(src) || src[i+1] != '\n') {
			return false
		}
	}
	return true
}

// unwanted are the hidden runes of a text that nothing in it needs. Marks of
// direction belong to a line of Hebrew or Arabic, and a lone carriage return or
// form feed is somebody's line end.
func unwanted(src []byte) []guard.HiddenRune {
	var out []guard.HiddenRune
	text := string(src)
	for _, h := range guard.Hidden(text) {
		switch {
		case h.Kind == guard.HiddenInvalid, h.Rune == '\r', h.Rune == '\f', h.Rune == 0:
			continue
		case (h.Kind == guard.HiddenBidi || h.Kind == guard.HiddenZeroWidth) && rightToLeft(lineAt(text, h.Offset)):
			continue
		case h.Kind == guard.HiddenVariation && (h.Rune == 0xFE0F || h.Rune == 0xFE0E):
			continue // how a sign is drawn
		}
		out = append(out, h)
	}
	return out
}

func lineAt(text string, at int) string {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	end := strings.IndexByte(text[at:], '\n')
	if end < 0 {
		return text[start:]
	}
	return text[start : at+end]
}

func rightToLeft(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool {
		return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana)
	})
}
