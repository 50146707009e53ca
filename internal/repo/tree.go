package repo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// Bounds on what a hostile tree can make us do: trees that name each other ten
// times on each of ten levels are small on disk.
const (
	maxTreeFiles  = 1_000_000
	maxPathLength = 4096
)

// node is one parsed tree object, sorted as git sorts.
type node struct{ entries []nodeEntry }

type nodeEntry struct {
	name string
	mode filemode.FileMode // as written: odd modes of old repositories survive a rewrite
	hash Hash
}

func (e nodeEntry) isDir() bool { return e.mode == filemode.Dir }

// kind maps the modes that occur to the five that matter.
func (e nodeEntry) kind() Mode {
	switch e.mode & 0o170000 {
	case 0o040000:
		return ModeDir
	case 0o120000:
		return ModeSymlink
	case 0o160000:
		return ModeSubmodule
	}
	if e.mode&0o111 != 0 {
		return ModeExec
	}
	return ModeFile
}

// sane is false for names that no path can have. git refuses to make them; who
// writes objects by hand does not.
func (e nodeEntry) sane() bool {
	return e.name != "" && e.name != "." && e.name != ".." && !strings.Contains(e.name, "/")
}

// compareEntries is git's order: a directory sorts as if its name ended in "/".
func compareEntries(a, b nodeEntry) int { return compareNames(a.name, a.isDir(), b.name, b.isDir()) }

func compareNames(a string, aDir bool, b string, bDir bool) int {
	n := min(len(a), len(b))
	if c := cmp.Compare(a[:n], b[:n]); c != 0 {
		return c
	}
	return cmp.Compare(byteAt(a, n, aDir), byteAt(b, n, bDir))
}

func byteAt(s string, i int, dir bool) byte {
	switch {
	case i < len(s):
		return s[i]
	case dir:
		return '/'
	}
	return 0
}

// find looks a name up as a file and as a directory.
func (n *node) find(name string) (nodeEntry, bool) {
	for _, dir := range []bool{true, false} {
		i, ok := slices.BinarySearchFunc(n.entries, name, func(e nodeEntry, name string) int {
			return compareNames(e.name, e.isDir(), name, dir)
		})
		if ok && n.entries[i].isDir() == dir {
			return n.entries[i], true
		}
	}
	return nodeEntry{}, false
}

// parseTree reads a tree object. The names share one copy of the content. Walks
// parse tens of thousands of trees, so it is written without helpers that
// allocate.
func parseTree(b []byte) (*node, error) {
	n := &node{entries: make([]nodeEntry, 0, len(b)/32+1)}
	s := string(b)
	sorted := true
	for len(s) > 0 {
		mode, width := octal(s)
		if width == 0 || width == len(s) || s[width] != ' ' {
			return nil, errors.New("damaged tree: an entry begins without a mode")
		}
		s = s[width+1:]
		end := strings.IndexByte(s, 0)
		if end < 0 || len(s) < end+1+len(Hash{}) {
			return nil, errors.New("damaged tree: an entry ends too early")
		}
		e := nodeEntry{name: s[:end], mode: filemode.FileMode(mode)}
		copy(e.hash[:], s[end+1:])
		s = s[end+1+len(Hash{}):]
		if last := len(n.entries) - 1; last >= 0 && compareEntries(n.entries[last], e) > 0 {
			sorted = false
		}
		n.entries = append(n.entries, e)
	}
	if !sorted {
		slices.SortStableFunc(n.entries, compareEntries)
	}
	return n, nil
}

// octal reads the digits that s begins with, as many as a mode can have.
func octal(s string) (v uint32, width int) {
	for width < len(s) && width < 10 && s[width] >= '0' && s[width] <= '7' {
		v = v<<3 | uint32(s[width]-'0')
		width++
	}
	return v, width
}

func (n *node) encode() []byte {
	var b bytes.Buffer
	for _, e := range n.entries {
		fmt.Fprintf(&b, "%o %s\x00", uint32(e.mode), e.name)
		b.Write(e.hash[:])
	}
	return b.Bytes()
}

// node reads one tree object; the zero hash is the empty tree.
func (r *Repo) node(h Hash) (*node, error) {
	if h.IsZero() || h == emptyTree {
		return &node{}, nil
	}
	if n, ok := r.nodes.get(h); ok {
		return n, nil
	}
	t, b, err := r.objects.read(h, maxTreeBytes)
	if err != nil {
		return nil, fmt.Errorf("read tree: %w", err)
	}
	if t != plumbing.TreeObject {
		return nil, fmt.Errorf("read tree %s: it is a %s", h, t)
	}
	n, err := parseTree(b)
	if err != nil {
		return nil, fmt.Errorf("read tree: %w", missing(h, err))
	}
	r.nodes.put(h, n, len(n.entries)+1)
	return n, nil
}

