package anchor

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// whole parses src as one fact over all its lines: what is tested here is what
// a text names, not how a format is cut into facts.
func whole(src string) (*knowledge.Document, *knowledge.Fact) {
	d := &knowledge.Document{Path: "docs/guide.md", Source: []byte(src)}
	n := strings.Count(src, "\n") + 1
	return d, &knowledge.Fact{ID: "f", File: d.Path, Line: 1, EndLine: n, Kind: knowledge.KindParagraph, Span: knowledge.Span{End: len(src)}}
}

// claims returns the texts of the candidates that claim something.
func claims(src string) []string {
	d, f := whole(src)
	out := []string{}
	for _, c := range Find(d, f) {
		if c.Mute() == "" {
			out = append(out, c.Text)
		}
	}
	return out
}

// TestSpellings has one line for each way people write a path.
func TestSpellings(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		src  string
		want []string
	}{
		"code span":            {"Uploads go through `internal/store/upload.go`.", []string{"internal/store/upload.go"}},
		"two in a line":        {"`a/one.go` and `a/two.go`", []string{"a/one.go", "a/two.go"}},
		"bold":                 {"See **internal/store/upload.go** first", []string{"internal/store/upload.go"}},
		"bare word":            {"Read internal/store/upload.go first.", []string{"internal/store/upload.go"}},
		"bare file name":       {"The steps are in TESTING.md.", []string{"TESTING.md"}},
		"in parentheses":       {"workers (pack.ts, ship.ts)", []string{"pack.ts", "ship.ts"}},
		"directory":            {"- Storage lives in `internal/store/`", []string{"internal/store/"}},
		"line number":          {"see `cmd/shop/main.go:42` and `cmd/shop/cart.go:10-20`", []string{"cmd/shop/main.go", "cmd/shop/cart.go"}},
		"line fragment":        {"see cmd/shop/main.go#L42", []string{"cmd/shop/main.go"}},
		"symbol fragment":      {"`cmd/shop/main.go#Run`", []string{"cmd/shop/main.go"}},
		"test name":            {"`tests/test_cart.py::test_total`", []string{"tests/test_cart.py"}},
		"glob":                 {"every `internal/**/*_gen.go` is code", []string{"internal/**/*_gen.go"}},
		"brace glob":           {"`web/{cart,shop}.ts`", []string{"web/{cart,shop}.ts"}},
		"link":                 {"[rules](../rules/style.md#tabs)", []string{"../rules/style.md"}},
		"link with a title":    {`[rules](rules.md "Rules")`, []string{"rules.md"}},
		"link, blanks encoded": {"[n](old%20notes/day%20one.md)", []string{"old%20notes/day%20one.md"}},
		"reference definition": {"[rules]: ../rules/style.md", []string{"../rules/style.md"}},
		"mdc link":             {"[cart](mdc:web/cart.ts)", []string{"web/cart.ts"}},
		"wiki link":            {"see [[payment-retries]] and [[notes/cart|the cart]]", []string{"payment-retries", "notes/cart"}},
		"import":               {"@docs/agents/testing.md", []string{"docs/agents/testing.md"}},
		"import ends sentence": {"Read @./docs/testing.md.", []string{"./docs/testing.md"}},
		"table row":            {"| Cart | `web/cart.ts` | yes |", []string{"web/cart.ts"}},
		"heading":              {"### 2b. Update `docs/pages/agents.html`", []string{"docs/pages/agents.html"}},
		"compound extension":   {"`prompts/coder.md.tpl`", []string{"prompts/coder.md.tpl"}},
		"several dots":         {"`webpack.public.config.js:69-70`", []string{"webpack.public.config.js"}},
		"route group":          {"`app/(shop)/[id]/page.tsx`", []string{"app/(shop)/[id]/page.tsx"}},
		"hidden directory":     {"`.agent/rules/tv.md`", []string{".agent/rules/tv.md"}},
		"script in a span":     {"run `./scripts/release.sh <version> --commit`", []string{"./scripts/release.sh"}},
		"python module":        {"```\npython -m shop.cart.totals data/in.json\n```", []string{"shop.cart.totals", "data/in.json"}},
		"script in a fence":    {"```bash\nuv run --script scripts/draw.py \\\n```", []string{"scripts/draw.py"}},
		"package in a fence":   {"```sh\ngo test ./internal/store/...\n```", []string{"./internal/store"}},
		"variable":             {"```bash\nexport CONFIG=server/tests/config.yaml\n```", []string{"server/tests/config.yaml"}},
		"fence never closed":   {"```\n\n# Head\n\n- `web/cart.ts`", []string{"web/cart.ts"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, claims(tc.src)); diff != "" {
				t.Errorf("Find(%q): -want +got\n%s", tc.src, diff)
			}
		})
	}
}

