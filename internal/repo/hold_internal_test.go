//go:build unix

package repo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A process of the test binary that takes the lock of a reference, says so, and
// holds it until it is killed.
const (
	holdRepo  = "RETROSWEEP_TEST_HOLD_REPO"
	holdMoved = "RETROSWEEP_TEST_HOLD_MOVED" // the lock has been renamed already
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdRepo); dir != "" {
		fmt.Println(hold(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func hold(dir string) error {
	r, err := Open(context.Background(), dir)
	if err != nil {
		return err
	}
	return r.withLock(r.refPath("refs/heads/main"), func(lock *lockFile) error {
		if h := os.Getenv(holdMoved); h != "" {
			if err := errors.Join(writeSync(lock.File, []byte(h+"\n")), lock.rename(r.refPath("refs/heads/main"))); err != nil {
				return err
			}
		}
		fmt.Println("held")
		<-context.Background().Done()
		return nil
	})
}

// holder starts a process that holds the lock; stop kills it.
func holder(t *testing.T, dir, moved string) (stop func()) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), holdRepo+"="+dir, holdMoved+"="+moved)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line := make([]byte, len("held\n"))
	if n, err := out.Read(line); err != nil || string(line) != "held\n" {
		t.Fatalf("the process says %q, %v", line[:n], err)
	}
	return func() {
		if err := c.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = c.Wait() // it was killed, and says so
	}
}

func lockedRepo(t *testing.T) (r *Repo, first, second Hash) {
	t.Helper()
	dir := t.TempDir()
	for _, sub := range []string{"objects", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/main\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	write := func(parents ...Hash) Hash {
		tree, err := r.WriteTree(Hash{}, map[string][]byte{"a": fmt.Append(nil, len(parents))})
		if err != nil {
			t.Fatal(err)
		}
		who := Signature{Name: "Ada", Email: "ada@acme.dev", When: time.Unix(1_800_000_000, 0)}
		h, err := r.WriteCommit(NewCommit{Tree: tree, Parents: parents, Author: who, Committer: who, Message: "m"})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	first = write()
	second = write(first)
	if err := r.UpdateRef("refs/heads/main", Hash{}, first); err != nil {
		t.Fatal(err)
	}
	return r, first, second
}

// The lock of a living process is respected; when it is killed the next update
// goes on, and nothing is left of it.
func TestLockOfAKilledProcess(t *testing.T) {
	t.Parallel()
	r, first, second := lockedRepo(t)
	stop := holder(t, r.path, "")
	if err := r.UpdateRef("refs/heads/main", first, second); !errors.Is(err, ErrLocked) {
		t.Errorf("while another process holds it: %v", err)
	}
	stop()
	if err := r.UpdateRef("refs/heads/main", first, second); err != nil {
		t.Errorf("after it was killed: %v", err)
	}
	nothingLeft(t, r)
}

// One that was killed after its rename has done its work: only the mark is left.
func TestMarkOfAKilledProcess(t *testing.T) {
	t.Parallel()
	r, first, second := lockedRepo(t)
	stop := holder(t, r.path, second.String())
	stop()
	if at, _, err := r.Ref("refs/heads/main"); err != nil || at != second {
		t.Fatalf("the reference is at %s, %v", at, err)
	}
	if err := r.UpdateRef("refs/heads/main", second, first); err != nil {
		t.Error(err)
	}
	nothingLeft(t, r)
}

// A lock that git made is never removed, however old.
func TestLockOfGitStays(t *testing.T) {
	t.Parallel()
	r, first, second := lockedRepo(t)
	file := r.refPath("refs/heads/main") + ".lock"
	old := time.Now().Add(-24 * time.Hour)
	if err := errors.Join(os.WriteFile(file, nil, 0o644), os.Chtimes(file, old, old)); err != nil {
		t.Fatal(err)
	}
	if err := r.UpdateRef("refs/heads/main", first, second); !errors.Is(err, ErrLocked) {
		t.Errorf("an update under git's lock: %v", err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("git's lock: %v", err)
	}
}

func nothingLeft(t *testing.T, r *Repo) {
	t.Helper()
	marks, err := filepath.Glob(filepath.Join(r.common, marksDir, "*"))
	locks, lockErr := filepath.Glob(filepath.Join(r.common, "refs", "heads", "*.lock"))
	if err := errors.Join(err, lockErr); err != nil || len(marks)+len(locks) > 0 {
		t.Errorf("left: %v %v, %v", marks, locks, err)
	}
}
