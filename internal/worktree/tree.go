package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/retrosweep/retrosweep/internal/gitignore"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/knowledge/corpus"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// ErrBare says that a repository has no working tree to read.
var ErrBare = errors.New("a bare repository has no working tree: name a checkout of it")

// Given is a file whose content came some other way than from disk.
type Given struct {
	Path    string
	Content []byte
}

// Options say what is read of a tree.
type Options struct {
	Classifier *knowledge.Classifier
	Ignore     func(path string) bool // what the configuration leaves out; nil: nothing
	Staged     bool                   // the index instead of the files on disk
	Only       []string               // what a person named, relative to the root: read whatever it is
	Given      *Given                 // stands in for the file at its path
}

// Unread is a knowledge file that was not read, and why.
type Unread struct{ Path, Why string }

// Tree is the knowledge of one directory.
type Tree struct {
	Root   string
	Docs   []*knowledge.Document // sorted by path
	Unread []Unread
	Repo   *repo.Repo // nil where there is no git repository

	staged  bool
	given   *Given
	files   []entry
	modules []string // folders of submodules: what lies in them is not seen
	ignored gitignore.Rules
	classes *knowledge.Classifier
	names   func() map[string][]string
	head    func() (*repo.Tree, error)
}

// Load lists a tree and parses its knowledge files. An error means that the
// tree or its index cannot be read at all; what cannot be read of it is in
// Unread.
func Load(ctx context.Context, root string, o Options) (*Tree, error) {
	t := &Tree{Root: root, staged: o.Staged, given: o.Given, classes: o.Classifier}
	t.names, t.head = sync.OnceValue(t.byName), sync.OnceValues(t.headTree)
	r, err := repo.Open(ctx, root)
	switch {
	case err == nil && r.Bare():
		return nil, errors.Join(fmt.Errorf("%s: %w", root, ErrBare), r.Close())
	case err == nil:
		t.Repo = r
	case o.Staged:
		return nil, fmt.Errorf("read what is staged: %w", err)
	}
	if err := t.list(ctx, o.Only); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	if err := t.load(ctx, o); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Close closes the repository, if there is one.
func (t *Tree) Close() error {
	if t.Repo == nil {
		return nil
	}
	return t.Repo.Close()
}

func (t *Tree) list(ctx context.Context, only []string) error {
	var index []repo.Entry
	var err error
	if t.Repo != nil {
		// An index of an unknown kind only costs the knowledge of what is
		// tracked although it is ignored.
		if index, err = t.Repo.Index(); err != nil && t.staged {
			return err
		}
	}
	for _, e := range index {
		if e.Mode == repo.ModeSubmodule {
			t.modules = append(t.modules, e.Path)
		}
	}
	if t.staged {
		for _, e := range index {
			t.files = append(t.files, entry{path: e.Path, link: e.Mode == repo.ModeSymlink, blob: e.Hash})
		}
		return nil
	}
	t.files, t.ignored, err = list(ctx, t.Root, index, only, t.part(only))
	return err
}

// part is what is listed of a folder that is no repository: it may be
// somebody's home.
func (t *Tree) part(only []string) []string {
	if t.Repo != nil {
		return nil
	}
	out := []string{}
	for _, o := range only {
		if info, err := os.Stat(filepath.Join(t.Root, filepath.FromSlash(o))); err != nil || !info.IsDir() {
			o = path.Dir(o)
		}
		out = append(out, o)
	}
	return out
}

// byName lists the files by their base names.
func (t *Tree) byName() map[string][]string {
	out := make(map[string][]string, len(t.files))
	for _, f := range t.files {
		out[path.Base(f.path)] = append(out[path.Base(f.path)], f.path)
	}
	return out
}

// Named returns the files with a base name, sorted.
func (t *Tree) Named(base string) []string { return t.names()[base] }

// Exists reports whether there is a file or folder at a path. On disk that is
// so for ignored ones too; of what is staged only files count, and what lies
// behind a link or in another repository is taken to be there.
func (t *Tree) Exists(name string) bool {
	if t.given != nil && t.given.Path == name || name == "." || name == "" {
		return true
	}
	if slices.ContainsFunc(t.modules, func(m string) bool { return name == m || strings.HasPrefix(name, m+"/") }) {
		return true // a submodule need not be checked out
	}
	if !t.staged {
		_, err := os.Stat(filepath.Join(t.Root, filepath.FromSlash(name)))
		return err == nil
	}
	i := t.find(name)
	if i < len(t.files) && (t.files[i].path == name || strings.HasPrefix(t.files[i].path, name+"/")) {
		return true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if i := t.find(dir); i < len(t.files) && t.files[i].path == dir {
			return true
		}
	}
	i = sort.Search(len(t.files), func(i int) bool { return t.files[i].path >= name+"/" })
	return i < len(t.files) && strings.HasPrefix(t.files[i].path, name+"/")
}

func (t *Tree) find(name string) int {
	return sort.Search(len(t.files), func(i int) bool { return t.files[i].path >= name })
}

// Ignored reports whether git would leave a path untracked: it may be made by
// a build.
func (t *Tree) Ignored(name string) bool { return t.ignored.Match(name, false) }

// load reads and parses the knowledge files.
func (t *Tree) load(ctx context.Context, o Options) error {
	links := map[string]string{}
	for _, f := range t.files {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read knowledge files: %w", err)
		}
		if f.link && t.chosen(f.path, o) {
			links[f.path] = t.linkTarget(f)
		}
	}
	t.parse(t.choose(o))
	corpus.Fold(t.Docs, links)
	return nil
}

// job is a file to be parsed.
type job struct {
	entry
	format knowledge.Format
}

func (t *Tree) choose(o Options) []job {
	var jobs []job
	for _, f := range t.files {
		if f.link || t.given != nil && f.path == t.given.Path || !t.chosen(f.path, o) {
			continue
		}
		jobs = append(jobs, job{f, t.format(f.path)})
	}
	if t.given != nil {
		jobs = append(jobs, job{entry{path: t.given.Path}, t.format(t.given.Path)})
		sort.Slice(jobs, func(i, j int) bool { return jobs[i].path < jobs[j].path })
	}
	return jobs
}

// chosen reports whether a file is to be read: knowledge that is not left out,
// or a file that a person named.
func (t *Tree) chosen(name string, o Options) bool {
	if slices.Contains(o.Only, name) {
		return true
	}
	if corpus.Skipped(name) || o.Ignore != nil && o.Ignore(name) {
		return false
	}
	_, _, ok := t.classes.Classify(name)
	return ok
}

func (t *Tree) format(name string) knowledge.Format {
	if f, _, ok := t.classes.Classify(name); ok {
		return f
	}
	return knowledge.Docs
}
