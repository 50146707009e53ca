package anchor

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

var tree = NewTreeIndex([]string{
	"README.md", "docs/guide.md", "docs/rules/style.md", "docs/site/intro.mdx", "docs/assets/logo.svg",
	"src/shop/store/mem/mem.go", "src/shop/cart.go", "src/shop/total.go", "src/site/total.go",
	"pkg/a/lib/x.go", "pkg/b/lib/x.go", "pkg/b/README.md", "pkg/b/scripts/run.sh", "py/shop/cart/totals.py", "py/shop/tool/__main__.py",
	".claude/memory/pay_retries.md", ".claude/memory/MEMORY.md", "notes/Pay-Retries.md", "web/cart.ts", "web/shop.tsx",
}, []string{"data", "linked"})

func one(t *testing.T, src string) Candidate {
	t.Helper()
	d, f := whole(src)
	found := Find(d, f)
	if len(found) == 0 {
		t.Fatalf("nothing found in %q", src)
	}
	return found[len(found)-1]
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		src, doc string
		want     Place
	}{
		"root":                       {"`src/shop/cart.go`", "docs/guide.md", Place{Path: "src/shop/cart.go", How: Root}},
		"relative before root":       {"[s](rules/style.md)", "docs/guide.md", Place{Path: "docs/rules/style.md", How: Relative}},
		"up":                         {"[r](../README.md)", "docs/guide.md", Place{Path: "README.md", How: Relative}},
		"out of the repository":      {"[r](../../README.md)", "docs/guide.md", Place{}},
		"root-absolute link":         {"[s](/docs/rules/style.md)", "pkg/b/README.md", Place{Path: "docs/rules/style.md", How: Root}},
		"link without extension":     {"[s](./site/intro)", "docs/guide.md", Place{Path: "docs/site/intro.mdx", How: Relative}},
		"from the package above":     {"`scripts/run.sh`", "pkg/b/docs/use.md", Place{Path: "pkg/b/scripts/run.sh", How: Above}},
		"suffix":                     {"`store/mem/`", "docs/guide.md", Place{Path: "src/shop/store/mem", Dir: true, How: Suffix}},
		"bare, unique":               {"`mem.go`", "docs/guide.md", Place{Path: "src/shop/store/mem/mem.go", How: Suffix}},
		"bare, ambiguous":            {"`total.go`", "docs/guide.md", Place{Path: "src/shop/total.go", How: Ambiguous}},
		"bare, by context":           {"in `src/site/` the `total.go`", "docs/guide.md", Place{Path: "src/site/total.go", How: Context}},
		"bare directory":             {"`lib/`", "docs/guide.md", Place{Path: "pkg/a/lib", Dir: true, How: Ambiguous}},
		"own part of the tree":       {"`lib/x.go`", "pkg/b/README.md", Place{Path: "pkg/b/lib/x.go", How: Relative}},
		"not half a name":            {"`hop/cart.go`", "docs/guide.md", Place{}},
		"file asked, directory only": {"`store/mem.go`", "docs/guide.md", Place{}},
		"submodule":                  {"`data/db/schema.sql`", "docs/guide.md", Place{Path: "data/db/schema.sql", How: Behind}},
		"glob":                       {"`web/*.ts`", "docs/guide.md", Place{Path: "web/cart.ts", How: Root}},
		"glob anywhere":              {"`**/mem.go`", "docs/guide.md", Place{Path: "src/shop/store/mem/mem.go", How: Root}},
		"glob of a suffix":           {"`store/**/*.go`", "docs/guide.md", Place{Path: "src/shop/store/mem/mem.go", How: Suffix}},
		"brace glob":                 {"`web/{cart,till}.ts`", "docs/guide.md", Place{Path: "web/cart.ts", How: Root}},
		"glob of nothing":            {"`web/*.go`", "docs/guide.md", Place{}},
		"wiki, - and _":              {"[[pay-retries]]", ".claude/memory/MEMORY.md", Place{Path: ".claude/memory/pay_retries.md", How: Relative}},
		"wiki, ambiguous":            {"[[pay-retries]]", "docs/guide.md", Place{Path: ".claude/memory/pay_retries.md", How: Ambiguous}},
		"module":                     {"`python -m shop.cart.totals`", "docs/guide.md", Place{Path: "py/shop/cart/totals.py", How: Suffix}},
		"module with a main":         {"```\npython -m shop.tool\n```", "docs/guide.md", Place{Path: "py/shop/tool/__main__.py", How: Suffix}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := one(t, tc.src)
			if diff := cmp.Diff(tc.want, tree.Resolve(&c, tc.doc)); diff != "" {
				t.Errorf("Resolve(%q in %s): -want +got\n%s", c.Text, tc.doc, diff)
			}
		})
	}
}

// TestDeclaredResolvesExactly: a declared anchor is never guessed by its end.
func TestDeclaredResolvesExactly(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]How{"src/shop/cart.go": Root, "cart.go": Nowhere, "src/shop": Root, "src/**/cart.go": Root} {
		d, f := whole("words")
		f.Life = knowledge.Lifecycle{AnchorFiles: []string{p}}
		c := Find(d, f)[0]
		if got := tree.Resolve(&c, "docs/guide.md"); got.How != want {
			t.Errorf("%s resolves as %d, want %d", p, got.How, want)
		}
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"pay-retries", "pay_retries.md", "Pay Retries", "PAYRETRIES.mdx"} {
		if got := Fold(name); got != "payretries" {
			t.Errorf("Fold(%q) = %q", name, got)
		}
	}
}
