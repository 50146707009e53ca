package proposal

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// StackPlan says where a night's upkeep goes: on which branch, on top of which
// commit, and what of the branch is built again first.
type StackPlan struct {
	Branch   string
	Existing *Existing // the branch to move; nil: it is opened
	Parent   repo.Hash // the night's commit goes on top of this one, or of what is replayed onto it
	Replay   []Layer   // oldest first; empty where nothing has to be built again
	Reason   string
	Remember []Rejection // of upkeep branches that a person deleted
}

// maxUpkeep is how many upkeep branches people may take over before the name
// runs out.
const maxUpkeep = 50

// Stack plans the rolling upkeep branch: a night's commit goes on top of it;
// when the base moved, what the branch holds is applied to the new base first.
// A branch that somebody else changed is left to them, and the next name is
// taken. Known are the rejections that the journal holds.
func Stack(base Base, existing []Existing, known []Rejection, now time.Time) (StackPlan, error) {
	plan := StackPlan{Parent: base.Commit, Remember: deleted(existing, known, now)}
	byBranch := map[string]*Existing{}
	for i := range existing {
		if x := &existing[i]; x.Kind == KindUpkeep {
			byBranch[x.Branch] = x
		}
	}
	var why string
	for n := 1; n <= maxUpkeep; n++ {
		plan.Branch = upkeepName(n)
		x := byBranch[plan.Branch]
		if reason := yields(x, base); reason != "" {
			why = reason
			continue
		}
		plan.onto(x, base)
		if why != "" {
			plan.Reason = why + "; " + plan.Reason
		}
		return plan, nil
	}
	return StackPlan{}, fmt.Errorf("plan the upkeep branch: %s and %d more are taken: merge or delete some of them", UpkeepBranch, maxUpkeep-1)
}

func upkeepName(n int) string {
	if n == 1 {
		return UpkeepBranch
	}
	return fmt.Sprintf("%s-%d", UpkeepBranch, n)
}

// IsUpkeep reports whether a branch name is one of the rolling branch.
func IsUpkeep(branch string) bool {
	n, numbered := strings.CutPrefix(branch, UpkeepBranch+"-")
	_, err := strconv.Atoi(n)
	return branch == UpkeepBranch || numbered && err == nil
}

// yields says why a branch is left alone; "" where it may be written.
func yields(x *Existing, base Base) string {
	switch {
	case x == nil || x.Status != Open:
		return ""
	case x.Touched:
		return x.Branch + " was changed by somebody else and is theirs now"
	case x.Base != base.Name:
		return fmt.Sprintf("%s is about %s", x.Branch, x.Base)
	}
	return ""
}

func (p *StackPlan) onto(x *Existing, base Base) {
	switch {
	case x == nil:
		p.Reason = "a new branch on " + base.Name
	case x.Status == Merged || x.Holds == HoldsDone:
		p.Reason = fmt.Sprintf("what it held is in %s: it begins again there", base.Name)
		if x.Status == Open {
			p.Existing = x
		}
	case x.Status == Closed:
		p.Reason = "it was deleted: a new one on " + base.Name
	case x.Fork == base.Commit && x.Content != "": // of a write that was cut short, neither base nor head is sure
		p.Existing, p.Parent, p.Reason = x, x.Head, "on top of what waits there"
	default:
		p.Existing, p.Replay = x, x.Layers
		p.Reason = fmt.Sprintf("%s moved: what waits there is applied to it again", base.Name)
		if x.Content == "" {
			p.Reason = fmt.Sprintf("its last write was cut short: what waits there is applied to %s again", base.Name)
		}
	}
}

// deleted are the rejections that follow from upkeep branches which a person
// deleted without merging them.
func deleted(existing []Existing, known []Rejection, now time.Time) []Rejection {
	d := &decider{policy: Policy{}.withDefaults(), now: now, rejected: known}
	var out []Rejection
	for i := range existing {
		x := &existing[i]
		if x.Kind != KindUpkeep || x.Status != Closed || x.ClosedBy != ByPerson {
			continue
		}
		if a := d.remember(x); a != nil {
			out = append(out, a.Remember...)
		}
	}
	return out
}

// Elsewhere returns the edits that no other open upkeep branch holds, and how many
// one does: those of a branch that a person took over, or gave another base, are
// in their hands.
func Elsewhere(edits []knowledge.Edit, existing []Existing, branch string) (kept []knowledge.Edit, held int) {
	theirs := map[string]bool{}
	for i := range existing {
		x := &existing[i]
		if x.Kind != KindUpkeep || x.Status != Open || x.Branch == branch {
			continue
		}
		for _, e := range x.Edits() {
			theirs[EditKey(e)] = true
		}
	}
	for _, e := range edits {
		if theirs[EditKey(e)] {
			held++
			continue
		}
		kept = append(kept, e)
	}
	return kept, held
}

// Allowed returns the edits of a slot that no person rejected before, and how
// many were.
func Allowed(slot string, edits []knowledge.Edit, rejected []Rejection) (kept []knowledge.Edit, refused int) {
	content := Content(edits)
	for _, e := range edits {
		if isRejected(slot, content, EditKey(e), rejected) {
			refused++
			continue
		}
		kept = append(kept, e)
	}
	return kept, refused
}

func isRejected(slot, content, key string, rejected []Rejection) bool {
	for _, r := range rejected {
		if r.Slot == slot && r.Lifted.IsZero() && (r.Key == key || r.Content == content) {
			return true
		}
	}
	return false
}
