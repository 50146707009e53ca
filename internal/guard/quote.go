package guard

import (
	"strings"
	"unicode"
)

// Bounds of a quote's grounding.
const (
	quoteSlack = 3 // lines up or down that a model may have miscounted
	quoteRunes = 8 // fewer runes than that are found anywhere
)

// QuoteIn reports whether quote stands in content at line (1-based) or up to
// three lines away, and where. White space counts as one blank; what [Scrub]
// takes out and [Redact] covers is compared as the model saw it.
func QuoteIn(content []byte, line int, quote string) (foundLine int, ok bool) {
	span := strings.Count(strings.TrimSpace(quote), "\n") + 1
	want := seen(quote)
	if runesIn(want) < quoteRunes || line < 1 {
		return 0, false
	}
	lines := strings.SplitAfter(string(content), "\n")
	for _, at := range outward(line, quoteSlack) {
		if at < 1 || at > len(lines) {
			continue
		}
		window := strings.Join(lines[at-1:min(at-1+span, len(lines))], "")
		if strings.Contains(seen(window), want) {
			return at, true
		}
	}
	return 0, false
}

// outward returns line, line-1, line+1, line-2, ...
func outward(line, slack int) []int {
	at := []int{line}
	for d := 1; d <= slack; d++ {
		at = append(at, line-d, line+d)
	}
	return at
}

// seen is text as a model sees it, with white space folded.
func seen(text string) string {
	clean, _ := Scrub(text)
	clean, _ = Redact(clean)
	return strings.Join(strings.Fields(clean), " ")
}

func runesIn(text string) int {
	n := 0
	for _, r := range text {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}
