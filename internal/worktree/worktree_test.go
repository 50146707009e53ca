package worktree_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/worktree"
)

func put(t *testing.T, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, root, to, name string) {
	t.Helper()
	if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

func load(t *testing.T, root string, o worktree.Options) *worktree.Tree {
	t.Helper()
	if o.Classifier == nil {
		o.Classifier = knowledge.NewClassifier(nil)
	}
	if o.Only == nil {
		o.Only = []string{"."}
	}
	tree, err := worktree.Load(context.Background(), root, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	return tree
}

func paths(tree *worktree.Tree) string {
	var out []string
	for _, d := range tree.Docs {
		name := d.Path
		if len(d.Aliases) > 0 {
			name += "=" + strings.Join(d.Aliases, "=")
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func TestWhatIsRead(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{
		"CLAUDE.md", "docs/a.md", "src/main.md", "node_modules/x/CLAUDE.md", "out/AGENTS.md", "testdata/AGENTS.md",
		"vendor/y/README.md", "nested/.git/config", "nested/CLAUDE.md", "private/CLAUDE.md",
	} {
		put(t, root, name, "# Text\n")
	}
	put(t, root, ".gitignore", "/out\nprivate/\n")
	put(t, root, "docs/big.md", strings.Repeat("x", 1<<20+1))
	put(t, root, "docs/bin.md", "a\x00b")
	put(t, filepath.Dir(root), filepath.Base(root)+"-secret.md", "secret")
	link(t, root, "CLAUDE.md", "AGENTS.md")
	link(t, root, "../"+filepath.Base(root)+"-secret.md", "GEMINI.md")
	link(t, root, "docs", "wiki")

	tree := load(t, root, worktree.Options{})
	if got, want := paths(tree), "CLAUDE.md=AGENTS.md docs/a.md"; got != want {
		t.Errorf("read %q, want %q", got, want)
	}
	want := []worktree.Unread{{Path: "docs/big.md", Why: "it is larger than 1024 KiB"}, {Path: "docs/bin.md", Why: "it holds NUL bytes, as binary files do"}}
	if diff := cmp.Diff(want, tree.Unread); diff != "" {
		t.Errorf("unread (-want +got):\n%s", diff)
	}
	if tree := load(t, root, worktree.Options{Only: []string{"private", "src/main.md"}}); !strings.Contains(paths(tree), "private/CLAUDE.md") || !strings.Contains(paths(tree), "src/main.md") {
		t.Errorf("what is named is read: %q", paths(tree))
	}
	if tree := load(t, root, worktree.Options{Given: &worktree.Given{Path: "CLAUDE.md", Content: []byte("# Unsaved\n")}}); !strings.Contains(string(tree.Docs[0].Source), "Unsaved") {
		t.Errorf("the given text does not stand in for the file: %q", tree.Docs[0].Source)
	}
}

func TestOnlyWhatWasNamedIsListedWithoutGit(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "CLAUDE.md", "x\n")
	put(t, root, "letters/docs/a.md", "x\n")
	put(t, root, "memory/a.md", "x\n")
	found, only, err := worktree.Find([]string{filepath.Join(root, "memory")})
	if err != nil || found != root || len(only) != 1 || only[0] != "memory" {
		t.Fatalf("Find = %q, %q, %v", found, only, err)
	}
	if got := paths(load(t, root, worktree.Options{Only: only})); strings.Contains(got, "letters") || !strings.Contains(got, "memory/a.md") {
		t.Errorf("read %q", got)
	}
}

func TestWriteIsOneStepAndStaysInside(t *testing.T) {
	t.Parallel()
	root, outside := t.TempDir(), t.TempDir()
	put(t, root, "a.md", "old")
	put(t, outside, "b.md", "theirs")
	link(t, root, filepath.Join(outside, "b.md"), "link.md")
	link(t, root, outside, "dir")
	for _, c := range []struct {
		name      string
		old, with string
		want      error
	}{
		{"a.md", "other", "new", worktree.ErrChanged},
		{"link.md", "theirs", "new", worktree.ErrLink},
		{"dir/b.md", "theirs", "new", worktree.ErrLink},
	} {
		if err := worktree.Write(root, c.name, []byte(c.old), []byte(c.with)); !errors.Is(err, c.want) {
			t.Errorf("Write(%s) = %v, want %v", c.name, err, c.want)
		}
	}
	for _, name := range []string{"../x.md", "/x.md", "a/../../x.md"} {
		if err := worktree.Write(root, name, nil, []byte("new")); err == nil {
			t.Errorf("Write(%s) leaves the tree", name)
		}
	}
	if err := os.Chmod(filepath.Join(root, "a.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := worktree.Write(root, "a.md", []byte("old"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(filepath.Join(root, "a.md"))
	info, err := os.Stat(filepath.Join(root, "a.md"))
	if string(got) != "new" || err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a.md is %q, %v, %v", got, info.Mode(), err)
	}
	if theirs, _ := os.ReadFile(filepath.Join(outside, "b.md")); string(theirs) != "theirs" {
		t.Errorf("a file outside was written: %q", theirs)
	}
	if left, _ := filepath.Glob(filepath.Join(root, ".retrosweep-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestFindErrors(t *testing.T) {
	t.Parallel()
	a, b := t.TempDir(), t.TempDir()
	if _, _, err := worktree.Find([]string{filepath.Join(a, "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing path: %v", err)
	}
	if _, _, err := worktree.Find([]string{a, b}); !errors.Is(err, worktree.ErrTwoTrees) {
		t.Errorf("two trees: %v", err)
	}
}
