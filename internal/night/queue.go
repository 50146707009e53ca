package night

import (
	"context"
	"fmt"
	"time"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/report"
)

// deliverQueue offers what a person has to decide, one branch a file.
func (r *run) deliverQueue(ctx context.Context, wanted []proposal.Wanted) error {
	limits := r.Config.Limits
	actions := proposal.Decide(proposal.State{
		Base: r.stack.base.Name, Wanted: wanted, Existing: r.stack.existing, Rejected: r.rejections(), Acted: r.state.Acted,
	}, proposal.Policy{NewPerRun: limits.NewPerRun, MaxOpen: limits.Open, Idle: time.Duration(limits.IdleDays) * 24 * time.Hour}, r.Now)
	for _, a := range actions {
		if err := r.act(ctx, a); err != nil {
			return fmt.Errorf("proposal %s: %w", a.Branch, err)
		}
	}
	r.remain(wanted)
	return nil
}

// wanted is what the run has to offer for each file, as it changes the base.
func (r *run) wanted() ([]proposal.Wanted, error) {
	reader, err := proposal.NewReader(r.view, r.stack.base.Commit)
	if err != nil {
		return nil, err
	}
	var out []proposal.Wanted
	files, edits := byFile(r.offers.queue)
	for _, file := range files {
		steps, dropped := proposal.Replay(reader.Read, []proposal.Layer{{Edits: edits[file]}})
		r.explainDropped(dropped)
		for _, step := range steps {
			w, err := r.wantedOf(file, step)
			if err != nil {
				return nil, err
			}
			out = append(out, w)
		}
	}
	if steps, dropped := proposal.Replay(reader.Read, []proposal.Layer{{Edits: r.offers.together}}); len(r.offers.together) > 0 {
		r.explainDropped(dropped)
		for _, step := range steps {
			w, err := r.wantedAs(kindArchive, retired, step)
			if err != nil {
				return nil, err
			}
			out = append(out, w)
		}
	}
	return out, reader.Err
}

// What is asked about many facts at once is about no one file.
const (
	kindArchive = "archive"
	retired     = "retired facts"
)

func (r *run) wantedOf(file string, step proposal.Step) (proposal.Wanted, error) {
	format, _, _ := r.classes.Classify(file)
	return r.wantedAs(kindOf(format, file), file, step)
}

func (r *run) wantedAs(kind, file string, step proposal.Step) (proposal.Wanted, error) {
	slot := proposal.Slot(r.Name, r.stack.base.Name, kind, file)
	diff, err := proposal.DiffOf(r.view, r.stack.base.Commit, step.Changes)
	files, lines := guard.Reading(fileChanges(diff))
	return proposal.Wanted{
		Slot: slot, Kind: kind, Target: file, Branch: proposal.Branch(kind, proposal.Slug(file), slot),
		Edits: step.Layer.Edits, Files: diff.Files, Read: files, Lines: lines, Since: r.waitingSince(slot),
	}, err
}

// act carries out one decision.
func (r *run) act(ctx context.Context, a proposal.Action) error {
	r.remember(a.Remember)
	r.acted(a)
	p := report.Proposal{
		Slot: a.Slot, Content: a.Content, Kind: a.Kind, Branch: a.Branch, Base: r.stack.base.Name,
		Title: r.style.Title(proposal.Imperative(a.Edits)), Route: knowledge.RouteQueue,
		State: report.ProposalState(a.Do), Reason: a.Reason,
	}
	if a.Wanted != nil {
		p.Files = a.Wanted.Files
	} else if a.Existing != nil {
		p.Files = a.Existing.Files
	}
	switch a.Do {
	case proposal.DoOpen, proposal.DoUpdate:
		return r.build(ctx, a, p)
	case proposal.DoClose, proposal.DoMerged: // a merged one is tidied up, once
		return r.close(ctx, p, *a.Existing)
	}
	r.receipt.Proposals = append(r.receipt.Proposals, p)
	return nil
}

// acted remembers that a person decided: what is tidied up is listed no more.
func (r *run) acted(a proposal.Action) {
	if x := a.Existing; x != nil && (a.Do == proposal.DoMerged || a.Do == proposal.DoReject || a.Do == proposal.DoHandsOff) {
		at := x.Ended
		if at.IsZero() && a.Do == proposal.DoMerged {
			at = day(r.Now)
		}
		if at.After(r.state.Acted) {
			r.state.Acted = at
		}
	}
}

// build writes the one commit of a queue branch, on the base.
func (r *run) build(ctx context.Context, a proposal.Action, p report.Proposal) error {
	x := a.Existing
	if a.Do == proposal.DoOpen { // an earlier one of the slot has ended
		x = nil
	}
	built, err := proposal.Build(ctx, r.Repo, proposal.Change{
		Slot: a.Slot, Kind: a.Kind, Branch: a.Branch, Base: r.stack.base, Existing: x,
		Parent: r.stack.base.Commit, Layer: r.layer(a.Edits),
		Reasons: r.offers.reasons, Style: r.style, Identity: r.identity(), SignedOffBy: r.Config.Delivery.SignOff, Host: r.host(),
	})
	if err != nil {
		return err
	}
	r.explainDropped(built.Dropped)
	described := proposalOf(built, knowledge.RouteQueue)
	described.State, described.Reason = p.State, p.Reason
	return r.put(ctx, described, x, built)
}
