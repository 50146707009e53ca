package proposal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Do is what is done about one slot. Its values are the proposal states of the
// receipt.
type Do string

// What can be done about a slot.
const (
	DoOpen     Do = "opened"
	DoUpdate   Do = "updated"
	DoNothing  Do = "unchanged"
	DoWait     Do = "waiting"
	DoReject   Do = "rejected"
	DoMerged   Do = "merged" // closing it on the forge tidies up
	DoHandsOff Do = "hands-off"
	DoClose    Do = "closed"
)

// Writes reports whether the action writes to the forge.
func (d Do) Writes() bool { return d == DoOpen || d == DoUpdate || d == DoClose }

// State is what a decision is made from.
type State struct {
	Base     string
	Wanted   []Wanted
	Existing []Existing // every state, the rolling upkeep branch too
	Rejected []Rejection
	Acted    time.Time // when a person last merged or closed one; zero: not known
}

// Policy holds the limits. The zero value of a field takes the default.
type Policy struct {
	NewPerRun int           // 1
	MaxOpen   int           // 3
	Cooldown  time.Duration // 30 days
	MaxFiles  int           // 20
	MaxLines  int           // 400
	Idle      time.Duration // without a person's decision on what is open, nothing new is opened; 0: no bound
}

func (p Policy) withDefaults() Policy {
	p.NewPerRun = cmp.Or(p.NewPerRun, 1)
	p.MaxOpen = cmp.Or(p.MaxOpen, 3)
	p.Cooldown = cmp.Or(p.Cooldown, 30*24*time.Hour)
	p.MaxFiles = cmp.Or(p.MaxFiles, 20)
	p.MaxLines = cmp.Or(p.MaxLines, 400)
	return p
}

// Action is one decision, with its reason as a sentence for people.
type Action struct {
	Do       Do
	Slot     string
	Kind     string
	Branch   string
	Content  string           // of Edits
	Edits    []knowledge.Edit // what the branch is to hold
	Wanted   *Wanted
	Existing *Existing
	Reason   string
	Remember []Rejection // to be kept in the journal
}

// Decide says what to do about every slot that is wanted or exists. It is a
// pure function: the same state, policy and day give the same actions in the
// same order. The rolling upkeep branch is not decided here (see [Stack]); a
// slot that waits is decided again in the next run.
func Decide(s State, p Policy, now time.Time) []Action {
	d := &decider{policy: p.withDefaults(), now: now, base: s.Base, rejected: slices.Clone(s.Rejected)}
	d.stop = stopped(s, d.policy, now)
	bySlot := map[string]*Existing{}
	for i := range s.Existing {
		x := &s.Existing[i]
		if x.Kind == KindUpkeep {
			continue
		}
		d.note(x)
		if prev := bySlot[x.Slot]; prev == nil || newer(x, prev) {
			bySlot[x.Slot] = x
		}
	}
	actions := d.existing(s.Existing, bySlot, s.Wanted)
	return append(actions, d.wanted(s.Wanted, bySlot)...)
}

// newer prefers the open proposal of a slot, then the one written last.
func newer(x, prev *Existing) bool {
	if (x.Status == Open) != (prev.Status == Open) {
		return x.Status == Open
	}
	return x.At.After(prev.At)
}

type decider struct {
	policy   Policy
	now      time.Time
	base     string
	rejected []Rejection
	open     []*Existing // live ones; closing one frees its place
	opened   int
	stop     string // why nothing new is opened
}

// note counts a proposal against the limits.
func (d *decider) note(x *Existing) {
	if x.Status == Open {
		d.open = append(d.open, x)
	}
}

// existing decides about proposals that exist, whether or not they are wanted.
func (d *decider) existing(all []Existing, bySlot map[string]*Existing, wanted []Wanted) []Action {
	isWanted := map[string]bool{}
	for _, w := range wanted {
		isWanted[w.Slot] = true
	}
	var out []Action
	for i := range all {
		x := &all[i]
		if bySlot[x.Slot] != x {
			continue
		}
		if a := d.standing(x, isWanted[x.Slot]); a != nil {
			out = append(out, *a)
		}
	}
	return out
}

