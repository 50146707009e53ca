package knowledge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// randomVault is a vault of entries with tags and lengths drawn at random; no tag
// belongs to one entry alone.
func randomVault(rnd *rand.Rand, entries int) string {
	var b strings.Builder
	b.WriteString("# KNOWLEDGE_VAULT.md\n\n### BLOCKED_PATTERNS\n")
	for i := range entries {
		if i == entries/2 {
			b.WriteString("\n### CONTEXTUAL_WARNINGS\n")
		}
		fmt.Fprintf(&b, "\n- **ID**: B-%03d\n- **Tags**: #all, #t%d/x\n- **Issue**: Number %d.\n%s- **TTL**: 90 days\n- **First Seen**: 2026-06-10 (bot)\n",
			i, rnd.IntN(3), i, strings.Repeat("- **Mitigation**: Do something.\n", rnd.IntN(2)))
	}
	return b.String()
}

// vaultIndexStyles write the index of a vault in the ways that tools do.
var vaultIndexStyles = map[string]func(ranges map[string][]lineRange) string{
	"pairs, indented": func(r map[string][]lineRange) string {
		return asJSON(map[string]any{"version": "1.0", "tags": mapped(r, func(x lineRange) any { return [2]int{x.from, x.to} })}, "  ") + "\n"
	},
	"pairs, on one line": func(r map[string][]lineRange) string {
		return asJSON(mapped(r, func(x lineRange) any { return [2]int{x.from, x.to} }), "")
	},
	"strings": func(r map[string][]lineRange) string {
		return asJSON(map[string]any{"index": mapped(r, func(x lineRange) any { return fmt.Sprintf("%d-%d", x.from, x.to) }), "generated": "2026-01-01"}, "\t") + "\n"
	},
	"objects": func(r map[string][]lineRange) string {
		return asJSON(mapped(r, func(x lineRange) any { return map[string]int{"start": x.from, "end": x.to} }), "    ") + "\n"
	},
	"by hand": func(r map[string][]lineRange) string {
		var lines []string
		for _, k := range slices.Sorted(maps.Keys(r)) {
			var all []string
			for _, x := range r[k] {
				all = append(all, fmt.Sprintf("[%d, %d]", x.from, x.to))
			}
			lines = append(lines, fmt.Sprintf("  %q : [ %s ]", k, strings.Join(all, ", ")))
		}
		return "{\n" + strings.Join(lines, ",\n") + "\n}\n"
	},
}

func mapped(r map[string][]lineRange, form func(lineRange) any) map[string][]any {
	out := map[string][]any{}
	for k, all := range r {
		for _, x := range all {
			out[k] = append(out[k], form(x))
		}
	}
	return out
}

func asJSON(v any, indent string) string {
	b, err := json.MarshalIndent(v, "", indent)
	if indent == "" {
		b, err = json.Marshal(v)
	}
	if err != nil {
		panic(err)
	}
	return string(b)
}

// trueRanges are those of a vault with its keys as the index has them.
func trueRanges(vault string) map[string][]lineRange {
	_, of := tagRanges(Parse(vaultFile, []byte(vault), Vault))
	out := map[string][]lineRange{}
	for k, v := range of {
		out["#"+k] = v
	}
	return out
}

// everyVault runs check on every style and variant, with vaults drawn at random.
func everyVault(t *testing.T, check func(t *testing.T, tree files, rnd *rand.Rand)) {
	for name, style := range vaultIndexStyles {
		for v, variant := range variants {
			if v == "gaps" || v == "latin1" || v == "mixed" {
				continue
			}
			t.Run(name+"/"+v, func(t *testing.T) {
				t.Parallel()
				rnd := rand.New(rand.NewPCG(3, 4))
				for range 6 {
					text := randomVault(rnd, 7+rnd.IntN(4))
					check(t, files{vaultFile: variant([]byte(text)), vaultIndexName: variant([]byte(style(trueRanges(text))))}, rnd)
				}
			})
		}
	}
}

func isTrue(t *testing.T, tree files, when string) {
	t.Helper()
	if x := Index(tree.read, vaultIndexName, paths(tree)); len(x.Edits)+len(x.Notes) > 0 {
		t.Errorf("%s the index is not true: %+v\n%s", when, x, tree[vaultIndexName])
	}
}

// TestVaultIndexGoesAlong: an index that is true stays true through every edit
// of its vault, and archive and restore are exact to the byte of the index too.
func TestVaultIndexGoesAlong(t *testing.T) {
	t.Parallel()
	everyVault(t, func(t *testing.T, tree files, rnd *rand.Rand) {
		isTrue(t, tree, "to begin with")
		doc := parseAs(vaultFile, tree[vaultFile])
		var entries []string
		for _, f := range doc.Facts {
			if f.Kind == KindEntry {
				entries = append(entries, f.ID)
			}
		}
		id := entries[rnd.IntN(len(entries))]
		gone, err := tree.apply(Edit{Op: OpArchive, Path: vaultFile, FactID: id, Reason: "over", Date: editDay})
		if err != nil {
			t.Fatal(err)
		}
		isTrue(t, gone, "after an archive")
		back, err := gone.apply(Edit{Op: OpRestore, Path: vaultFile, FactID: id})
		if err != nil {
			t.Fatal(err)
		}
		if d := diff(tree, back); d != "" {
			t.Errorf("restore is not exact:\n%s", d)
		}
		longer, err := tree.apply(Edit{Op: OpSetField, Path: vaultFile, FactID: id, Field: "renewed", Value: "2026-11-30"})
		if err != nil {
			t.Fatal(err)
		}
		isTrue(t, longer, "after a field was added")
	})
}

