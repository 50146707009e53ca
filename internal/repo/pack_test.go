package repo_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

// versions is a history whose file changes a little each time, so that git makes
// chains of deltas of it.
func versions(t *testing.T) *repo.Repo {
	t.Helper()
	var history strings.Builder
	for i := range 30 {
		fmt.Fprintf(&history, "-- commit --\n\n%d\n-- d/file.txt --\n", i)
		for line := range 200 {
			fmt.Fprintf(&history, "line %d of a file that is long enough for a delta %d\n", line, max(line, i*5)%(line+1))
		}
	}
	return build(t, history.String())
}

// TestPacks reads every version from every kind of pack that git can write.
func TestPacks(t *testing.T) {
	t.Parallel()
	testkit.NeedGit(t)
	tests := []struct {
		name string
		args []string
	}{
		{"offset deltas", []string{"repack", "-adfq", "--depth=50", "--window=50"}},
		{"reference deltas", []string{"-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq", "--depth=50"}},
		{"no deltas", []string{"repack", "-adfq", "--depth=0"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			kit := versions(t)
			want := contents(t, kit)
			testkit.Git(t, kit.Path(), test.args...)
			testkit.Git(t, kit.Path(), "prune-packed")
			comparePacked(t, kit.Path(), want)
		})
	}
	t.Run("large offsets", func(t *testing.T) {
		t.Parallel()
		kit := versions(t)
		want := contents(t, kit)
		testkit.Git(t, kit.Path(), "repack", "-adfq")
		for _, pack := range packFiles(t, kit, "*.pack") {
			testkit.Git(t, kit.Path(), "index-pack", "--index-version=2,0x100", "-o", strings.TrimSuffix(pack, ".pack")+".idx.new", pack)
			if err := os.Rename(strings.TrimSuffix(pack, ".pack")+".idx.new", strings.TrimSuffix(pack, ".pack")+".idx"); err != nil {
				t.Fatal(err)
			}
		}
		comparePacked(t, kit.Path(), want)
	})
}

func packFiles(t *testing.T, r *repo.Repo, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(r.GitDir(), "objects/pack", pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	return files
}

// contents is the file of each commit, newest first.
func contents(t *testing.T, r *repo.Repo) []string {
	t.Helper()
	var all []string
	err := r.FirstParents(context.Background(), resolve(t, r, "main"), func(c repo.Commit) bool {
		tree, err := r.Tree(c.Hash)
		if err != nil {
			t.Fatal(err)
		}
		e, ok, err := tree.Entry("d/file.txt")
		if err != nil || !ok {
			t.Fatalf("%s: %v, %v", c.Hash, ok, err)
		}
		b, err := r.Blob(e.Hash, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(b))
		clear(b) // what a caller does with the content is its own affair
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func comparePacked(t *testing.T, path string, want []string) {
	t.Helper()
	r := open(t, path)
	for range 2 { // the second time from the caches
		got := contents(t, r)
		if len(got) != len(want) {
			t.Fatalf("%d versions, want %d", len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("version %d differs", i)
			}
		}
	}
	head := resolve(t, r, "main")
	if h := resolve(t, r, head.String()[:10]); h != head {
		t.Errorf("the short id names %s", h)
	}
	e, _, err := mustTree(t, r, "main").Entry("d/file.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Blob(e.Hash, 100); !errors.Is(err, repo.ErrTooLarge) {
		t.Errorf("over the limit: %v", err)
	}
	if _, err := r.Blob(repo.Hash{7}, 100); !errors.Is(err, repo.ErrMissing) {
		t.Errorf("not there: %v", err)
	}
}

// TestOldIndex: an index that cannot be read is named, with what to do.
func TestOldIndex(t *testing.T) {
	t.Parallel()
	kit := build(t, three)
	head := resolve(t, kit, "main")
	testkit.Git(t, kit.Path(), "-c", "pack.indexVersion=1", "repack", "-adfq")
	testkit.Git(t, kit.Path(), "prune-packed")
	_, err := open(t, kit.Path()).Commit(head)
	if !errors.Is(err, repo.ErrMissing) || !strings.Contains(err.Error(), "git gc") {
		t.Errorf("Commit = %v", err)
	}
}

// TestDamagedPack: whatever byte is wrong, a read is right or an ErrMissing.
func TestDamagedPack(t *testing.T) {
	t.Parallel()
	kit := versions(t)
	head := resolve(t, kit, "main")
	testkit.Git(t, kit.Path(), "repack", "-adfq")
	testkit.Git(t, kit.Path(), "prune-packed")
	file := packFiles(t, kit, "*.pack")[0]
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for at := 12; at < len(whole); at += len(whole) / 40 {
		damaged := append([]byte(nil), whole...)
		damaged[at] ^= 0x55
		if err := os.WriteFile(file, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := repo.Open(context.Background(), kit.Path())
		if err != nil {
			t.Fatal(err)
		}
		err = r.FirstParents(context.Background(), head, func(c repo.Commit) bool {
			tree, err := r.Tree(c.Hash)
			if err == nil {
				_, err = tree.Files(context.Background())
			}
			if err != nil && !errors.Is(err, repo.ErrMissing) {
				t.Errorf("byte %d: %v", at, err)
			}
			return true
		})
		if err != nil {
			failed++
			if !errors.Is(err, repo.ErrMissing) && !strings.Contains(err.Error(), "it is a ") {
				t.Errorf("byte %d: %v", at, err)
			}
		}
		r.Close()
	}
	if failed == 0 {
		t.Error("no damage was noticed")
	}
}
