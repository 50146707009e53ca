package night

import (
	"context"
	"fmt"
	"slices"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/report"
)

// deliverQueue offers what a person has to decide, one branch a file.
func (r *run) deliverQueue(ctx context.Context) error {
	wanted, reasons, err := r.wanted()
	if err != nil {
		return err
	}
	limits := r.Config.Limits
	actions := proposal.Decide(proposal.State{
		Base: r.stack.base.Name, Wanted: wanted, Existing: r.stack.existing, Rejected: r.rejections(),
	}, proposal.Policy{NewPerRun: limits.NewPerRun, MaxOpen: limits.Open}, r.Now)
	for _, a := range actions {
		if err := r.act(ctx, a, reasons); err != nil {
			return fmt.Errorf("proposal %s: %w", a.Branch, err)
		}
	}
	return nil
}

// wanted groups the queue's edits by file.
func (r *run) wanted() ([]proposal.Wanted, map[string]proposal.Reason, error) {
	edits, reasons := split(r.offers.queue)
	var order []string
	byPath := map[string][]knowledge.Edit{}
	for _, e := range edits {
		if byPath[e.Path] == nil {
			order = append(order, e.Path)
		}
		byPath[e.Path] = append(byPath[e.Path], e)
	}
	reader, err := proposal.NewReader(r.Repo, r.stack.base.Commit)
	if err != nil {
		return nil, nil, err
	}
	var out []proposal.Wanted
	for _, file := range order {
		steps, dropped := proposal.Replay(reader.Read, []proposal.Layer{{Edits: byPath[file]}})
		r.explainDropped(dropped)
		for _, step := range steps {
			w, err := r.wantedOf(file, step)
			if err != nil {
				return nil, nil, err
			}
			out = append(out, w)
		}
	}
	return out, reasons, reader.Err
}

func (r *run) wantedOf(file string, step proposal.Step) (proposal.Wanted, error) {
	format, _, _ := r.classes.Classify(file)
	kind := kindOf(format, file)
	slot := proposal.Slot(Identity(r.Repo), r.stack.base.Name, kind, file)
	diff, err := proposal.DiffOf(r.Repo, r.stack.base.Commit, step.Changes)
	return proposal.Wanted{
		Slot: slot, Kind: kind, Target: file, Branch: proposal.Branch(kind, proposal.Slug(file), slot),
		Edits: step.Layer.Edits, Files: diff.Files, Lines: diff.Lines, Since: day(r.Now),
	}, err
}

// act carries out one decision.
func (r *run) act(ctx context.Context, a proposal.Action, reasons map[string]proposal.Reason) error {
	r.remember(a.Remember)
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
		return r.build(ctx, a, reasons, p)
	case proposal.DoClose:
		if r.Apply {
			if err := r.forge.Close(ctx, *a.Existing, a.Reason); err != nil {
				return err
			}
		}
	case proposal.DoMerged:
		return nil // it is in the base: nothing to tell every night
	}
	r.receipt.Proposals = append(r.receipt.Proposals, p)
	return nil
}

// build writes the one commit of a queue branch, on the base.
func (r *run) build(ctx context.Context, a proposal.Action, reasons map[string]proposal.Reason, p report.Proposal) error {
	reader, err := proposal.NewReader(r.Repo, r.stack.base.Commit)
	if err != nil {
		return err
	}
	steps, dropped := proposal.Replay(reader.Read, []proposal.Layer{{Edits: a.Edits}})
	r.explainDropped(dropped)
	if len(steps) == 0 || reader.Err != nil {
		return reader.Err
	}
	layer := r.layer(steps[0].Layer.Edits, reasons)
	message := proposal.Message(layer.Subject, layer.Body, proposal.Trailers{
		Run: layer.Run, Range: layer.Range, Slot: a.Slot, Content: a.Content,
	})
	head, err := proposal.Commit(r.Repo, r.stack.base.Commit, steps[0].Changes, message, identity, r.Now)
	if err != nil {
		return err
	}
	layer.Commit = head.String()
	d := proposal.Draft{
		Slot: a.Slot, Content: a.Content, Kind: a.Kind, Branch: a.Branch, Head: head,
		Title: p.Title, Layers: []proposal.Layer{layer}, Labels: slices.Compact([]string{"retrosweep", a.Kind}),
	}
	described, err := r.describe(ctx, &d, knowledge.RouteQueue, reasonsOf(layer.Edits, reasons))
	if err != nil {
		return err
	}
	if described.State != report.ProposalBlocked {
		described.State, described.Reason = p.State, p.Reason
	}
	return r.put(ctx, described, a.Existing, d)
}