// TestNotAnchors has one line for each kind of text that looks like a path and
// names nothing of the repository.
func TestNotAnchors(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"URL":                      "https://acme.dev/docs/cart.html and <https://acme.dev/a/b.md>",
		"link to a URL":            "[cart](https://acme.dev/cart.md)",
		"link to a heading":        "[below](#cart)",
		"link to mail":             "[mail](mailto:ada@acme.dev)",
		"import path":              "`github.com/acme/shop/cart.go`",
		"angle placeholder":        "`docs/<topic>/notes.md` and `make test-<module>`",
		"brace placeholder":        "`docs/{topic}/notes.md`",
		"shell variable":           "`$HOME/shop.yaml` and `${TMPDIR:-/tmp}/shop.log`",
		"windows variable":         "`%LOCALAPPDATA%\\shop\\cfg.json`",
		"home":                     "`~/.config/shop/config.yaml`",
		"machine path":             "`/usr/local/bin/shop.sh`, `/home/ada/x.py`, /path/to/server.js",
		"my…":                      "`internal/shell/mycommand.go` and `my-skill/SKILL.md`",
		"foo":                      "`src/foo.ts`, `foo/bar.go`, `example/x.md`",
		"camel placeholder":        "`components/MyComponent.tsx`",
		"shouty placeholder":       "`repos/OWNER/REPO/pulls.json`",
		"date placeholder":         "`logs/YYYY-MM-DD.md`",
		"ellipsis":                 "`test-results/run-.../report.json` and `src/…/cart.ts`",
		"slash-joined words":       "read/write, and/or, client/server",
		"product":                  "Node.js and Next.js",
		"version":                  "`v1.24.3`",
		"method":                   "`window.history.go(-1)`",
		"bare suffix":              "`.sql.go` files end so",
		"code in a span":           "`import x from 'web/cart.ts'`",
		"example code":             "```ts\nimport { cart } from './web/cart.ts';\n```",
		"code comment in a fence":  "```yaml\n# .github/workflows/test.yml\non: push\n```",
		"shell comment in a fence": "```bash\n# scripts/old.sh does this\nmake\n```",
		"HTML":                     `<img src="docs/cart.png">`,
		"scoped package":           "`@acme/shop`",
		"slash command":            "run `/release` or /release/check",
		"what a command writes":    "```bash\nmkdir -p out/reports\ntouch notes/day.md\nshop > out/log.txt\nshop --output out/x.json\n```",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := claims(src); len(got) != 0 {
				t.Errorf("Find(%q) = %q, want nothing", src, got)
			}
		})
	}
}

