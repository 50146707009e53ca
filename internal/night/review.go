package night

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/report"
)

// Queue is the proposals of a repository as a person reviews them.
type Queue struct {
	Repo      string  `json:"repo"`
	Branch    string  `json:"branch"`
	Proposals []Entry `json:"proposals"`
	run       *run
}

// Entry is one slot of the queue. Body and Diff are filled in by [Queue.Show].
type Entry struct {
	Slot   string          `json:"slot"`
	Kind   string          `json:"kind"`
	State  string          `json:"state"` // open, hands-off, waiting, rejected, merged, obsolete
	Title  string          `json:"title,omitempty"`
	Branch string          `json:"branch,omitempty"`
	Base   string          `json:"base"`
	Files  []string        `json:"files"`
	Route  knowledge.Route `json:"route"`
	URL    string          `json:"url,omitempty"`
	Number int             `json:"number,omitempty"`
	At     time.Time       `json:"at"` // last written by us, or rejected
	Days   int             `json:"days"`
	Reason string          `json:"reason"`
	Body   string          `json:"body,omitempty"`
	Diff   string          `json:"diff,omitempty"`

	existing *proposal.Existing
}

// ReadQueue lists what is open, waits or was rejected. It writes nothing.
func ReadQueue(ctx context.Context, o Options) (Queue, error) {
	o.Name = cmp.Or(o.Name, Identity(o.Repo))
	r := &run{Options: o, receipt: report.New(), view: o.Repo.Scratch()}
	for _, step := range []func(context.Context) error{
		r.snapshot, r.readJournal, func(context.Context) error { return r.settleHead() }, r.configure, r.layOver,
	} {
		if err := step(ctx); err != nil {
			return Queue{}, err
		}
	}
	q := Queue{Repo: o.Name, Branch: r.stack.base.Name, Proposals: []Entry{}, run: r}
	q.standing()
	q.rejected()
	q.waiting()
	for i := range q.Proposals {
		q.Proposals[i].Days = int(r.Now.Sub(q.Proposals[i].At) / (24 * time.Hour))
	}
	order := []string{"open", "hands-off", "obsolete", "waiting", "rejected", "merged"}
	slices.SortStableFunc(q.Proposals, func(a, b Entry) int {
		return cmp.Or(slices.Index(order, a.State)-slices.Index(order, b.State), a.At.Compare(b.At), strings.Compare(a.Slot, b.Slot))
	})
	return q, nil
}

// entryStates are the states of what exists, by what a night would do about it.
var entryStates = map[proposal.Do]string{
	proposal.DoNothing: "open", proposal.DoUpdate: "open", proposal.DoWait: "open", proposal.DoHandsOff: "hands-off",
	proposal.DoClose: "obsolete", proposal.DoMerged: "merged", proposal.DoReject: "rejected",
}

// standing lists what exists, with what the next night would say of it.
func (q *Queue) standing() {
	r := q.run
	state := proposal.State{Base: r.stack.base.Name, Existing: r.stack.existing, Rejected: r.rejections()}
	for _, a := range proposal.Decide(state, proposal.Policy{}, r.Now) {
		q.add(a.Existing, knowledge.RouteQueue, entryStates[a.Do], a.Reason)
	}
	for i := range r.stack.existing {
		x := &r.stack.existing[i]
		switch {
		case x.Kind != proposal.KindUpkeep, x.Status == proposal.Closed:
		case x.Status == proposal.Merged:
			q.add(x, knowledge.RouteUpkeep, "merged", "it is in "+x.Base)
		case x.Touched:
			q.add(x, knowledge.RouteUpkeep, "hands-off", "somebody else changed the branch: it is theirs now, and stays as it is")
		default:
			q.add(x, knowledge.RouteUpkeep, "open", "the rolling branch of upkeep")
		}
	}
}

func (q *Queue) add(x *proposal.Existing, route knowledge.Route, state, reason string) {
	q.Proposals = append(q.Proposals, Entry{
		Slot: x.Slot, Kind: x.Kind, State: state, Title: x.Title, Branch: x.Branch, Base: x.Base, Files: x.Files, Route: route,
		URL: x.URL, Number: x.Number, At: x.At, Reason: reason, existing: x,
	})
}

func (q *Queue) has(slot string) bool {
	return slices.ContainsFunc(q.Proposals, func(e Entry) bool { return e.Slot == slot })
}

// rejected lists the slots that the journal remembers a no for.
func (q *Queue) rejected() {
	known := q.run.rejections()
	for _, j := range known {
		if j.Key != "" || !j.Lifted.IsZero() || q.has(j.Slot) {
			continue
		}
		until := proposal.Policy{}.Until(j.Slot, known)
		q.Proposals = append(q.Proposals, Entry{
			Slot: j.Slot, State: "rejected", Base: q.Branch, Files: []string{}, Route: knowledge.RouteQueue, At: j.At,
			Reason: "a person said no: the same change is not offered again, another one for this file not before " + until.UTC().Format(time.DateOnly),
		})
	}
}

