package markup_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"github.com/retrosweep/retrosweep/internal/report/markup"
)

func TestCode(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":            "",
		"a/b.go":      "`a/b.go`",
		"a`b":         "``a`b``",
		"`a``":        "``` `a`` ```",
		"a\nb":        "`a␊b`",
		"@ada <b>":    "`@ada <b>`",
		"\x1b[31mred": "`␛[31mred`",
	} {
		if got := markup.Code(in); got != want {
			t.Errorf("Code(%q) = %s, not %s", in, got, want)
		}
	}
	if got := markup.CodeCell("a|b"); got != "`a\\|b`" {
		t.Errorf("in a table: %s", got)
	}
}

// TestProseRendersAsText: whatever is put in, a renderer makes nothing of it but
// one paragraph of text.
func TestProseRendersAsText(t *testing.T) {
	t.Parallel()
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	for _, in := range []string{
		"plain words", "<script>alert(1)</script>", "[a](https://evil.example)", "![x](y.png)", "**bold** _em_ ~~del~~ `code`",
		"| a | b |", "# heading", "- item", "> quote", "a\n\nb", "https://evil.example/x", "&lt;b&gt;", "\\*", "1. one", "    code", "---",
	} {
		var b bytes.Buffer
		if err := md.Convert([]byte("- "+markup.Prose(in)+"\n"), &b); err != nil {
			t.Fatal(err)
		}
		body := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), "<ul>\n<li>"), "</li>\n</ul>")
		if strings.ContainsAny(body, "<\n") {
			t.Errorf("%q renders as %s", in, body)
		}
	}
}
