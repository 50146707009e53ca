package repo_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

func TestScratchKeepsEveryWriteInMemory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "shop")
	r, err := testkit.Build(dir, []byte("-- commit --\nauthor: A <a@b.c>\ndate: 2026-01-02T03:04:05Z\n\none\n-- a.md --\nhello\n"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	_, head, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	s := r.Scratch()
	tree, err := s.WriteTree(head, map[string][]byte{"b/c.md": []byte("new\n")})
	if err != nil {
		t.Fatal(err)
	}
	who := repo.Signature{Name: "x", Email: "x@y", When: time.Unix(0, 0)}
	commit, err := s.WriteCommit(repo.NewCommit{Tree: tree, Parents: []repo.Hash{head}, Author: who, Committer: who, Message: "two"})
	if err != nil {
		t.Fatal(err)
	}
	if changes, err := s.Diff(t.Context(), head, commit); err != nil || len(changes) != 1 || changes[0].Path() != "b/c.md" {
		t.Errorf("the view reads %v, %v; it wrote b/c.md", changes, err)
	}
	if err := s.UpdateRef("refs/heads/new", repo.Hash{}, commit); !errors.Is(err, repo.ErrReadOnly) {
		t.Errorf("a reference moved through the view: %v", err)
	}
	again, err := repo.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close() })
	if _, err := again.Commit(commit); !errors.Is(err, repo.ErrMissing) {
		t.Errorf("the commit reached the repository: %v", err)
	}
}
