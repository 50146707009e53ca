package repo

import (
	"errors"
	"io/fs"
	"syscall"
)

// isAbsent covers the three ways a reference file is not there: no such file, a
// directory in its place, and a file where its directory would be.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENOTDIR)
}

// skipAbsent lets a directory walk go on past what vanished under it.
func skipAbsent(err error) error {
	if isAbsent(err) {
		return nil
	}
	return err
}
