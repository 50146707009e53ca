package night

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/board"
	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/local"
	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/report"
)

// boarded is the host's board, where the operator wants a dashboard.
func (r *run) boarded() forge.Board {
	if !r.Config.Dashboard || r.To != "" || r.Command.Hand != nil {
		return nil
	}
	return forge.BoardOf(r.forge)
}

// readBoard takes the ticks of the dashboard as a person's wish, and offers what
// was asked for again. A host that does not answer costs the night nothing else.
func (r *run) readBoard(ctx context.Context) error {
	if b := r.boarded(); b != nil {
		var err error
		if r.notice, err = b.Notice(ctx, board.Marker); err != nil {
			r.blind = true
			r.warn("the dashboard is not looked at tonight: %v", err)
		} else if ticks := board.Ticks(r.notice.Body); len(ticks) > 0 && r.mayTick(ctx) {
			r.lift(ticks)
		}
	}
	for i := range r.stack.existing {
		if x := &r.stack.existing[i]; proposal.IsLifted(x, r.rejections()) {
			r.offerAgain(x)
		}
	}
	return nil
}

// mayTick reports whether everybody who edited the dashboard since we wrote it
// may write to the repository: the host does not say who made which tick.
func (r *run) mayTick(ctx context.Context) bool {
	members := forge.MembersOf(r.forge)
	if members == nil {
		r.warn("a tick on the dashboard is ignored: this host does not say who made it")
	}
	if members == nil || len(r.notice.Editors) == 0 {
		return false
	}
	for _, login := range r.notice.Editors {
		may := false
		var err error
		if login != "" {
			may, err = members.MayWrite(ctx, login)
		}
		if err != nil || !may {
			r.warn("a tick on the dashboard is ignored: not everybody who edited it may write here")
			return false
		}
	}
	return true
}

// lift ends what was remembered of the closed proposals of slots: the no to what
// they held. Another no of the slot stands, to what came before or was taken back.
func (r *run) lift(slots []string) {
	for i := range r.stack.existing {
		x := &r.stack.existing[i]
		if x.Status != proposal.Closed || !slices.Contains(slots, x.Slot) {
			continue
		}
		var keys []string
		for _, e := range x.Edits() {
			keys = append(keys, proposal.EditKey(e))
		}
		for i := range r.state.Rejections {
			j := &r.state.Rejections[i]
			if j.Lifted.IsZero() && j.Slot == x.Slot && (j.Content == x.Content || slices.Contains(keys, j.Key)) {
				j.Lifted = r.Now.UTC().Truncate(time.Second)
			}
		}
	}
}

// offerAgain offers what a closed proposal held, the way it came.
func (r *run) offerAgain(x *proposal.Existing) {
	route := knowledge.RouteQueue
	if x.Kind == proposal.KindUpkeep {
		route = knowledge.RouteUpkeep
	}
	for _, l := range x.Layers {
		for i, e := range l.Edits {
			why := proposal.Reason{What: proposal.Imperative(l.Edits[i : i+1]), Why: e.Reason}
			if len(l.Why) == len(l.Edits) {
				why = l.Why[i]
			}
			r.offer(e, route, why)
		}
	}
}

// writeBoard makes the dashboard say how things stand, where it says something
// else. One that a person closed stays closed, and one that could not be read is
// not written: there would be two.
func (r *run) writeBoard(ctx context.Context) error {
	b := r.boarded()
	if b == nil || !r.Apply || r.notice.Closed || r.blind {
		return nil
	}
	if err := r.postBoard(ctx, b); err != nil {
		r.partial("the dashboard is as it was: %v", err)
	}
	return nil
}

func (r *run) postBoard(ctx context.Context, b forge.Board) error {
	existing, err := r.forge.List(ctx, r.stack.base)
	if err != nil {
		return err
	}
	body := r.page(existing).Markdown()
	if r.notice.Number != 0 && board.Same(body, r.notice.Body) {
		return nil
	}
	if err := r.lease(ctx); err != nil {
		return err
	}
	if err := b.Post(ctx, r.notice.Number, board.Title, body); err != nil {
		return err
	}
	r.receipt.Dashboard = report.ProposalUpdated
	if r.notice.Number == 0 {
		r.receipt.Dashboard = report.ProposalOpened
	}
	return nil
}

