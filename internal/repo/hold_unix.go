//go:build unix

package repo

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// marksDir holds a second name of each lock file of ours, for as long as it is
// held. A lock file that has one there is ours, whatever it holds; and whose
// process lives holds the operating system's lock on it, which no death leaves.
const marksDir = "retrosweep-locks"

// createLock makes a lock file that did not exist. Locks that killed processes
// left at path, and that nobody holds, go first. git's locks are never touched.
func (r *Repo) createLock(path string) (*lockFile, error) {
	dir := filepath.Join(r.common, marksDir)
	prefix := r.markPrefix(path)
	r.removeDead(dir, prefix, path)
	f, err := markFile(dir, prefix)
	if err != nil {
		return plainLock(path) // another account's directory, say
	}
	err = os.Link(f.Name(), path)
	if err == nil {
		return &lockFile{File: f, path: path, mark: f.Name()}, nil
	}
	remove(f)
	if os.IsExist(err) || isAbsent(err) {
		return nil, err
	}
	return plainLock(path) // a file system without hard links
}

// markPrefix begins the marks of one lock file. What follows it has no tilde.
func (r *Repo) markPrefix(path string) string {
	rel, err := filepath.Rel(r.common, path)
	if err != nil {
		rel = path
	}
	return url.PathEscape(filepath.ToSlash(rel)) + "~"
}

func markFile(dir, prefix string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("%s%x", prefix, rand.Uint64())), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	if held, err := tryLock(f); err != nil || !held {
		remove(f)
		return nil, ErrLocked
	}
	return f, nil
}

// removeDead removes the marks of a lock file that no process holds, and the lock
// file with them where it is the same file.
func (r *Repo) removeDead(dir, prefix, path string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // none yet
	}
	for _, e := range entries {
		if rest, ok := strings.CutPrefix(e.Name(), prefix); ok && !strings.Contains(rest, "~") {
			removeIfDead(filepath.Join(dir, e.Name()), path)
		}
	}
}

// removeIfDead holds the mark while it looks and removes: of two processes that
// find the same dead one, the second finds nothing, or another file.
func removeIfDead(mark, path string) {
	f, err := os.Open(mark)
	if err != nil {
		return // gone meanwhile
	}
	defer f.Close()
	if held, err := tryLock(f); err != nil || !held {
		return
	}
	info, err := f.Stat()
	if err != nil {
		return
	}
	if there, err := os.Lstat(path); err == nil && os.SameFile(info, there) {
		os.Remove(path) // else the lock is tried in vain, and that is said
	}
	os.Remove(mark)
}

// beforeRename is for systems on which an open file cannot be renamed.
func (l *lockFile) beforeRename() error { return nil }

func remove(f *os.File) {
	os.Remove(f.Name())
	f.Close()
}