// TestVaultIndexIsMadeTrue: after people edit the vault, only numbers of the
// index change, and the second night has nothing to do.
func TestVaultIndexIsMadeTrue(t *testing.T) {
	t.Parallel()
	everyVault(t, func(t *testing.T, tree files, rnd *rand.Rand) {
		src := tree[vaultFile]
		at := bytes.Index(src, []byte("###"))
		tree[vaultFile] = splice(src, Span{at, at}, []byte(strings.Repeat("A line of mine.\n\n", 1+rnd.IntN(3))))
		x := Index(tree.read, vaultIndexName, paths(tree))
		if len(x.Edits) != 1 {
			t.Fatalf("%+v", x)
		}
		after, err := tree.apply(x.Edits...)
		if err != nil {
			t.Fatal(err)
		}
		isTrue(t, after, "after the edit")
		shape := func(b []byte) string {
			return strings.ReplaceAll(twoNumbers.ReplaceAllString(string(b), "N"), "NN", "N")
		}
		if diff := cmp.Diff(shape(tree[vaultIndexName]), shape(after[vaultIndexName])); diff != "" {
			t.Errorf("more than numbers changed:\n%s", diff)
		}
	})
}

func TestVaultIndexKeys(t *testing.T) {
	t.Parallel()
	const vault = "### BLOCKED_PATTERNS\n- **ID**: B-1\n- **Tags**: #a/b, #c\n- **TTL**: 1\n- **ID**: B-2\n- **Tags**: a/d\n- **TTL**: 1\n"
	for name, tc := range map[string]struct{ in, want string }{
		"new tags in order":        {`{"#a/b": [[1, 1]], "#z": [[9, 9]]}`, `{"#a/b": [[2, 4]], "#a/d": [[5, 7]], "#c": [[2, 4]], "#z": []}`},
		"a parent covers its tags": {`{"#a": [[2, 4], [5, 7]], "#a/b": [[2, 4]], "#a/d": [[5, 7]], "#c": [[2, 4]]}`, ``},
		"no order of its own":      {`{"c":[[2,4]],"a/b":[[2,4]]}`, `{"c":[[2,4]],"a/b":[[2,4]],"a/d":[[5,7]]}`},
		"one range alone":          {`{"#a/b": "2-4", "#a/d": "5-6", "#c": "2-4"}`, `{"#a/b": "2-4", "#a/d": "5-7", "#c": "2-4"}`},
		"numbers without brackets": {`{"#a/b": [2, 4], "#a/d": [1, 1], "#c": [2, 4]}`, `{"#a/b": [2, 4], "#a/d": [5, 7], "#c": [2, 4]}`},
		"under tags":               {"{\n \"version\": 1,\n \"tags\": {\n  \"#a/b\": [\n   [\n    0,\n    0\n   ]\n  ], \"#a/d\": [], \"#c\": []}}", "{\n \"version\": 1,\n \"tags\": {\n  \"#a/b\": [\n   [\n    2,\n    4\n   ]\n  ], \"#a/d\": [\n   [\n    5,\n    7\n   ]\n  ], \"#c\": [\n   [\n    2,\n    4\n   ]\n  ]}}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := reindex([]byte(tc.in), Parse(vaultFile, []byte(vault), Vault))
			if tc.want == "" {
				tc.want = tc.in
			}
			if err != nil || string(got) != tc.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, tc.want)
			}
		})
	}
	for _, in := range []string{`[]`, `{`, `{"#a/b": {"lines": {"x": 1}}}`, `{"#a": "all"}`, ``, `{"#a": [[1, 2, 3]]}`} {
		if got, err := reindex([]byte(in), Parse(vaultFile, []byte(vault), Vault)); err == nil {
			t.Errorf("%s becomes %s", in, got)
		}
	}
}

func FuzzReindex(f *testing.F) {
	for _, s := range []string{`{"#a": [[1, 2]]}`, `{"tags": {"a": "1-2"}}`, `{"#a": [{"s": 1, "e": 2}], "v": 1}`, "\ufeff{}", `{"a":[1,2]}`, `{"":{"":"0A0"}}`} {
		f.Add([]byte(s), "* **Tags**:\"\n0")
		f.Add([]byte(s), "### X\n- **ID**: B-1\n- **Tags**: #a, #b\n")
	}
	f.Fuzz(func(t *testing.T, index []byte, vault string) {
		doc := Parse(vaultFile, []byte(vault), Vault)
		once, err := reindex(index, doc)
		if err != nil {
			return
		}
		if !json.Valid(once[bomLen(once):]) {
			t.Fatalf("not JSON any more: %q", once)
		}
		if twice, err := reindex(once, doc); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("the second time differs: %q, %q, %v", once, twice, err)
		}
	})
}