// emptyTree is the id of the tree without entries.
var emptyTree = plumbing.ComputeHash(plumbing.TreeObject, nil)

// Tree is the content of one commit.
type Tree struct {
	hash Hash
	repo *Repo

	once  sync.Once
	files []Entry
	err   error
}

// Tree returns the tree of a commit, or the tree with this id. The zero hash is
// the empty tree.
func (r *Repo) Tree(h Hash) (*Tree, error) {
	h, err := r.treeOf(h)
	if err != nil {
		return nil, err
	}
	if t, ok := r.lists.get(h); ok {
		return t, nil
	}
	if _, err := r.node(h); err != nil {
		return nil, err
	}
	t := &Tree{hash: h, repo: r}
	r.lists.put(h, t, 1)
	return t, nil
}

// treeOf returns the tree of a commit, and other hashes as they are.
func (r *Repo) treeOf(h Hash) (Hash, error) {
	if h.IsZero() || h == emptyTree {
		return h, nil
	}
	if _, ok := r.nodes.get(h); ok {
		return h, nil
	}
	if c, ok := r.commits.get(h); ok {
		return c.Tree, nil
	}
	t, _, err := r.objects.read(h, maxTreeBytes)
	if err != nil {
		return Hash{}, fmt.Errorf("read tree: %w", err)
	}
	if t == plumbing.TreeObject {
		return h, nil
	}
	if t == plumbing.TagObject {
		if h, err = r.peel(h); err != nil {
			return Hash{}, fmt.Errorf("read tree: %w", err)
		}
	}
	c, err := r.Commit(h)
	return c.Tree, err
}

// Hash returns the id of the tree.
func (t *Tree) Hash() Hash { return t.hash }

// Entry looks up one path: a file, directory, symbolic link or submodule. It
// does not follow links. The empty path is the root.
func (t *Tree) Entry(path string) (Entry, bool, error) {
	return t.repo.lookup(t.hash, path)
}

func (r *Repo) lookup(tree Hash, path string) (Entry, bool, error) {
	e := nodeEntry{mode: filemode.Dir, hash: tree}
	for rest := path; rest != ""; {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		if !e.isDir() {
			return Entry{}, false, nil
		}
		n, err := r.node(e.hash)
		if err != nil {
			return Entry{}, false, fmt.Errorf("look up %q: %w", path, err)
		}
		var ok bool
		if e, ok = n.find(name); !ok || !e.sane() {
			return Entry{}, false, nil
		}
	}
	return Entry{Path: strings.TrimSuffix(path, "/"), Mode: e.kind(), Hash: e.hash}, true, nil
}

// Files returns every entry that is not a directory, sorted by path; the caller
// must not change the slice. Subtrees that are missing are an [ErrMissing], with
// the files that could be read.
func (t *Tree) Files(ctx context.Context) ([]Entry, error) {
	t.once.Do(func() {
		t.files, t.err = t.repo.files(context.WithoutCancel(ctx), t.hash)
	})
	return t.files, t.err
}

func (r *Repo) files(ctx context.Context, tree Hash) ([]Entry, error) {
	w := walker{repo: r, ctx: ctx}
	w.list(tree, "", &w.found)
	slices.SortFunc(w.found, func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) })
	return w.found, errors.Join(w.missing, w.err)
}

// walker carries the bounds and the faults of one walk over trees.
type walker struct {
	repo    *Repo
	ctx     context.Context
	found   []Entry
	count   int
	missing error // the first object that could not be read
	err     error // ends the walk
}

// enter reads a tree, unless the walk must end.
func (w *walker) enter(h Hash, path string) (*node, bool) {
	if w.err != nil || len(path) > maxPathLength {
		return nil, false
	}
	if w.err = w.ctx.Err(); w.err != nil {
		return nil, false
	}
	n, err := w.repo.node(h)
	if err != nil {
		if w.missing == nil {
			w.missing = fmt.Errorf("directory %q: %w", path, err)
		}
		return nil, false
	}
	return n, true
}

func (w *walker) add(to *[]Entry, e Entry) {
	if w.count++; w.count > w.repo.maxFiles {
		w.err = fmt.Errorf("the tree has more than %d files: %w", w.repo.maxFiles, ErrTooLarge)
		return
	}
	*to = append(*to, e)
}

func (w *walker) list(tree Hash, prefix string, to *[]Entry) {
	n, ok := w.enter(tree, prefix)
	if !ok {
		return
	}
	for _, e := range n.entries {
		switch {
		case w.err != nil:
			return
		case !e.sane():
		case e.isDir():
			w.list(e.hash, prefix+e.name+"/", to)
		default:
			w.add(to, Entry{Path: prefix + e.name, Mode: e.kind(), Hash: e.hash})
		}
	}
}
