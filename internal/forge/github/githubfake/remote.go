package githubfake

import (
	"context"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/retrosweep/retrosweep/internal/forge/pulls"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// Remote is the repository of the fake as git sees it: a [pulls.Pusher] on the
// bare repository itself, for objects that are in it already.
type Remote struct {
	Before func(n int) error // called before the n-th push, counted from 1; its error is the push's

	repo   *repo.Repo
	fake   *GitHub
	mu     sync.Mutex
	pushes [][]repo.RefUpdate
}

var _ pulls.Pusher = (*Remote)(nil)

// Push implements [pulls.Pusher].
func (r *Remote) Push(_ context.Context, updates []repo.RefUpdate) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Before != nil {
		if err := r.Before(len(r.pushes) + 1); err != nil {
			return err
		}
	}
	if err := r.move(updates, false); err != nil {
		return fmt.Errorf("push: %w", err)
	}
	r.pushes = append(r.pushes, updates)
	return nil
}

// move moves references, all or none.
func (r *Remote) move(updates []repo.RefUpdate, api bool) error {
	for _, u := range updates {
		err := r.check(u)
		if r.fake.NoPush && !api && strings.HasPrefix(u.Name, "refs/heads/") {
			err = refusedBy("GH013: Repository rule violations found; Cannot update this protected ref.", u.Name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", u.Name, err)
		}
	}
	for _, u := range updates {
		move := r.repo.UpdateRef
		if u.New.IsZero() {
			move = func(name string, old, _ repo.Hash) error { return r.repo.DeleteRef(name, old) }
		}
		if err := move(u.Name, u.Old, u.New); err != nil {
			return fmt.Errorf("%s: %w", u.Name, err)
		}
	}
	return nil
}

func refusedBy(says, ref string) *repo.RefusedError {
	return &repo.RefusedError{Ref: ref, Reason: "push declined due to repository rule violations", Message: says, Reasons: map[string]string{ref: says}}
}

// check says whether one update may be made.
func (r *Remote) check(u repo.RefUpdate) error {
	for _, pattern := range r.fake.Protected {
		if ok, err := path.Match(pattern, u.Name); err != nil || ok {
			return refusedBy("GH006: Protected branch update failed", u.Name)
		}
	}
	if err := r.Refuses(u); err != nil {
		return err
	}
	at, _, err := r.repo.Ref(u.Name)
	if err == nil && at != u.Old {
		err = repo.ErrRefMoved
	}
	return err
}

// Refs implements [pulls.Pusher].
func (r *Remote) Refs(_ context.Context, prefix string) (map[string]repo.Hash, error) {
	all, err := r.repo.Refs("refs/")
	if err != nil {
		return nil, fmt.Errorf("read the references: %w", err)
	}
	out := map[string]repo.Hash{}
	for name, h := range all {
		if len(name) >= len(prefix) && name[:len(prefix)] == prefix {
			out[name] = h
		}
	}
	return out, nil
}

// Pushes are the pushes that were made.
func (r *Remote) Pushes() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.pushes)
}

// Pushed are the references that pushes moved.
func (r *Remote) Pushed() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, p := range r.pushes {
		for _, u := range p {
			out = append(out, u.Name)
		}
	}
	return out
}
