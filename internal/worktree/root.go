package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrTwoTrees says that the named paths do not belong to one tree.
var ErrTwoTrees = errors.New("the paths lie in different repositories: name those of one at a time")

// Find returns the directory that paths are relative to, and the paths seen
// from there ("." for all of it). That is the working tree of the repository
// they lie in; without one the folder itself, or one above it where its name
// says what its files are (memory, wiki): then nothing else of that one is read.
func Find(paths []string) (root string, only []string, err error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, p := range paths {
		at, err := rootOf(p)
		if err != nil {
			return "", nil, err
		}
		if root == "" {
			root = at
		}
		if root != at {
			return "", nil, fmt.Errorf("%w: %s and %s", ErrTwoTrees, root, at)
		}
		rel, err := Within(root, p)
		if err != nil {
			return "", nil, err
		}
		only = append(only, rel)
	}
	return root, only, nil
}

func rootOf(p string) (string, error) {
	dir, err := filepath.Abs(p)
	if err != nil {
		return "", fmt.Errorf("%s: %w", p, err)
	}
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: there is no such file or folder: %w", p, fs.ErrNotExist)
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", p, err)
	}
	if !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	for at := dir; ; {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at, nil
		}
		up := filepath.Dir(at)
		if up == at {
			return bare(dir), nil
		}
		at = up
	}
}

// bare is the root of a folder that is under no version control: above those
// whose names say what their files are.
func bare(dir string) string {
	for telling[filepath.Base(dir)] {
		dir = filepath.Dir(dir)
	}
	return dir
}

var telling = map[string]bool{"memory": true, "memories": true, "wiki": true, "docs": true, "knowledge": true, "playbooks": true, "facts": true}

// Within returns a path as seen from the root, with slashes.
func Within(root, p string) (string, error) {
	abs, err := filepath.Abs(p)
	if err != nil {
		return "", fmt.Errorf("%s: %w", p, err)
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", fmt.Errorf("%s lies outside %s", p, root)
	}
	return filepath.ToSlash(rel), nil
}

// Folder is the nearest folder above a path that exists: the file itself may
// not have been written yet.
func Folder(name string) string {
	for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
	}
}
