package repo_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// A run that was killed in the middle of an update leaves a lock, which nobody
// holds any more: the next one goes on.
func TestSyncGoesOnAfterLocksOfTheDead(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, "-- commit --\nauthor: Ada <ada@acme.dev>\ndate: 2026-03-02T10:00:00Z\n\nbegin\n-- a.md --\na\n"+
		"-- commit --\nauthor: Ada <ada@acme.dev>\ndate: 2026-03-03T10:00:00Z\n\nmore\n-- a.md --\nb\n")
	dir := filepath.Join(t.TempDir(), "mirror")
	r, _, err := repo.Sync(t.Context(), dir, o.options)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	before := resolve(t, o.Repo, "main~1")
	setRef(t, o.Repo, "refs/heads/main", before)
	setRef(t, o.Repo, "refs/retrosweep/journal", before)
	for _, name := range []string{"refs/heads/main.lock", "refs/retrosweep/journal.lock", "packed-refs.lock"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	again, _ := syncMirror(t, dir, o.options)
	if at := resolve(t, again, "main"); at != before {
		t.Errorf("main is at %s and not at %s", at, before)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "refs", "*", "*.lock")); err != nil || len(left) > 0 {
		t.Errorf("there are still %v, %v", left, err)
	}
}
