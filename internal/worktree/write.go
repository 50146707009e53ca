package worktree

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/retrosweep/retrosweep/internal/guard"
)

// Causes of a refused write.
var (
	ErrLink    = errors.New("it is a symbolic link")
	ErrChanged = errors.New("it was changed meanwhile")
)

// Write replaces a file of the tree, in one step, if it still holds what was
// read (nil: it must not exist). Links are not followed: neither the file nor
// a folder above it may be one.
func Write(root, name string, old, content []byte) error {
	if err := write(root, name, old, content); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func write(root, name string, old, content []byte) error {
	if err := guard.CheckPath(name); err != nil {
		return err
	}
	file := filepath.Join(root, filepath.FromSlash(name))
	if err := plain(root, name); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	now, err := os.ReadFile(file)
	switch {
	case errors.Is(err, os.ErrNotExist) && old == nil:
	case err != nil:
		return err
	case old == nil || !bytes.Equal(now, old):
		return ErrChanged
	default:
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		mode = info.Mode().Perm()
	}
	return replace(file, content, mode)
}

// plain refuses a path with a symbolic link in it.
func plain(root, name string) error {
	at := root
	for _, part := range strings.Split(name, "/") {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if info.Mode()&os.ModeSymlink != 0 {
			return ErrLink
		}
	}
	return nil
}

// replace writes beside the file and renames: a reader sees the old or the new
// content, also where the machine stops in between.
func replace(file string, content []byte, mode os.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(file), ".retrosweep-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(content)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
