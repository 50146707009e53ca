package testkit

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/repo"
)

const history = `
-- commit --
author: Grace Hopper <grace@acme.dev>
date: 2026-03-02T10:00:00Z
label: first
tag: v1

feat: begin
-- src/a.txt --
one
-- src/b.txt --
two
-- run.sh --
echo
-- commit --
branch: side
parent: first
exec: run.sh
link: ln -> src/a.txt
submodule: lib -> 0123456789012345678901234567890123456789

chore: modes
-- commit --
move: src -> lib2
delete: run.sh

refactor: move
-- commit --
merge: side

Merge side
-- src/c.txt --
three
`

func build(t *testing.T, history string) *repo.Repo {
	t.Helper()
	r, err := Build(t.TempDir(), []byte(history))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func TestBuild(t *testing.T) {
	t.Parallel()
	r := build(t, history)
	branch, head, err := r.Head()
	if err != nil || branch != "main" {
		t.Fatalf("Head() = %q, %v", branch, err)
	}
	// The same text makes the same ids on every machine.
	if got, want := head.String(), "1586dbe14d74bffbc49a0f17e730cab9313ae6a9"; got != want {
		t.Errorf("head is %s, want %s", got, want)
	}
	tests := []struct {
		rev   string
		files string
	}{
		{"v1", "run.sh:1 src/a.txt:1 src/b.txt:1"},
		{"side", "lib:5 ln:3 run.sh:2 src/a.txt:1 src/b.txt:1"},
		{"main", "lib2/a.txt:1 lib2/b.txt:1 src/c.txt:1"},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.files, list(t, r, test.rev)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.rev, diff)
		}
	}
	c, err := r.Commit(head)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Parents) != 2 || c.Message != "Merge side\n" || c.Author.Email != "grace@acme.dev" {
		t.Errorf("the merge is %+v", c)
	}
	if got := c.Committer.When.Format("2006-01-02 15:04"); got != "2026-03-02 13:00" {
		t.Errorf("the merge has date %s, want an hour a commit", got)
	}
}

func list(t *testing.T, r *repo.Repo, rev string) string {
	t.Helper()
	h, err := r.Resolve(rev)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := r.Tree(h)
	if err != nil {
		t.Fatal(err)
	}
	files, err := tree.Files(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		out = append(out, f.Path+":"+string('0'+rune(f.Mode)))
	}
	return strings.Join(out, " ")
}

func TestBuildErrors(t *testing.T) {
	t.Parallel()
	tests := []struct{ history, want string }{
		{"-- a.txt --\nx\n", "before the first commit"},
		{"-- commit --\nnonsense: x\n\nm\n", "commit 1: nonsense: there is no such header"},
		{"-- commit --\nno header\n", "is not a header"},
		{"-- commit --\nmerge: nowhere\n\nm\n", `the label "nowhere"`},
		{"-- commit --\ndelete: a\n\nm\n", "there is no a"},
		{"-- commit --\nmove: a\n\nm\n", `has no " -> "`},
		{"-- commit --\ndate: yesterday\n\nm\n", "date:"},
		{"-- commit --\nauthor: nobody\n\nm\n", "is not NAME <ADDRESS>"},
		{"-- commit --\nm: x\n\n-- ../up --\n", "no such header"},
		{"-- commit --\n\nm\n-- ../up --\n", "not a path that can be written"},
	}
	for _, test := range tests {
		_, err := Build(t.TempDir(), []byte(test.history))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Build(%q) = %v, want an error with %q", test.history, err, test.want)
		}
	}
}

func TestAppendToCheckedOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, err := Build(dir+"/.git", []byte(history))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Bare() || r.Path() != dir {
		t.Errorf("opened %s, bare %v; want the directory above .git, not bare", r.Path(), r.Bare())
	}
	if err := Append(r, []byte("-- commit --\n\nmore\n-- new.txt --\nnew\n")); err != nil {
		t.Fatal(err)
	}
	if got := list(t, r, "main"); !strings.Contains(got, "new.txt:1 src/c.txt:1") {
		t.Errorf("main has %s", got)
	}
}
