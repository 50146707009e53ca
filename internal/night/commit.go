package night

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

// deliverAuto makes the commit for the tip of the base branch, as it was fetched
// in this run. It is pushed at the end, in one step with the journal: a night
// that dies before has committed nothing, and one that dies after it is done.
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
		Layer: r.layer(edits), Reasons: r.offers.reasons, Style: r.style, Identity: r.identity(), SignedOffBy: r.Config.Delivery.SignOff, Host: r.host(),
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
		r.onto = &built.Draft
		err = r.claim(ctx, built.Draft)
		if err != nil {
			return err
		}
	}
	r.receipt.Proposals = append(r.receipt.Proposals, p)
	return nil
}

// ontoBase is the update of the base branch that waits for the push, if any.
func (r *run) ontoBase() []repo.RefUpdate {
	if r.onto == nil {
		return nil
	}
	return []repo.RefUpdate{{Name: "refs/heads/" + r.onto.Base.Name, Old: r.onto.Base.Commit, New: r.onto.Head}}
}

// joinUpkeep puts the commit that the host did not take onto the upkeep branch,
// and says why.
func (r *run) joinUpkeep(ctx context.Context, why error) error {
	edits, base := r.onto.Layers[0].Edits, r.onto.Base.Name
	r.onto = nil
	var rule *repo.RefusedError
	if errors.As(why, &rule) && rule.Remedy() != "" {
		why = fmt.Errorf("%s (%w)", rule.Remedy(), why)
	}
	if rule != nil && rule.Remedy() != "" {
		r.unwell(fmt.Sprintf("%s takes no commit of ours: %s", base, rule.Remedy()))
	}
	r.warn("%s takes no commit of ours: %v; the edits wait on the upkeep branch instead", base, why)
	r.receipt.Proposals = slices.DeleteFunc(r.receipt.Proposals, func(p report.Proposal) bool {
		return p.Kind == kindCommit && p.State == report.ProposalCommitted || p.Kind == proposal.KindUpkeep
	})
	if x := r.stack.written; x != nil { // what this night wrote is what is built upon
		r.stack.existing = slices.DeleteFunc(r.stack.existing, func(o proposal.Existing) bool { return o.Branch == x.Branch })
		r.stack.existing = append(r.stack.existing, *x)
		var err error
		if r.stack.plan, err = proposal.Stack(r.stack.base, r.stack.existing, r.rejections(), r.Now); err != nil {
			return err
		}
		r.offers.upkeep = nil
	}
	r.offers.upkeep = append(r.offers.upkeep, edits...)
	if err := r.deliverUpkeep(ctx); err != nil {
		return err
	}
	return r.record(ctx)
}
