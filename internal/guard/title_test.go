package guard

import (
	"strings"
	"testing"
)

func TestTitle(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Use pnpm in web/":              "Use pnpm in web/",
		"  two\nlines\tand\r\nmore ":    "two lines and more",
		"--upload-pack=x":               "upload-pack=x",
		"Fixes #12 and GH-7":            "Fixes 12 and 7",
		"thanks @ada and ＠bob":          "thanks ada and bob",
		"see https://evil.example/?q=x": "see link",
		"[skip ci] quiet":               "skip ci quiet",
		"fixup! earlier":                "fixup earlier",
		"/merge now":                    "merge now",
		"<b>bold</b>":                   "‹b›bold‹/b›",
		"![x](y)":                       "[x] (y)",
		"Co-authored-by: Eve":           "Co-authored-by Eve",
		"":                              "",
		"---":                           "",
		"rtl\u202Etxt":                  "rtltxt",
		"key: AK" + "IA" + strings.Repeat("Q", 16): "key: ‹redacted:aws-key-id›",
	} {
		if got := Title(text, 72); got != want {
			t.Errorf("Title(%q) = %q, want %q", text, got, want)
		}
	}
	if got := Title(strings.Repeat("long ", 60), 20); got != "long long long long…" {
		t.Errorf("Title cut to %q", got)
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Use pnpm in web/":                       "use-pnpm-in-web",
		"--Änderung: größer!!":                   "anderung-gro-er",
		"don't panic":                            "dont-panic",
		"日本語":                                    "untitled",
		"":                                       "untitled",
		"a.lock":                                 "a-lock",
		"../../etc/passwd":                       "etc-passwd",
		"$(rm -rf x); `y`":                       "rm-rf-x-y",
		"abcdefghij klmnopqrstuvwxyz 0123456789": "abcdefghij-klmnopqrstuvwxyz-01",
		"abcdefghij klmnopqrstuvwxyzab 0":        "abcdefghij-klmnopqrstuvwxyzab",
	} {
		if got := Slug(text, 30); got != want {
			t.Errorf("Slug(%q) = %q, want %q", text, got, want)
		}
	}
}
