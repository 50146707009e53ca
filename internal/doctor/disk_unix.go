//go:build linux || darwin

package doctor

import (
	"fmt"
	"syscall"
)

// freeBytes is what a user without privileges may still write.
func freeBytes(dir string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("statfs: %w", err)
	}
	return s.Bavail * uint64(s.Bsize), nil //nolint:gosec // a block size is positive
}
