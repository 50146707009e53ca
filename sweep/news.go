package sweep

import (
	"context"
	"errors"
	"fmt"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// maxOld is the largest file that is read as it was before the range, in bytes.
const maxOld = 1 << 20

// news tells which facts the range has made: their document changed, and none of
// the changed documents said the same before, so that what moved from one to the
// other is not new. Without a range every fact is.
func (s *run) news(ctx context.Context) (func(*knowledge.Fact) bool, error) {
	if s.in.All || s.in.From.IsZero() {
		return func(*knowledge.Fact) bool { return true }, nil
	}
	changes, err := s.in.Repo.Diff(ctx, s.in.From, s.in.To.Hash)
	if err != nil && !errors.Is(err, repo.ErrMissing) {
		return nil, fmt.Errorf("compare %s with %s: %w", s.in.From, s.in.To.Hash, err)
	}
	classes := knowledge.NewClassifier(nil)
	touched, before := map[string]bool{}, map[string]bool{}
	for _, ch := range changes {
		touched[ch.To.Path] = true
		for _, f := range s.was(ch.From, classes) {
			before[f.Claim] = true
		}
	}
	return func(f *knowledge.Fact) bool { return touched[f.File] && !before[f.Claim] }, nil
}

// was are the facts of a file before the range; none where it was no document or
// cannot be read.
func (s *run) was(e repo.Entry, classes *knowledge.Classifier) []knowledge.Fact {
	format, _, ok := classes.Classify(e.Path)
	if d := s.in.Corpus.Doc(e.Path); d != nil {
		format, ok = d.Format, true
	}
	if !ok || e.Path == "" {
		return nil
	}
	src, err := s.in.Repo.Blob(e.Hash, maxOld)
	if err != nil {
		return nil
	}
	return knowledge.Parse(e.Path, src, format).Facts
}
