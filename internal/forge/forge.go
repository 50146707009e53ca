// Package forge owns the word for where proposals live: branches with pull
// requests on a host, or plain branches of a local repository. The interface
// is small and knows nothing of the rules: what to write is decided in
// internal/proposal, and every implementation passes internal/forge/forgetest.
//
// Accepting a proposal is a person's merge ([Reviewer]): on a host with a token of
// theirs and under the host's rules, without one as a merge commit, where the base
// is not checked out. Rejecting leaves what closing by hand leaves.
package forge

import (
	"context"
	"errors"

	"github.com/retrosweep/retrosweep/internal/proposal"
)

// Errors that callers branch on.
var (
	// ErrTaken says that a branch of that name exists and is not ours.
	ErrTaken = errors.New("a branch of that name exists and is not ours")
	// ErrTouched says that somebody else changed the branch since it was listed.
	ErrTouched = errors.New("somebody else changed the branch")
	// ErrReadOnly is returned for every write in a dry run.
	ErrReadOnly = errors.New("dry run: nothing may be written")
)

// Forge is where proposals live. An implementation finds its own proposals by
// what it recorded, never by their titles, and writes to a branch only while
// that branch is exactly as it last wrote it.
type Forge interface {
	// List returns our proposals of every status against any base, sorted by
	// branch, with how they stand relative to base. It writes nothing.
	List(ctx context.Context, base proposal.Base) ([]proposal.Existing, error)
	// Open makes d.Branch point at d.Head and offers it for review. The same
	// draft a second time changes nothing.
	Open(ctx context.Context, d proposal.Draft) (proposal.Existing, error)
	// Update makes an open proposal stand as d says. It fails with ErrTouched
	// when the branch is not as x says.
	Update(ctx context.Context, x proposal.Existing, d proposal.Draft) (proposal.Existing, error)
	// Close takes back an open proposal of ours and removes its branch. It is
	// no rejection. After a merge it tidies up: the branch goes if it is as we
	// left it, and the proposal is listed no more.
	Close(ctx context.Context, x proposal.Existing, reason string) error
}

// ReadOnly returns f with every write refused: the proof that a dry run writes
// nothing.
func ReadOnly(f Forge) Forge { return readOnly{f} }

type readOnly struct{ Forge }

// as returns what a forge is besides, the zero T where it is not. What only reads
// is there in a dry run too.
func as[T any](f Forge) T {
	if r, ok := f.(readOnly); ok {
		f = r.Forge
	}
	other, _ := f.(T)
	return other
}

func (readOnly) Open(context.Context, proposal.Draft) (proposal.Existing, error) {
	return proposal.Existing{}, ErrReadOnly
}

func (readOnly) Update(context.Context, proposal.Existing, proposal.Draft) (proposal.Existing, error) {
	return proposal.Existing{}, ErrReadOnly
}

func (readOnly) Close(context.Context, proposal.Existing, string) error { return ErrReadOnly }
