package night

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/harm"
)

// Unverified answers which facts nobody has confirmed of late.
type Unverified struct {
	Repo   string            `json:"repo"`
	Branch string            `json:"branch"`
	Head   string            `json:"head"`
	Since  string            `json:"since"`  // YYYY-MM-DD: who was confirmed on or after that day is not listed
	Total  int               `json:"total"`  // facts that name something of the repository, or are entries with a life of their own
	Silent int               `json:"silent"` // other facts: they name nothing that code could look up, and are not listed
	Facts  []UnverifiedEntry `json:"facts"`  // sorted by harm, worst first
}

// UnverifiedEntry is one fact of the list.
type UnverifiedEntry struct {
	Fact     knowledge.FactRef `json:"fact"`
	Format   knowledge.Format  `json:"format"`
	Startup  bool              `json:"startup"`
	Reach    int               `json:"reach"`              // other documents that lead to its file
	Verified string            `json:"verified,omitempty"` // YYYY-MM-DD; "": never
	By       string            `json:"by,omitempty"`
	Status   string            `json:"status,omitempty"` // superseded, draft, ...
}

// ReadUnverified lists the facts that neither the journal nor their own field
// say were confirmed in the time before now. It writes nothing.
func ReadUnverified(ctx context.Context, l Look, within time.Duration) (Unverified, error) {
	look, err := l.read(ctx)
	if err != nil {
		return Unverified{}, err
	}
	scale, err := look.scale(ctx)
	if err != nil {
		return Unverified{}, err
	}
	list := unverified{run: look, scale: scale, since: day(l.Now.Add(-within)), weight: map[string]float64{}}
	list.Unverified = Unverified{Repo: Identity(l.Repo), Branch: look.scope.base(), Head: look.scope.head.Hash.String(), Since: date(list.since), Facts: []UnverifiedEntry{}}
	for _, d := range look.corpus.Docs {
		page := d.Page()
		for i := range d.Facts {
			list.add(d, &d.Facts[i], page)
		}
	}
	slices.SortStableFunc(list.Facts, list.compare)
	return list.Unverified, nil
}

// unverified is such a list while it is made.
type unverified struct {
	Unverified
	run    *run
	scale  *harm.Scale
	since  time.Time
	weight map[string]float64 // by file and id
}

func (u *unverified) add(d *knowledge.Document, f, page *knowledge.Fact) {
	if !asks(d, f, page) {
		return
	}
	if f.Kind != knowledge.KindEntry && !u.scale.Names(f) {
		u.Silent++
		return
	}
	u.Total++
	at, by := u.run.lastConfirmed(f, page)
	if !at.Before(u.since) {
		return
	}
	e := UnverifiedEntry{Fact: f.Ref(), Format: d.Format, Startup: d.Startup, Reach: u.scale.Reach(d.Path), By: by, Status: statusOf(f)}
	if !at.IsZero() {
		e.Verified = date(at)
	}
	u.weight[weightKey(e)] = u.scale.Of(f, at, u.run.Now)
	u.Facts = append(u.Facts, e)
}

func weightKey(e UnverifiedEntry) string { return e.Fact.File + "\x00" + e.Fact.ID }

// compare puts first what does the most harm, then what nobody ever confirmed.
func (u *unverified) compare(a, b UnverifiedEntry) int {
	return cmp.Or(cmp.Compare(u.weight[weightKey(b)], u.weight[weightKey(a)]),
		cmp.Compare(a.Verified, b.Verified), cmp.Compare(a.Fact.File, b.Fact.File), cmp.Compare(a.Fact.Line, b.Fact.Line))
}

// asks reports whether a fact is one that somebody could confirm: no heading,
// no line of an index, no record of what happened, no other tool's, and of a
// memory the whole alone.
func asks(d *knowledge.Document, f, page *knowledge.Fact) bool {
	switch d.Format {
	case knowledge.Archive, knowledge.Docs, knowledge.Store, knowledge.MemoryIndex:
		return false
	case knowledge.Memory:
		return f == page && f.Type != "user"
	}
	switch f.Kind {
	case knowledge.KindHeading, knowledge.KindField, knowledge.KindIndex, knowledge.KindCode:
		return false
	case knowledge.KindEntry:
		return true
	}
	return !f.Event
}

// lastConfirmed is when a claim was last said to be true, and by whom: in the
// journal, of the page that it is part of, or in its own field.
func (r *run) lastConfirmed(f, page *knowledge.Fact) (at time.Time, by string) {
	at = f.Life.Verified
	if !at.IsZero() {
		by = "its own field"
	}
	for _, x := range []*knowledge.Fact{f, page} {
		if x == nil {
			continue
		}
		for _, v := range r.state.Verdicts[x.Claim] {
			if v.Verdict == string(knowledge.Fresh) && v.At.After(at) && !v.At.After(r.Now.Add(24*time.Hour)) {
				at, by = day(v.At), v.By
			}
		}
	}
	return at, by
}

func statusOf(f *knowledge.Fact) string {
	if f.Life.SupersededBy != "" {
		return "superseded"
	}
	return f.Life.Status
}

// scale reads how the documents hang together.
func (r *run) scale(ctx context.Context) (*harm.Scale, error) {
	t, err := r.view.Tree(r.stack.tree)
	if err != nil {
		return nil, err
	}
	entries, err := t.Files(ctx)
	if err != nil {
		return nil, err
	}
	files := make([]string, 0, len(entries))
	for _, e := range entries {
		files = append(files, e.Path)
	}
	return harm.New(r.corpus.Docs, files), nil
}
