package gitignore_test

import (
	"testing"

	"github.com/retrosweep/retrosweep/internal/gitignore"
)

func TestIgnores(t *testing.T) {
	t.Parallel()
	var ig gitignore.Rules
	ig.Add(".gitignore", []byte("# build\n/dist\n*.log\r\nout/\n!keep.log\ndocs/private\n\\#odd\n/web/**/gen\n"))
	ig.Add("web/.gitignore", []byte("/tmp\n*.map\n"))
	for p, want := range map[string]bool{
		"dist/app.js": true, "web/dist/app.js": false, "a/b/run.log": true, "keep.log": false, "out/x": true, "out": false,
		"docs/private/a.md": true, "private/a.md": false, "#odd": true, "web/tmp/x": true, "tmp/x": false, "web/a/cart.map": true,
		"cart.map": false, "web/a/b/gen/x.ts": true, "src/main.go": false,
	} {
		if got := ig.Match(p, false); got != want {
			t.Errorf("match(%q) = %v, want %v", p, got, want)
		}
	}
	if !ig.Match("out", true) {
		t.Error("the directory out/ is not ignored")
	}
}
