package night

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
)

// deliver turns the offers into branches. In a dry run the repository keeps
// every object in memory, and the last step, moving a branch, is left out.
func (r *run) deliver(ctx context.Context) error {
	if r.To != "" {
		return nil
	}
	subjects, err := r.subjects(ctx)
	if err != nil {
		return err
	}
	r.style = proposal.ParseStyle(r.Config.Delivery.Style, subjects)
	wanted, err := r.wanted()
	if err != nil {
		return err
	}
	if err := r.takenBack(ctx, wanted); err != nil {
		return err
	}
	if err := r.deliverAuto(ctx); err != nil {
		return err
	}
	if err := r.deliverUpkeep(ctx); err != nil {
		return err
	}
	return r.deliverQueue(ctx, wanted)
}

// subjects are the newest of the history, for the style of titles.
func (r *run) subjects(ctx context.Context) ([]string, error) {
	var out []string
	err := r.Repo.FirstParents(ctx, r.scope.head.Hash, func(c repo.Commit) bool {
		subject, _, _ := strings.Cut(c.Message, "\n")
		out = append(out, subject)
		return len(out) < 50
	})
	return out, err
}

// deliverUpkeep adds the run's edits to the rolling branch.
func (r *run) deliverUpkeep(ctx context.Context) error {
	plan := r.stack.plan
	r.remember(plan.Remember)
	offers, theirs := proposal.Elsewhere(r.offers.upkeep, r.stack.existing, plan.Branch)
	if theirs > 0 {
		r.warn("%d edits for the upkeep branch stand on one that is in somebody else's hands: they are not offered a second time", theirs)
	}
	edits, refused := proposal.Allowed(r.upkeepSlot(), offers, r.rejections())
	if refused > 0 {
		r.warn("%d edits for the upkeep branch are left out: a person rejected them before", refused)
	}
	built, err := proposal.Build(ctx, r.Repo, r.upkeep(edits))
	if err != nil {
		return err
	}
	r.explainDropped(built.Dropped)
	p := proposalOf(built, knowledge.RouteUpkeep)
	switch {
	case len(built.Draft.Layers) == 0 && plan.Existing == nil:
		return nil
	case len(built.Draft.Layers) == 0:
		p.State, p.Reason = report.ProposalClosed, plan.Reason
		return r.close(ctx, p, *plan.Existing)
	case !built.Changed:
		p.State, p.Reason = report.ProposalUnchanged, "open, with the same content"
	case plan.Existing != nil:
		p.State, p.Reason = report.ProposalUpdated, plan.Reason
	default:
		p.State, p.Reason = report.ProposalOpened, plan.Reason
	}
	if built.Changed {
		r.receipt.Facts.Archived = archived(built.Draft.Layers, r.receipt.Run)
	}
	return r.put(ctx, p, plan.Existing, built)
}

// archived counts the facts that this run archives.
func archived(layers []proposal.Layer, run string) int {
	n := 0
	for _, l := range layers {
		for _, e := range l.Edits {
			if l.Run == run && e.Op == knowledge.OpArchive {
				n++
			}
		}
	}
	return n
}

// explainDropped says which edits are left out; one that the files hold
// already needs no word.
func (r *run) explainDropped(dropped []proposal.Dropped) {
	for _, d := range dropped {
		if !d.Done {
			r.warn("an edit of %s is left out: %s", d.Edit.Path, d.Reason)
		}
	}
}

func proposalOf(b proposal.Built, route knowledge.Route) report.Proposal {
	d := b.Draft
	return report.Proposal{
		Slot: d.Slot, Content: d.Content, Kind: d.Kind, Title: d.Title, Branch: d.Branch, Base: d.Base.Name,
		Files: d.Files, Route: route, Body: d.Body, Commit: d.Head.String(), Diff: b.Diff.Text,
	}
}