// page is what the dashboard says after this run.
func (r *run) page(existing []proposal.Existing) board.Page {
	p := board.Page{Backlog: len(r.state.Backlog), Ticks: forge.MembersOf(r.forge) != nil}
	for i := range existing {
		x := &existing[i]
		e := board.Entry{Slot: x.Slot, Title: x.Title, Files: x.Files, URL: x.URL}
		switch {
		case x.Status == proposal.Open && x.Touched:
			e.Reason = "somebody else changed the branch: it is theirs"
			p.Open = append(p.Open, e)
		case x.Status == proposal.Open:
			e.Reason = "waits for a person"
			p.Open = append(p.Open, e)
		case x.Status == proposal.Closed && x.ClosedBy == proposal.ByPerson && !proposal.IsLifted(x, r.rejections()):
			e.Reason = "a person closed it"
			p.Rejected = append(p.Rejected, e)
		}
	}
	for _, q := range r.receipt.Proposals {
		if q.State == report.ProposalWaiting {
			p.Waiting = append(p.Waiting, board.Entry{Title: q.Title, Files: q.Files, Reason: q.Reason})
		}
	}
	r.lastRun(&p)
	p.Errors = r.wentWrong()
	p.Due = r.dueSoon()
	if all := recurrence(r.state.Corrections, r.Now); len(all) > 0 {
		p.Corrections, p.Again = all[0].Corrections, all[0].Again
	}
	return p
}

// lastRun names the last run that changed anything: one with nothing new leaves
// the dashboard as it is.
func (r *run) lastRun(p *board.Page) {
	runs, _ := receipts(r.state)
	if len(runs) == 0 {
		return
	}
	p.Unknown = runs[0].Facts.Reasons
	p.Run, p.Day = runs[0].Run, runs[0].Started.UTC().Format(time.DateOnly)
	marks := r.state.Branch(r.stack.base.Name)
	for _, m := range []struct {
		at   *journal.Mark
		into *string
	}{{marks.Retro, &p.Retro}, {marks.Sweep, &p.Sweep}} {
		if m.at != nil && m.at.Commit != "" {
			*m.into = short(m.at.Commit)
		}
	}
}

// soon is how far ahead facts that retire are shown.
const soon = 14 * 24 * time.Hour

func (r *run) dueSoon() []board.Due {
	var out []board.Due
	for _, d := range r.corpus.Docs {
		if d.Format == knowledge.Archive || r.ignored(d.Path) {
			continue
		}
		for i := range d.Facts {
			f := &d.Facts[i]
			if due, ok := knowledge.DueDate(f.Life); ok && due.After(r.Now) && due.Sub(r.Now) < soon {
				out = append(out, board.Due{File: f.File, Line: f.Line, Day: due.UTC().Format(time.DateOnly)})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b board.Due) int { return strings.Compare(a.Day, b.Day) })
	return out
}

// ReadPage is the dashboard as text, for who has no host or wants no issue. It
// writes nothing.
func ReadPage(ctx context.Context, l Look) (string, error) {
	look, err := l.read(ctx)
	if err != nil {
		return "", err
	}
	look.stack.base = proposal.Base{Name: look.scope.base(), Commit: look.scope.head.Hash}
	existing, err := local.New(look.Repo, identity).List(ctx, look.stack.base)
	if err != nil {
		return "", err
	}
	p := look.page(existing)
	for _, w := range look.state.Waiting {
		if look.here(w) {
			p.Waiting = append(p.Waiting, board.Entry{Slot: w.Slot, Files: []string{w.Path}, Reason: "found, and over a limit or in its cooldown, since " + w.Since.UTC().Format(time.DateOnly)})
		}
	}
	return p.Markdown(), nil
}
