package audit

import (
	"cmp"
	"slices"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/harm"
)

// rank is what findings are ordered by.
type rank struct {
	severity int
	later    int     // 1 where not every session loads the document
	reach    float64 // findings about the same target, and how many pages lead to this one, as far as its status leaves it any weight
	since    string
}

// Sort puts first what misleads most: the severest, on the surfaces that are
// always loaded, what most facts repeat and most pages lead to, what has been
// false the longest. What is superseded or done sinks among its equals and
// stays in the list.
func Sort(fs []knowledge.Finding, docs []*knowledge.Document, lead map[string]int, now time.Time) []knowledge.Finding {
	s := sorter{startup: map[string]bool{}, facts: map[string]*knowledge.Fact{}, same: map[string]int{}, lead: lead, now: now}
	for _, d := range docs {
		s.startup[d.Path] = d.Startup
		for i := range d.Facts {
			s.facts[d.Path+"\x00"+d.Facts[i].ID] = &d.Facts[i]
		}
	}
	for _, f := range fs {
		if f.Was != nil {
			s.same[f.Was.Path]++
		}
	}
	slices.SortStableFunc(fs, func(x, y knowledge.Finding) int {
		a, b := s.of(&x), s.of(&y)
		return cmp.Or(
			cmp.Compare(a.severity, b.severity), cmp.Compare(a.later, b.later),
			cmp.Compare(b.reach, a.reach), cmp.Compare(a.since, b.since),
			cmp.Compare(x.Fact.File, y.Fact.File), cmp.Compare(x.Fact.Line, y.Fact.Line), cmp.Compare(x.ID, y.ID))
	})
	return fs
}

type sorter struct {
	startup map[string]bool
	facts   map[string]*knowledge.Fact
	same    map[string]int
	lead    map[string]int
	now     time.Time
}

func (s *sorter) of(f *knowledge.Finding) rank {
	r := rank{severity: severityRank(f.Severity), later: 1, since: "9999"}
	if s.startup[f.Fact.File] {
		r.later = 0
	}
	if f.Since != nil {
		r.since = f.Since.Date
	}
	if f.Was != nil {
		r.reach = float64(s.same[f.Was.Path])
	}
	r.reach += float64(s.lead[f.Fact.File])
	if fact := s.facts[f.Fact.File+"\x00"+f.Fact.ID]; fact != nil {
		r.reach *= harm.Standing(fact, s.now)
	}
	return r
}

// leads counts for each path the documents that name it.
func leads(claims []*claim) map[string]int {
	type edge struct {
		from *knowledge.Document
		to   string
	}
	seen, out := map[edge]bool{}, map[string]int{}
	for _, c := range claims {
		e := edge{c.doc, c.at.Path}
		if e.to != "" && e.to != c.doc.Path && !seen[e] {
			seen[e] = true
			out[e.to]++
		}
	}
	return out
}