// TestTone has one line for each way a text says that what it names is gone,
// planned, optional or elsewhere.
func TestTone(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"removed":             "The old cart (`web/cart.ts`) has been removed.",
		"no longer":           "We no longer use `web/cart.ts`.",
		"used to":             "Totals used to be in `web/cart.ts`.",
		"was":                 "`web/cart.ts` was 4,564 lines long.",
		"were in":             "Totals were in `web/cart.ts`.",
		"renamed from":        "The basket was renamed from `web/cart.ts`.",
		"replaces":            "The basket replaces `web/cart.ts`.",
		"this, not that":      "Totals come from the basket, not `web/cart.ts`.",
		"it is now":           "`web/cart.ts` is now the basket package.",
		"an order to move":    "- **Assets**: Move `web/cart.ts` to the basket.",
		"a new one":           "- New: `web/cart.ts` adds them up",
		"files created":       "## Files Created\n\n### Web\n\n- `web/cart.ts`",
		"a problem":           "### Problem Statement\n\n- `web/cart.ts`",
		"generated, drawn":    "Then commit the generated files:\n\n```text\nweb/cart.ts\n```",
		"an example drawn":    "**Example:**\n\n```text\nEXECUTE: pytest web/cart.py\n```",
		"instead of":          "Use the basket instead of `web/cart.ts`.",
		"create":              "Create `web/cart.ts` with a total.",
		"save to":             "Save the report to `out/report.md`.",
		"will be":             "Totals will live in `web/cart.ts`.",
		"new file":            "- `web/cart.ts` (new) holds the total",
		"generated":           "`web/cart.ts` is generated by the build.",
		"ignored":             "`deploy/.env.local.yaml` is git-ignored.",
		"if present":          "Read `web/cart.ts` if present.",
		"if it exists":        "If `web/cart.ts` exists, read it.",
		"avoid":               "Avoid `pkg/`, and never create `pkg/cart/`.",
		"does not exist":      "`web/cart.ts` does not exist.",
		"another repository":  "The website repository has `src/pages/blog.tsx`.",
		"the user's project":  "Put it in `config/shop.yaml` of the user's project.",
		"example of a name":   "Put rules into a file (e.g., `RULES.md`), named like `rule_one.md`.",
		"a default":           "- `--file`: the tasks (default: \"tasks/tasks.json\")",
		"added on a day":      "Rules pruned, two new ones added (`one.md`, `rules/two.md`).",
		"a generated file":    "The generated workflow runs nightly. Change `.github/workflows/nightly.yml` as well.",
		"old label":           "- **Old:** `scripts/prd.txt`",
		"your settings":       "Open your desktop configuration file (usually `desktop_config.json`).",
		"section":             "## Removed\n\n- `web/cart.ts`",
		"history section":     "## History\n\n- `web/cart.ts`",
		"lead-in":             "Files removed:\n\n- `web/cart.ts`",
		"lead-in, to be made": "This installs:\n\n- `web/cart.ts`",
		"log entry":           "- Added `web/cart.ts` for totals",
		"done":                "- [x] Totals in web/cart.ts",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := claims(src); len(got) != 0 {
				t.Errorf("Find(%q) claims %q, want silence", src, got)
			}
		})
	}
}

// TestStillClaims has texts near to those that are silent, which do claim.
func TestStillClaims(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ src, want string }{
		"moved to":             {"Totals moved to `web/cart.ts`.", "web/cart.ts"},
		"is now":               {"The copies were deleted; the three that used to sit there are now `web/cart.ts`.", "web/cart.ts"},
		"what is written down": {"Write to `notes.txt`:\n\n```\neval web/cart.ts\n```", "web/cart.ts"},
		"do not edit":          {"Do not edit `web/cart.ts`.", "web/cart.ts"},
		"read from":            {"Settings come from `web/cart.ts`.", "web/cart.ts"},
		"arrow to a place":     {"- `web/cart.ts` → `web/basket.ts`", "web/basket.ts"},
		"arrow to an effect":   {"- `web/cart.ts` → adds totals", "web/cart.ts"},
		"other sentence":       {"The shop was removed. Totals are in `web/cart.ts`.", "web/cart.ts"},
		"legacy, but there":    {"- SQLite (legacy) in `web/cart.ts`, still supported", "web/cart.ts"},
		"NOT by":               {"Totals come from a table, not from thin air. `web/cart.ts` adds them.", "web/cart.ts"},
		"fence under creation": {"Generate the drawing:\n\n```bash\npython scripts/draw.py\n```", "scripts/draw.py"},
		"history of something": {"### Step 3: Fetch notification history\n\nRun `web/cart.ts`.", "web/cart.ts"},
		"paragraph after list": {"Create a test that:\n\n1. loads\n\nSee `web/cart.ts` for one.", "web/cart.ts"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff([]string{tc.want}, claims(tc.src)); diff != "" {
				t.Errorf("Find(%q): -want +got\n%s", tc.src, diff)
			}
		})
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	src := "---\nglobs: *.ts, web/**/*.tsx, web/{a,b}.ts\ntrigger: \"android/app/Plugin.kt\"\nfiles:\n  - web/cart.ts@sig:0123456789abcdef\n---\n"
	d, f := whole(src)
	f.Kind = knowledge.KindField
	var got []string
	for _, c := range Find(d, f) {
		got = append(got, c.Text)
	}
	want := []string{"web/**/*.tsx", "web/{a,b}.ts", "android/app/Plugin.kt", "web/cart.ts"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields: -want +got\n%s", diff)
	}
}

func TestDeclared(t *testing.T) {
	t.Parallel()
	d, f := whole("words\n")
	f.Life.AnchorFiles = []string{"web/cart.ts#Total", "web/", "web/*.ts", "Makefile", " "}
	var got []knowledge.AnchorKind
	for _, c := range Find(d, f) {
		if c.Form != FormDeclared {
			t.Errorf("%s has form %s", c.Text, c.Form)
		}
		got = append(got, c.Kind)
	}
	want := []knowledge.AnchorKind{knowledge.AnchorFile, knowledge.AnchorDir, knowledge.AnchorGlob, knowledge.AnchorFile}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kinds: -want +got\n%s", diff)
	}
}

