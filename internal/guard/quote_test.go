package guard

import "testing"

const quoted = `package shop

// Prices are kept in cents.
func Total(items []Item) int {
	return   sum(items)
}
<!-- hidden ` + "\u200b" + `note -->
last line without an end`

func TestQuoteIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, quote string
		line, want  int
	}{
		{"where it is said", "Prices are kept in cents.", 3, 3},
		{"three lines off", "Prices are kept in cents.", 6, 3},
		{"four lines off", "Prices are kept in cents.", 7, 0},
		{"white space folded", "return sum(items)", 5, 5},
		{"part of a line", "func Total(items", 4, 4},
		{"several lines", "func Total(items []Item) int {\n    return sum(items)", 4, 4},
		{"across lines, written as one", "int { return sum(items)", 4, 0},
		{"as scrubbed", "‹!-- hidden note --›", 7, 7},
		{"the last line", "last line without an end", 8, 8},
		{"beyond the end", "last line without an end", 99, 0},
		{"beyond the end, near", "last line without an end", 10, 8},
		{"too short", "return", 5, 0},
		{"altered", "Prices are kept in euros.", 3, 0},
		{"no line", "Prices are kept in cents.", 0, 0},
		{"blank", "   \n ", 3, 0},
	} {
		got, ok := QuoteIn([]byte(quoted), c.line, c.quote)
		if got != c.want || ok != (c.want > 0) {
			t.Errorf("%s: QuoteIn(%d, %q) = %d, %v; want %d", c.name, c.line, c.quote, got, ok, c.want)
		}
	}
}

func TestQuoteInFindsTheNearest(t *testing.T) {
	t.Parallel()
	content := []byte("the same line\nx\nthe same line\nthe same line\n")
	if got, _ := QuoteIn(content, 3, "the same line"); got != 3 {
		t.Errorf("found at %d, want 3", got)
	}
	if got, _ := QuoteIn(content, 2, "the same line"); got != 1 {
		t.Errorf("found at %d, want 1", got)
	}
}
