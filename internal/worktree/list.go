package worktree

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/retrosweep/retrosweep/internal/gitignore"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// What a listing looks at, at most: a home directory that was named by mistake
// ends in an error, not in minutes.
const (
	maxFiles = 1_000_000 // of a repository
	maxLoose = 50_000    // of a folder that is none
)

// lister walks a tree from the root downwards.
type lister struct {
	root    string
	ignored gitignore.Rules
	tracked map[string]bool // files of the index
	above   map[string]bool // folders with tracked files below them
	only    []string        // named by a person: read even where they are ignored
	part    []string        // the folders that are listed; nil: all
	found   []entry
	seen    int
}

// entry is one file of the tree.
type entry struct {
	path string
	link bool      // a symbolic link
	blob repo.Hash // of a staged file
}

// list returns the files of a tree, sorted by path: what is tracked, and what
// git would not ignore. Part names the folders to list, nil all of them.
func list(ctx context.Context, root string, index []repo.Entry, only, part []string) ([]entry, gitignore.Rules, error) {
	l := &lister{root: root, tracked: make(map[string]bool, len(index)), above: map[string]bool{}, only: only, part: part}
	for _, e := range index {
		l.tracked[e.Path] = true
		for dir := path.Dir(e.Path); dir != "." && !l.above[dir]; dir = path.Dir(dir) {
			l.above[dir] = true
		}
	}
	if src, err := readSome(filepath.Join(root, ".git", "info", "exclude"), maxIgnoreBytes); err == nil {
		l.ignored.Add(".gitignore", src)
	}
	if err := l.dir(ctx, ""); err != nil {
		return nil, nil, err
	}
	sort.Slice(l.found, func(i, j int) bool { return l.found[i].path < l.found[j].path })
	return l.found, l.ignored, nil
}

const maxIgnoreBytes = 1 << 20

func (l *lister) dir(ctx context.Context, dir string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("list %s: %w", l.root, err)
	}
	entries, err := os.ReadDir(filepath.Join(l.root, filepath.FromSlash(dir)))
	if err != nil && dir == "" {
		return fmt.Errorf("list %s: %w", l.root, err)
	}
	if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == ".gitignore" && e.Type().IsRegular() }) {
		name := path.Join(dir, ".gitignore")
		if src, err := readSome(filepath.Join(l.root, filepath.FromSlash(name)), maxIgnoreBytes); err == nil {
			l.ignored.Add(name, src)
		}
	}
	if l.seen += len(entries); l.seen > maxFiles || l.part != nil && l.seen > maxLoose {
		return fmt.Errorf("list %s: it holds too many files to be one tree of knowledge (%d so far): name a folder below it", l.root, l.seen)
	}
	for _, e := range entries {
		if err := l.entry(ctx, path.Join(dir, e.Name()), e); err != nil {
			return err
		}
	}
	return nil
}

func (l *lister) entry(ctx context.Context, name string, e os.DirEntry) error {
	switch {
	case e.IsDir() && l.enter(name, e.Name()):
		return l.dir(ctx, name)
	case e.IsDir():
		return nil
	case !e.Type().IsRegular() && e.Type()&os.ModeSymlink == 0:
		return nil
	case !l.tracked[name] && !l.named(name) && l.ignored.Match(name, false):
		return nil
	}
	l.found = append(l.found, entry{path: name, link: !e.Type().IsRegular()})
	return nil
}

// enter reports whether a folder belongs to the tree: it is neither git's own,
// nor a repository of its own, nor ignored.
func (l *lister) enter(name, base string) bool {
	if l.part != nil && !slices.ContainsFunc(l.part, func(p string) bool {
		return p == "." || p == name || strings.HasPrefix(name, p+"/") || strings.HasPrefix(p, name+"/")
	}) {
		return false
	}
	if base == ".git" || base == "node_modules" && !l.named(name) {
		return false
	}
	if l.above[name] || l.named(name) || slices.ContainsFunc(l.only, func(o string) bool { return strings.HasPrefix(o, name+"/") }) {
		return true
	}
	if _, err := os.Lstat(filepath.Join(l.root, filepath.FromSlash(name), ".git")); err == nil {
		return false
	}
	return !l.ignored.Match(name, true)
}

// named reports whether a person named the path or a folder above it.
func (l *lister) named(name string) bool {
	return slices.ContainsFunc(l.only, func(o string) bool { return o == name || strings.HasPrefix(name, o+"/") })
}
