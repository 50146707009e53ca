package night

import (
	"context"
	"errors"
	"fmt"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// Deepen fetches older history of a shallow clone, step by step, until enough
// says that it has it. It returns the repository to go on with: the one it was
// given, or where that is not to be written a copy of it, which is the caller's
// to close.
type Deepen func(ctx context.Context, r *repo.Repo, apply bool, enough func(*repo.Repo) bool) (*repo.Repo, error)

// ErrShallow says that a run needs commits that a shallow clone has not got.
var ErrShallow = errors.New("the clone is shallow and does not reach back to it")

// deepen makes a shallow clone reach back to where the run begins, and no
// further. A first run, which begins nowhere, takes what is there.
//
// A dry run does the same in a private copy: it has to show what an apply would
// do, and to write nothing. Where older history cannot be had the run ends:
// beginning at the boundary instead would lose what lies between.
func (r *run) deepen(ctx context.Context) error {
	wanted := r.starts()
	enough := func(x *repo.Repo) bool {
		for _, w := range wanted {
			if !w.in(ctx, x, r.scope.head.Hash) {
				return false
			}
		}
		return true
	}
	if !r.Repo.Shallow() || enough(r.Repo) {
		return nil
	}
	if r.Deepen == nil {
		return fmt.Errorf("%s: %w, and it names no remote that could be asked: run git fetch --unshallow there", wanted[0].name, ErrShallow)
	}
	deeper, err := r.Deepen(ctx, r.Repo, r.Apply, enough)
	if err != nil {
		return fmt.Errorf("%s: %w: %w\nnothing was reviewed and nothing moved; try again when the remote answers, or run git fetch --unshallow there", wanted[0].name, ErrShallow, err)
	}
	if deeper != r.Repo {
		r.borrowed = deeper
	}
	r.view = deeper.Scratch()
	if !r.Apply {
		r.Repo = r.view
	}
	return nil
}

// giveBack removes what a dry run fetched.
func (r *run) giveBack() {
	if r.borrowed == nil {
		return
	}
	if err := r.borrowed.Close(); err != nil {
		r.Log.Warn("remove what was fetched", "error", err)
	}
}

// start is a commit that a run begins after.
type start struct{ name, rev string }

// starts are the commits that have to be here.
func (r *run) starts() []start {
	if r.From != "" {
		return []start{{"--from " + r.From, r.From}}
	}
	var out []start
	marks := r.state.Branches[r.scope.base()]
	if marks == nil {
		return nil
	}
	for _, m := range []*journal.Mark{marks.Retro, marks.Sweep} {
		if m != nil && m.Commit != "" {
			out = append(out, start{"the last reviewed commit " + short(m.Commit), m.Commit})
		}
	}
	return out
}

// in reports whether the commits since a start are here: it leads to head, or
// parted from it at a commit that is here. One that a forced push took away is
// not missed before the whole history is here.
func (s start) in(ctx context.Context, x *repo.Repo, head repo.Hash) bool {
	at, err := x.Resolve(s.rev)
	if err != nil {
		return false
	}
	_, ok, err := x.MergeBase(ctx, at, head) // at itself, where it leads to head
	return ok && err == nil
}
