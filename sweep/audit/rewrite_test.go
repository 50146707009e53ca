package audit

import (
	"testing"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/anchor"
)

func TestRespell(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		was  anchor.Place
		to   string
		doc  string
		want string
	}{
		"from the root":       {"src/cart.ts", anchor.Place{Path: "src/cart.ts", How: anchor.Root}, "web/cart.ts", "README.md", "web/cart.ts"},
		"./":                  {"./scripts/a.sh", anchor.Place{Path: "scripts/a.sh", How: anchor.Root}, "tools/a.sh", "README.md", "./tools/a.sh"},
		"rooted":              {"/docs/a.md", anchor.Place{Path: "docs/a.md", How: anchor.Root}, "docs/old/a.md", "README.md", "/docs/old/a.md"},
		"relative":            {"../src/a.ts", anchor.Place{Path: "src/a.ts", How: anchor.Relative}, "web/a.ts", "docs/guide.md", "../web/a.ts"},
		"relative, same home": {"a.md", anchor.Place{Path: "docs/a.md", How: anchor.Relative}, "docs/old/a.md", "docs/guide.md", "old/a.md"},
		"directory":           {"src/db/", anchor.Place{Path: "src/db", Dir: true, How: anchor.Root}, "src/dbproxy", "README.md", "src/dbproxy/"},
		"suffix":              {"store/a.go", anchor.Place{Path: "internal/store/a.go", How: anchor.Suffix}, "internal/disk/a.go", "README.md", "disk/a.go"},
		"suffix left behind":  {"store/a.go", anchor.Place{Path: "internal/store/a.go", How: anchor.Suffix}, "pkg/disk/a.go", "README.md", "pkg/disk/a.go"},
		"bare, same place":    {"a.go", anchor.Place{Path: "src/a.go", How: anchor.Context}, "src/b.go", "README.md", "b.go"},
		"bare, elsewhere":     {"a.go", anchor.Place{Path: "src/a.go", How: anchor.Context}, "web/b.go", "README.md", "web/b.go"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &anchor.Candidate{Text: tc.text, Path: tc.text}
			if got := Respell(c, tc.was, tc.to, tc.doc); got != tc.want {
				t.Errorf("Respell(%q, %q -> %q in %s) = %q, want %q", tc.text, tc.was.Path, tc.to, tc.doc, got, tc.want)
			}
		})
	}
}

// TestPlain: an edit is offered only where every occurrence stands by itself.
func TestPlain(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{
		"See `a/b.go`.":                true,
		"See a/b.go.":                  true,
		"a/b.go and (a/b.go)":          true,
		"`a/b.go` beside `x/a/b.go`":   false,
		"`a/b.go` beside `a/b.go.bak`": false,
		"nothing":                      false,
	} {
		d := &knowledge.Document{Path: "x.md", Source: []byte(src)}
		c := &claim{doc: d, fact: &knowledge.Fact{Span: knowledge.Span{End: len(src)}}, cand: anchor.Candidate{Text: "a/b.go", Path: "a/b.go"}}
		if got := plain(c); got != want {
			t.Errorf("plain(%q) = %v, want %v", src, got, want)
		}
	}
}
