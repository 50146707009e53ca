package repo_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

const three = `
-- commit --

one
-- a --
1
-- commit --

two
-- commit --

three
`

func TestUpdateRef(t *testing.T) {
	t.Parallel()
	r := build(t, three)
	one, two, ref := resolve(t, r, "main~2"), resolve(t, r, "main~1"), "refs/retrosweep/x"
	zero := repo.Hash{}
	steps := []struct {
		what     string
		old, new repo.Hash
		want     error
	}{
		{"update of what is not there", one, two, repo.ErrRefMoved},
		{"create", zero, one, nil},
		{"create what is there", zero, two, repo.ErrRefMoved},
		{"update from another value", two, one, repo.ErrRefMoved},
		{"update", one, two, nil},
		{"an object that is not there", two, repo.Hash{1}, repo.ErrMissing},
	}
	for _, s := range steps {
		if err := r.UpdateRef(ref, s.old, s.new); !errors.Is(err, s.want) {
			t.Fatalf("%s: %v, want %v", s.what, err, s.want)
		}
	}
	if h, ok, err := r.Ref(ref); h != two || !ok || err != nil {
		t.Errorf("Ref = %s, %v, %v", h, ok, err)
	}
	if err := r.DeleteRef(ref, one); !errors.Is(err, repo.ErrRefMoved) {
		t.Errorf("delete of another value: %v", err)
	}
	if err := r.DeleteRef(ref, two); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := r.Ref(ref); ok || err != nil {
		t.Errorf("after the deletion: %v, %v", ok, err)
	}
	noLocks(t, r)
	testkit.Git(t, r.Path(), "fsck", "--strict")
}

