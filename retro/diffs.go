package retro

import (
	"context"
	"slices"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/retro/signal"
)

// diffs remembers what commits changed: the pasts of two signals of the backlog
// are nearly the same commits.
type diffs struct {
	signal.Source
	known map[[2]repo.Hash][]repo.Change
}

// maxDiffs bounds what is remembered.
const maxDiffs = 3000

func newDiffs(of signal.Source) *diffs {
	return &diffs{of, map[[2]repo.Hash][]repo.Change{}}
}

// Diff compares two trees, once.
func (d *diffs) Diff(ctx context.Context, a, b repo.Hash) ([]repo.Change, error) {
	if known, ok := d.known[[2]repo.Hash{a, b}]; ok {
		return slices.Clone(known), nil // callers sort it
	}
	changes, err := d.Source.Diff(ctx, a, b)
	if err == nil && len(d.known) < maxDiffs {
		d.known[[2]repo.Hash{a, b}] = slices.Clone(changes)
	}
	return changes, err
}
