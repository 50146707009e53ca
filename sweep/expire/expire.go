package expire

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Policy is what limits a run.
type Policy struct {
	Archives int                               // archives a run may make by itself; 0: 10
	Route    func(path string) knowledge.Route // where an edit of a file may go; nil: upkeep
	Fresh    func(f *knowledge.Fact) bool      // whether the last check of the claim was fresh; nil: none was
	Task     func(f *knowledge.Fact) Task      // how the task stands that a fact waits for; nil: nobody can look
}

// The limits of a run that nobody set.
const (
	defaultArchives = 10
	smallFile       = 5 // in a file of so many entries at least, half is too much for one run
)

// Decision is what becomes of one fact, and why.
type Decision struct {
	Fact   *knowledge.Fact
	Due    time.Time // zero where no date can be told
	Reason string
	Kind   kind

	Together bool // one of too many: they are all one question
}

// kind is what a decision comes to.
type kind int

const (
	kindKeep kind = iota
	kindDue
	kindNoDate
	kindUnreachable
	kindLook
)

// Plan sorts the facts that were written to end. Facts with no end are in none
// of the lists.
type Plan struct {
	Archive []Decision // due, and few enough to be retired by the run itself; oldest first
	Propose []Decision // due, and for a person to decide
	Keep    []Decision // not due yet
	Unknown []Decision // meant to end, but no date can be read
	Hidden  []Decision // wait for a task that nobody could look at
	Look    []Decision // wait for a task that ended otherwise than by being completed
}

// Due returns all decisions about facts that are due, oldest first.
func (p *Plan) Due() []Decision {
	return slices.Concat(p.Archive, p.Propose)
}

// Decide sorts facts by their end on the day of now.
func Decide(facts []*knowledge.Fact, policy Policy, now time.Time) Plan {
	var plan Plan
	var due []Decision
	entries := map[string]int{}
	for _, f := range facts {
		if f.Kind == knowledge.KindEntry {
			entries[f.File]++
		}
		if !ends(f) {
			continue
		}
		d := decide(f, policy, now)
		switch d.Kind {
		case kindDue:
			due = append(due, d)
		case kindNoDate:
			plan.Unknown = append(plan.Unknown, d)
		case kindUnreachable:
			plan.Hidden = append(plan.Hidden, d)
		case kindLook:
			plan.Look = append(plan.Look, d)
		default:
			plan.Keep = append(plan.Keep, d)
		}
	}
	slices.SortStableFunc(due, func(a, b Decision) int { return a.Due.Compare(b.Due) })
	plan.split(due, entries, policy)
	return plan
}

// ends reports whether the fact was written to end and has not ended yet.
func ends(f *knowledge.Fact) bool {
	l := f.Life
	if !l.Archived.IsZero() || l.SupersededBy != "" || strings.EqualFold(l.Status, "archived") {
		return false
	}
	if !l.Expires.IsZero() || l.RetireWhen != "" {
		return true
	}
	if l.Indefinite {
		return false
	}
	return l.TTL > 0 || slices.ContainsFunc(l.Unreadable, func(name string) bool {
		return strings.EqualFold(name, "ttl") || strings.EqualFold(name, "expires")
	})
}

// decide looks at one fact: at its date, and at its task where the date is not
// over. A reason names days, never how long ago they are: it goes into the edit,
// and the same edit must read the same tomorrow.
func decide(f *knowledge.Fact, policy Policy, now time.Time) Decision {
	d := byDate(f, now)
	if f.Life.RetireWhen == "" || d.Kind == kindDue {
		return d
	}
	t := Task{State: Unreachable}
	if policy.Task != nil {
		t = policy.Task(f)
	}
	return byTask(Decision{Fact: f, Due: d.Due}, t, now)
}

func byDate(f *knowledge.Fact, now time.Time) Decision {
	due, ok := knowledge.DueDate(f.Life)
	if !ok {
		return Decision{Fact: f, Reason: noDate(f), Kind: kindNoDate}
	}
	day := due.Format(time.DateOnly)
	switch {
	case due.After(now):
		return Decision{Fact: f, Due: due, Reason: "holds until " + day, Kind: kindKeep}
	case !f.Life.Expires.IsZero() && !f.Life.Expires.After(due):
		return Decision{Fact: f, Due: due, Reason: "expired on " + day, Kind: kindDue}
	}
	return Decision{Fact: f, Due: due, Reason: fmt.Sprintf("its time of %s ended on %s", count(int(f.Life.TTL.Hours()/24), "day"), day), Kind: kindDue}
}

func noDate(f *knowledge.Fact) string {
	if len(f.Life.Unreadable) > 0 {
		return "cannot be dated: " + strings.Join(f.Life.Unreadable, ", ") + " cannot be read"
	}
	return "has a TTL and no readable date to count it from"
}

// split says which due facts the run may retire by itself. Too many at once
// are all left to a person: a wrong date then costs one look, not a store.
func (p *Plan) split(due []Decision, entries map[string]int, policy Policy) {
	limit := policy.Archives
	if limit <= 0 {
		limit = defaultArchives
	}
	var mine []Decision
	for _, d := range due {
		switch why := policy.person(d.Fact); why {
		case "":
			mine = append(mine, d)
		default:
			d.Reason += "; " + why
			p.Propose = append(p.Propose, d)
		}
	}
	why := tooMany(mine, entries, limit)
	if why == "" {
		p.Archive = mine
		return
	}
	for _, d := range mine {
		d.Reason, d.Together = d.Reason+"; "+why, true
		p.Propose = append(p.Propose, d)
	}
	slices.SortStableFunc(p.Propose, func(a, b Decision) int { return a.Due.Compare(b.Due) })
}

// person says why a person must decide about f, "" if a run may.
func (p Policy) person(f *knowledge.Fact) string {
	if p.Fresh != nil && p.Fresh(f) {
		return "its last check was fresh: renew or archive"
	}
	if p.Route == nil {
		return ""
	}
	switch p.Route(f.File) {
	case knowledge.RouteQueue:
		return "the file is changed by proposal only"
	case knowledge.RouteNever:
		return "the file is not edited"
	}
	return ""
}

func tooMany(due []Decision, entries map[string]int, limit int) string {
	if len(due) > limit {
		return fmt.Sprintf("%d are due at once, more than %d", len(due), limit)
	}
	perFile := map[string]int{}
	for _, d := range due {
		perFile[d.Fact.File]++
	}
	for _, d := range due {
		if n := entries[d.Fact.File]; n >= smallFile && 2*perFile[d.Fact.File] > n {
			return fmt.Sprintf("over half of the %d entries of %s are due at once", n, d.Fact.File)
		}
	}
	return ""
}

func count(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
