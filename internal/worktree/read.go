package worktree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/knowledge/corpus"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// parse reads and parses files side by side, in their order.
func (t *Tree) parse(jobs []job) {
	docs, unread := make([]*knowledge.Document, len(jobs)), make([]Unread, len(jobs))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, j := range jobs {
		g.Go(func() error {
			src, why := t.content(j.entry)
			if why == "" {
				why = corpus.Unreadable(src)
			}
			if why != "" {
				unread[i] = Unread{j.path, why}
				return nil
			}
			docs[i] = knowledge.Parse(j.path, src, j.format)
			return nil
		})
	}
	_ = g.Wait() // no job returns an error
	t.Docs = slices.DeleteFunc(docs, func(d *knowledge.Document) bool { return d == nil })
	t.Unread = slices.DeleteFunc(unread, func(u Unread) bool { return u.Path == "" })
}

// content returns the bytes of a file, or why it is not read.
func (t *Tree) content(f entry) (src []byte, why string) {
	var err error
	switch {
	case t.given != nil && t.given.Path == f.path:
		src = t.given.Content
	case t.staged:
		src, err = t.Repo.Blob(f.blob, corpus.DefaultMaxBytes)
	default:
		src, err = readSome(filepath.Join(t.Root, filepath.FromSlash(f.path)), corpus.DefaultMaxBytes)
	}
	switch {
	case errors.Is(err, repo.ErrTooLarge) || len(src) > corpus.DefaultMaxBytes:
		return nil, fmt.Sprintf("it is larger than %d KiB", corpus.DefaultMaxBytes>>10)
	case errors.Is(err, os.ErrPermission):
		return nil, "there is no permission to read it"
	case err != nil:
		return nil, "it cannot be read: " + err.Error()
	}
	return src, ""
}

// Read returns the content of a file of the tree, up to 1 MiB.
func (t *Tree) Read(name string) ([]byte, bool) {
	if t.given != nil && t.given.Path == name {
		return t.given.Content, true
	}
	i := t.find(name)
	if i >= len(t.files) || t.files[i].path != name || t.files[i].link {
		return nil, false
	}
	src, why := t.content(t.files[i])
	return src, why == ""
}

// Head returns a file as the last commit holds it; false where that has none,
// or there is no commit.
func (t *Tree) Head(name string) ([]byte, bool) {
	tree, err := t.head()
	if err != nil {
		return nil, false
	}
	e, ok, err := tree.Entry(name)
	if err != nil || !ok || e.Mode == repo.ModeSymlink || e.Mode == repo.ModeSubmodule || e.Mode == repo.ModeDir {
		return nil, false
	}
	src, err := t.Repo.Blob(e.Hash, corpus.DefaultMaxBytes)
	return src, err == nil
}

// HasHead returns why nothing can be compared with the last commit, nil if it
// can.
func (t *Tree) HasHead() error {
	_, err := t.head()
	return err
}

func (t *Tree) headTree() (*repo.Tree, error) {
	if t.Repo == nil {
		return nil, fmt.Errorf("%s: %w", t.Root, repo.ErrNotRepository)
	}
	_, h, err := t.Repo.Head()
	if err != nil {
		return nil, err
	}
	c, err := t.Repo.Commit(h)
	if err != nil {
		return nil, err
	}
	return t.Repo.Tree(c.Tree)
}

// linkTarget is where a symbolic link points inside the tree, "" outside it.
func (t *Tree) linkTarget(f entry) string {
	if t.staged {
		to, err := t.Repo.Blob(f.blob, 4096)
		if err != nil {
			return ""
		}
		return corpus.Target(f.path, string(to))
	}
	to, err := os.Readlink(filepath.Join(t.Root, filepath.FromSlash(f.path)))
	if err != nil {
		return ""
	}
	return corpus.Target(f.path, filepath.ToSlash(to))
}

// readSome reads a file up to one byte more than a limit, so that the caller
// sees that it was cut.
func readSome(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is no plain file", name))
	}
	out := bytes.NewBuffer(make([]byte, 0, min(info.Size(), limit)+bytes.MinRead))
	_, err = out.ReadFrom(io.LimitReader(f, limit+1))
	return out.Bytes(), err
}