// standing is what follows from how a proposal stands, before anything wanted
// is looked at; nil where nothing follows.
func (d *decider) standing(x *Existing, wanted bool) *Action {
	switch {
	case x.Status == Closed && x.ClosedBy == ByPerson:
		return d.remember(x)
	case x.Status == Merged:
		return d.about(x, DoMerged, "it is in %s", x.Base)
	case x.Status == Closed:
		return nil
	case x.Touched:
		return d.about(x, DoHandsOff, "somebody else changed the branch: it is theirs now, and stays as it is")
	case x.Base != d.base:
		return d.about(x, DoWait, "it was made against %s, and this run is about %s: left as it is", x.Base, d.base)
	case x.Holds == HoldsDone:
		return d.closing(x, "what it changes is in %s already", x.Base)
	case x.Holds == HoldsGone:
		return d.closing(x, "what it would change is no longer in %s", x.Base)
	case wanted:
		return nil // decided with what is wanted
	case x.Conflict:
		return d.about(x, DoUpdate, "%s changed the same lines: built again on top of it", x.Base)
	}
	return d.about(x, DoNothing, "open, and nothing about it changed")
}

func (d *decider) about(x *Existing, do Do, reason string, args ...any) *Action {
	return &Action{Do: do, Slot: x.Slot, Kind: x.Kind, Branch: x.Branch, Content: x.Content, Edits: x.Edits(), Existing: x, Reason: fmt.Sprintf(reason, args...)}
}

func (d *decider) closing(x *Existing, reason string, args ...any) *Action {
	d.open = slices.DeleteFunc(d.open, func(o *Existing) bool { return o == x })
	return d.about(x, DoClose, reason, args...)
}

// remember turns a person's no into rejections, once.
func (d *decider) remember(x *Existing) *Action {
	at := x.Ended
	if at.IsZero() { // a deleted branch does not say when: the clock starts when it is noticed
		at = d.now
	}
	fresh := Rejections(x, d.rejected, at)
	if len(fresh) == 0 {
		return nil
	}
	d.rejected = append(d.rejected, fresh...)
	a := d.about(x, DoReject, "a person closed it: the same change is not offered again, another one for this file not before %s", at.Add(d.policy.Cooldown).UTC().Format(time.DateOnly))
	a.Remember = fresh
	return a
}

// wanted decides about what the run has to offer, the longest waiting first.
func (d *decider) wanted(wanted []Wanted, bySlot map[string]*Existing) []Action {
	order := make([]*Wanted, len(wanted))
	for i := range wanted {
		order[i] = &wanted[i]
	}
	slices.SortStableFunc(order, func(a, b *Wanted) int {
		return cmp.Or(a.Since.Compare(b.Since), strings.Compare(a.Slot, b.Slot))
	})
	var out []Action
	for _, w := range order {
		if a := d.want(w, bySlot[w.Slot]); a != nil {
			out = append(out, *a)
		}
	}
	return out
}

func (d *decider) want(w *Wanted, x *Existing) *Action {
	if x != nil && x.Status == Open {
		if !slices.Contains(d.open, x) {
			return d.offer(w, nil, DoWait, "the obsolete proposal for this file is closed first; this follows in the next run")
		}
		if x.Touched || x.Base != d.base {
			return nil // said above
		}
	}
	edits, refused := Allowed(w.Slot, w.Edits, d.rejected)
	if len(edits) == 0 && refused > 0 {
		return d.offer(w, x, DoReject, "a person rejected this change before")
	}
	w = &Wanted{Slot: w.Slot, Kind: w.Kind, Target: w.Target, Branch: w.Branch, Edits: edits, Files: w.Files, Read: w.Read, Lines: w.Lines, Since: w.Since}
	if x != nil && x.Status == Open {
		return d.update(w, x)
	}
	return d.opening(w, x)
}

func (d *decider) update(w *Wanted, x *Existing) *Action {
	union := Union(x.Edits(), w.Edits)
	content := Content(union)
	if content == x.Content && !x.Conflict {
		return d.offer(w, x, DoNothing, "open with the same content")
	}
	if reason := d.tooLarge(w); reason != "" {
		return d.offer(w, x, DoWait, "%s", reason)
	}
	a := d.offer(w, x, DoUpdate, "there is more to say about %s", w.Target)
	if content == x.Content {
		a.Reason = fmt.Sprintf("%s changed the same lines: built again on top of it", x.Base)
	}
	a.Edits, a.Content = union, content
	return a
}

