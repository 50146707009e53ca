package pair

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words is a text as it is compared with others.
type Words struct {
	Set     []string // distinct words that carry meaning, sorted
	Negated bool     // an odd number of words that turn a sentence round
}

// Small reports whether a word says nothing by itself.
func Small(word string) bool { return small[word] }

// small are words that say nothing by themselves.
var small = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("a an and are as at be been but by can do does for from had has have if in into is it its of on or our so " +
		"such than that the their them then there these they this those to was we were when which while will with you your must should always please") {
		m[w] = true
	}
	return m
}()

// turns are words that turn a sentence round.
var turns = map[string]bool{"not": true, "never": true, "no": true, "don't": true, "dont": true, "doesn't": true, "cannot": true, "can't": true,
	"shouldn't": true, "mustn't": true, "won't": true, "isn't": true, "aren't": true, "without": true, "avoid": true, "nothing": true, "forbidden": true, "prohibited": true}

// WordsOf splits a text. What stands in code is marked by a backquote: it is
// another word than the same letters in a sentence.
func WordsOf(text string) Words {
	var w Words
	for i, part := range strings.Split(text, "`") {
		for _, tok := range tokens(part) {
			low := strings.ToLower(tok)
			switch {
			case i%2 == 1:
				w.Set = append(w.Set, "`"+low)
			case turns[low]:
				w.Negated = !w.Negated
			case !small[low]:
				w.Set = append(w.Set, low)
			}
		}
	}
	slices.Sort(w.Set)
	w.Set = slices.Compact(w.Set)
	return w
}

// tokens are the words, numbers, names and paths of a text.
func tokens(text string) []string {
	var out []string
	start := -1
	flush := func(end int) {
		if start >= 0 {
			if t := strings.Trim(text[start:end], ".'-:/"); t != "" {
				out = append(out, t)
			}
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			if start < 0 {
				start = i
			}
		case start >= 0 && strings.ContainsRune(".'’-/:@", r) && joins(text, i, r):
		default:
			flush(i)
		}
	}
	flush(len(text))
	return out
}

// joins reports whether a mark at i holds two parts of one word together.
func joins(text string, i int, r rune) bool {
	next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
	return unicode.IsLetter(next) || unicode.IsDigit(next) || next == '_'
}

// CodeLike reports whether a word is a name, path or number rather than
// language.
func CodeLike(w string) bool {
	return strings.ContainsAny(w, "`_./:@0123456789") || strings.Contains(w, "-") && len(w) > 14
}

// Number reports whether a word is a number or a version, with its unit.
func Number(w string) bool {
	if w == "" || w[0] < '0' || w[0] > '9' {
		return w != "" && w[0] == 'v' && len(w) > 1 && w[1] >= '0' && w[1] <= '9'
	}
	letters := 0
	for _, r := range w {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters <= 3
}

// Difference returns the words of each side that the other lacks.
func Difference(a, b []string) (onlyA, onlyB []string) {
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case j >= len(b) || i < len(a) && a[i] < b[j]:
			onlyA = append(onlyA, a[i])
			i++
		case i >= len(a) || b[j] < a[i]:
			onlyB = append(onlyB, b[j])
			j++
		default:
			i, j = i+1, j+1
		}
	}
	return onlyA, onlyB
}