// noLocks fails where a lock file was left.
func noLocks(t *testing.T, r *repo.Repo) {
	t.Helper()
	err := filepath.WalkDir(r.GitDir(), func(path string, d os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".lock") {
			t.Errorf("%s was left behind", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestRefNames(t *testing.T) {
	t.Parallel()
	r := build(t, three)
	h := resolve(t, r, "main")
	for _, name := range []string{
		"", "main", "HEAD", "refs", "refs/", "refs/heads/", "refs/heads/../../config", "refs/heads/a..b", "refs/heads/.a", "refs/heads/a.lock",
		"refs/heads/a b", "refs/heads/a~1", "refs/heads/a^", "refs/heads/a:b", "refs/heads/a?", "refs/heads/a*", "refs/heads/[a", `refs/heads/a\b`,
		"refs/heads/a\x00b", "refs/heads/a\nb", "refs/heads/-a", "refs/heads/a//b", "refs/heads/a/", "/refs/heads/a", "refs/heads/@{a", "refs/heads/" + strings.Repeat("a", 5000),
	} {
		if err := r.UpdateRef(name, repo.Hash{}, h); err == nil {
			t.Errorf("UpdateRef(%q) was accepted", name)
		}
	}
}

func TestRefsInTheWay(t *testing.T) {
	t.Parallel()
	for _, packed := range []bool{false, true} {
		r := build(t, three)
		h := resolve(t, r, "main")
		if err := r.UpdateRef("refs/x/a/b", repo.Hash{}, h); err != nil {
			t.Fatal(err)
		}
		if packed {
			testkit.Git(t, r.Path(), "pack-refs", "--all")
		}
		for _, name := range []string{"refs/x/a", "refs/x/a/b/c"} {
			if err := r.UpdateRef(name, repo.Hash{}, h); err == nil {
				t.Errorf("packed %v: %s was created beside refs/x/a/b", packed, name)
			}
		}
		if err := r.DeleteRef("refs/x/a/b", h); err != nil {
			t.Fatal(err)
		}
		// The directory that a/b left must not be in the way of a.
		if err := r.UpdateRef("refs/x/a", repo.Hash{}, h); err != nil {
			t.Errorf("packed %v: %v", packed, err)
		}
		noLocks(t, r)
	}
}

func TestPackedRefs(t *testing.T) {
	t.Parallel()
	r := build(t, three)
	dir, main, one := r.Path(), resolve(t, r, "main"), resolve(t, r, "main~2")
	testkit.Git(t, dir, "tag", "-a", "-m", "annotated", "v1", one.String())
	testkit.Git(t, dir, "update-ref", "refs/retrosweep/x", main.String())
	testkit.Git(t, dir, "update-ref", "refs/retrosweep/y", main.String())
	testkit.Git(t, dir, "pack-refs", "--all", "--prune")
	if h := resolve(t, r, "v1"); h != one {
		t.Errorf("v1 is %s", h)
	}
	if h := resolve(t, r, "main"); h != main {
		t.Errorf("main is %s", h)
	}
	if err := r.UpdateRef("refs/retrosweep/x", repo.Hash{}, one); !errors.Is(err, repo.ErrRefMoved) {
		t.Errorf("create over a packed reference: %v", err)
	}
	if err := r.UpdateRef("refs/retrosweep/x", main, one); err != nil {
		t.Fatal(err)
	}
	refs, err := r.Refs("refs/retrosweep/")
	if err != nil || len(refs) != 2 || refs["refs/retrosweep/x"] != one || refs["refs/retrosweep/y"] != main {
		t.Errorf("Refs = %v, %v", refs, err)
	}
	if err := r.DeleteRef("refs/retrosweep/x", one); err != nil {
		t.Fatal(err)
	}
	tag, _, err := r.Ref("refs/tags/v1")
	if err != nil || tag == one {
		t.Fatalf("the annotated tag is %s, %v", tag, err)
	}
	if err := r.DeleteRef("refs/tags/v1", tag); err != nil {
		t.Fatal(err)
	}
	want := main.String() + " refs/heads/main\n" + main.String() + " refs/retrosweep/y"
	if got := testkit.Git(t, dir, "for-each-ref", "--format=%(objectname) %(refname)"); got != want {
		t.Errorf("git sees\n%s\nwant\n%s", got, want)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "packed-refs")); err != nil || strings.Contains(string(b), "\n^") {
		t.Errorf("the deleted tag left its peeled line: %q, %v", b, err)
	}
	testkit.Git(t, dir, "fsck", "--strict")
	noLocks(t, r)
}

func TestSymbolicRefIsNotWrittenThrough(t *testing.T) {
	t.Parallel()
	r := build(t, three)
	main := resolve(t, r, "main")
	writeFile(t, filepath.Join(r.GitDir(), "refs/heads/alias"), "ref: refs/heads/main\n")
	if h, ok, err := r.Ref("refs/heads/alias"); h != main || !ok || err != nil {
		t.Errorf("Ref = %s, %v, %v", h, ok, err)
	}
	if err := r.UpdateRef("refs/heads/alias", main, resolve(t, r, "main~1")); err == nil || !strings.Contains(err.Error(), "symbolic") {
		t.Errorf("UpdateRef = %v", err)
	}
	writeFile(t, filepath.Join(r.GitDir(), "refs/heads/loop"), "ref: refs/heads/loop\n")
	if _, _, err := r.Ref("refs/heads/loop"); err == nil {
		t.Error("a reference to itself was read")
	}
}

// TestCrashLeftover: a lock that nobody holds any more is named, with what to do,
// and stays.
func TestCrashLeftover(t *testing.T) {
	t.Parallel()
	r := build(t, three)
	lock := filepath.Join(r.GitDir(), "refs/retrosweep/x.lock")
	writeFile(t, lock, "")
	err := r.UpdateRef("refs/retrosweep/x", repo.Hash{}, resolve(t, r, "main"))
	if !errors.Is(err, repo.ErrLocked) || !strings.Contains(err.Error(), lock) || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("UpdateRef = %v", err)
	}
	if _, err := os.Stat(lock); err != nil {
		t.Errorf("the lock was removed: %v", err)
	}
}

func TestBrokenRefFile(t *testing.T) {
	t.Parallel()
	r := build(t, three)
	writeFile(t, filepath.Join(r.GitDir(), "refs/heads/torn"), "")
	if _, _, err := r.Ref("refs/heads/torn"); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("Ref = %v", err)
	}
	refs, err := r.Refs("refs/heads/")
	if err != nil || len(refs) != 1 {
		t.Errorf("Refs = %v, %v; the broken one must not hide the rest", refs, err)
	}
	if err := r.UpdateRef("refs/heads/torn", repo.Hash{}, resolve(t, r, "main")); err == nil {
		t.Error("a broken reference was taken for an absent one")
	}
}

func TestCheckedOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, err := testkit.Build(filepath.Join(dir, "main", ".git"), []byte(three))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	main, one := resolve(t, r, "main"), resolve(t, r, "main~2")
	for _, branch := range []string{"linked", "rebased", "bisected", "free"} {
		if err := r.UpdateRef("refs/heads/"+branch, repo.Hash{}, main); err != nil {
			t.Fatal(err)
		}
	}
	testkit.Git(t, r.Path(), "worktree", "add", "-q", filepath.Join(dir, "wt"), "linked")
	writeFile(t, filepath.Join(r.GitDir(), "rebase-merge/head-name"), "refs/heads/rebased\n")
	writeFile(t, filepath.Join(r.GitDir(), "worktrees/wt/BISECT_START"), "bisected\n")
	linked := open(t, filepath.Join(dir, "wt"))
	if branch, _, err := linked.Head(); branch != "linked" || err != nil {
		t.Errorf("HEAD of the worktree is %q, %v", branch, err)
	}
	for _, repository := range []*repo.Repo{r, linked} {
		for _, branch := range []string{"main", "linked", "rebased", "bisected"} {
			if err := repository.UpdateRef("refs/heads/"+branch, main, one); !errors.Is(err, repo.ErrCheckedOut) {
				t.Errorf("%s: update of %s = %v", repository.Path(), branch, err)
			}
			if err := repository.DeleteRef("refs/heads/"+branch, main); !errors.Is(err, repo.ErrCheckedOut) {
				t.Errorf("%s: deletion of %s = %v", repository.Path(), branch, err)
			}
		}
	}
	if err := linked.UpdateRef("refs/heads/free", main, one); err != nil {
		t.Errorf("free: %v", err)
	}
	if got := testkit.Git(t, r.Path(), "rev-parse", "free"); got != one.String() {
		t.Errorf("git sees free at %s", got)
	}
}

