package night

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/local"
	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// Remote is where a repository was fetched from, and where what an apply writes
// goes.
type Remote interface {
	// Forge returns where proposals of the fetched repository live; nil where
	// the remote has no more than branches.
	Forge(ctx context.Context, store *repo.Repo) (forge.Forge, error)
	// Host is where people read proposals there; the zero value is a branch.
	Host() proposal.Host
	// Push moves all references or none, each from its old value: of two runs
	// that began at the same state one is refused with a [repo.ErrRefMoved].
	Push(ctx context.Context, updates []repo.RefUpdate) error
}

// host is where people read the proposals of this run.
func (r *run) host() proposal.Host {
	if r.Remote == nil {
		return proposal.Host{}
	}
	return r.Remote.Host()
}

// errBeaten ends a run that lost against another one.
var errBeaten = errors.New("another run was faster")

// leaseTime is how long a run may take to write what it found.
const leaseTime = 30 * time.Minute

// place is where proposals live. A dry run reads it and writes nothing.
func (r *run) place(ctx context.Context) (forge.Forge, error) {
	var place forge.Forge
	if r.Remote != nil {
		var err error
		if place, err = r.Remote.Forge(ctx, r.Repo); err != nil {
			return nil, err
		}
		r.api = place != nil
	}
	if place == nil {
		place = local.New(r.Repo, r.identity())
	}
	if !r.Apply {
		return forge.ReadOnly(place), nil
	}
	return place, nil
}

// snapshot remembers where the references stood that a run may move.
func (r *run) snapshot(context.Context) error {
	var err error
	r.refs, err = pushed(r.Repo)
	return err
}

// pushed are the references that are the same here and on the remote.
func pushed(r *repo.Repo) (map[string]repo.Hash, error) {
	all, err := r.Refs("refs/heads/")
	if err != nil {
		return nil, err
	}
	ours, err := r.Refs("refs/retrosweep/")
	if err != nil {
		return nil, err
	}
	maps.Copy(all, ours)
	return all, nil
}

// lease keeps other workers out before the first effect that a push at the end
// cannot take back: a pull request. Where there are only branches, the one push
// at the end decides by itself.
//
// A first night takes one in any case: it finds out where the host takes the
// journal, which is pushed alone. A server that hides a namespace
// (receive.hideRefs) would take the rest of the push at the end without it.
func (r *run) lease(ctx context.Context) error {
	if r.Remote == nil || r.leased || !r.api && !r.stateAt.IsZero() {
		return nil
	}
	r.state.Lease = &journal.Lease{Run: r.receipt.Run, Until: r.Now.Add(leaseTime)}
	at, err := journal.Save(ctx, r.Repo, r.state, r.stateAt, r.Now)
	if err != nil {
		return err
	}
	r.stateAt, r.leased, r.state.Lease = at, true, nil
	if err := r.push(ctx, nil); errors.Is(err, repo.ErrRefMoved) {
		return errBeaten
	} else if err != nil {
		return err
	}
	return nil
}

// publish pushes what the run moved, all of it or nothing: the commit for the
// base branch, too. Where the base does not take it, by a rule of the host or
// because it moved meanwhile, the commit joins the upkeep branch.
func (r *run) publish(ctx context.Context) error {
	if r.Remote == nil || !r.Apply {
		return nil
	}
	err := r.push(ctx, r.ontoBase())
	var refused *repo.RefusedError
	if r.onto != nil && (errors.As(err, &refused) || errors.Is(err, repo.ErrRefMoved)) {
		if err := r.joinUpkeep(ctx, err); err != nil {
			return err
		}
		err = r.push(ctx, nil)
	}
	switch {
	case errors.Is(err, repo.ErrRefMoved):
		return errBeaten
	case errors.As(err, &refused):
		return fmt.Errorf("%w\nthe host does not take %s: nothing of this night is lost, the next one begins where this one did", err, refused.Ref)
	case err != nil || r.onto == nil:
		return err
	}
	return r.Repo.UpdateRef("refs/heads/"+r.onto.Base.Name, r.onto.Base.Commit, r.onto.Head)
}

// push sends the references that the run moved here, and others with them.
func (r *run) push(ctx context.Context, others []repo.RefUpdate) error {
	now, err := pushed(r.Repo)
	if err != nil {
		return err
	}
	updates := append(moved(r.refs, now), others...)
	if len(updates) == 0 {
		return nil
	}
	if err := r.Remote.Push(ctx, updates); err != nil {
		return err
	}
	r.refs = now
	return nil
}

// moved lists the references that differ, sorted by name.
func moved(before, after map[string]repo.Hash) []repo.RefUpdate {
	names := map[string]bool{}
	for name := range before {
		names[name] = true
	}
	for name := range after {
		names[name] = true
	}
	var out []repo.RefUpdate
	for name := range names {
		if before[name] != after[name] {
			out = append(out, repo.RefUpdate{Name: name, Old: before[name], New: after[name]})
		}
	}
	slices.SortFunc(out, func(a, b repo.RefUpdate) int { return strings.Compare(a.Name, b.Name) })
	return out
}
