package night

import (
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
)

// A proposal that a person closed leaves its lessons in the journal by their
// evidence, once, and nothing of another proposal.
func TestClosedProposalIsRememberedByEvidence(t *testing.T) {
	t.Parallel()
	shown := func(commit string) []proposal.Reason {
		return []proposal.Reason{{What: "a rule", Evidence: []knowledge.Quote{{Commit: commit, Path: "a.go", Line: 3}, {Commit: commit, Path: "a.go", Line: 3}}}}
	}
	r := &run{state: &journal.State{}, stack: overlay{existing: []proposal.Existing{
		{Slot: "s1", Content: "c1", Layers: []proposal.Layer{{Why: shown("aaaa")}}},
		{Slot: "s2", Content: "c2", Layers: []proposal.Layer{{Why: shown("bbbb")}}},
	}}}
	no := []proposal.Rejection{{Slot: "s1", Content: "c1", At: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)}, {Slot: "s1", Content: "c1", Key: "edit"}}
	r.remember(no)
	r.remember(no)
	if len(r.state.Candidates) != 1 || len(r.lessons.Candidates) != 1 {
		t.Fatalf("%+v", r.state.Candidates)
	}
	for _, c := range r.lessons.Candidates {
		if len(c.Evidence) != 1 || c.Evidence[0].Commit != "aaaa" || c.Status != "refused" {
			t.Errorf("%+v", c)
		}
	}
}
