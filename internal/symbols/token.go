package symbols

import "sort"

// span is a range of bytes, its end exclusive.
type span struct{ from, to int }

// tok is a token and the byte at which it begins.
type tok struct {
	at   int
	text string
}

// tokens are those of a file, in their order.
type tokens []tok

// add appends a token. A separator before a closing bracket says nothing:
// formatters put it there and take it away.
func (ts tokens) add(at int, text string) tokens {
	switch text {
	case ")", "]", "}":
		if n := len(ts); n > 0 && (ts[n-1].text == "," || ts[n-1].text == ";") {
			ts = ts[:n-1]
		}
	}
	return append(ts, tok{at, text})
}

// hash is that of the tokens which begin in a span.
func (ts tokens) hash(s span) string {
	first := sort.Search(len(ts), func(i int) bool { return ts[i].at >= s.from })
	return hashOf(func(yield func(string) bool) {
		for _, t := range ts[first:] {
			if t.at >= s.to || !yield(t.text) {
				return
			}
		}
	})
}
