package knowledge

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const shelf = ".claude/memory/"

// shelfFiles are memories of all types, with names that have relatives.
func shelfFiles() files {
	out := files{}
	for _, name := range []string{
		"feedback_short_tests", "feedback_no_mocks", "feedback-long-name", "project_cart_total", "project_cart_tax", "project_deploy", "reference_keys", "reference_key_files", "user_profile",
	} {
		kind, rest, _ := strings.Cut(strings.ReplaceAll(name, "-", "_"), "_")
		out[shelf+name+".md"] = fmt.Appendf(nil, "---\nname: %s\ndescription: about | the [%s](x.md) `thing\ntype: %s\n---\n\n# The %s\n\nText.\n", name, rest, kind, strings.ReplaceAll(rest, "_", " "))
	}
	return out
}

// indexStyles write an index of files in the ways that people do.
var indexStyles = map[string]func(names []string) string{
	"list": func(names []string) string {
		return "# Memory\n\n" + each(names, "- [%s](%s.md) — %s\n") + "\nA note of mine.\n"
	},
	"tight": func(names []string) string { return each(names, "* [%s](%s.md): %s\n") },
	"sections": func(names []string) string {
		return "# Memory\n\nRead this first.\n" + byType(names, "\n## %s\n\n", "- [%s](%s.md) - %s\n")
	},
	"table": func(names []string) string {
		return "# Index — shop\n\n| File | Type | Summary |\n|---|---|---|\n" + each(names, "| `%[2]s.md` | x | %[3]s |\n")
	},
	"wiki": func(names []string) string {
		return "# M\n\n" + each(names, "- [[%[2]s]] %[3]s\n") + "\n## Log\n\n- nothing\n"
	},
	"log": func(names []string) string {
		var b strings.Builder
		b.WriteString("# Notes\n\n")
		for i, n := range names {
			fmt.Fprintf(&b, "## Topic %d\n\n- Something that was said at length, without a link.\n- [%s](%s.md) — %s\n\n", i/2, strings.ReplaceAll(n, "_", " "), n, "why")
		}
		return b.String()
	},
}

func each(names []string, form string) string {
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, form, strings.ReplaceAll(n, "_", " "), n, "about "+n[:4])
	}
	return b.String()
}

func byType(names []string, head, form string) string {
	var b strings.Builder
	for _, kind := range []string{"feedback", "project", "reference", "user"} {
		fmt.Fprintf(&b, head, strings.ToUpper(kind[:1])+kind[1:])
		b.WriteString(each(slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasPrefix(n, kind) }), form))
	}
	return b.String()
}

func stems(tree files) []string {
	var out []string
	for name := range tree {
		out = append(out, stem(name))
	}
	slices.Sort(out)
	return out
}

func paths(tree files) []string { return slices.Sorted(maps.Keys(tree)) }

// everyIndex runs check on every style in every variant.
func everyIndex(t *testing.T, check func(t *testing.T, tree files, names []string, style func([]string) string, variant func([]byte) []byte)) {
	for name, style := range indexStyles {
		for v, variant := range variants {
			if v == "gaps" || v == "latin1" {
				continue
			}
			t.Run(name+"/"+v, func(t *testing.T) {
				t.Parallel()
				tree := shelfFiles()
				check(t, tree, stems(tree), style, variant)
			})
		}
	}
}

// TestMissingFilesAreListed: whichever files an index leaves out, the night adds
// a line for each in the index's own way, changes no other byte, and has nothing
// to do the next time.
func TestMissingFilesAreListed(t *testing.T) {
	t.Parallel()
	everyIndex(t, func(t *testing.T, tree files, names []string, style func([]string) string, variant func([]byte) []byte) {
		rnd := rand.New(rand.NewPCG(1, 2))
		for range 12 {
			listed := slices.DeleteFunc(slices.Clone(names), func(string) bool { return rnd.IntN(4) == 0 })
			if 2*len(listed) < len(names) {
				continue
			}
			before := variant([]byte(style(listed)))
			tree[shelf+indexName] = before
			x := Index(tree.read, shelf+indexName, paths(tree))
			if len(x.Notes) > 0 || len(x.Edits) != len(names)-len(listed) {
				t.Fatalf("%d files are missing: %+v", len(names)-len(listed), x)
			}
			after, err := tree.apply(x.Edits...)
			if err != nil {
				t.Fatalf("%v\n%s", err, before)
			}
			got := after[shelf+indexName]
			added := addedLines(t, before, got)
			if len(added) != len(x.Edits) {
				t.Errorf("%d lines for %d files:\n%s", len(added), len(x.Edits), cmp.Diff(string(before), string(got)))
			}
			if again := Index(after.read, shelf+indexName, paths(after)); len(again.Edits) > 0 {
				t.Errorf("the second night edits again: %+v", again.Edits)
			}
		}
	})
}

