package sweep

import (
	"context"
	"fmt"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/audit"
	"github.com/retrosweep/retrosweep/sweep/clock"
)

// confirm makes fresh what was checked once and has not changed since, and says
// of what changed that it did. No model is asked and nothing is stamped: the
// journal that remembers the checks can be forged.
func (s *run) confirm(ctx context.Context, states map[*knowledge.Fact]audit.State) error {
	if s.in.Checked == nil {
		return nil
	}
	var reader *clock.Reader
	for _, d := range s.in.Corpus.Docs {
		page := d.Page()
		for i := range d.Facts {
			f := &d.Facts[i]
			v, ok := s.checked(f, page)
			if !ok || !states[f].Open() {
				continue
			}
			if reader == nil {
				var err error
				if reader, err = clock.NewReader(ctx, s.in.Repo, s.in.To.Tree); err != nil {
					return fmt.Errorf("sweep: %w", err)
				}
			}
			face, err := reader.Face(ctx, d, f)
			if err != nil {
				return fmt.Errorf("sweep: %w", err)
			}
			states[f] = standing(states[f], v, face)
		}
	}
	return nil
}

// checked is the newest check of a claim; of a part of a page that of the page,
// which speaks for all of it.
func (s *run) checked(f, page *knowledge.Fact) (journal.Verdict, bool) {
	if v, ok := s.in.Checked(f.Claim); ok || page == nil || page == f {
		return v, ok
	}
	return s.in.Checked(page.Claim)
}

// standing is the state of a fact that was checked.
func standing(was audit.State, v journal.Verdict, face clock.Face) audit.State {
	if v.Verdict != string(knowledge.Fresh) || len(face.Marks) == 0 {
		return was
	}
	now := clock.Compare(v, face)
	if now.Holds {
		return audit.State{Verdict: knowledge.Fresh, Touched: was.Touched}
	}
	was.Reason = now.Reason
	return was
}
