package sweep

import (
	"context"
	"fmt"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/sweep/audit"
)

// Again looks at documents as if no commit of theirs had been reviewed, and
// returns the edits that an earlier range made needed. What has ended and what a
// judge says is no matter of the range: [Run] finds it in every night, so that
// nobody is asked here and no limit is counted.
func Again(ctx context.Context, in Input) (Result, error) {
	s := &run{in: in}
	res, err := audit.Run(ctx, audit.Input{
		Repo: in.Repo, From: repo.Hash{}, To: in.To, Docs: in.Corpus.Docs, Ignore: in.Ignore, Route: s.route, Now: in.Now,
	})
	if err != nil {
		return Result{}, fmt.Errorf("sweep again: %w", err)
	}
	return Result{Findings: res.Findings, Edits: s.edits(res.Findings)}, nil
}
