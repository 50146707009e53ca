package audit

import (
	"cmp"
	"slices"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// harm is what findings are ordered by.
type harm struct {
	severity int
	later    int // 1 where not every session loads the document
	reach    int // findings about the same target
	since    string
}

// Sort puts first what misleads most: the severest, on the surfaces that are
// always loaded, what most facts repeat, what has been false the longest.
func Sort(fs []knowledge.Finding, docs []*knowledge.Document) []knowledge.Finding {
	startup, reach := map[string]bool{}, map[string]int{}
	for _, d := range docs {
		startup[d.Path] = d.Startup
	}
	for _, f := range fs {
		if f.Was != nil {
			reach[f.Was.Path]++
		}
	}
	of := func(f *knowledge.Finding) harm {
		h := harm{severity: rank(f.Severity), later: 1, since: "9999"}
		if startup[f.Fact.File] {
			h.later = 0
		}
		if f.Since != nil {
			h.since = f.Since.Date
		}
		if f.Was != nil {
			h.reach = reach[f.Was.Path]
		}
		return h
	}
	slices.SortStableFunc(fs, func(x, y knowledge.Finding) int {
		a, b := of(&x), of(&y)
		return cmp.Or(
			cmp.Compare(a.severity, b.severity), cmp.Compare(a.later, b.later),
			cmp.Compare(b.reach, a.reach), cmp.Compare(a.since, b.since),
			cmp.Compare(x.Fact.File, y.Fact.File), cmp.Compare(x.Fact.Line, y.Fact.Line), cmp.Compare(x.ID, y.ID))
	})
	return fs
}
