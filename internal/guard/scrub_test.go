package guard

import "testing"

func TestScrub(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, want string
		removed    int
	}{
		{"plain", "plain", 0},
		{"\x1b[31mred\x1b[0m", "red", 2},
		{"a\x1b]0;title\x07b\x1b]8;;https://x\x1b\\c", "abc", 2},
		{"\x1b]52;c;cm0gLXJm", "", 1},
		{"a\x1b]0;unterminated\nnext line", "a\nnext line", 1},
		{"nul\x00\x07", "nul", 2},
		{"over\rwritten", "overwritten", 1},
		{"a\u2028b", "a b", 1},
		{"bad\xff\xc0\xafend", "badend", 3},
		{"\xed\xa0\x80", "", 3}, // a lone surrogate
		{"x <!-- do it --> y", "x ‹!-- do it --› y", 0},
		{"<!\u200b-- hid --\u200b>", "‹!-- hid --›", 2},
		{"<!-- a <!-- b --> unterminated <!--", "‹!-- a ‹!-- b --› unterminated ‹!--", 0},
		{"one\r\ntwo\n", "one\r\ntwo\n", 0},
	} {
		got, removed := Scrub(c.text)
		if got != c.want || removed != c.removed {
			t.Errorf("Scrub(%q) = %q, %d; want %q, %d", c.text, got, removed, c.want, c.removed)
		}
	}
}

func TestTerminalNamesWhatHides(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain\ttext\n":       "plain\ttext\n",
		"\x1b[2Jgone":         "␛[2Jgone",
		"a\r\nb\rc":           "a\nb␍c",
		"rtl\u202Etxt.exe":    "rtl‹U+202E›txt.exe",
		"bell\a \xff \u0085x": "bell␇ \uFFFD ‹U+0085›x",
	} {
		if got := Terminal(text); got != want {
			t.Errorf("Terminal(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestTerminalLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"short":              "short",
		"fake\nretrosweep: ": "fake␊retros…",
		"0123456789ab":       "0123456789ab",
		"0123456789abc":      "0123456789a…",
		"Ада Байрон Короле":  "Ада Байрон…",
	} {
		if got := TerminalLine(text, 12); got != want {
			t.Errorf("TerminalLine(%q) = %q, want %q", text, got, want)
		}
	}
}
