package retro

import (
	"context"
	"slices"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/retro/backtest"
	"github.com/retrosweep/retrosweep/retro/patch"
)

// Trial is a check that a rule may become, and what it did on the past.
type Trial struct {
	Kind, Pattern string
	backtest.Result
}

// Bounds of back-tests.
const (
	maxTried  = 2500 // commits of the past that a check is tried on
	maxTrials = 5    // checks that are tried in one night
)

// try back-tests the check of an edit; nil where none was proposed, or none
// could be tried.
func (n *night) try(ctx context.Context, e patch.Edit, evidence []knowledge.Quote) (*Trial, error) {
	if e.Check == nil || n.trials == maxTrials {
		return nil, nil
	}
	n.trials++
	n.in.Progress("trying a check on the past")
	res, err := n.in.Repo.Range(ctx, repo.Hash{}, n.in.Head, maxTried)
	if err != nil {
		return nil, ctx.Err()
	}
	var corrections []repo.Hash
	for _, q := range evidence {
		if h, err := n.in.Repo.Resolve(q.Commit); err == nil && !slices.Contains(corrections, h) {
			corrections = append(corrections, h)
		}
	}
	result, err := e.Check.Run(ctx, n.in.Repo, res.Commits, corrections)
	if err != nil {
		return nil, err
	}
	return &Trial{Kind: e.Check.Kind, Pattern: e.Check.Pattern, Result: result}, nil
}
