package night

import (
	"slices"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/retro"
)

// refuse remembers the lessons of a proposal that a person said no to, by the
// evidence that the proposal named: so the lesson is known again in other words.
func (r *run) refuse(no proposal.Rejection) {
	for _, x := range r.stack.existing {
		if x.Slot != no.Slot || x.Content != no.Content {
			continue
		}
		for _, l := range x.Layers {
			for _, why := range l.Why {
				for _, of := range []*map[string]*journal.Candidate{&r.state.Candidates, &r.lessons.Candidates} {
					if *of == nil {
						*of = map[string]*journal.Candidate{}
					}
					retro.Refuse(*of, evidenceOf(why), no.At)
				}
			}
		}
	}
}

// evidenceOf is where a lesson was seen; a sweep's reason, which no model gave,
// has no commit behind its places that a lesson could quote.
func evidenceOf(why proposal.Reason) (out []journal.Where) {
	for _, q := range why.Evidence {
		w := journal.Where{Commit: q.Commit, Path: q.Path, Line: q.Line}
		if q.Commit != "" && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
