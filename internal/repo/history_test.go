package repo_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

const life = `
-- commit --
label: begin

begin
-- src/old/a.go --
package a // a long enough line to be found again
-- src/old/b.go --
package b // a long enough line to be found again
-- src/old/sub/c.go --
package c // a long enough line to be found again
-- docs/guide.md --
guide
-- tool --
t
-- twice.txt --
first
-- commit --
branch: early
parent: begin

early branch
-- other.txt --
o
-- commit --
delete: twice.txt

drop twice
-- commit --

twice again
-- twice.txt --
second
-- commit --
move: src/old -> lib/new

move the directory
-- commit --
delete: docs

drop docs
-- commit --
delete: twice.txt
delete: tool

drop twice again
-- tool/main.go --
package main
-- commit --
merge: early

merge the branch that still had them
-- commit --
branch: feature
parent: begin

feature file
-- only/feature.txt --
f
-- commit --
merge: feature

merge without the feature
-- commit --

end
-- z --
z
`

func TestLastHeld(t *testing.T) {
	t.Parallel()
	r := build(t, life)
	tests := []struct{ path, removed, last, to string }{
		{"src/old/a.go", "move the directory", "twice again", "lib/new/a.go"},
		{"src/old", "move the directory", "twice again", "lib/new"},
		{"src/old/sub", "move the directory", "twice again", "lib/new/sub"},
		{"src", "move the directory", "twice again", ""},
		{"docs/guide.md", "drop docs", "move the directory", ""},
		{"docs", "drop docs", "move the directory", ""},
		{"twice.txt", "drop twice again", "drop docs", ""},
		{"only/feature.txt", "merge without the feature", "feature file", ""},
		{"tool", "", "", ""},         // head has it, as a directory
		{"never.txt", "", "", ""},    // never was
		{"src/old/x.go", "", "", ""}, // never was, in a directory that was
		{"twice.txt/x", "", "", ""},  // below a file
		{"z", "", "", ""},
		{"", "", "", ""},
	}
	var paths []string
	for _, test := range tests {
		paths = append(paths, test.path)
	}
	held, err := r.LastHeld(context.Background(), resolve(t, r, "main"), paths, repo.HistoryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		h, ok := held[test.path]
		got := fmt.Sprint(ok, subjects([]repo.Commit{h.Removed, h.Last}), h.RenamedTo)
		want := fmt.Sprint(test.removed != "", subjects([]repo.Commit{{Message: test.removed}, {Message: test.last}}), test.to)
		if got != want {
			t.Errorf("%s: %s, want %s", test.path, got, want)
		}
	}
	if e := held["src/old"].Entry; e.Mode != repo.ModeDir || e.Path != "src/old" {
		t.Errorf("the directory was held as %+v", e)
	}
	if e := held["docs/guide.md"].Entry; e.Mode != repo.ModeFile || e.Hash.IsZero() {
		t.Errorf("the file was held as %+v", e)
	}
}