// put lets the guard look at the finished diff, writes the branch where the run
// applies, and adds the proposal to the receipt. A branch that cannot be
// written is a state of the proposal, not the end of the run.
func (r *run) put(ctx context.Context, p report.Proposal, x *proposal.Existing, b proposal.Built) error {
	if p.State != report.ProposalOpened && p.State != report.ProposalUpdated {
		p.Diff = "" // of a branch that is left alone: the base may have moved on since
		r.receipt.Proposals = append(r.receipt.Proposals, p)
		return nil
	}
	err := r.policy.CheckDiff(p.Route, fileChanges(b.Diff))
	if err == nil && r.Apply {
		p.Commit, err = r.write(ctx, x, b.Draft)
	}
	var refused *guard.DiffError
	var rule *repo.RefusedError
	switch {
	case err == nil:
	case errors.As(err, &refused):
		p.State, p.Reason, p.Commit, p.Diff = report.ProposalBlocked, err.Error(), "", ""
		r.partial("%s is not written: %s", p.Branch, p.Reason)
	case errors.As(err, &rule), errors.Is(err, forge.ErrTaken), errors.Is(err, forge.ErrTouched), errors.Is(err, repo.ErrCheckedOut):
		p.State, p.Reason = report.ProposalBlocked, err.Error()
		if rule != nil && rule.Remedy() != "" {
			p.Reason = rule.Remedy() + " (" + err.Error() + ")"
			if r.remedies == nil {
				r.remedies = map[string]string{}
			}
			r.remedies[p.Branch] = rule.Remedy()
		}
		r.partial("%s is not written: %s", p.Branch, p.Reason)
	default:
		return err
	}
	r.receipt.Proposals = append(r.receipt.Proposals, p)
	return nil
}

// write opens or updates a proposal. It returns the commit that its branch is at:
// a host that makes commits itself gives them ids of its own.
func (r *run) write(ctx context.Context, x *proposal.Existing, d proposal.Draft) (string, error) {
	at := d.Head.String()
	if err := r.lease(ctx); err != nil {
		return at, err
	}
	if err := r.claim(ctx, d); err != nil {
		return at, err
	}
	var now proposal.Existing
	var err error
	if x == nil {
		now, err = r.forge.Open(ctx, d)
	} else {
		now, err = r.forge.Update(ctx, *x, d)
	}
	if err != nil {
		return at, err
	}
	if d.Kind == proposal.KindUpkeep {
		r.stack.written = &now
	}
	r.rename(d.Layers, now.Layers)
	return now.Head.String(), nil
}

// close takes back a proposal of ours that has nothing left to say.
func (r *run) close(ctx context.Context, p report.Proposal, x proposal.Existing) error {
	p.Title, p.Branch, p.Diff, p.Commit = x.Title, x.Branch, "", ""
	r.receipt.Proposals = append(r.receipt.Proposals, p)
	if !r.Apply {
		return nil
	}
	if err := r.lease(ctx); err != nil {
		return err
	}
	return r.forge.Close(ctx, x, p.Reason)
}

func fileChanges(d proposal.Diff) []guard.FileChange {
	out := make([]guard.FileChange, 0, len(d.Parts))
	for _, f := range d.Parts {
		out = append(out, guard.FileChange{Path: f.Path, OldMode: f.OldMode, NewMode: f.NewMode, Old: f.Old, New: f.New})
	}
	return out
}

// models are what the run asked, for the bodies of proposals.
func (r *run) models() []string {
	var out []string
	for _, s := range r.receipt.Sent {
		out = append(out, fmt.Sprintf("%s %s", s.Stage, s.Model))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// cost is what the models of this run took so far.
func (r *run) cost() string {
	var calls, cached, in, out int
	var usd float64
	priced := true
	for _, u := range r.receipt.Usage {
		calls, cached = calls+u.Calls, cached+u.Cached
		in, out, usd = in+u.PromptTokens, out+u.CompletionTokens, usd+u.USD
		priced = priced && u.Priced
	}
	if calls+cached == 0 {
		return ""
	}
	text := fmt.Sprintf("%s, %d tokens in, %d out", counted(calls, "call"), in, out)
	if cached > 0 {
		text += fmt.Sprintf(", %d answers from its cache", cached)
	}
	if priced {
		return text + fmt.Sprintf(", %.4f USD", usd)
	}
	return text + ", at a price that is not known"
}

// day is a date without its time.
func day(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }
