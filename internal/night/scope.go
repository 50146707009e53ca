package night

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
)

// How far a first retro looks back.
const (
	firstRunDays    = 7
	firstRunCommits = 200
)

// scope is what a run reviews.
type scope struct {
	branch   string // "" when HEAD is detached
	head     repo.Commit
	explicit bool // --from or --to: the watermark does not move
	retro    span
	sweep    span
}

// span is where a pass begins. A zero from is the beginning of history: for
// the sweep that means every fact.
type span struct {
	from  repo.Hash
	basis report.Basis
}

// base names the branch for people and slots.
func (s scope) base() string { return cmp.Or(s.branch, "HEAD") }

func (r *run) readJournal(ctx context.Context) error {
	var err error
	r.state, r.stateAt, err = journal.Load(ctx, r.Repo)
	if err != nil {
		return err
	}
	for _, f := range r.state.Faults {
		r.warn("journal: %s", f)
	}
	if r.Remote != nil && r.Apply && r.state.Lease.Holds("", r.Now) {
		return errBeaten
	}
	r.state.Lease = nil // ours is taken before the first effect
	return nil
}

// settle decides branch, head and where each pass begins.
func (r *run) settle(ctx context.Context) error {
	if err := r.settleHead(); err != nil {
		return err
	}
	r.scope.explicit = r.From != "" || r.To != ""
	r.receipt.Bare = r.Repo.Bare()
	if err := r.deepen(ctx); err != nil {
		return err
	}
	retro, sweep, err := r.begin(ctx)
	if err != nil {
		return err
	}
	r.scope.retro, r.scope.sweep = retro, sweep
	r.receipt.Command, r.receipt.Repo, r.receipt.Branch = r.Command.Name, r.Name, r.scope.base()
	r.receipt.Mode, r.receipt.Started = r.mode(), r.Now
	r.receipt.Run = runID(r.Now, r.receipt.Repo, r.scope.base(), r.scope.head.Hash.String(), r.scope.retro.from.String(), r.scope.sweep.from.String())
	return nil
}

func (r *run) settleHead() error {
	branch, head, err := r.Repo.Head()
	if err != nil && (r.Branch == "" || !errors.Is(err, repo.ErrEmpty)) {
		return err
	}
	if r.Branch != "" {
		branch = r.Branch
		var there bool // by its name alone: main^ is no branch
		if head, there, err = r.Repo.Ref("refs/heads/" + r.Branch); err == nil && !there {
			_, err = r.Repo.Resolve("refs/heads/" + r.Branch)
			err = cmp.Or(err, errors.New("there is no branch of that name"))
		}
		if err != nil {
			return fmt.Errorf("branch %s: %w", r.Branch, err)
		}
	}
	if r.To != "" {
		if head, err = r.Repo.Resolve(r.To); err != nil {
			return fmt.Errorf("--to %s: %w", r.To, err)
		}
	}
	r.scope.branch = branch
	r.scope.head, err = r.Repo.Commit(head)
	return err
}

// begin settles where the retro and the sweep start.
func (r *run) begin(ctx context.Context) (retro, sweep span, err error) {
	if r.From != "" {
		from, err := r.Repo.Resolve(r.From)
		if err != nil {
			return retro, sweep, fmt.Errorf("--from %s: %w", r.From, err)
		}
		both := span{from, report.BasisExplicit}
		return both, both, nil
	}
	marks := r.state.Branches[r.scope.base()]
	if marks == nil {
		marks = &journal.Watermark{}
	}
	if sweep, err = r.since(ctx, marks.Sweep); err != nil {
		return retro, sweep, err
	}
	if marks.Retro != nil {
		retro, err = r.since(ctx, marks.Retro)
		return retro, sweep, err
	}
	from, err := r.lookBack(ctx)
	return span{from, report.BasisFirstRun}, sweep, err
}

// since is the span after a watermark. A mark that is not an ancestor of the
// head (a forced push, a forged journal) is replaced by the nearest place that
// is: the same tree, the merge base, else everything.
func (r *run) since(ctx context.Context, mark *journal.Mark) (span, error) {
	if mark == nil {
		return span{basis: report.BasisFirstRun}, nil
	}
	if mark.Commit == "" { // the beginning of history
		return span{basis: report.BasisWatermark}, nil
	}
	at, err := r.Repo.Resolve(mark.Commit)
	if err != nil {
		r.warn("the last reviewed commit %s is not in the repository any more", short(mark.Commit))
		return r.sameTree(ctx, mark.Tree)
	}
	ok, err := r.Repo.IsAncestor(ctx, at, r.scope.head.Hash)
	if err != nil || ok {
		return span{at, report.BasisWatermark}, err
	}
	if s, err := r.sameTree(ctx, mark.Tree); err != nil || s.basis == report.BasisTree {
		return s, err
	}
	base, ok, err := r.Repo.MergeBase(ctx, at, r.scope.head.Hash)
	if err != nil || !ok {
		return span{basis: report.BasisFull}, err
	}
	r.warn("the last reviewed commit %s is no longer part of %s: reviewing from %s, where they parted", short(mark.Commit), r.scope.base(), short(base.String()))
	return span{base, report.BasisMergeBase}, nil
}

// sameTree looks for the reviewed tree among the newest commits, which is how
// a squash or an amended message leaves it.
func (r *run) sameTree(ctx context.Context, tree string) (span, error) {
	found := span{basis: report.BasisFull}
	seen := 0
	err := r.Repo.FirstParents(ctx, r.scope.head.Hash, func(c repo.Commit) bool {
		seen++
		if c.Tree.String() == tree {
			found = span{c.Hash, report.BasisTree}
		}
		return found.basis == report.BasisFull && seen < 1000
	})
	if found.basis == report.BasisTree {
		r.warn("history was rewritten: %s holds what was reviewed last", short(found.from.String()))
	}
	return found, err
}

// lookBack is the newest commit that a first retro leaves out.
func (r *run) lookBack(ctx context.Context) (repo.Hash, error) {
	limit := r.Now.Add(-firstRunDays * 24 * time.Hour)
	var from repo.Hash
	n := 0
	err := r.Repo.FirstParents(ctx, r.scope.head.Hash, func(c repo.Commit) bool {
		if n >= firstRunCommits || c.Committer.When.Before(limit) {
			from = c.Hash
			return false
		}
		n++
		return true
	})
	return from, err
}

// short is a commit id for people.
func short(id string) string { return id[:min(len(id), 10)] }