func (d *decider) opening(w *Wanted, x *Existing) *Action {
	if until := d.coolUntil(w.Slot); until.After(d.now) {
		return d.offer(w, x, DoWait, "a proposal for %s was rejected: nothing new before %s", w.Target, until.UTC().Format(time.DateOnly))
	}
	if d.stop != "" {
		return d.offer(w, x, DoWait, "%s", d.stop)
	}
	if reason := d.tooLarge(w); reason != "" {
		return d.offer(w, x, DoWait, "%s", reason)
	}
	for _, o := range d.open {
		if f := firstShared(o.Files, w.Files); f != "" {
			return d.offer(w, x, DoWait, "%s is open for %s already", o.Branch, f)
		}
	}
	if d.opened >= d.policy.NewPerRun {
		return d.offer(w, x, DoWait, "limit: %d new a run", d.policy.NewPerRun)
	}
	if d.ours() >= d.policy.MaxOpen {
		return d.offer(w, x, DoWait, "limit: %d open at a time", d.policy.MaxOpen)
	}
	d.opened++
	d.open = append(d.open, &Existing{Slot: w.Slot, Branch: w.Branch, Files: w.Files, Status: Open})
	return d.offer(w, x, DoOpen, "new")
}

// ours counts the open proposals that wait for a person's word. A branch that
// somebody took over is theirs, and stands in the way of its own files only.
func (d *decider) ours() int {
	n := 0
	for _, o := range d.open {
		if !o.Touched {
			n++
		}
	}
	return n
}

func (d *decider) offer(w *Wanted, x *Existing, do Do, reason string, args ...any) *Action {
	return &Action{Do: do, Slot: w.Slot, Kind: w.Kind, Branch: w.Branch, Content: Content(w.Edits), Edits: w.Edits, Wanted: w, Existing: x, Reason: fmt.Sprintf(reason, args...)}
}

func (d *decider) tooLarge(w *Wanted) string {
	switch files := cmp.Or(w.Read, len(w.Files)); {
	case files > d.policy.MaxFiles:
		return fmt.Sprintf("too large to review: %d files, the limit is %d", files, d.policy.MaxFiles)
	case w.Lines > d.policy.MaxLines:
		return fmt.Sprintf("too large to review: %d changed lines, the limit is %d", w.Lines, d.policy.MaxLines)
	}
	return ""
}

// coolUntil is the end of the cooldown of a slot; zero where none was rejected,
// or a person asked for the slot since.
func (d *decider) coolUntil(slot string) time.Time {
	var until, asked time.Time
	for _, r := range d.rejected {
		if r.Slot == slot {
			asked = later(asked, r.Lifted)
		}
	}
	for _, r := range d.rejected {
		if end := r.At.Add(d.policy.Cooldown); r.Slot == slot && r.At.After(asked) && end.After(until) {
			until = end
		}
	}
	return until
}

func firstShared(a, b []string) string {
	for _, f := range a {
		if slices.Contains(b, f) {
			return f
		}
	}
	return ""
}

// Union joins the edits a branch holds with new ones. An edit that is there
// already is not added twice, and a new edit of the same place of a fact takes
// the place of the old one.
func Union(held, fresh []knowledge.Edit) []knowledge.Edit {
	out := slices.Clone(held)
	for _, e := range fresh {
		i := slices.IndexFunc(out, func(o knowledge.Edit) bool { return EditKey(o) == EditKey(e) || samePlace(o, e) })
		switch {
		case i < 0:
			out = append(out, e)
		case EditKey(out[i]) != EditKey(e):
			out[i] = e
		}
	}
	return out
}

// samePlace reports whether two edits write the same text of the same fact.
// Additions never do: two of them are two facts.
func samePlace(a, b knowledge.Edit) bool {
	if a.Path != b.Path || a.FactID != b.FactID || a.Op != b.Op || a.FactID == "" || a.Op == knowledge.OpAdd {
		return false
	}
	return a.Field == b.Field && a.Old == b.Old
}
