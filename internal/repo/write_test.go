package repo_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

func TestWriteTree(t *testing.T) {
	t.Parallel()
	r := build(t, shapes)
	base := resolve(t, r, "main~2")
	text := func(s string) []byte { return []byte(s) }
	tests := []struct {
		name    string
		changes map[string][]byte
		want    string // the difference to base, or the error
	}{
		{"nothing", nil, ""},
		{"same content", map[string][]byte{"file": text("f\n")}, ""},
		{"replace", map[string][]byte{"file": text("new")}, "M file"},
		{"add deep", map[string][]byte{"x/y/z": text("1"), "x/y/w": text("2")}, "A x/y/w, A x/y/z"},
		{"empty file", map[string][]byte{"e": {}}, "A e"},
		{"remove", map[string][]byte{"file": nil}, "D file"},
		{"remove what is not there", map[string][]byte{"nope": nil, "no/pe": nil, "a/b/nope": nil}, ""},
		{"directories that empty go away", map[string][]byte{"a/b/y.txt": nil}, "D a/b/y.txt"},
		{"sorts as git sorts", map[string][]byte{"a-": text("1"), "a0": text("2")}, "A a-, A a0"},
		{"through a link", map[string][]byte{"ln/x": text("1")}, "error: ln is not a directory"},
		{"onto a link", map[string][]byte{"ln": text("1")}, "error: ln is a directory, symbolic link or submodule"},
		{"remove a link", map[string][]byte{"ln": nil}, "error: ln is a"},
		{"into a submodule", map[string][]byte{"lib/x": text("1")}, "error: lib is not a directory"},
		{"onto a directory", map[string][]byte{"a": text("1")}, "error: a is a directory"},
		{"below a file", map[string][]byte{"file/x": text("1")}, "error: file is not a directory"},
		{"up", map[string][]byte{"../x": text("1")}, "error: \"../x\" is not a path"},
		{"absolute", map[string][]byte{"/x": text("1")}, "error: \"/x\" is not a path"},
		{"empty", map[string][]byte{"": text("1")}, "error: \"\" is not a path"},
		{"git's own", map[string][]byte{"a/.GIT/config": text("1")}, "error: "},
		{"a directory's name", map[string][]byte{"x/": text("1")}, "error: "},
	}
	for _, test := range tests {
		h, err := r.WriteTree(base, test.changes)
		if want, isError := strings.CutPrefix(test.want, "error: "); isError {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want an error with %q", test.name, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		changes, err := r.Diff(context.Background(), base, h)
		if err != nil || describe(changes) != test.want {
			t.Errorf("%s: %s, %v; want %s", test.name, describe(changes), err, test.want)
		}
	}
	h, err := r.WriteTree(base, map[string][]byte{"bin/run": text("faster")})
	if err != nil {
		t.Fatal(err)
	}
	tree, _ := r.Tree(h)
	if e, _, _ := tree.Entry("bin/run"); e.Mode != repo.ModeExec {
		t.Errorf("the file became mode %d", e.Mode)
	}
	testkit.Git(t, r.Path(), "fsck", "--strict")
}

func TestEmptyTree(t *testing.T) {
	t.Parallel()
	r := build(t, "-- commit --\n\nx\n-- d/f --\nx\n")
	h, err := r.WriteTree(resolve(t, r, "main"), map[string][]byte{"d/f": nil})
	if err != nil || h.String() != "4b825dc642cb6eb9a060e54bf8d69288fbee4904" {
		t.Errorf("without its only file the tree is %s, %v", h, err)
	}
	tree, err := r.Tree(h)
	if err != nil {
		t.Fatal(err)
	}
	if files, err := tree.Files(context.Background()); len(files) != 0 || err != nil {
		t.Errorf("files of the empty tree: %v, %v", files, err)
	}
}

func TestWriteCommit(t *testing.T) {
	t.Parallel()
	r := build(t, three)
	main := resolve(t, r, "main")
	s := repo.Signature{Name: " Ada Byron ", Email: "ada@acme.dev", When: time.Date(2026, 3, 2, 10, 0, 0, 0, time.FixedZone("", 5400))}
	c := repo.NewCommit{Tree: mustTree(t, r, "main").Hash(), Parents: []repo.Hash{main}, Author: s, Committer: s, Message: "subject\n\nbody\n\n\n"}
	h, err := r.WriteCommit(c)
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.WriteCommit(c)
	if err != nil || again != h {
		t.Errorf("the same commit twice: %s and %s, %v", h, again, err)
	}
	if got := testkit.Git(t, r.Path(), "log", "-1", "--format=%an|%ae|%ai|%B", h.String()); got != "Ada Byron|ada@acme.dev|2026-03-02 10:00:00 +0130|subject\n\nbody\n" {
		t.Errorf("git reads %q", got)
	}
	testkit.Git(t, r.Path(), "fsck", "--strict")
	for _, bad := range []repo.NewCommit{
		{Author: repo.Signature{Name: "A\ncommitter B"}}, {Author: repo.Signature{Email: "a>b"}}, {Committer: repo.Signature{Name: "<"}}, {Message: "a\x00b"},
	} {
		if _, err := r.WriteCommit(bad); err == nil {
			t.Errorf("%+v was written", bad)
		}
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	r := build(t, three)
	other := open(t, r.Path())
	release, held, err := r.Lock(context.Background(), repo.LockName)
	if err != nil || !held {
		t.Fatalf("the first: %v, %v", held, err)
	}
	if again, held, err := other.Lock(context.Background(), repo.LockName); held || err != nil {
		t.Errorf("the second: %v, %v", held, err)
	} else {
		again()
	}
	release()
	release, held, err = other.Lock(context.Background(), repo.LockName)
	if err != nil || !held {
		t.Errorf("after the release: %v, %v", held, err)
	}
	release()
	for _, name := range []string{"", "..", "a/b", "../x"} {
		if _, _, err := r.Lock(context.Background(), name); err == nil {
			t.Errorf("Lock(%q) was accepted", name)
		}
	}
}

// TestConcurrentReads reads one repository from several goroutines, loose and
// packed, while another writes.
func TestConcurrentReads(t *testing.T) {
	t.Parallel()
	r := build(t, life)
	head := resolve(t, r, "main")
	if _, err := testkit.TryGit(r.Path(), "version"); err == nil {
		testkit.Git(t, r.Path(), "repack", "-q", "-a")
	}
	r = open(t, r.Path())
	var readers sync.WaitGroup
	for n := range 6 {
		readers.Go(func() {
			ctx := context.Background()
			tree, err := r.Tree(head)
			if err != nil {
				t.Error(err)
				return
			}
			files, err := tree.Files(ctx)
			if err != nil || len(files) == 0 {
				t.Errorf("%d files, %v", len(files), err)
			}
			for _, f := range files {
				if _, err := r.Blob(f.Hash, 1<<20); err != nil {
					t.Error(err)
				}
			}
			if _, err := r.LastHeld(ctx, head, []string{"docs", "src/old"}, repo.HistoryOptions{}); err != nil {
				t.Error(err)
			}
			if _, err := r.WriteTree(head, map[string][]byte{"n": {byte(n)}}); err != nil {
				t.Error(err)
			}
		})
	}
	readers.Wait()
}

func TestHunks(t *testing.T) {
	t.Parallel()
	r := build(t, shapes+"-- commit --\n\nfour\n-- README.md --\nr\nmore\n-- bin.dat --\na\x00b\n")
	changes, err := r.Diff(context.Background(), resolve(t, r, "main~3"), resolve(t, r, "main"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"README.md": 1, "lib": 0, "bin.dat": 0, "bin/run": 1, "a/b/y.txt": 1, "a/b": 1}
	for _, c := range changes {
		hunks, err := r.Hunks(c, 1<<20)
		if n, ok := want[c.Path()]; ok && (err != nil || len(hunks) != n) {
			t.Errorf("%s: %d hunks, %v; want %d", c.Path(), len(hunks), err, n)
		}
		delete(want, c.Path())
		if c.Path() == "README.md" {
			if _, err := r.Hunks(c, 2); !errors.Is(err, repo.ErrTooLarge) {
				t.Errorf("over the limit: %v", err)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("not among the changes: %v", want)
	}
}