// TestUpdateRace: several writers of ours and git move one reference at once,
// with pack-refs between them. Each update builds on the one before, so at the
// end the chain must hold every one that was said to have succeeded.
func TestUpdateRace(t *testing.T) {
	t.Parallel()
	testkit.NeedGit(t)
	r := build(t, three)
	ref := "refs/retrosweep/race"
	base := resolve(t, r, "main")
	if err := r.UpdateRef(ref, repo.Hash{}, base); err != nil {
		t.Fatal(err)
	}
	var made atomic.Int64
	var writers sync.WaitGroup
	for w := range 3 {
		writers.Go(func() {
			mine := open(t, r.Path())
			for i := range 15 {
				addCommit(t, mine, ref, fmt.Sprintf("ours %d %d", w, i), mine.UpdateRef, &made)
			}
		})
	}
	writers.Go(func() {
		mine := open(t, r.Path())
		gitUpdate := func(ref string, old, new repo.Hash) error {
			if out, err := testkit.TryGit(r.Path(), "update-ref", ref, new.String(), old.String()); err != nil {
				return fmt.Errorf("%w: %s", repo.ErrRefMoved, out)
			}
			return nil
		}
		for i := range 15 {
			addCommit(t, mine, ref, fmt.Sprintf("git %d", i), gitUpdate, &made)
			if _, err := testkit.TryGit(r.Path(), "pack-refs", "--all"); err != nil {
				continue // another process has the lock
			}
		}
	})
	writers.Wait()
	res, err := r.Range(t.Context(), base, resolve(t, r, ref), 0)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(res.Commits)) != made.Load() || made.Load() != 60 {
		t.Errorf("%d updates succeeded and %d are in the history, want 60", made.Load(), len(res.Commits))
	}
	noLocks(t, r)
	testkit.Git(t, r.Path(), "fsck", "--strict")
}

// addCommit puts a commit on top of a reference, as often as it takes.
func addCommit(t *testing.T, r *repo.Repo, ref, message string, update func(string, repo.Hash, repo.Hash) error, made *atomic.Int64) {
	for range 2000 {
		old, ok, err := r.Ref(ref)
		if err != nil || !ok {
			t.Errorf("torn read: %v, %v", ok, err)
			return
		}
		c, err := r.Commit(old)
		if err != nil {
			t.Error(err)
			return
		}
		next, err := r.WriteCommit(repo.NewCommit{Tree: c.Tree, Parents: []repo.Hash{old}, Author: c.Author, Committer: c.Committer, Message: message})
		if err != nil {
			t.Error(err)
			return
		}
		err = update(ref, old, next)
		switch {
		case err == nil:
			made.Add(1)
			return
		case !errors.Is(err, repo.ErrRefMoved) && !errors.Is(err, repo.ErrLocked):
			t.Error(err)
			return
		}
	}
	t.Errorf("%s: never won", message)
}
