package night

import (
	"context"
	"errors"
	"path"
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

// offers are the edits of a run by where they go.
type offers struct {
	upkeep []offered
	queue  []offered
}

// offered is one edit with what explains it.
type offered struct {
	edit   knowledge.Edit
	reason proposal.Reason
}

// offer sorts one edit by the stricter of the route it was given and the one
// that the policy gives its path now.
func (r *run) offer(e knowledge.Edit, route knowledge.Route, why proposal.Reason) {
	allowed, reason := r.policy.Route(e.Path)
	switch o := (offered{e, why}); route.Stricter(allowed) {
	case knowledge.RouteAuto, knowledge.RouteUpkeep:
		r.offers.upkeep = append(r.offers.upkeep, o)
	case knowledge.RouteQueue:
		r.offers.queue = append(r.offers.queue, o)
	default:
		r.warn("refused: an edit of %s (%s)", e.Path, reason)
	}
}

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
	if err := r.deliverUpkeep(ctx); err != nil {
		return err
	}
	return r.deliverQueue(ctx)
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

func (r *run) deliverUpkeep(ctx context.Context) error {
	edits, reasons := split(r.offers.upkeep)
	edits, refused := proposal.Allowed(r.upkeepSlot(), edits, r.rejections())
	if refused > 0 {
		r.warn("%d edits for the upkeep branch are left out: a person rejected them before", refused)
	}
	r.remember(r.stack.plan.Remember)
	reader, err := proposal.NewReader(r.Repo, r.stack.tip)
	if err != nil {
		return err
	}
	steps, dropped := proposal.Replay(reader.Read, []proposal.Layer{{Edits: edits}})
	r.explainDropped(dropped)
	if reader.Err != nil {
		return reader.Err
	}
	for _, step := range steps {
		layer := r.layer(step.Layer.Edits, reasons)
		if err := r.commitLayer(layer, step.Changes); err != nil {
			return err
		}
		r.receipt.Facts.Archived += count(layer.Edits, knowledge.OpArchive)
	}
	if len(r.stack.layers) == 0 {
		return r.closeUpkeep(ctx)
	}
	return r.offerUpkeep(ctx, reasons)
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

func (r *run) layer(edits []knowledge.Edit, reasons map[string]proposal.Reason) proposal.Layer {
	return proposal.Layer{
		Run: r.receipt.Run, Range: r.rangeText(), At: r.Now, Edits: edits,
		Subject: r.style.Title(proposal.Imperative(edits)),
		Body:    proposal.CommitBody(reasonsOf(edits, reasons)),
	}
}

func (r *run) rangeText() string {
	return short(r.receipt.Range.From) + ".." + short(r.scope.head.Hash.String())
}

// offerUpkeep moves the rolling branch where its commits changed.
func (r *run) offerUpkeep(ctx context.Context, reasons map[string]proposal.Reason) error {
	var edits []knowledge.Edit
	for _, l := range r.stack.layers {
		edits = append(edits, l.Edits...)
	}
	d := proposal.Draft{
		Slot: r.upkeepSlot(), Kind: proposal.KindUpkeep, Branch: r.stack.plan.Branch, Head: r.stack.tip,
		Title: r.style.Title(proposal.Imperative(edits)), Layers: r.stack.layers, Content: proposal.Content(edits),
	}
	p, err := r.describe(ctx, &d, knowledge.RouteUpkeep, reasonsOf(edits, reasons))
	if err != nil {
		return err
	}
	x := r.stack.plan.Existing
	p.State, p.Reason = report.ProposalOpened, r.stack.plan.Reason
	if x != nil {
		p.State = report.ProposalUpdated
	}
	if x != nil && x.Head == d.Head {
		p.State, p.Reason = report.ProposalUnchanged, "open, with the same content"
	}
	return r.put(ctx, p, x, d)
}

// closeUpkeep takes the rolling branch back when nothing of it is left to do.
func (r *run) closeUpkeep(ctx context.Context) error {
	x := r.stack.plan.Existing
	if x == nil {
		return nil
	}
	p := report.Proposal{Slot: x.Slot, Content: x.Content, Kind: x.Kind, Title: x.Title, Branch: x.Branch, Base: x.Base,
		Route: knowledge.RouteUpkeep, State: report.ProposalClosed, Reason: r.stack.plan.Reason}
	r.receipt.Proposals = append(r.receipt.Proposals, p)
	if !r.Apply {
		return nil
	}
	return r.forge.Close(ctx, *x, p.Reason)
}

// describe fills in what a draft changes, and lets the guard look at the
// finished diff: what it refuses is not offered.
func (r *run) describe(ctx context.Context, d *proposal.Draft, route knowledge.Route, reasons []proposal.Reason) (report.Proposal, error) {
	d.Base, d.Run, d.At = r.stack.base, r.receipt.Run, r.Now
	diff, err := proposal.DiffTrees(ctx, r.Repo, d.Base.Commit, d.Head)
	if err != nil {
		return report.Proposal{}, err
	}
	d.Files = diff.Files
	d.Body = proposal.Body(proposal.BodyInput{
		Reasons: reasons, Files: diff.Files, Base: d.Base.Name, Branch: d.Branch, Run: d.Run, Models: r.models(),
	})
	p := report.Proposal{
		Slot: d.Slot, Content: d.Content, Kind: d.Kind, Title: d.Title, Branch: d.Branch, Base: d.Base.Name,
		Files: diff.Files, Route: route, Body: d.Body, Commit: d.Head.String(), Diff: diff.Text,
	}
	if err := r.policy.CheckDiff(route, fileChanges(diff)); err != nil {
		p.State, p.Reason, p.Commit, p.Diff = report.ProposalBlocked, err.Error(), "", ""
	}
	return p, nil
}

func fileChanges(d proposal.Diff) []guard.FileChange {
	out := make([]guard.FileChange, 0, len(d.Parts))
	for _, f := range d.Parts {
		out = append(out, guard.FileChange{Path: f.Path, OldMode: f.OldMode, NewMode: f.NewMode, Old: f.Old, New: f.New})
	}
	return out
}

// put writes a described draft where the run applies, and adds it to the
// receipt. A branch that cannot be written is a proposal of its own kind, not
// the end of the run.
func (r *run) put(ctx context.Context, p report.Proposal, x *proposal.Existing, d proposal.Draft) error {
	if r.Apply && (p.State == report.ProposalOpened || p.State == report.ProposalUpdated) {
		if err := r.writeDraft(ctx, x, d); errors.Is(err, forge.ErrTaken) || errors.Is(err, forge.ErrTouched) || errors.Is(err, repo.ErrCheckedOut) {
			p.State, p.Reason = report.ProposalBlocked, err.Error()
		} else if err != nil {
			return err
		}
	}
	if p.State == report.ProposalBlocked {
		r.partial("%s is not written: %s", p.Branch, p.Reason)
	}
	r.receipt.Proposals = append(r.receipt.Proposals, p)
	return nil
}

func (r *run) writeDraft(ctx context.Context, x *proposal.Existing, d proposal.Draft) error {
	r.remembered(d)
	if x == nil {
		_, err := r.forge.Open(ctx, d)
		return err
	}
	_, err := r.forge.Update(ctx, *x, d)
	return err
}

func (r *run) models() []string {
	var out []string
	for _, s := range r.receipt.Sent {
		out = append(out, s.Stage+" "+s.Model)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func split(all []offered) (edits []knowledge.Edit, reasons map[string]proposal.Reason) {
	reasons = map[string]proposal.Reason{}
	for _, o := range all {
		edits = append(edits, o.edit)
		reasons[proposal.EditKey(o.edit)] = o.reason
	}
	return edits, reasons
}

// reasonsOf explains edits in their order; one that an earlier night made is
// explained by what it does.
func reasonsOf(edits []knowledge.Edit, reasons map[string]proposal.Reason) []proposal.Reason {
	var out []proposal.Reason
	for _, e := range edits {
		why, ok := reasons[proposal.EditKey(e)]
		if !ok {
			why = proposal.Reason{What: proposal.Imperative([]knowledge.Edit{e}), Why: e.Reason}
		}
		out = append(out, why)
	}
	return out
}

func count(edits []knowledge.Edit, op knowledge.Op) int {
	n := 0
	for _, e := range edits {
		if e.Op == op {
			n++
		}
	}
	return n
}

// kindOf names the kind of a queue branch by what it changes.
func kindOf(format knowledge.Format, file string) string {
	switch {
	case strings.EqualFold(path.Base(file), "SKILL.md"):
		return "skill"
	case strings.HasPrefix(file, "prompts/"):
		return "prompt"
	case format == knowledge.Instruction:
		return "rules"
	case format == knowledge.MemoryIndex:
		return string(knowledge.Memory)
	}
	return string(format)
}

// day is a date without its time.
func day(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }
