package repo

import (
	"errors"

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
	view.objects = r.objects.withScratch()
	return &view
}

// withScratch is the same store with a memory in front of it.
func (s *objectStore) withScratch() *objectStore {
	return &objectStore{mu: s.mu, stores: s.stores, dirs: s.dirs, packs: s.packs, memory: map[Hash]plumbing.EncodedObject{}}
}
