package night

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge/local"
	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/sweep/clock"
)

// Trail is the life of one fact as the journal, the history and the entry itself
// tell it.
type Trail struct {
	Repo     string                 `json:"repo"`
	Branch   string                 `json:"branch"`
	Head     string                 `json:"head"`
	Fact     knowledge.FactRef      `json:"fact"`
	Claim    string                 `json:"claim"`
	Archived bool                   `json:"archived"`
	Verdict  knowledge.Verdict      `json:"verdict"` // of the last check, held against the code of today
	Reason   string                 `json:"reason,omitempty"`
	Changed  []string               `json:"changed,omitempty"` // anchors that look different than when it was checked
	Anchors  []report.CheckedAnchor `json:"anchors"`           // what it names today
	Fields   []TrailField           `json:"fields"`            // what the entry says of itself
	Due      string                 `json:"due,omitempty"`     // YYYY-MM-DD on which it was written to retire
	Events   []TrailEvent           `json:"events"`            // oldest first
}

// TrailField is one lifecycle field of the entry.
type TrailField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// TrailEvent is one thing that happened to the fact.
type TrailEvent struct {
	At      time.Time `json:"at"`
	What    string    `json:"what"`             // checked, found, edited, archived
	Detail  string    `json:"detail,omitempty"` // the verdict, the rule, the title of the commit, the reason
	Who     string    `json:"who,omitempty"`
	Against string    `json:"against,omitempty"` // what a check was held against
	Commit  string    `json:"commit,omitempty"`
	Run     string    `json:"run,omitempty"`
}

// trailCommits bounds how far back the history is read for a trail.
const trailCommits = 2000

// ReadTrail finds a fact, in the archives too, and tells its life. It writes
// nothing.
func ReadTrail(ctx context.Context, l Look, name string) (Trail, error) {
	look, err := l.read(ctx)
	if err != nil {
		return Trail{}, err
	}
	f, archived, err := look.anyFact(name)
	if err != nil {
		return Trail{}, err
	}
	d := look.corpus.Doc(f.File)
	t := Trail{
		Repo: Identity(l.Repo), Branch: look.scope.base(), Head: look.scope.head.Hash.String(),
		Fact: f.Ref(), Claim: f.Claim, Archived: archived, Fields: fieldsOf(d, f),
		Anchors: []report.CheckedAnchor{}, Events: []TrailEvent{},
	}
	if due, ok := knowledge.DueDate(f.Life); ok {
		t.Due = date(due)
	}
	if why, ok := d.ArchivedFor(f); ok {
		t.Events = append(t.Events, TrailEvent{At: f.Life.Archived, What: "archived", Detail: why, Against: f.File})
	}
	tr := &trailer{run: look, doc: d, fact: f, trail: &t}
	for _, step := range []func(context.Context) error{tr.now, tr.history, tr.checks, tr.runs, tr.waiting} {
		if err := step(ctx); err != nil {
			return Trail{}, err
		}
	}
	slices.SortStableFunc(t.Events, func(a, b TrailEvent) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.What, b.What)) })
	return t, nil
}

// anyFact finds a fact among those that hold, else among the archived.
func (r *run) anyFact(name string) (f *knowledge.Fact, archived bool, err error) {
	if f, err = r.one(name, false); err == nil {
		return f, false, nil
	}
	if gone := r.find(name, true); len(gone) == 1 {
		return gone[0], true, nil
	}
	return nil, false, err
}

// trailer collects the events of one fact.
type trailer struct {
	*run
	doc    *knowledge.Document
	fact   *knowledge.Fact
	trail  *Trail
	people map[string]string // hash of an address to a name
}

func (t *trailer) add(e TrailEvent) { t.trail.Events = append(t.trail.Events, e) }

// lifeFields are those that a trail shows, in this order.
var lifeFields = []string{"created", "verified", "renewed", "ttl", "expires", "retire_when", "status", "supersedes", "superseded_by", "archived", "reason"}

func fieldsOf(d *knowledge.Document, f *knowledge.Fact) []TrailField {
	out := []TrailField{}
	for _, name := range lifeFields {
		if v, ok := d.Field(f, name); ok && v != "" {
			out = append(out, TrailField{name, v})
		}
	}
	return out
}

