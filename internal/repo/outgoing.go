package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/retrosweep/retrosweep/internal/repo/remote"
)

// packFor packs what the commands need and the remote has not got; nil when
// they only delete.
func (r *Repo) packFor(ctx context.Context, commands []remote.Command, theirs map[string]Hash) (io.ReadCloser, error) {
	var tips []Hash
	for _, c := range commands {
		if !c.New.IsZero() {
			tips = append(tips, c.New)
		}
	}
	if len(tips) == 0 {
		return nil, nil
	}
	objects, err := r.objectsFor(ctx, tips, theirs)
	if err != nil {
		return nil, err
	}
	store := memory.NewStorage()
	for _, h := range objects {
		kind, content, err := r.objects.read(h, maxPushedObject)
		if err != nil {
			return nil, err
		}
		obj := &plumbing.MemoryObject{}
		obj.SetType(kind)
		if _, err := obj.Write(content); err != nil {
			return nil, err
		}
		if _, err := store.SetEncodedObject(obj); err != nil {
			return nil, err
		}
	}
	var pack bytes.Buffer
	if _, err := packfile.NewEncoder(&pack, store, false).Encode(objects, deltaWindow); err != nil {
		return nil, fmt.Errorf("pack %d objects: %w", len(objects), err)
	}
	return io.NopCloser(&pack), nil
}

const (
	maxPushedObject = 512 << 20
	deltaWindow     = 10
)

// objectsFor lists the commits that can be reached from the tips and not from
// what the remote shows, and of their trees what their parents have not.
func (r *Repo) objectsFor(ctx context.Context, tips []Hash, theirs map[string]Hash) ([]Hash, error) {
	m := newMarker(r, markFrom)
	for _, h := range tips {
		if err := m.start(h, markTo); err != nil {
			return nil, err
		}
	}
	for _, h := range theirs {
		if err := m.start(h, markFrom); err != nil && !errors.Is(err, ErrMissing) && !r.isTag(h) {
			return nil, err
		}
	}
	commits, err := m.collect(ctx, false, 0)
	if err != nil {
		return nil, err
	}
	set := &objectSet{repo: r, seen: map[Hash]bool{}, whole: map[Hash]bool{}}
	for _, c := range commits {
		if m.marks[c.Hash]&markFrom == 0 {
			if err := set.commit(c); err != nil {
				return nil, err
			}
		}
	}
	return set.list, nil
}

func (r *Repo) isTag(h Hash) bool {
	kind, _, err := r.objects.read(h, 0)
	return (err == nil || errors.Is(err, ErrTooLarge)) && kind != plumbing.CommitObject
}

// objectSet collects objects, each once.
type objectSet struct {
	repo  *Repo
	seen  map[Hash]bool
	whole map[Hash]bool // trees with all that is in them
	list  []Hash
}

func (s *objectSet) add(h Hash) bool {
	if s.seen[h] {
		return false
	}
	s.seen[h] = true
	s.list = append(s.list, h)
	return true
}

func (s *objectSet) commit(c Commit) error {
	s.add(c.Hash)
	var old []Hash
	for _, h := range c.Parents {
		p, err := s.repo.Commit(h)
		if err != nil {
			return err
		}
		old = append(old, p.Tree)
	}
	return s.tree(c.Tree, old)
}

// tree adds a tree and what is in it, but nothing that one of the old trees has
// at the same place: that is on the remote, or comes with the commit that brought
// it. So a tree that was met before may be looked at again beside other old ones:
// after a revert the tree of the revert is that of the commit which brought it.
func (s *objectSet) tree(h Hash, old []Hash) error {
	if slices.Contains(old, h) || s.whole[h] {
		return nil
	}
	s.add(h)
	s.whole[h] = len(old) == 0
	now, err := s.repo.node(h)
	if err != nil {
		return err
	}
	var before []*node
	for _, o := range old {
		n, err := s.repo.node(o)
		if err != nil {
			return err
		}
		before = append(before, n)
	}
	for _, e := range now.entries {
		var was []Hash
		for _, n := range before {
			if b, ok := n.find(e.name); ok && b.isDir() == e.isDir() {
				was = append(was, b.hash)
			}
		}
		switch {
		case e.kind() == ModeSubmodule || slices.Contains(was, e.hash):
		case e.isDir():
			if err := s.tree(e.hash, was); err != nil {
				return err
			}
		default:
			s.add(e.hash)
		}
	}
	return nil
}