// TestContext checks the directories that a reader would supply.
func TestContext(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ src, text, dir string }{
		"same line, before": {"in `src/workers/` (pack.ts)", "pack.ts", "src/workers"},
		"same line, after":  {"`pack.ts` under `src/workers/`", "pack.ts", "src/workers"},
		"enclosing item":    {"1. **RPC** (`internal/rpc/`)\n   - in `proto.go`", "proto.go", "internal/rpc"},
		"lead-in":           {"Tests in `src/tests/`:\n\n- `pack.ts`", "pack.ts", "src/tests"},
		"heading":           {"## `internal/rpc/`\n\nThe entry is `proto.go`.", "proto.go", "internal/rpc"},
		"rooted directory":  {"- `/sync` has `coord.py`", "coord.py", "sync"},
		"sibling file":      {"`src/a/one.ts` and `two.ts`", "two.ts", "src/a"},
		"cd":                {"```bash\ncd web/shop\npython run.py\n```", "run.py", "web/shop"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, f := whole(tc.src)
			for _, c := range Find(d, f) {
				if c.Text == tc.text {
					if len(c.Dirs) == 0 || c.Dirs[0] != tc.dir {
						t.Errorf("%s hangs under %q, want %q first", c.Text, c.Dirs, tc.dir)
					}
					return
				}
			}
			t.Errorf("%q is not found in %q", tc.text, tc.src)
		})
	}
}

func TestTrees(t *testing.T) {
	t.Parallel()
	src := "```\nshop/\n├── web/            # pages\n│   ├── cart.ts\n│   └── tests/\n│       └── cart.test.ts\n└── go.mod\n```\n"
	d, f := whole(src)
	got := map[string][]string{}
	for _, c := range Find(d, f) {
		got[c.Text] = c.Paths()
	}
	want := map[string][]string{
		"web": {"shop/web", "web"}, "cart.ts": {"shop/web/cart.ts", "web/cart.ts"}, "tests": {"shop/web/tests", "web/tests"},
		"cart.test.ts": {"shop/web/tests/cart.test.ts", "web/tests/cart.test.ts"}, "go.mod": {"shop/go.mod", "go.mod"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tree: -want +got\n%s", diff)
	}
}

// TestLines checks that a candidate knows its own line inside a long fact.
func TestLines(t *testing.T) {
	t.Parallel()
	d, f := whole("one\ntwo `web/cart.ts`\n\n- three\n- four `web/shop.ts`\n")
	var got []int
	for _, c := range Find(d, f) {
		got = append(got, c.Line)
	}
	if diff := cmp.Diff([]int{2, 5}, got); diff != "" {
		t.Errorf("lines: -want +got\n%s", diff)
	}
}

// TestHostileTexts has texts in which each mark opens something that never
// ends. They are read like any other.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{"[", "`a ", "](", "<a ", "[[a", "`a/b.go` ", "| `a/b.go` ", "\n- `a/b.go`", "*", "a/"} {
		d, f := whole(strings.Repeat(mark, 100_000/len(mark)))
		for _, c := range Find(d, f) {
			_ = c.Mute()
		}
	}
}

// FuzzFind checks that no text makes the reader fail, and that every candidate
// is spelled in the text on the line it says.
func FuzzFind(f *testing.F) {
	for _, s := range []string{
		"`a/b.go` and [x](y.md)", "[[a_b]]", "```\na/\n├── b.go\n```", "| `x/y.ts` |", "@a/b.md", "]( [", "``", "[a](b", "---\nglobs: {\n---",
		"```bash\npython -m a.b > out/c.txt\n```", "\xef\xbb\xbf# `\xff/a.go`", "a\r\nb/c.go\r\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		d, fact := whole(src)
		lines := strings.Split(src, "\n")
		for _, c := range Find(d, fact) {
			if c.Line < 1 || c.Line > len(lines) {
				t.Fatalf("line %d of %d for %q", c.Line, len(lines), c.Text)
			}
			if c.Path == "" || strings.HasPrefix(c.Path, "/") {
				t.Fatalf("path %q of %q", c.Path, c.Text)
			}
			_ = c.Mute()
		}
	})
}
