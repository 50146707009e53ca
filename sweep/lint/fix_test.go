package lint_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/lint"
)

// fixed checks a tree, mends it, and returns the tree as it stands then.
func fixed(t *testing.T, before tree) (after tree, f lint.Fixed) {
	t.Helper()
	in := before.input(nil)
	f = lint.Fix(in.Docs, in.Read, lint.Check(in).Findings)
	after = tree{}
	for name, text := range before {
		after[name] = text
	}
	for name, text := range f.Changes {
		after[name] = string(text)
	}
	return after, f
}

func TestFix(t *testing.T) {
	t.Parallel()
	memory := func(name, about string) string {
		return "---\nname: " + name + "\ndescription: " + about + "\n---\nBody.\n"
	}
	for name, c := range map[string]struct {
		before tree
		want   map[string]string // the files that change
		left   int
	}{
		"a link keeps its fragment and what stands around it": {
			tree{"CLAUDE.md": "# P\r\n\r\n-  Read [a](old/setup-notes.md#first \"T\"), then go.  \r\n", "new/setup-notes.md": "# S\n"},
			map[string]string{"CLAUDE.md": "# P\r\n\r\n-  Read [a](new/setup-notes.md#first \"T\"), then go.  \r\n"}, 0},
		"two links of one line": {
			tree{"CLAUDE.md": "See [a](old/one-thing.md) and [b](old/two-things.md).\n", "new/one-thing.md": "# A\n", "new/two-things.md": "# B\n"},
			map[string]string{"CLAUDE.md": "See [a](new/one-thing.md) and [b](new/two-things.md).\n"}, 0},
		"a path counts from the file": {
			tree{"a/b/CLAUDE.md": "[a](setup-notes.md)\n", "a/c/setup-notes.md": "# S\n"},
			map[string]string{"a/b/CLAUDE.md": "[a](../c/setup-notes.md)\n"}, 0},
		"two files of the name: nobody knows which": {
			tree{"CLAUDE.md": "[a](setup-notes.md)\n", "a/setup-notes.md": "# S\n", "b/setup-notes.md": "# S\n"}, nil, 0},
		"an index line where bullets are, in the way of the file": {
			tree{".claude/memory/MEMORY.md": "# M\n\n* [A](a.md) one\n\nEnd.\n", ".claude/memory/a.md": memory("a", "one"), ".claude/memory/b.md": memory("B [x]", "two")},
			map[string]string{".claude/memory/MEMORY.md": "# M\n\n* [A](a.md) one\n* [B (x)](b.md) — two\n\nEnd.\n"}, 0},
		"a table is left to a person": {
			tree{".claude/memory/MEMORY.md": "| File | About |\n|---|---|\n| [A](a.md) | one |\n", ".claude/memory/a.md": memory("a", "one"), ".claude/memory/b.md": memory("b", "two")}, nil, 0},
		"what does not show goes, what does stays": {
			tree{"CLAUDE.md": "# P\u200b\n\nNever\u2060 pu\u200bsh 👩\u200d👧.\u202e\n"},
			map[string]string{"CLAUDE.md": "# P\n\nNever push 👩\u200d👧.\n"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after, f := fixed(t, c.before)
			if len(f.Changes) != len(c.want) || len(f.Left) != c.left {
				t.Errorf("%d files change, %d findings are left (%v)", len(f.Changes), len(f.Left), f.Left)
			}
			for file, want := range c.want {
				if after[file] != want {
					t.Errorf("%s is\n%q, want\n%q", file, after[file], want)
				}
			}
			if again, more := fixed(t, after); len(more.Changes) > 0 {
				t.Errorf("a second time changes %v", again)
			}
		})
	}
}

// TestFixChangesNothingElse makes indexes and links at random, and checks that a
// remedy leaves every other line of every file as it was.
func TestFixChangesNothingElse(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(7))
	for range 200 {
		before := tree{"x/target-file.md": "# T\n"}
		index := "# Memory" + eol(r)
		for i := range 1 + r.Intn(6) {
			name := fmt.Sprintf("m%d.md", i)
			before[".claude/memory/"+name] = "---\nname: m\ndescription: d\n---\n" + strings.Repeat("Text"+eol(r), r.Intn(3)) + link(r)
			if r.Intn(3) > 0 {
				index += "- [M](" + name + ") " + strings.Repeat(" ", r.Intn(3)) + "about" + eol(r)
			}
		}
		before[".claude/memory/MEMORY.md"] = index
		after, f := fixed(t, before)
		for name := range f.Changes {
			checkLines(t, name, before[name], after[name])
		}
	}
}

