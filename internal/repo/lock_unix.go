//go:build unix

package repo

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes an exclusive lock that the end of the process gives back.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// unlock gives the lock back. Closing would do, but for a child process that is
// being started just then and has the file open for a moment.
func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