// waiting lists what was found and found no room.
func (q *Queue) waiting() {
	for _, w := range q.run.state.Waiting {
		if q.has(w.Slot) {
			continue
		}
		format, _, _ := q.run.classes.Classify(w.Path)
		kind := kindOf(format, w.Path)
		q.Proposals = append(q.Proposals, Entry{
			Slot: w.Slot, Kind: kind, State: "waiting", Branch: proposal.Branch(kind, proposal.Slug(w.Path), w.Slot), Base: q.Branch,
			Files: []string{w.Path}, Route: knowledge.RouteQueue, At: w.Since,
			Reason: "found, and over a limit or in its cooldown: the next nights offer it, the longest waiting first",
		})
	}
}

// ErrNoProposal says that a name fits none of them, or more than one.
var ErrNoProposal = errors.New("no such proposal")

// Find returns the one proposal that what names: a slot or the beginning of one,
// a branch, or the number of a pull request.
func (q *Queue) Find(what string) (*Entry, error) {
	number, err := strconv.Atoi(strings.TrimPrefix(what, "#"))
	if err != nil || number <= 0 || len(what) >= 8 && !strings.HasPrefix(what, "#") { // eight digits are a slot
		number = -1
	}
	var found []*Entry
	for i := range q.Proposals {
		e := &q.Proposals[i]
		if e.Slot == what || e.Branch == what || e.Number == number || len(what) >= 4 && strings.HasPrefix(e.Slot, what) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, fmt.Errorf("%w: %s: `retrosweep proposals list` names them", ErrNoProposal, what)
	}
	return nil, fmt.Errorf("%w: %s fits %d of them: say more of the slot", ErrNoProposal, what, len(found))
}

// Show fills in what a reviewer reads: the body and the diff.
func (q *Queue) Show(ctx context.Context, e *Entry) error {
	x := e.existing
	if x == nil || x.Head.IsZero() {
		return nil
	}
	base := q.run.stack.base.Commit
	if fork, ok, err := q.run.view.MergeBase(ctx, base, x.Head); err != nil {
		return fmt.Errorf("show %s: %w", x.Branch, err)
	} else if ok {
		base = fork
	}
	diff, err := proposal.DiffTrees(ctx, q.run.view, base, x.Head)
	if err != nil {
		return fmt.Errorf("show %s: %w", x.Branch, err)
	}
	e.Diff = diff.Text
	e.Body = proposal.BodyOf(*x, diff, q.run.host())
	return nil
}

// Accept puts a proposal into its base, as the person who asks. In a dry run it
// only looks whether it could.
func (q *Queue) Accept(ctx context.Context, e *Entry) error {
	if e.State == "merged" {
		return nil
	}
	return q.decide(ctx, e, func(reviewer forge.Reviewer) error {
		x, err := reviewer.Accept(ctx, *e.existing, q.run.stack.base, q.run.Now)
		if err == nil {
			e.State, e.Reason = "merged", "it is in "+x.Base
		}
		return err
	})
}

// Reject is a person's no: the journal remembers it as it does a pull request
// that a person closed, and the branch goes.
func (q *Queue) Reject(ctx context.Context, e *Entry, reason string) error {
	if e.State == "rejected" {
		return nil
	}
	return q.decide(ctx, e, func(reviewer forge.Reviewer) error {
		q.run.remember(proposal.Rejections(e.existing, q.run.rejections(), q.run.Now))
		err := reviewer.Reject(ctx, *e.existing, reason)
		if err == nil {
			e.State, e.Reason = "rejected", "a person said no: the same change is not offered again"
		}
		return err
	})
}

// decide lets a person's word take effect, and keeps it in the journal. Where it
// is cut short after the effect, the next night sees the effect.
func (q *Queue) decide(ctx context.Context, e *Entry, effect func(forge.Reviewer) error) error {
	r := q.run
	if e.existing == nil {
		return fmt.Errorf("%s: %w: it is %s", e.Slot, forge.ErrNotOpen, e.State)
	}
	if !r.Apply {
		return nil
	}
	release, held, err := r.Repo.Lock(ctx, lockName)
	if err != nil {
		return err
	}
	if !held {
		return errors.New("another run holds this repository: try again when it is done")
	}
	defer release()
	reviewer, ok := r.forge.(forge.Reviewer)
	if !ok {
		return errors.New("this place of proposals takes no decisions")
	}
	if err := effect(reviewer); err != nil {
		return err
	}
	if _, err := journal.Save(ctx, r.Repo, r.state, r.stateAt, r.Now); err != nil {
		return err
	}
	if err := r.publish(ctx); errors.Is(err, errBeaten) {
		return errors.New("a night wrote at the same time: it sees what you did; nothing is lost")
	} else if err != nil {
		return err
	}
	return nil
}
