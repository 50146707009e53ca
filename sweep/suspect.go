package sweep

import (
	"context"
	"fmt"
	"slices"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/audit"
	"github.com/retrosweep/retrosweep/sweep/clock"
	"github.com/retrosweep/retrosweep/sweep/judge"
)

// suspect is a fact of which the code that it names has changed: since it was
// last checked, or in the range.
type suspect struct {
	doc     *knowledge.Document
	fact    *knowledge.Fact
	history []journal.Verdict // oldest first
	last    journal.Verdict   // the newest check that said something
	change  *judge.Change
	targets []judge.Target
	before  string // commit of the code before
	face    clock.Face
	ranged  bool // the range changed it
}

// suspects finds the facts that a judge may be asked about. Where they nest,
// the smallest one speaks, unless the outer one declares what it is about.
func (c *court) suspects(ctx context.Context) ([]*suspect, error) {
	look, err := c.lookout(ctx)
	if err != nil || look == nil {
		return nil, err
	}
	var all []*suspect
	for _, d := range c.in.Corpus.Docs {
		if d.Format == knowledge.Archive || d.Event || c.in.Ignore != nil && c.in.Ignore(d.Path) {
			continue
		}
		var of []*suspect
		for i := range d.Facts {
			if !c.may(&d.Facts[i]) {
				continue
			}
			x, err := look.at(ctx, d, &d.Facts[i])
			if err != nil {
				return nil, err
			}
			if x != nil {
				of = append(of, x)
			}
		}
		all = append(all, slices.DeleteFunc(of, func(x *suspect) bool { return spokenFor(x, of) })...)
	}
	return all, nil
}

// may reports whether a fact claims something of code that is not settled by
// what is gone.
func (c *court) may(f *knowledge.Fact) bool {
	s, known := c.states[f]
	return known && s.Open() && !f.Event && f.Type != "user" && f.Type != "feedback" && f.Life.SupersededBy == ""
}

// spokenFor reports whether another suspect of the same document says the same.
func spokenFor(x *suspect, all []*suspect) bool {
	return slices.ContainsFunc(all, func(o *suspect) bool {
		if o == x || o.fact.Span == x.fact.Span {
			return false
		}
		inner, outer := o.fact.Span, x.fact.Span
		if declares(o.fact) && !declares(x.fact) {
			inner, outer = outer, inner
		} else if declares(x.fact) {
			return false
		}
		return outer.Start <= inner.Start && inner.End <= outer.End
	})
}

func declares(f *knowledge.Fact) bool {
	return len(f.Life.AnchorFiles)+len(f.Life.AnchorSymbols) > 0
}

// lookout compares facts with the code as it is now.
type lookout struct {
	*court
	code  *judge.Reader
	faces *clock.Reader
	from  *judge.Change // the range; nil: there is none
	since string        // commit at which it starts
}

// lookout is nil where nothing can be a suspect: no range, and nothing was ever
// checked.
func (c *court) lookout(ctx context.Context) (*lookout, error) {
	ranged := !c.in.All && !c.in.From.IsZero()
	if !ranged && c.in.History == nil {
		return nil, nil
	}
	l := &lookout{court: c}
	var err error
	if l.code, err = judge.NewReader(ctx, c.in.Repo, c.in.To.Tree, c.in.Corpus.Docs); err != nil {
		return nil, err
	}
	if l.faces, err = clock.NewReader(ctx, c.in.Repo, c.in.To.Tree); err != nil {
		return nil, err
	}
	if !ranged {
		return l, nil
	}
	from, err := c.in.Repo.Commit(c.in.From)
	if err != nil {
		return nil, fmt.Errorf("read the start of the range %s: %w", c.in.From, err)
	}
	l.since = from.Hash.String()
	l.from, err = l.code.Since(ctx, from.Tree)
	return l, err
}