// now holds the last check against the code of today.
func (t *trailer) now(ctx context.Context) error {
	reader, err := clock.NewReader(ctx, t.view, t.scope.head.Tree)
	if err != nil {
		return err
	}
	face, err := reader.Face(ctx, t.doc, t.fact)
	if err != nil {
		return err
	}
	for _, m := range face.Marks {
		t.trail.Anchors = append(t.trail.Anchors, report.CheckedAnchor{Kind: m.Anchor.Kind, Text: m.Anchor.Text, Path: m.Path, Fingerprint: m.Print, Reason: m.Why})
	}
	t.trail.Verdict, t.trail.Reason = knowledge.Unknown, knowledge.ReasonUnconfirmed
	if len(face.Marks) == 0 {
		t.trail.Reason = knowledge.ReasonNoAnchor
	}
	v, ok := t.state.Last(t.fact.Claim)
	if page := t.doc.Page(); !ok && page != nil {
		v, ok = t.state.Last(page.Claim)
	}
	switch {
	case len(face.Gone) > 0:
		t.trail.Verdict, t.trail.Reason = knowledge.Broken, anchorTexts(face.Gone)+" is not there"
	case ok && len(face.Marks) > 0:
		s := clock.Compare(v, face)
		t.trail.Reason = s.Reason
		if s.Holds {
			t.trail.Verdict = knowledge.Verdict(v.Verdict)
		}
		for _, m := range s.Changed {
			t.trail.Changed = append(t.trail.Changed, m.Anchor.Text)
		}
	}
	return nil
}

// checks are those of the journal: of the claim as it reads now, and of what
// the fact said before.
func (t *trailer) checks(context.Context) error {
	for claim, all := range t.state.Verdicts {
		for _, v := range all {
			if claim != t.fact.Claim && v.Fact != t.fact.ID {
				continue
			}
			e := TrailEvent{At: v.At, What: "checked", Detail: v.Verdict, Who: t.name(v.By), Against: against(v), Commit: v.Commit}
			if claim != t.fact.Claim {
				e.Detail += " (the text has changed since)"
			}
			t.add(e)
		}
	}
	return nil
}

func against(v journal.Verdict) string {
	n := len(v.Fingerprints)
	switch n {
	case 0:
		return "nothing that code can look up"
	case 1:
		return "1 fingerprint, " + v.Fingerprints[0]
	}
	return fmt.Sprintf("%d fingerprints", n)
}

// name is a person whom the journal tells by a hash, if the history has them.
func (t *trailer) name(by string) string {
	if name, ok := t.people[by]; ok {
		return name
	}
	return by
}

// history are our commits on the branch that name the fact, and the people who
// may have checked it.
func (t *trailer) history(ctx context.Context) error {
	t.people = map[string]string{}
	var ours []repo.Commit
	n := 0
	err := t.Repo.FirstParents(ctx, t.scope.head.Hash, func(c repo.Commit) bool {
		n++
		t.people[Person(c.Author.Email)] = c.Author.Name
		if _, ok := proposal.ParseTrailers(c.Message); ok {
			ours = append(ours, c)
		}
		return n < trailCommits
	})
	if err != nil && !errors.Is(err, repo.ErrMissing) {
		return err
	}
	for _, c := range ours {
		if line, ok := t.naming(c.Message); ok {
			trailers, _ := proposal.ParseTrailers(c.Message)
			t.add(TrailEvent{At: c.Committer.When, What: "edited", Detail: line, Who: c.Author.Name, Commit: c.Hash.String(), Run: trailers.Run})
		}
	}
	return nil
}

// naming is the reason of one of our commits that is about the fact.
func (t *trailer) naming(message string) (string, bool) {
	fold := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for _, reason := range strings.Split(message, "\n- ")[1:] {
		reason = fold(strings.Split(reason, "\n\n")[0])
		if title := fold(t.fact.Title); title != "" && strings.Contains(reason, title) || strings.Contains(reason, t.fact.ID) {
			return reason, true
		}
	}
	return "", false
}

// runs are what the last runs found of the fact.
func (t *trailer) runs(context.Context) error {
	all, _ := receipts(t.state)
	for _, r := range all {
		for _, f := range r.Findings {
			if f.Fact.ID == t.fact.ID {
				t.add(TrailEvent{At: r.Started, What: "found", Detail: string(f.Verdict) + " by " + f.Rule, Who: "retrosweep " + r.Command, Commit: r.Range.To, Run: r.Run})
			}
		}
	}
	return nil
}

// waiting are the edits of open branches that name the fact.
func (t *trailer) waiting(ctx context.Context) error {
	open, err := local.New(t.Repo, identity).List(ctx, proposal.Base{Name: t.scope.base(), Commit: t.scope.head.Hash})
	if err != nil {
		return err
	}
	for _, x := range open {
		for _, l := range x.Layers {
			for _, e := range l.Edits {
				if x.Status == proposal.Open && e.FactID == t.fact.ID {
					t.add(TrailEvent{At: l.At, What: "offered", Detail: offered(e), Who: "retrosweep", Against: "waits on " + x.Branch, Commit: l.Commit, Run: l.Run})
				}
			}
		}
	}
	return nil
}

func offered(e knowledge.Edit) string {
	what := string(e.Op)
	if e.Field != "" {
		what = "set " + e.Field + " to " + e.Value
	}
	if e.Reason != "" {
		what += ": " + e.Reason
	}
	return what
}