// addedLines asserts that after is before with whole lines added, and returns
// these. A last line without its end may get one.
func addedLines(t *testing.T, before, after []byte) []string {
	t.Helper()
	cut := func(b []byte) []string {
		lines := strings.SplitAfter(strings.TrimPrefix(string(b), "\ufeff"), "\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], "\r\n")
		}
		return lines
	}
	old, rest := cut(before), cut(after)
	var added []string
	for _, l := range old {
		for len(rest) > 0 && rest[0] != l {
			added, rest = append(added, rest[0]), rest[1:]
		}
		if len(rest) == 0 {
			t.Fatalf("the line %q is gone:\n%s", l, after)
		}
		rest = rest[1:]
	}
	return slices.DeleteFunc(append(added, rest...), func(s string) bool { return s == "" })
}

// TestGoneFilesLeaveTheirLines: a line whose file is gone moves to the archive,
// and comes back byte for byte with the file.
func TestGoneFilesLeaveTheirLines(t *testing.T) {
	t.Parallel()
	everyIndex(t, func(t *testing.T, tree files, names []string, style func([]string) string, variant func([]byte) []byte) {
		tree[shelf+indexName] = variant([]byte(style(names)))
		for _, gone := range names {
			left := maps.Clone(tree)
			delete(left, shelf+gone+".md")
			x := Index(left.read, shelf+indexName, paths(left))
			if len(x.Edits) != 1 {
				t.Fatalf("%s is gone: %+v", gone, x)
			}
			after, err := left.apply(x.Edits...)
			if err != nil {
				t.Fatal(err)
			}
			if mentions(after[shelf+indexName], gone) {
				t.Errorf("%s is still listed:\n%s", gone, after[shelf+indexName])
			}
			cut(t, tree[shelf+indexName], after[shelf+indexName])
			if again := Index(after.read, shelf+indexName, paths(after)); len(again.Edits) > 0 {
				t.Errorf("the second night edits again: %+v", again.Edits)
			}
		}
	})
}

// TestIndexGoesWithItsFile: archiving a memory takes its line along and
// restoring brings both back, so that the night finds an index that is true.
func TestIndexGoesWithItsFile(t *testing.T) {
	t.Parallel()
	everyIndex(t, func(t *testing.T, tree files, names []string, style func([]string) string, variant func([]byte) []byte) {
		tree[shelf+indexName] = variant([]byte(style(names)))
		for _, name := range names {
			doc := parseAs(shelf+name+".md", tree[shelf+name+".md"])
			gone, err := tree.apply(Edit{Op: OpArchive, Path: doc.Path, FactID: doc.Page().ID, Reason: "over", Date: editDay})
			if err != nil {
				t.Fatal(err)
			}
			if x := Index(gone.read, shelf+indexName, paths(gone)); len(x.Edits) > 0 {
				t.Errorf("after the archive of %s: %+v", name, x.Edits)
			}
			back, err := gone.apply(Edit{Op: OpRestore, Path: doc.Path, FactID: doc.Page().ID})
			if err != nil {
				t.Fatal(err)
			}
			if d := diff(tree, back); d != "" {
				t.Errorf("restore is not exact:\n%s", d)
			}
		}
	})
}

