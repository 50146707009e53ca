package night

import (
	"context"
	"slices"
	"time"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/knowledge/corpus"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/sweep"
)

// What a night found and had no room to offer waits. The journal holds no text,
// so it remembers which files to look at again and which signals to judge
// again, and since when: the longest waiting is offered first.

// sweepWaiting looks again at the files that something waits for: the watermark
// is past the commits that made it needed.
func (r *run) sweepWaiting(ctx context.Context) error {
	if !r.Command.Sweep || r.Command.All || r.scope.sweep.from.IsZero() || len(r.state.Waiting) == 0 {
		return nil
	}
	docs := slices.DeleteFunc(slices.Clone(r.corpus.Docs), func(d *knowledge.Document) bool {
		return !slices.ContainsFunc(r.state.Waiting, func(w journal.Waiting) bool { return w.Path == d.Path })
	})
	if len(docs) == 0 {
		return nil
	}
	result, err := sweep.Run(ctx, sweep.Input{
		Repo: r.view, To: r.scope.head, All: true, Corpus: corpus.New(docs), Policy: r.policy, Ignore: r.ignored,
		Checked: r.state.Last, Now: r.Now, Limits: sweep.Limits{Archives: r.Config.Limits.Archives},
	})
	if err != nil {
		return err
	}
	for _, e := range result.Edits {
		i := slices.IndexFunc(result.Findings, func(f knowledge.Finding) bool { return f.ID == e.Finding })
		if i < 0 || r.offered(e.Edit) {
			continue
		}
		r.offer(e.Edit, e.Route, sweepReason(e.Edit, &result.Findings[i]))
	}
	return nil
}

// offered reports whether the run has the edit already.
func (r *run) offered(e knowledge.Edit) bool {
	_, ok := r.offers.reasons[proposal.EditKey(e)]
	return ok
}

// waitingSince is when something was first found for a slot.
func (r *run) waitingSince(slot string) time.Time {
	for _, w := range r.state.Waiting {
		if w.Slot == slot {
			return w.Since
		}
	}
	return day(r.Now)
}

// remain keeps what of the wanted was neither offered nor refused.
func (r *run) remain(wanted []proposal.Wanted) {
	var left []journal.Waiting
	for _, w := range wanted {
		if !r.settled(w.Slot) {
			left = append(left, journal.Waiting{Slot: w.Slot, Path: w.Target, Since: w.Since})
			r.judgeAgain(w)
		}
	}
	for _, old := range r.state.Waiting {
		again := slices.ContainsFunc(wanted, func(w proposal.Wanted) bool { return w.Slot == old.Slot })
		if !again && !r.Command.Sweep {
			left = append(left, old)
		}
	}
	r.state.Waiting = left
}

// settled reports whether a slot needs no other night.
func (r *run) settled(slot string) bool {
	return slices.ContainsFunc(r.receipt.Proposals, func(p report.Proposal) bool {
		return p.Slot == slot && slices.Contains([]report.ProposalState{report.ProposalOpened, report.ProposalUpdated, report.ProposalUnchanged, report.ProposalRejected}, p.State)
	})
}

// judgeAgain puts the signals of lessons back, whose edits found no room.
func (r *run) judgeAgain(w proposal.Wanted) {
	for _, e := range r.lessons.Edits {
		fits := func(x knowledge.Edit) bool { return proposal.EditKey(x) == proposal.EditKey(e.Edit) }
		known := func(s journal.Signal) bool { return s.ID == e.Signal.ID }
		if !slices.ContainsFunc(w.Edits, fits) || slices.ContainsFunc(r.lessons.Backlog, known) {
			continue
		}
		s := e.Signal
		s.Since = w.Since
		r.lessons.Backlog = append(r.lessons.Backlog, s)
	}
}
