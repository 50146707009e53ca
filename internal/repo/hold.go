package repo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// ErrLocked says that another process holds the lock of a reference, or died
// holding it. The message names the file. One that git left is never removed by
// us; one of ours that nobody holds any more is.
var ErrLocked = errors.New("reference is locked")

// How often and how long a held lock is tried. git holds one for milliseconds.
const (
	lockTries = 40
	lockWait  = 25 * time.Millisecond
)

// lockFile is a lock file that we made, as git makes them: it exists, so nobody
// else changes what it belongs to; a rename makes its content the new one.
type lockFile struct {
	*os.File
	path string // what others see
	mark string // its second name, "" where it has none; see createLock
}

// rename makes the content of the lock file that of file.
func (l *lockFile) rename(file string) error {
	return errors.Join(l.beforeRename(), os.Rename(l.path, file))
}

// release lets go of the file, wherever it is by now. The mark goes before it is
// closed, while nobody can take it for a dead one's.
func (l *lockFile) release() error {
	if l.mark != "" {
		os.Remove(l.mark) // one that stays is removed by the next lock
	}
	if err := l.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// withLock creates file.lock, runs f and removes the lock unless f has renamed
// or removed it.
func (r *Repo) withLock(file string, f func(lock *lockFile) error) error {
	lock, err := r.takeLock(file + ".lock")
	if err != nil {
		return err
	}
	if err = f(lock); err != nil {
		err = errors.Join(err, skipAbsent(os.Remove(lock.path)))
	}
	return errors.Join(err, lock.release())
}

func (r *Repo) takeLock(path string) (*lockFile, error) {
	var err error
	for range lockTries {
		if err = os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, err
		}
		var l *lockFile
		if l, err = r.createLock(path); err == nil {
			return l, nil
		}
		// Absent: git has just removed the empty directory that we made.
		if !errors.Is(err, os.ErrExist) && !isAbsent(err) {
			return nil, err
		}
		time.Sleep(lockWait)
	}
	if info, statErr := os.Stat(path); statErr == nil {
		return nil, fmt.Errorf("%w: %s has been there since %s; if no git or retrosweep process is running, remove it and run again",
			ErrLocked, path, info.ModTime().UTC().Format(time.RFC3339))
	}
	return nil, err
}

// plainLock makes a lock file that nothing tells from git's.
func plainLock(path string) (*lockFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	return &lockFile{File: f, path: path}, nil
}
