package night

import (
	"cmp"
	"context"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// overlay is what a run reads: the base, and on top of it what already waits on
// the upkeep branch, so that nothing is found or said twice.
type overlay struct {
	base     proposal.Base
	existing []proposal.Existing
	plan     proposal.StackPlan
	written  *proposal.Existing // the upkeep branch as this night left it
	tree     repo.Hash
}

// layOver lists what is open and lays the upkeep branch over the base. A run
// over an explicit --to looks at that commit alone.
func (r *run) layOver(ctx context.Context) error {
	var err error
	if r.forge, err = r.place(ctx); err != nil {
		return err
	}
	base := proposal.Base{Name: r.scope.base(), Commit: r.scope.head.Hash}
	r.stack = overlay{base: base, tree: r.scope.head.Tree}
	if r.To != "" {
		return nil
	}
	if r.stack.existing, err = r.forge.List(ctx, base); err != nil {
		return err
	}
	if err := r.reclaim(ctx); err != nil {
		return err
	}
	if err := proposal.Relate(r.view, base, r.stack.existing); err != nil {
		return err
	}
	if r.stack.plan, err = proposal.Stack(base, r.stack.existing, r.rejections(), r.Now); err != nil {
		return err
	}
	change := r.upkeep(nil)
	change.Existing = nil // as it would stand on the base of today, whether or not it is written again
	laid, err := proposal.Build(ctx, r.view, change)
	if err != nil {
		return err
	}
	tip, err := r.view.Commit(laid.Draft.Head)
	r.stack.tree = tip.Tree
	return err
}

// upkeep is what the run brings to the rolling branch.
func (r *run) upkeep(edits []knowledge.Edit) proposal.Change {
	plan := r.stack.plan
	c := proposal.Change{
		Slot: r.upkeepSlot(), Kind: proposal.KindUpkeep, Branch: plan.Branch, Base: r.stack.base,
		Existing: plan.Existing, Parent: plan.Parent, Replay: plan.Replay, Layer: r.layer(edits),
		Reasons: r.offers.reasons, Style: r.style, Identity: r.identity(), SignedOffBy: r.Config.Delivery.SignOff, Host: r.host(),
	}
	if plan.Existing != nil && plan.Parent == plan.Existing.Head {
		c.Held = plan.Existing.Layers
	}
	return c
}

func (r *run) upkeepSlot() string {
	return proposal.Slot(r.Name, r.stack.base.Name, proposal.KindUpkeep, "")
}

// layer is the run's own part of a branch.
func (r *run) layer(edits []knowledge.Edit) proposal.Layer {
	return proposal.Layer{Run: r.receipt.Run, Range: short(r.receipt.Range.From) + ".." + short(r.scope.head.Hash.String()), At: r.Now, Edits: edits, Models: r.models(), Spent: r.cost()}
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
		if p.Key == "" { // the proposal as a whole
			r.refuse(p)
		}
		r.state.Rejections = append(r.state.Rejections, journal.Rejection(p))
	}
}

// identity is who commits, where the operator says nothing.
var identity = proposal.DefaultIdentity

// identity is who commits, and signs.
func (r *run) identity() proposal.Identity {
	d := r.Config.Delivery
	return proposal.Identity{Name: cmp.Or(d.Name, identity.Name), Email: cmp.Or(d.Email, identity.Email), Signer: r.Signer}
}
