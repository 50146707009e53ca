package night

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/knowledge/corpus"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/sweep"
)

// What a night found and had no room to offer waits, the longest waiting first in
// the next one. The journal holds no text, so it remembers which files the sweep
// has to look at again. What a model found is kept as it was found, on a shelf
// beside the journal, so that it is not asked again; where the shelf does not
// hold what the journal says, the signals are judged again.

// takeUp offers what waits before anything new is looked for.
func (r *run) takeUp(ctx context.Context) error {
	var err error
	if r.shelf, r.shelfAt, err = proposal.ReadShelf(ctx, r.Repo); err != nil || r.To != "" || r.Command.Hand != nil {
		return err
	}
	for _, w := range r.state.Waiting {
		if !r.here(w) || len(w.Signals) == 0 {
			continue
		}
		layer, kept := r.shelf[w.Slot]
		if !kept || proposal.Content(layer.Edits) != w.Content || len(layer.Why) != len(layer.Edits) {
			r.judgeAgain(w)
			continue
		}
		for i, e := range layer.Edits {
			r.offer(e, knowledge.RouteQueue, layer.Why[i])
			r.taught(e, w.Signals...)
		}
	}
	return r.sweepWaiting(ctx)
}

// here reports whether something waits to be offered against the base of this run.
func (r *run) here(w journal.Waiting) bool { return w.Base == "" || w.Base == r.stack.base.Name }

// judgeAgain puts back the signals of lessons that the shelf has lost.
func (r *run) judgeAgain(w journal.Waiting) {
	for _, s := range w.Signals {
		if !slices.ContainsFunc(r.state.Backlog, func(o journal.Signal) bool { return o.ID == s.ID }) {
			r.state.Backlog = append(r.state.Backlog, s)
		}
	}
}

// taught notes in which signals the lesson of an edit was found.
func (r *run) taught(e knowledge.Edit, signals ...journal.Signal) {
	if r.offers.signals == nil {
		r.offers.signals = map[string][]journal.Signal{}
	}
	key := proposal.EditKey(e)
	r.offers.signals[key] = append(r.offers.signals[key], signals...)
}

// sweepWaiting looks again at the files that something waits for: the watermark
// is past the commits that made it needed.
func (r *run) sweepWaiting(ctx context.Context) error {
	if !r.Command.Sweep || r.Command.All || r.scope.sweep.from.IsZero() || len(r.state.Waiting) == 0 {
		return nil
	}
	result, err := r.again(ctx, func(path string) bool {
		return slices.ContainsFunc(r.state.Waiting, func(w journal.Waiting) bool { return r.here(w) && w.Path == path })
	})
	if err != nil {
		return err
	}
	for _, e := range result.Edits {
		i := slices.IndexFunc(result.Findings, func(f knowledge.Finding) bool { return f.ID == e.Finding })
		if i >= 0 {
			r.offer(e.Edit, e.Route, sweepReason(e.Edit, &result.Findings[i]))
		}
	}
	return nil
}

// again looks at some files whatever the range.
func (r *run) again(ctx context.Context, is func(path string) bool) (sweep.Result, error) {
	docs := slices.DeleteFunc(slices.Clone(r.corpus.Docs), func(d *knowledge.Document) bool { return !is(d.Path) })
	if len(docs) == 0 {
		return sweep.Result{}, nil
	}
	return sweep.Again(ctx, sweep.Input{
		Repo: r.view, To: r.scope.head, Corpus: corpus.New(docs), Policy: r.policy, Ignore: r.ignored, Now: r.Now,
	})
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
	shelf := proposal.Shelf{}
	for _, w := range wanted {
		if !r.settled(w.Slot) {
			left = append(left, r.shelve(shelf, w))
		}
	}
	for _, old := range r.state.Waiting {
		again := slices.ContainsFunc(wanted, func(w proposal.Wanted) bool { return w.Slot == old.Slot })
		if again || r.here(old) && r.Command.Sweep {
			continue
		}
		left = append(left, old)
		if layer, kept := r.shelf[old.Slot]; kept && len(old.Signals) > 0 {
			shelf[old.Slot] = layer
		}
	}
	slices.SortFunc(left, func(a, b journal.Waiting) int { return strings.Compare(a.Slot, b.Slot) })
	r.state.Waiting, r.shelf = left, shelf
}

// shelve is what the journal says of one that waits. The edits that a model made
// go to the shelf.
func (r *run) shelve(shelf proposal.Shelf, w proposal.Wanted) journal.Waiting {
	out := journal.Waiting{Slot: w.Slot, Path: w.Target, Base: r.stack.base.Name, Since: w.Since}
	layer := proposal.Layer{Run: r.receipt.Run, At: w.Since}
	for _, e := range w.Edits {
		signals := r.offers.signals[proposal.EditKey(e)]
		if len(signals) == 0 {
			continue
		}
		layer.Edits = append(layer.Edits, e)
		for _, s := range signals {
			if !slices.ContainsFunc(out.Signals, func(o journal.Signal) bool { return o.ID == s.ID }) {
				s.Since = w.Since
				out.Signals = append(out.Signals, s)
			}
		}
	}
	if len(layer.Edits) == 0 {
		return out
	}
	out.Content = proposal.Content(layer.Edits)
	if old, kept := r.shelf[w.Slot]; kept && proposal.Content(old.Edits) == out.Content {
		layer = old // nothing new: not a byte is written
	} else {
		layer = proposal.Shelve(layer, r.offers.reasons)
	}
	shelf[w.Slot] = layer
	return out
}

// settled reports whether a slot needs no other night.
func (r *run) settled(slot string) bool {
	return slices.ContainsFunc(r.receipt.Proposals, func(p report.Proposal) bool {
		return p.Slot == slot && slices.Contains([]report.ProposalState{report.ProposalOpened, report.ProposalUpdated, report.ProposalUnchanged, report.ProposalRejected}, p.State)
	})
}
