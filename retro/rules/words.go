package rules

import (
	"strings"
	"unicode"
)

// stop holds words that say nothing about what a rule is about.
var stop = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`a an and are as at be been before being but by can could did do does doing done for
		from had has have how if in into is it its just let make made may more must never no nor not of off on one only or
		other our out over own same shall should so some such than that the their them then there these they this those to
		too under up use used uses using via was we were what when where which while who why will with without would you
		your always instead after also any all each every must new old s t don`) {
		m[w] = true
	}
	return m
}()

// bag is the set of a text's words, lower case, without stop words and with
// the commonest endings cut.
func bag(text string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	}) {
		if len(word) >= 2 && !stop[word] {
			out[stem(word)] = true
		}
	}
	return out
}

func stem(w string) string {
	for _, end := range []string{"ing", "ed", "es", "s", "e"} {
		if cut, ok := strings.CutSuffix(w, end); ok && len(cut) >= 4 {
			return cut
		}
	}
	return w
}

// Overlap is how much of the smaller text's words stands in the other: 0 to 1.
func Overlap(a, b string) float64 {
	x, y := bag(a), bag(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	return share(x, y)
}

// Share is how much of a text's words stands in another: 0 to 1.
func Share(text, in string) float64 { return share(bag(text), bag(in)) }

func share(x, y map[string]bool) float64 {
	if len(x) == 0 {
		return 0
	}
	n := 0
	for w := range x {
		if y[w] {
			n++
		}
	}
	return float64(n) / float64(len(x))
}

// Words returns the content words of a text, for keys that outlive a change of
// wording in the small.
func Words(text string) map[string]bool { return bag(text) }
