package night

import (
	"context"
	"errors"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
)

// kindCommit is the kind of what goes onto the base branch itself.
const kindCommit = "commit"

// commits reports whether edits of the route auto go onto the base branch: the
// operator says so, and there is a remote whose rules have the last word. A
// branch of this machine is never moved.
func (r *run) commits() bool {
	return r.Remote != nil && r.Config.Delivery.Auto == kindCommit && r.scope.branch != ""
}

// deliverAuto commits the edits of the route auto onto the tip of the base
// branch, as it was fetched in this run. Where a rule of the host refuses, they
// join the upkeep branch, and the receipt says which rule it was.
func (r *run) deliverAuto(ctx context.Context) error {
	slot := proposal.Slot(r.Name, r.stack.base.Name, kindCommit, "")
	edits, refused := proposal.Allowed(slot, r.offers.auto, r.rejections())
	if refused > 0 {
		r.warn("%d edits are left out: a person rejected them before", refused)
	}
	if len(edits) == 0 {
		return nil
	}
	built, err := proposal.Build(ctx, r.Repo, proposal.Change{
		Slot: slot, Kind: kindCommit, Branch: r.stack.base.Name, Base: r.stack.base, Parent: r.stack.base.Commit,
		Layer: r.layer(edits), Reasons: r.offers.reasons, Style: r.style, Identity: identity, Models: r.models(), Spent: r.cost(), Host: r.host(),
	})
	if err != nil {
		return err
	}
	r.explainDropped(built.Dropped)
	if !built.Changed {
		return nil
	}
	p := proposalOf(built, knowledge.RouteAuto)
	p.State, p.Reason = report.ProposalCommitted, "onto "+r.stack.base.Name+", as delivery.auto says"
	if err := r.policy.CheckDiff(knowledge.RouteAuto, fileChanges(built.Diff)); err != nil {
		p.State, p.Reason, p.Diff = report.ProposalBlocked, err.Error(), ""
		r.partial("%s is not written: %s", p.Branch, p.Reason)
	} else if r.Apply {
		if ok, err := r.commitOnto(ctx, built.Draft); err != nil || !ok {
			r.offers.upkeep = append(r.offers.upkeep, built.Draft.Layers[0].Edits...)
			return err
		}
	}
	r.receipt.Proposals = append(r.receipt.Proposals, p)
	return nil
}

// commitOnto pushes the commit to the base branch, from where it was fetched. It
// is false where a rule of the host refuses.
func (r *run) commitOnto(ctx context.Context, d proposal.Draft) (bool, error) {
	if err := r.lease(ctx); err != nil {
		return false, err
	}
	name := "refs/heads/" + d.Base.Name
	err := r.Remote.Push(ctx, []repo.RefUpdate{{Name: name, Old: d.Base.Commit, New: d.Head}})
	var refused *repo.RefusedError
	switch {
	case errors.Is(err, repo.ErrRefMoved):
		return false, errBeaten
	case errors.As(err, &refused):
		r.warn("%s takes no commit of ours: %v; the edits wait on the upkeep branch instead", d.Base.Name, refused)
		return false, nil
	case err != nil:
		return false, err
	}
	if err := r.Repo.UpdateRef(name, d.Base.Commit, d.Head); err != nil {
		return false, err
	}
	r.refs[name] = d.Head
	return true, r.claim(ctx, d)
}
