package night

import (
	"context"
	"errors"
	"fmt"

	"github.com/retrosweep/retrosweep/internal/forge/local"
	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// overlay is what a run reads and builds on: the base, and on top of it what
// already waits on the upkeep branch, so that nothing is found or said twice.
type overlay struct {
	base     proposal.Base
	existing []proposal.Existing
	plan     proposal.StackPlan
	layers   []proposal.Layer // of the branch, as they stand on the base
	tip      repo.Hash        // the night's upkeep commit goes on top of this
	tree     repo.Hash        // of tip: what the passes read
}

// layOver lists what is open and lays the upkeep branch over the base. A run
// over an explicit --to looks at that commit alone.
func (r *run) layOver(ctx context.Context) error {
	r.forge = local.New(r.Repo, identity)
	base := proposal.Base{Name: r.scope.base(), Commit: r.scope.head.Hash}
	r.stack = overlay{base: base, tip: base.Commit, tree: r.scope.head.Tree}
	if r.To != "" {
		return nil
	}
	var err error
	if r.stack.existing, err = r.forge.List(ctx, base); err != nil {
		return err
	}
	if err := r.compare(ctx); err != nil {
		return err
	}
	if r.stack.plan, err = proposal.Stack(base, r.stack.existing, r.rejections(), r.Now); err != nil {
		return err
	}
	return r.lay()
}

// lay writes the commits of the upkeep branch again where the base moved.
func (r *run) lay() error {
	s := &r.stack
	s.tip = s.plan.Parent
	if s.plan.Existing != nil && s.plan.Parent == s.plan.Existing.Head {
		s.layers = s.plan.Existing.Layers
	}
	if len(s.plan.Replay) > 0 {
		reader, err := proposal.NewReader(r.Repo, s.plan.Parent)
		if err != nil {
			return err
		}
		steps, dropped := proposal.Replay(reader.Read, s.plan.Replay)
		for _, d := range dropped {
			if !d.Done {
				r.warn("%s: an edit of %s no longer fits and is dropped: %s", s.plan.Branch, d.Edit.Path, d.Reason)
			}
		}
		for _, step := range steps {
			if err := r.commitLayer(step.Layer, step.Changes); err != nil {
				return err
			}
		}
		if reader.Err != nil {
			return reader.Err
		}
	}
	tip, err := r.Repo.Commit(s.tip)
	s.tree = tip.Tree
	return err
}

// commitLayer puts one layer on top of the branch.
func (r *run) commitLayer(l proposal.Layer, changes map[string][]byte) error {
	message := proposal.Message(l.Subject, l.Body, proposal.Trailers{
		Run: l.Run, Range: l.Range, Slot: r.upkeepSlot(), Content: proposal.Content(l.Edits),
	})
	commit, err := proposal.Commit(r.Repo, r.stack.tip, changes, message, identity, l.At)
	if err != nil {
		return err
	}
	l.Commit = commit.String()
	r.stack.tip, r.stack.layers = commit, append(r.stack.layers, l)
	return nil
}

func (r *run) upkeepSlot() string {
	return proposal.Slot(Identity(r.Repo), r.stack.base.Name, proposal.KindUpkeep, "")
}

// compare fills in how each open proposal stands on the base as it is now.
func (r *run) compare(ctx context.Context) error {
	reader, err := proposal.NewReader(r.Repo, r.stack.base.Commit)
	if err != nil {
		return err
	}
	for i := range r.stack.existing {
		x := &r.stack.existing[i]
		if x.Status != proposal.Open || x.Touched {
			continue
		}
		x.Holds = proposal.Standing(reader.Read, x.Layers)
		if x.Conflict, err = r.conflicts(ctx, x); err != nil {
			return err
		}
	}
	return reader.Err
}

// conflicts reports whether the base changed a file of x since x was built.
func (r *run) conflicts(ctx context.Context, x *proposal.Existing) (bool, error) {
	if x.Fork == r.stack.base.Commit {
		return false, nil
	}
	changes, err := r.Repo.Diff(ctx, x.Fork, r.stack.base.Commit)
	if errors.Is(err, repo.ErrMissing) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("compare %s with %s: %w", x.Branch, r.stack.base.Name, err)
	}
	ours := map[string]bool{}
	for _, f := range x.Files {
		ours[f] = true
	}
	for _, c := range changes {
		if ours[c.From.Path] || ours[c.To.Path] {
			return true, nil
		}
	}
	return false, nil
}

func (r *run) rejections() []proposal.Rejection {
	var out []proposal.Rejection
	for _, j := range r.state.Rejections {
		out = append(out, proposal.Rejection(j))
	}
	return out
}

// remember keeps in the journal that a person said no.
func (r *run) remember(all []proposal.Rejection) {
	for _, p := range all {
		r.state.Rejections = append(r.state.Rejections, journal.Rejection(p))
	}
}

// identity signs what is committed.
var identity = proposal.DefaultIdentity
