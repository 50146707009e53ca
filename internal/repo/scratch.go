package repo

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

// ErrReadOnly is returned for every change of a reference through a [Repo.Scratch].
var ErrReadOnly = errors.New("this view of the repository is read-only")

// Scratch returns a view of the repository that keeps every object written
// through it in memory, reads it back, and refuses to move references. Code
// that writes takes the same way in a dry run and leaves the repository as it
// was.
func (r *Repo) Scratch() *Repo {
	view := *r
	view.scratch = true
	view.release = nil
	view.objects = &scratchStore{objects: r.objects, memory: map[Hash]packed{}}
	return &view
}

// scratchStore is a memory in front of another store.
type scratchStore struct {
	objects
	mu     sync.Mutex
	memory map[Hash]packed
}

func (s *scratchStore) get(h Hash) (packed, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.memory[h]
	return o, ok
}

func (s *scratchStore) read(h Hash, max int64) (plumbing.ObjectType, []byte, error) {
	o, ok := s.get(h)
	switch {
	case !ok:
		return s.objects.read(h, max)
	case int64(len(o.content)) > max:
		return o.kind, nil, fmt.Errorf("object %s: over the limit of %d bytes: %w", h, max, ErrTooLarge)
	}
	return o.kind, o.content, nil
}

func (s *scratchStore) has(h Hash) bool {
	_, ok := s.get(h)
	return ok || s.objects.has(h)
}

func (s *scratchStore) write(t plumbing.ObjectType, b []byte) (Hash, error) {
	h := plumbing.ComputeHash(t, b)
	if s.has(h) {
		return h, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.memory[h] = packed{t, slices.Clone(b)}
	return h, nil
}

// close leaves the store below open: it belongs to the repository, not to the
// view.
func (s *scratchStore) close() error { return nil }