func TestIndexOwnStyle(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ index, file, want string }{
		"nearest relative":     {"- [Cart tax](project_cart_tax.md) — tax\n- [Deploy](project_deploy.md) — how\n- [Keys](reference_keys.md) — keys\n", "project_cart_total", "1:- [The cart total](project_cart_total.md) — about / the cart_total(x.md) thing"},
		"labels as file names": {"- [reference_keys.md](reference_keys.md): keys\n", "reference_key_files", "1:- [reference_key_files.md](reference_key_files.md): about / the key_files(x.md) thing"},
		"table":                {"| File | Type | Summary |\n|---|---|---|\n| `project_deploy.md` | project | how |\n\nText.\n", "project_cart_tax", "3:| `project_cart_tax.md` | project | about / the cart_tax(x.md) thing |"},
		"empty section":        {"## Feedback\n\n- [Short](feedback_short_tests.md): run\n\n## User\n\n## Log\n", "user_profile", "6:- [The profile](user_profile.md): about / the profile(x.md) thing"},
		"wiki links":           {"* [[project_deploy]] - how\n", "project_cart_tax", "1:* [[project_cart_tax]] - about / the cart_tax(x.md) thing"},
		"bold":                 {"- **[Deploy](project_deploy.md)** — how\n", "project_cart_tax", "1:- [The cart tax](project_cart_tax.md) — about / the cart_tax(x.md) thing"},
		"no line yet":          {"# Memory\n", "project_deploy", "2:- [The deploy](project_deploy.md): about / the deploy(x.md) thing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := shelfFiles()
			tree[shelf+indexName] = []byte(tc.index)
			got, err := tree.apply(Edit{Op: OpIndex, Path: shelf + indexName, Text: tc.file + ".md"})
			if err != nil {
				t.Fatal(err)
			}
			for i, l := range strings.Split(string(got[shelf+indexName]), "\n") {
				if strings.Contains(l, tc.file) {
					if at := fmt.Sprintf("%d:%s", i, l); at != tc.want {
						t.Errorf("got  %s\nwant %s", at, tc.want)
					}
				}
			}
			addedLines(t, []byte(tc.index), got[shelf+indexName])
		})
	}
}

func TestIndexIsLeftToItsOwner(t *testing.T) {
	t.Parallel()
	tree := shelfFiles()
	tree[shelf+indexName] = []byte("# Mine\n\n- [Deploy](project_deploy.md)\n- See [keys](reference_keys.md) and [gone](project_gone.md).\n- [Outside](../../docs/none.md)\n- [Web](https://acme.dev/none.md)\n- Prose about [gone](project_gone.md).\n")
	x := Index(tree.read, shelf+indexName, paths(tree))
	if len(x.Edits) > 0 || len(x.Notes) != 1 || !strings.Contains(x.Notes[0], "less than half") {
		t.Errorf("%+v", x)
	}
	long := bytes.Repeat([]byte("a line of the owner\n"), maxIndexLines-8)
	tree[shelf+indexName] = append(long, each(stems(shelfFiles())[:8], "- [%s](%s.md): %s\n")...)
	if x := Index(tree.read, shelf+indexName, paths(tree)); len(x.Edits) > 0 || len(x.Notes) != 1 {
		t.Errorf("an index that is full: %+v", x)
	}
	if x := Index(tree.read, "nothing/MEMORY.md", paths(tree)); len(x.Edits)+len(x.Notes) > 0 {
		t.Errorf("an index that is not there: %+v", x)
	}
}

func TestWikiIndex(t *testing.T) {
	t.Parallel()
	tree := files{
		"wiki/INDEX.md":      []byte("# Wiki\n\n- [Deploy](ops/deploy.md) - how\n- [Cart](cart.md) - what\n- [Gone](gone.md) - was\n"),
		"wiki/cart.md":       []byte("# Cart\n"),
		"wiki/log.md":        []byte("# Log\n"),
		"wiki/ops/deploy.md": []byte("# Deploy\n"),
		"wiki/ops/keys.md":   []byte("# Keys\n\nWhere keys are.\n"),
	}
	x := Index(tree.read, "wiki/INDEX.md", paths(tree))
	after, err := tree.apply(x.Edits...)
	if err != nil {
		t.Fatal(err)
	}
	want := "# Wiki\n\n- [Deploy](ops/deploy.md) - how\n- [Keys](ops/keys.md)\n- [Cart](cart.md) - what\n"
	if diff := cmp.Diff(want, string(after["wiki/INDEX.md"])); diff != "" {
		t.Error(diff)
	}
}
