package guard

import (
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/retrosweep/retrosweep/internal/guard/canary"
	"github.com/retrosweep/retrosweep/internal/knowledge"
)

func FuzzText(f *testing.F) {
	for _, c := range canary.All() {
		f.Add(c.Before + c.Secret + c.After)
	}
	for _, seed := range []string{"", "plain", "\x1b[31mred", "a\u200bb", "👩\u200d💻", "<!-- x -->", "@a fixes #1", "--x", "[skip ci]", "⟦end x⟧", "\xff", "a\r\nb", "```", "ｆixes ＃1", "x](y", "fix\u00adup! \u202e@"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean, _ := Scrub(text)
		stable(t, "Scrub", clean, func(s string) string { out, _ := Scrub(s); return out })
		if len(Hidden(clean)) > 0 || !utf8.ValidString(clean) || strings.Contains(clean, "<!--") {
			t.Errorf("Scrub leaves %v in %q", Hidden(clean), clean)
		}
		redacted, _ := Redact(clean)
		stable(t, "Redact", redacted, func(s string) string { out, _ := Redact(s); return out })
		stable(t, "Terminal", Terminal(text), Terminal)
		checkTitle(t, Title(text, 60))
		if slug := Slug(text, 30); len(slug) > 30 || strings.Trim(slug, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || strings.Trim(slug, "-") != slug || slug == "" {
			t.Errorf("Slug = %q", slug)
		}
		if out, err := OutputText(text, 400); err == nil {
			stable(t, "OutputText", out, func(s string) string { again, _ := OutputText(s, 400); return again })
			if _, kinds := Redact(out); len(kinds) > 0 || len(Hidden(out)) > 0 || strings.ContainsAny(out, "\n\r") {
				t.Errorf("OutputText lets through %q", out)
			}
		}
		if fenced := Fence("x", text); strings.Count(fenced, "⟦") != 2 || strings.Count(fenced, "⟧") != 2 {
			t.Errorf("Fence = %q", fenced)
		}
		QuoteIn([]byte(text), 1, text)
	})
}

func stable(t *testing.T, what, once string, again func(string) string) {
	t.Helper()
	if twice := again(once); twice != once {
		t.Errorf("%s is not idempotent: %q, then %q", what, once, twice)
	}
}

func checkTitle(t *testing.T, title string) {
	t.Helper()
	stable(t, "Title", title, func(s string) string { return Title(s, 60) })
	if strings.ContainsAny(title, "@\n\r<>") || strings.HasPrefix(title, "-") || utf8.RuneCountInString(title) > 60 || len(Hidden(title)) > 0 {
		t.Errorf("Title = %q", title)
	}
	if closing.MatchString(title) || command.MatchString(title) || trailer.MatchString(title) {
		t.Errorf("Title = %q still acts", title)
	}
}

func FuzzPath(f *testing.F) {
	for _, file := range badPaths {
		f.Add(file)
	}
	for _, file := range protectedExamples {
		f.Add(file)
	}
	f.Add("knowledge/playbooks/a.md")
	open := policy(Routes{Auto: []string{"**"}}, Routes{})
	f.Fuzz(func(t *testing.T, file string) {
		route, why := open.Route(file)
		if why == "" {
			t.Error("no reason")
		}
		if route == knowledge.RouteNever {
			return
		}
		if path.Clean(file) != file || path.IsAbs(file) || strings.HasPrefix(file, "../") || strings.ContainsAny(file, "\\\x00\n\r:") || !utf8.ValidString(file) {
			t.Errorf("Route(%q) = %s", file, route)
		}
		for segment := range strings.SplitSeq(strings.ToLower(file), "/") {
			if segment == ".git" || strings.HasPrefix(segment, "-") || strings.HasPrefix(segment, "git~") {
				t.Errorf("Route(%q) = %s", file, route)
			}
		}
	})
}