func eol(r *rand.Rand) string { return []string{"\n", "\r\n"}[r.Intn(2)] }

func link(r *rand.Rand) string {
	return []string{"", "See [t](target-file.md) and `x`.\n", "* a [t](<target-file.md>)\n", "| a | [t](target-file.md#h) |\n"}[r.Intn(4)]
}

// checkLines expects each old line to stand in the new file, in order, but for
// those that held the link.
func checkLines(t *testing.T, name, before, after string) {
	t.Helper()
	at := 0
	for _, l := range strings.SplitAfter(before, "\n") {
		if strings.Contains(l, "target-file.md") {
			continue
		}
		i := strings.Index(after[at:], l)
		if i < 0 {
			t.Fatalf("%s has lost %q:\n%q\n%q", name, l, before, after)
		}
		at += i + len(l)
	}
	if n := strings.Count(after, "\n") - strings.Count(before, "\n"); n < 0 || name != ".claude/memory/MEMORY.md" && n != 0 {
		t.Fatalf("%s: %d lines more", name, n)
	}
}

func TestBaseline(t *testing.T) {
	t.Parallel()
	in := tree{"CLAUDE.md": "# P\n\n[a](docs/a.md)\n\n[b](docs/b.md)\n"}.input(nil)
	text, err := lint.NewBaseline(lint.Check(in).Findings).Encode()
	if err != nil {
		t.Fatal(err)
	}
	base, err := lint.ReadBaseline(text)
	if err != nil {
		t.Fatal(err)
	}
	// The first finding moves down, the second is gone, a third is new.
	moved := tree{"CLAUDE.md": "# P\n\nMore.\n\n[a](docs/a.md)\n\n[c](docs/c.md)\n"}.input(nil)
	fresh, known, gone := base.Split(lint.Check(moved).Findings)
	if len(fresh) != 1 || !strings.Contains(fresh[0].Reason, "docs/c.md") || len(known) != 1 || len(gone) != 1 || !strings.Contains(gone[0].Says, "docs/b.md") {
		t.Errorf("fresh %v, known %v, gone %v", fresh, known, gone)
	}
	for _, bad := range []string{"", "[]", `{"schema":"other/v1"}`} {
		if _, err := lint.ReadBaseline([]byte(bad)); err == nil {
			t.Errorf("%q is read as a baseline", bad)
		}
	}
}

// FuzzCheck: whatever stands in a file, the check ends, its lines are lines of
// the file, and its remedies do not fail the second time.
func FuzzCheck(f *testing.F) {
	f.Add("CLAUDE.md", "[a](b.md) [[x]] @c.md <!-- retrosweep-ignore link/* x -->\u200b")
	f.Add("KNOWLEDGE_VAULT.md", "- **ID**: A-1\n- **Tags**: #a/b, #a\n- **TTL**: 3 days\n")
	f.Add("docs/wiki/index.md", "## Current state\n- a: 1\n- a: 2\n## Log\n- 2026-01-01 x\n")
	f.Add(".claude/memory/MEMORY.md", "- [a](a.md)\n- [b](b.md)\n")
	f.Fuzz(func(t *testing.T, name, text string) {
		if _, _, ok := knowledge.NewClassifier(nil).Classify(name); !ok || strings.ContainsAny(name, "\x00") {
			t.Skip()
		}
		in := tree{name: text, ".claude/memory/a.md": "---\nname: a\n---\n", "TAXONOMY.md": text, "VAULT_INDEX.json": text}.input(tree{name: "# " + text})
		found := lint.Check(in).Findings
		for _, x := range found {
			if x.Fact.File == name && (x.Fact.Line < 1 || x.Fact.Line > strings.Count(text, "\n")+1) {
				t.Errorf("%s is on line %d of %d", x.Rule, x.Fact.Line, strings.Count(text, "\n")+1)
			}
		}
		lint.Fix(in.Docs, in.Read, found)
	})
}
