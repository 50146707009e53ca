package repo_test

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

const shapes = `
-- commit --
exec: bin/run
link: ln -> a/x.txt
submodule: lib -> 0123456789012345678901234567890123456789

one
-- a/x.txt --
x
-- a/b/y.txt --
y
-- a.txt --
sorts between a and a/
-- bin/run --
run
-- file --
f
-- README.md --
r
-- commit --
delete: a/b
delete: file
submodule: lib -> 1111111111111111111111111111111111111111
link: README.md -> a/x.txt

two
-- a/b --
a file where a directory was
-- file/now --
a directory where a file was
-- bin/run --
run faster
-- commit --
exec: a.txt

three
`

func TestEntry(t *testing.T) {
	t.Parallel()
	tree := mustTree(t, build(t, shapes), "main~2")
	tests := []struct {
		path string
		mode repo.Mode // 0: not there
	}{
		{"", repo.ModeDir}, {"a", repo.ModeDir}, {"a/", repo.ModeDir}, {"a/b", repo.ModeDir}, {"a/b/y.txt", repo.ModeFile}, {"a.txt", repo.ModeFile},
		{"bin/run", repo.ModeExec}, {"ln", repo.ModeSymlink}, {"lib", repo.ModeSubmodule},
		{"A", 0}, {"a/x", 0}, {"a.txt/x", 0}, {"lib/x", 0}, {"ln/x", 0}, {"../a", 0}, {"./a", 0}, {"a//b", 0}, {"/a", 0},
	}
	for _, test := range tests {
		e, ok, err := tree.Entry(test.path)
		if err != nil || ok != (test.mode != 0) || e.Mode != test.mode {
			t.Errorf("Entry(%q) = mode %d, %v, %v; want mode %d", test.path, e.Mode, ok, err, test.mode)
		}
	}
	files, err := tree.Files(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	if got, want := strings.Join(paths, " "), "README.md a.txt a/b/y.txt a/x.txt bin/run file lib ln"; got != want {
		t.Errorf("Files = %s, want %s", got, want)
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	r := build(t, shapes)
	tests := []struct{ a, b, want string }{
		{"main~2", "main~2", ""},
		{"", "main~2", "A README.md, A a.txt, A a/b/y.txt, A a/x.txt, A bin/run, A file, A lib, A ln"},
		{"main~2", "", "D README.md, D a.txt, D a/b/y.txt, D a/x.txt, D bin/run, D file, D lib, D ln"},
		{"main~2", "main~1", "M README.md, A a/b, D a/b/y.txt, M bin/run, D file, A file/now, M lib"},
		{"main~1", "main", "M a.txt"},
	}
	for _, test := range tests {
		var a, b repo.Hash
		if test.a != "" {
			a = resolve(t, r, test.a)
		}
		if test.b != "" {
			b = resolve(t, r, test.b)
		}
		changes, err := r.Diff(context.Background(), a, b)
		if err != nil || describe(changes) != test.want {
			t.Errorf("%s..%s: %s, %v; want %s", test.a, test.b, describe(changes), err, test.want)
		}
	}
}

// TestDiffEqualsGit compares random trees with `git diff-tree`.
func TestDiffEqualsGit(t *testing.T) {
	t.Parallel()
	testkit.NeedGit(t)
	r := build(t, "")
	rng := rand.New(rand.NewSource(3))
	names := []string{"a", "a.b", "a-b", "ab", "a b", "z", "tab\tx", "nl\nx", "quote\"x", "ü", "-rf"}
	var trees []repo.Hash
	for range 12 {
		trees = append(trees, randomTree(t, r, rng, names))
	}
	for range 25 {
		a, b := trees[rng.Intn(len(trees))], trees[rng.Intn(len(trees))]
		changes, err := r.Diff(context.Background(), a, b)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, c := range changes {
			letter := string("?ADM"[c.Kind])
			if c.Kind == repo.Modified && (c.From.Mode == repo.ModeSymlink) != (c.To.Mode == repo.ModeSymlink) {
				letter = "T"
			}
			fmt.Fprintf(&got, "%s\x00%s\x00", letter, c.Path())
		}
		if want := testkit.Git(t, r.Path(), "diff-tree", "-r", "-z", "--no-renames", "--name-status", a.String(), b.String()); got.String() != want {
			t.Errorf("%s %s: got %q\ngit has %q", a, b, got.String(), want)
		}
	}
}

func randomTree(t *testing.T, r *repo.Repo, rng *rand.Rand, names []string) repo.Hash {
	t.Helper()
	entries := map[string]repo.Entry{}
	for range 25 {
		parts := []string{names[rng.Intn(len(names))]}
		for rng.Intn(3) > 0 && len(parts) < 4 {
			parts = append(parts, names[rng.Intn(len(names))])
		}
		path := strings.Join(parts, "/")
		for other := range entries { // a file and a directory cannot share a name
			if strings.HasPrefix(other, path+"/") || strings.HasPrefix(path, other+"/") {
				delete(entries, other)
			}
		}
		h, err := r.WriteBlob([]byte{'0' + byte(rng.Intn(3))})
		if err != nil {
			t.Fatal(err)
		}
		entries[path] = repo.Entry{Path: path, Hash: h, Mode: repo.Mode(1 + rng.Intn(3))}
	}
	var list []repo.Entry
	for _, e := range entries {
		list = append(list, e)
	}
	h, err := r.WriteEntries(repo.Hash{}, list)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const poem = "the sea is calm tonight\nthe tide is full\nthe moon lies fair\nupon the straits\non the french coast\nthe light gleams\nand is gone\nthe cliffs of england stand\nglimmering and vast\nout in the tranquil bay\n"

func TestDetectRenames(t *testing.T) {
	t.Parallel()
	changed := strings.Replace(poem, "the light gleams\n", "a light glows\n", 1)
	other := strings.Repeat("something else entirely\n", 10)
	tests := []struct{ name, history, want string }{
		{"exact", "delete: a.txt\n\nx\n-- b.txt --\n" + poem, "R a.txt -> b.txt"},
		{"similar", "delete: a.txt\n\nx\n-- b.txt --\n" + changed, "R a.txt -> b.txt"},
		{"too different", "delete: a.txt\n\nx\n-- b.txt --\n" + other, "D a.txt, A b.txt"},
		{"a part is not the whole", "delete: a.txt\n\nx\n-- b.txt --\n" + poem[:100] + "\n", "D a.txt, A b.txt"},
		{"kept name wins", "delete: a.txt\n\nx\n-- d/a.txt --\n" + poem + "-- b.txt --\n" + poem, "A b.txt, R a.txt -> d/a.txt"},
		{"exact before similar", "delete: a.txt\n\nx\n-- d/a.txt --\n" + changed + "-- b.txt --\n" + poem, "R a.txt -> b.txt, A d/a.txt"},
		{"empty files say nothing", "delete: e1\n\nx\n-- e9 --\n", "D e1, A e9"},
		{"empty files that keep their name", "delete: e1\n\nx\n-- d/e1 --\n", "R e1 -> d/e1"},
		{"a link is not a file", "delete: a.txt\nlink: b.txt -> x\n\nx\n", "D a.txt, A b.txt"},
		{"a directory", "move: dir -> moved/deep\n\nx\n", "R dir/one -> moved/deep/one, R dir/two -> moved/deep/two"},
		{"a copy is no rename", "\nx\n-- b.txt --\n" + poem, "A b.txt"},
	}
	for _, test := range tests {
		r := build(t, "-- commit --\n\nbase\n-- a.txt --\n"+poem+"-- e1 --\n-- dir/one --\n1\n-- dir/two --\n2\n-- commit --\n"+test.history)
		changes, err := r.Diff(context.Background(), resolve(t, r, "main~1"), resolve(t, r, "main"))
		if err != nil {
			t.Fatal(err)
		}
		changes, err = r.DetectRenames(context.Background(), changes)
		if err != nil || describe(changes) != test.want {
			t.Errorf("%s: %s, %v; want %s", test.name, describe(changes), err, test.want)
		}
	}
}

// TestRenameOfMissingBlob: what cannot be read stays a deletion and an addition.
func TestRenameOfMissingBlob(t *testing.T) {
	t.Parallel()
	r := build(t, "-- commit --\n\nx\n-- a --\n"+poem+"-- commit --\ndelete: a\n\ny\n-- b --\n"+poem+"more\n")
	changes, err := r.Diff(context.Background(), resolve(t, r, "main~1"), resolve(t, r, "main"))
	if err != nil {
		t.Fatal(err)
	}
	removeObject(t, r, changes[0].From.Hash)
	r = open(t, r.Path())
	changes, err = r.DetectRenames(context.Background(), changes)
	if err != nil || describe(changes) != "D a, A b" {
		t.Errorf("DetectRenames = %s, %v", describe(changes), err)
	}
}
