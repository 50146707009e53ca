package repo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// LockName is the file in the git directory that a run holds locked.
const LockName = "retrosweep.lock"

// Lock takes a lock of this name for as long as the process lives or until
// release; held is false when another process has it. The lock is the operating
// system's, on a file in the git directory that stays there: a crash leaves
// nothing to clean up.
func (r *Repo) Lock(_ context.Context, name string) (release func(), held bool, err error) {
	if name == "" || name != filepath.Base(name) || name == "." || name == ".." {
		return nil, false, fmt.Errorf("lock %q: not a file name", name)
	}
	release, held, err = flockFile(filepath.Join(r.common, name))
	if err != nil {
		return nil, false, fmt.Errorf("lock %s: %w", r.path, err)
	}
	return release, held, nil
}

func flockFile(path string) (release func(), held bool, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, false, err
	}
	held, err = tryLock(f)
	if err != nil || !held {
		f.Close()
		return func() {}, false, err
	}
	return func() {
		unlock(f) // closing it does so too, if a little later
		f.Close()
	}, true, nil
}
