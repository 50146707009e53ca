package night

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
)

// claim notes what of a draft is ours, so that the retro never learns from it:
// its commits, and its lines for the day a squash gives them another one.
func (r *run) claim(ctx context.Context, d proposal.Draft) error {
	return r.claimAll(ctx, d.Layers, d.Base.Commit, d.Head, d.Run)
}

// reclaim notes what an earlier run wrote and did not live to note: the branch
// is there before the journal knows of it. A write that was cut short is made
// again, and noted then.
func (r *run) reclaim(ctx context.Context) error {
	for _, x := range r.stack.existing {
		known := !slices.ContainsFunc(x.Layers, func(l proposal.Layer) bool { return !slices.Contains(r.state.Commits, l.Commit) })
		written := !x.Touched && x.Content != "" && !x.Fork.IsZero() && !x.Head.IsZero()
		if !written || known || x.Status == proposal.Closed {
			continue
		}
		err := r.claimAll(ctx, x.Layers, x.Fork, x.Head, x.Run)
		if err != nil && !errors.Is(err, repo.ErrMissing) {
			return err
		}
	}
	return nil
}

func (r *run) claimAll(ctx context.Context, layers []proposal.Layer, base, head repo.Hash, id string) error {
	for _, l := range layers {
		if !slices.Contains(r.state.Commits, l.Commit) {
			r.state.Commits = append(r.state.Commits, l.Commit)
		}
	}
	changes, err := r.Repo.Diff(ctx, base, head)
	if err != nil {
		return err
	}
	for _, c := range changes {
		hunks, err := r.Repo.Hunks(c, maxClaimed)
		if err != nil {
			continue // too large or gone: such a file is not one of ours
		}
		r.claimLines(hunks, id)
	}
	return nil
}

// rename notes the ids that the host gave to commits of ours in place of those that
// they had here.
func (r *run) rename(here, there []proposal.Layer) {
	for i := range min(len(here), len(there)) {
		if at := slices.Index(r.state.Commits, here[i].Commit); at >= 0 && here[i].Commit != there[i].Commit {
			r.state.Commits[at] = there[i].Commit
		}
	}
}

// maxClaimed bounds the files whose lines are noted, in bytes.
const maxClaimed = 1 << 20

func (r *run) claimLines(hunks []repo.Hunk, id string) {
	if r.state.Keys == nil {
		r.state.Keys = map[string]string{}
	}
	for _, h := range hunks {
		for _, line := range h.Added {
			if len(strings.TrimSpace(line)) >= 20 { // shorter ones are anybody's
				r.state.Keys[lineKey(line)] = id
			}
		}
	}
}

// record moves the watermarks and writes the journal, last of all. The receipt
// says what was or would be moved; only an apply over the branch's own range
// writes.
func (r *run) record(ctx context.Context) error {
	marks := *r.state.Branch(r.scope.base())
	r.receipt.Watermark = report.Watermarks{
		Retro: report.Move{Before: markOf(marks.Retro), After: markOf(marks.Retro)},
		Sweep: report.Move{Before: markOf(marks.Sweep), After: markOf(marks.Sweep)},
	}
	if !r.scope.explicit {
		r.move(&marks)
		r.receipt.Watermark.Retro.After = markOf(marks.Retro)
		r.receipt.Watermark.Sweep.After = markOf(marks.Sweep)
	}
	r.receipt.Backlog = backlog(r.state.Backlog)
	if !r.Apply {
		return nil
	}
	*r.state.Branch(r.scope.base()) = marks
	if err := r.keepReceipt(); err != nil {
		return err
	}
	err := r.shelf.Write(r.Repo, r.shelfAt, r.identity(), r.Now)
	if err != nil {
		return err
	}
	r.shelfAt, _, err = r.Repo.Ref(proposal.ShelfRef)
	if err != nil {
		return err
	}
	r.stateAt, err = journal.Save(ctx, r.Repo, r.state, r.stateAt, r.Now)
	return err
}

// move advances the marks of the passes that are whole, and takes over what the
// retro leaves for later.
func (r *run) move(marks *journal.Watermark) {
	head := &journal.Mark{Commit: r.scope.head.Hash.String(), Tree: r.scope.head.Tree.String()}
	if r.Command.Sweep {
		marks.Sweep = head
	}
	switch {
	case !r.Command.Retro:
	case r.learner() == nil && marks.Retro == nil:
		marks.Retro = r.beginning() // later nights begin where this one would have
	case r.learner() != nil && r.lessons.Complete:
		marks.Retro = head
		r.state.Backlog, r.state.Candidates = r.lessons.Backlog, r.lessons.Candidates
		r.state.Correct(r.lessons.Corrections)
	}
}

// beginning is the mark of where the first retro starts. An empty commit is
// the beginning of history.
func (r *run) beginning() *journal.Mark {
	from := r.scope.retro.from
	if from.IsZero() {
		return &journal.Mark{}
	}
	mark := &journal.Mark{Commit: from.String()}
	if c, err := r.Repo.Commit(from); err == nil {
		mark.Tree = c.Tree.String()
	}
	return mark
}

// keepReceipt adds the stripped receipt where the night changed anything; one
// with nothing new leaves the journal as it is.
func (r *run) keepReceipt() error {
	w := r.receipt.Watermark
	quiet := !w.Retro.Moved() && !w.Sweep.Moved() && !slices.ContainsFunc(r.receipt.Proposals, func(p report.Proposal) bool {
		return p.State == report.ProposalCommitted || p.State == report.ProposalOpened || p.State == report.ProposalUpdated || p.State == report.ProposalClosed
	})
	if quiet {
		return nil
	}
	b, err := report.Compact(r.receipt)
	if err != nil {
		return err
	}
	if r.state.Receipts == nil {
		r.state.Receipts = map[string]json.RawMessage{}
	}
	r.state.Receipts[r.receipt.Run] = b
	return nil
}

func markOf(m *journal.Mark) *report.Mark {
	if m == nil {
		return nil
	}
	return &report.Mark{Commit: m.Commit, Tree: m.Tree}
}

func backlog(all []journal.Signal) report.Backlog {
	b := report.Backlog{Signals: len(all)}
	for _, s := range all {
		if d := s.Since.UTC().Format("2006-01-02"); b.Oldest == "" || d < b.Oldest {
			b.Oldest = d
		}
	}
	return b
}

// finish fills in what only the end of a run knows.
func (r *run) finish() {
	r.receipt.Ended = r.Now
	if r.receipt.Outcome == "" {
		r.receipt.Outcome = report.Done
	}
	var diffs strings.Builder
	for _, p := range r.receipt.Proposals {
		diffs.WriteString(p.Diff)
	}
	r.receipt.Diff = diffs.String()
	if r.Model == nil {
		return
	}
	r.warnAll(r.Model.Warnings())
}

// spent fills in what was asked and where, as soon as the sweep or the retro is
// over: bodies of proposals name the models.
func (r *run) spent() {
	if r.Model == nil {
		return
	}
	r.receipt.Sent = nil
	for _, s := range r.Model.Sent() {
		r.receipt.Sent = append(r.receipt.Sent, report.Sent(s))
	}
	for stage, u := range r.Model.Usage() {
		r.receipt.Usage[stage] = report.StageUsage(u)
	}
}
