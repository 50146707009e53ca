// Package signaltest builds the histories that tests of the retro read.
package signaltest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

// File is [History] of a file below testdata.
func File(t testing.TB, name string) (*repo.Repo, []repo.Commit) {
	t.Helper()
	archive, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return History(t, archive)
}

// History builds a repository (see testkit) and returns it with all commits of
// its head, newest first.
func History(t testing.TB, archive []byte) (*repo.Repo, []repo.Commit) {
	t.Helper()
	r, err := testkit.Build(filepath.Join(t.TempDir(), "repo"), archive)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	_, head, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.Range(context.Background(), repo.Hash{}, head, 0)
	if err != nil {
		t.Fatal(err)
	}
	return r, res.Commits
}
