package repo_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kit, err := testkit.Build(filepath.Join(dir, "work", ".git"), []byte(three))
	if err != nil {
		t.Fatal(err)
	}
	defer kit.Close()
	main := resolve(t, kit, "main")
	bare, err := testkit.Build(filepath.Join(dir, "bare"), []byte(three))
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Close()
	writeFile(t, filepath.Join(dir, "moved/.git"), "gitdir: ../work/.git\n")
	tests := []struct {
		path string
		bare bool
	}{{"work", false}, {"work/.git", false}, {"bare", true}, {"moved", false}}
	for _, test := range tests {
		r := open(t, filepath.Join(dir, test.path))
		branch, h, err := r.Head()
		if r.Bare() != test.bare || branch != "main" || h != main || err != nil {
			t.Errorf("%s: bare %v, HEAD %q %s, %v", test.path, r.Bare(), branch, h, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "dangling/.git"), "gitdir: ../nowhere\n")
	writeFile(t, filepath.Join(dir, "odd/.git"), "hello\n")
	tests := []struct {
		path, want string
		is         error
	}{
		{"empty", "name a directory that has .git", repo.ErrNotRepository},
		{"absent", "no such file", os.ErrNotExist},
		{"dangling", "worktree repair", repo.ErrNotRepository},
		{"odd", "does not begin", repo.ErrNotRepository},
	}
	for _, test := range tests {
		_, err := repo.Open(context.Background(), filepath.Join(dir, test.path))
		if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Open(%s) = %v", test.path, err)
		}
	}
}

func TestOpenFormats(t *testing.T) {
	t.Parallel()
	tests := []struct{ config, want string }{
		{"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n\tpartialClone = origin\n", ""},
		{"[core]\n\tfsmonitor = touch pwned\n\tsshCommand = false\n[include]\n\tpath = /nowhere\n", ""},
		{"[extensions]\n\tobjectFormat = sha256\n", "sha256"},
		{"[extensions]\n\trefStorage = reftable\n", "reftable"},
		{"[core\n", "config"},
	}
	for _, test := range tests {
		kit := build(t, three)
		writeFile(t, filepath.Join(kit.GitDir(), "config"), test.config)
		r, err := repo.Open(context.Background(), kit.Path())
		if err == nil {
			defer r.Close()
		}
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("config %q: %v, want %q", test.config, err, test.want)
		}
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	empty := build(t, "")
	if _, _, err := empty.Head(); !errors.Is(err, repo.ErrEmpty) {
		t.Errorf("HEAD of an empty repository: %v", err)
	}
	r := build(t, three)
	one := resolve(t, r, "main~2")
	writeFile(t, filepath.Join(r.GitDir(), "HEAD"), one.String()+"\n")
	if branch, h, err := r.Head(); branch != "" || h != one || err != nil {
		t.Errorf("detached: %q, %s, %v", branch, h, err)
	}
	writeFile(t, filepath.Join(r.GitDir(), "HEAD"), "ref: refs/heads/gone\n")
	if _, _, err := r.Head(); err == nil || errors.Is(err, repo.ErrEmpty) || !strings.Contains(err.Error(), "refs/heads/gone") {
		t.Errorf("HEAD names an absent branch beside others: %v", err)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	r := build(t, forked+"-- commit --\nparent: a\nbranch: twin\ntag: main\n\ntwin\n")
	main := resolve(t, r, "refs/heads/main")
	writeFile(t, filepath.Join(r.GitDir(), "refs/remotes/origin/main"), main.String()+"\n")
	writeFile(t, filepath.Join(r.GitDir(), "refs/remotes/origin/HEAD"), "ref: refs/remotes/origin/main\n")
	tests := []struct{ rev, want string }{
		{"HEAD", "c"}, {"@", "c"}, {"main", "c"}, {"refs/tags/main", "twin"}, {"origin/main", "c"}, {"origin", "c"},
		{"HEAD~1", "m"}, {"HEAD~", "m"}, {"HEAD^", "m"}, {"HEAD~1^2", "y"}, {"HEAD~1^2~1", "x"}, {"HEAD^0", "c"}, {"HEAD~3", "a"}, {"HEAD^^2", "y"},
		{main.String(), "c"}, {main.String()[:7], "c"}, {strings.ToUpper(main.String()[:9]), "c"}, {"side", "y"},
	}
	for _, test := range tests {
		h, err := r.Resolve(test.rev)
		if err != nil {
			t.Errorf("Resolve(%q) = %v", test.rev, err)
			continue
		}
		if c, _ := r.Commit(h); subjects([]repo.Commit{c}) != test.want {
			t.Errorf("Resolve(%q) = %s, want %s", test.rev, subjects([]repo.Commit{c}), test.want)
		}
	}
	for _, rev := range []string{"", "nope", "-evil", "--upload-pack=x", "../HEAD", "HEAD~9", "HEAD^3", "HEAD~99999999999999999999", "abc", "main:a", "main@{1}", "HEAD^{tree}", "0000000"} {
		if h, err := r.Resolve(rev); !errors.Is(err, repo.ErrNoRevision) {
			t.Errorf("Resolve(%q) = %s, %v; want ErrNoRevision", rev, h, err)
		}
	}
	tree, _ := r.Tree(main)
	if _, err := r.Resolve(tree.Hash().String()); err == nil {
		t.Error("a tree was taken for a commit")
	}
}

// TestAlternates reads objects of a repository that another one borrows from.
func TestAlternates(t *testing.T) {
	t.Parallel()
	lender := build(t, three)
	borrower := build(t, "")
	main := resolve(t, lender, "main")
	rel, err := filepath.Rel(filepath.Join(borrower.GitDir(), "objects"), filepath.Join(lender.GitDir(), "objects"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{rel, filepath.Join(lender.GitDir(), "objects")} {
		writeFile(t, filepath.Join(borrower.GitDir(), "objects/info/alternates"), "# borrowed\n"+line+"\n/nowhere/objects\n")
		r := open(t, borrower.Path())
		if _, err := r.Commit(main); err != nil {
			t.Errorf("alternate %s: %v", line, err)
		}
		if _, err := r.Commit(repo.Hash{1}); !errors.Is(err, repo.ErrMissing) {
			t.Errorf("alternate %s: a missing object: %v", line, err)
		}
	}
}

// TestRepack: `git gc` moves the objects away under an open repository.
func TestRepack(t *testing.T) {
	t.Parallel()
	kit := build(t, forked)
	r := open(t, kit.Path())
	if _, err := r.Commit(resolve(t, r, "main")); err != nil {
		t.Fatal(err)
	}
	testkit.Git(t, r.Path(), "gc", "-q", "--prune=now")
	if got := len(ancestors(t, r, resolve(t, r, "main"))); got != 6 {
		t.Errorf("after gc the history has %d commits, want 6", got)
	}
	testkit.Git(t, r.Path(), "commit-graph", "write")
	testkit.Git(t, r.Path(), "repack", "-q", "-a", "-d", "-f", "--depth=1")
	files, err := mustTree(t, r, "main").Files(context.Background())
	if err != nil || len(files) != 0 {
		t.Errorf("files after repack: %v, %v", files, err)
	}
}

func mustTree(t *testing.T, r *repo.Repo, rev string) *repo.Tree {
	t.Helper()
	tree, err := r.Tree(resolve(t, r, rev))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
