package repo_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// writeIndex makes the index of a repository that testkit has built.
func writeIndex(t *testing.T, dir string, entries ...*index.Entry) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "index"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := index.NewEncoder(f).Encode(&index.Index{Version: 2, Entries: entries}); err != nil {
		t.Fatal(err)
	}
}

func TestIndexHoldsWhatTheNextCommitWould(t *testing.T) {
	t.Parallel()
	r := build(t, "-- commit --\n-- a.md --\na\n")
	if got, err := r.Index(); err != nil || got != nil {
		t.Fatalf("no index: %v, %v", got, err)
	}
	h := plumbing.NewHash(strings.Repeat("ab", 20))
	writeIndex(t, r.GitDir(),
		&index.Entry{Name: "b.md", Hash: h, Mode: filemode.Regular},
		&index.Entry{Name: "a.md", Hash: h, Mode: filemode.Symlink},
		&index.Entry{Name: "run", Hash: h, Mode: filemode.Executable},
		&index.Entry{Name: "torn.md", Hash: h, Mode: filemode.Regular, Stage: index.OurMode},
		&index.Entry{Name: "sub", Hash: h, Mode: filemode.Submodule})
	got, err := r.Index()
	if err != nil {
		t.Fatal(err)
	}
	want := []repo.Entry{{Path: "a.md", Mode: repo.ModeSymlink, Hash: h}, {Path: "b.md", Mode: repo.ModeFile, Hash: h},
		{Path: "run", Mode: repo.ModeExec, Hash: h}, {Path: "sub", Mode: repo.ModeSubmodule, Hash: h}}
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("entry %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func TestIndexThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	r := build(t, "-- commit --\n-- a.md --\na\n")
	writeFile(t, filepath.Join(r.GitDir(), "index"), "DIRC\x00\x00\x00\x02\xff\xff\xff\xfftorn")
	if _, err := r.Index(); err == nil || !strings.Contains(err.Error(), "index") {
		t.Errorf("a torn index gives %v", err)
	}
}