func TestLastHeldLimit(t *testing.T) {
	t.Parallel()
	r := build(t, life)
	held, err := r.LastHeld(context.Background(), resolve(t, r, "main"), []string{"src/old", "docs", "twice.txt", "never"}, repo.HistoryOptions{MaxCommits: 5})
	if !errors.Is(err, repo.ErrHistoryCut) {
		t.Errorf("LastHeld = %v, want ErrHistoryCut", err)
	}
	got := subjects([]repo.Commit{held["twice.txt"].Removed, held["docs"].Removed})
	if want := "drop twice again merge without the feature"; got != want || held["never"].Entry.Path != "" {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestLastHeldEqualsGit: on random histories the removal is a commit that git,
// too, says removed the path, and no path is forgotten.
func TestLastHeldEqualsGit(t *testing.T) {
	t.Parallel()
	testkit.NeedGit(t)
	r := build(t, "")
	head, paths := deletions(t, r)
	held, err := r.LastHeld(context.Background(), head, paths, repo.HistoryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := r.Tree(head)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, path := range paths {
		if _, there, _ := tree.Entry(path); there {
			if _, ok := held[path]; ok {
				t.Errorf("%s: head has it, and it is said to be gone", path)
			}
			continue
		}
		compared++
		removals := testkit.Git(t, r.Path(), "log", "--full-history", "--no-renames", "-m", "--diff-filter=D", "--format=%H", head.String(), "--", path)
		h, ok := held[path]
		if ok != (removals != "") {
			t.Errorf("%s: found %v, git has removals %q", path, ok, removals)
		}
		if ok && !strings.Contains(removals, h.Removed.Hash.String()) {
			t.Errorf("%s: removed by %s, git has %q", path, h.Removed.Hash, removals)
		}
	}
	if compared < 10 {
		t.Errorf("only %d paths were compared", compared)
	}
}

// deletions writes a history in which files come and go on branches that merge.
func deletions(t *testing.T, r *repo.Repo) (head repo.Hash, paths []string) {
	t.Helper()
	rng := rand.New(rand.NewSource(11))
	tips := []repo.Hash{{}, {}, {}}
	when := randomStart
	for i := range 120 {
		b := rng.Intn(len(tips))
		if tips[b].IsZero() {
			tips[b] = tips[(b+1)%len(tips)]
		}
		path := fmt.Sprintf("d%d/s%d/f%d", rng.Intn(3), rng.Intn(2), rng.Intn(4))
		changes := map[string][]byte{path: fmt.Appendf(nil, "content %d\n", i)}
		if rng.Intn(2) == 0 {
			changes[path] = nil
		}
		paths = append(paths, path)
		tree, err := r.WriteTree(tips[b], changes)
		if err != nil {
			t.Fatal(err)
		}
		parents := []repo.Hash{tips[b]}
		if other := tips[rng.Intn(len(tips))]; rng.Intn(4) == 0 && !other.IsZero() {
			parents = append(parents, other)
		}
		when = when.Add(1e9)
		s := repo.Signature{Name: "A", Email: "a@acme.dev", When: when}
		parents = slices.DeleteFunc(dedupe(parents), repo.Hash.IsZero)
		if tips[b], err = r.WriteCommit(repo.NewCommit{Tree: tree, Parents: parents, Author: s, Committer: s, Message: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
		head = tips[b]
	}
	slices.Sort(paths)
	return head, slices.Compact(paths)
}

func TestLineOrigins(t *testing.T) {
	t.Parallel()
	r := build(t, `
-- commit --

one
-- doc.md --
# Title
stays
goes and comes
filler one
filler two
filler three
-- commit --

two
-- doc.md --
# Title
stays
filler one
filler two
filler three
-- other --
o
-- commit --
move: doc.md -> docs/guide.md

three
-- commit --

four
-- docs/guide.md --
# Title
  stays
goes and comes
filler one
filler two
filler three
-- commit --

five
-- docs/guide.md --
# Title
  stays
goes and comes
filler one
filler two
filler three
- [ ] new
  more of it
-- commit --

six
-- other --
oo
`)
	tests := []struct{ text, want string }{
		{"# Title", "one"}, {"stays", "one"}, {"  stays", "one"}, {"goes and comes", "four"}, {"- [ ] new", "five"}, {"- [ ] new\nmore of it", "five"},
		{"filler one\nfiller two", "one"}, {"not there", ""}, {"Title", ""}, {"filler two\nfiller one", ""},
	}
	var texts []string
	for _, test := range tests {
		texts = append(texts, test.text)
	}
	head := resolve(t, r, "main")
	found, err := r.LineOrigins(context.Background(), head, "docs/guide.md", texts)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		c, ok := found[test.text]
		if ok != (test.want != "") || subjects([]repo.Commit{c}) != test.want {
			t.Errorf("%q: %s, want %s", test.text, subjects([]repo.Commit{c}), test.want)
		}
	}
	c, ok, err := r.LineOrigin(context.Background(), head, "docs/guide.md", "stays")
	if !ok || err != nil || subjects([]repo.Commit{c}) != "one" {
		t.Errorf("LineOrigin = %s, %v, %v", subjects([]repo.Commit{c}), ok, err)
	}
	for _, path := range []string{"absent.md", "docs", ""} {
		if found, err := r.LineOrigins(context.Background(), head, path, texts); len(found) != 0 || err != nil {
			t.Errorf("LineOrigins(%q) = %v, %v", path, found, err)
		}
	}
}

func TestOriginsOfSeveral(t *testing.T) {
	t.Parallel()
	r := build(t, "-- commit --\n\none\n-- a.md --\nalpha\n-- commit --\n\ntwo\n-- b.md --\nbeta\n-- commit --\n\nthree\n-- a.md --\nalpha\nmore\n")
	head := resolve(t, r, "main")
	want := map[string][]string{"a.md": {"alpha", "more"}, "b.md": {"beta", "alpha"}}
	found, err := r.Origins(context.Background(), head, want)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, path := range slices.Sorted(maps.Keys(found)) {
		for _, text := range slices.Sorted(maps.Keys(found[path])) {
			got = append(got, path+":"+text+":"+subjects([]repo.Commit{found[path][text]}))
		}
	}
	if s := strings.Join(got, " "); s != "a.md:alpha:one a.md:more:three b.md:beta:two" {
		t.Errorf("Origins = %s", s)
	}
	removeObject(t, r, resolve(t, r, "main~2"))
	r = open(t, r.Path())
	found, err = r.Origins(context.Background(), head, want)
	if !errors.Is(err, repo.ErrHistoryCut) || len(found["a.md"]) != 1 || len(found["b.md"]) != 0 {
		t.Errorf("with a missing commit: %v, %v", found, err)
	}
}