// at looks at one fact; nil: nothing of it is suspect.
func (l *lookout) at(ctx context.Context, d *knowledge.Document, f *knowledge.Fact) (*suspect, error) {
	x := &suspect{doc: d, fact: f}
	x.history, x.last = l.past(d, f)
	if x.last.Verdict != "" {
		if done, err := l.sinceChecked(ctx, x); done || err != nil {
			return x.orNil(), err
		}
	}
	if l.in.Judge == nil && x.last.Verdict == "" {
		return nil, nil // the audit has said that what it names has changed; nobody asks how
	}
	l.span(ctx, x)
	if x.change == nil || !x.change.Concerns(f, l.states[f].Touched) {
		return nil, nil
	}
	x.targets = x.change.Targets(d, f)
	if len(x.targets) == 0 {
		return nil, nil
	}
	return x, l.face(ctx, x)
}

// span settles what a fact is compared with: the range, or more where an
// earlier night could not ask about it.
func (l *lookout) span(ctx context.Context, x *suspect) {
	x.change, x.before, x.ranged = l.from, l.since, l.from != nil
	if n := len(x.history); n > 0 && x.history[n-1].Verdict == journal.Deferred {
		if change, err := l.change(ctx, x.history[n-1].Commit); err == nil {
			x.change, x.before = change, x.history[n-1].Commit
		}
	}
}

// orNil is a suspect only where there is something to ask.
func (x *suspect) orNil() *suspect {
	if len(x.targets) == 0 {
		return nil
	}
	return x
}

// past is the history of a claim; that of its page where it has none.
func (l *lookout) past(d *knowledge.Document, f *knowledge.Fact) ([]journal.Verdict, journal.Verdict) {
	if l.in.History == nil {
		return nil, journal.Verdict{}
	}
	all := l.in.History(f.Claim)
	if page := d.Page(); len(all) == 0 && page != nil && page != f {
		all = l.in.History(page.Claim)
	}
	for _, v := range slices.Backward(all) {
		if v.Tells() {
			return all, v
		}
	}
	return all, journal.Verdict{}
}

// sinceChecked looks at a fact that was checked once: what has changed since
// then counts, whatever the range is. It is done where nothing has, or where
// what has is known.
func (l *lookout) sinceChecked(ctx context.Context, x *suspect) (done bool, err error) {
	if err := l.face(ctx, x); err != nil {
		return false, err
	}
	now := clock.Compare(x.last, x.face)
	if x.last.Verdict == string(knowledge.Stale) && len(now.Changed) == 0 && len(x.face.Gone) == 0 && !l.touches(x) {
		l.recall(x, x.last)
		return true, nil
	}
	if len(now.Changed) == 0 {
		return false, nil
	}
	change, err := l.change(ctx, x.last.Commit)
	if err != nil {
		return false, nil // that commit is gone: the range must do
	}
	x.change, x.before, x.ranged = change, x.last.Commit, l.from != nil && len(l.from.Targets(x.doc, x.fact)) > 0
	if x.targets = change.Targets(x.doc, x.fact); len(x.targets) > 0 {
		l.states[x.fact] = audit.State{Verdict: knowledge.Unknown, Reason: knowledge.ReasonChanged, Touched: l.states[x.fact].Touched}
		return true, l.face(ctx, x)
	}
	return true, nil
}

// change compares a commit with now.
func (l *lookout) change(ctx context.Context, commit string) (*judge.Change, error) {
	h, err := l.in.Repo.Resolve(commit)
	if err != nil {
		return nil, err
	}
	at, err := l.in.Repo.Commit(h)
	if err != nil {
		return nil, err
	}
	return l.code.Since(ctx, at.Tree)
}

// touches reports whether the range changed something that a fact names.
func (l *lookout) touches(x *suspect) bool {
	return l.from != nil && len(l.from.Targets(x.doc, x.fact)) > 0
}

// face is how all that a fact names looks now, with the definitions that it
// does not declare and that are asked about.
func (l *lookout) face(ctx context.Context, x *suspect) error {
	var err error
	if x.face, err = l.faces.Face(ctx, x.doc, x.fact); err != nil {
		return err
	}
	for _, t := range x.targets {
		m := clock.Mark{Anchor: knowledge.Anchor{Kind: t.Kind, Text: t.Text}, Path: t.Path, Print: l.code.Print(t)}
		known := slices.ContainsFunc(x.face.Marks, func(o clock.Mark) bool { return o.Key() == m.Key() })
		if t.Kind == knowledge.AnchorSymbol && !known {
			x.face.Marks = append(x.face.Marks, m)
		}
	}
	return nil
}
