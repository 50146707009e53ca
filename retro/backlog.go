package retro

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/retro/signal"
	"github.com/retrosweep/retrosweep/retro/triage"
)

// maxNights is how many nights a signal waits before it is dropped by name.
const maxNights = 30

// planned is a window in its turn.
type planned struct {
	triage.Window
	backlog bool
}

// plan puts the windows of a night in order: those of the range by rank, and
// between them those of the backlog, oldest first, up to half of the tokens.
// It alternates, so that the backlog cannot starve the range nor the range the
// backlog, however early the model's own budget ends.
func plan(fresh, backlog []triage.Window, tokens int) []planned {
	var out []planned
	spent, half := 0, 0
	for len(fresh)+len(backlog) > 0 {
		if len(fresh) > 0 {
			if spent+fresh[0].Tokens > tokens {
				fresh = nil
			} else {
				spent += fresh[0].Tokens
				out, fresh = append(out, planned{fresh[0], false}), fresh[1:]
			}
		}
		if len(backlog) > 0 {
			if half+backlog[0].Tokens > tokens/2 || spent+backlog[0].Tokens > tokens {
				backlog = nil
			} else {
				half, spent = half+backlog[0].Tokens, spent+backlog[0].Tokens
				out, backlog = append(out, planned{backlog[0], true}), backlog[1:]
			}
		}
	}
	return out
}

// old is a signal of the backlog with what the journal says of it. signal is
// nil where tonight has no room for it.
type old struct {
	signal *signal.Signal
	entry  journal.Signal
}

// recall reads the backlog again, oldest first, as far as tokens reach. What
// cannot be found any more is named in gone.
func (r *reader) recall(ctx context.Context, backlog []journal.Signal, tokens int) (found []old, gone []string, err error) {
	entries := slices.Clone(backlog)
	slices.SortStableFunc(entries, func(a, b journal.Signal) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
	seen := map[string]bool{}
	for _, e := range entries {
		if seen[e.ID] {
			continue
		}
		seen[e.ID] = true
		if tokens <= 0 {
			found = append(found, old{nil, e})
			continue
		}
		s, err := r.backlogged(ctx, e)
		if err != nil {
			return nil, nil, err
		}
		if s == nil {
			gone = append(gone, "backlog: "+nameOf(e)+" is not in the reviewed history, dropped")
			continue
		}
		tokens -= triage.Size(s)
		found = append(found, old{s, e})
	}
	return found, gone, nil
}

func nameOf(e journal.Signal) string {
	return guard.TerminalLine(fmt.Sprintf("%s %.10s %s:%d", e.Class, e.Commit, e.Path, e.Line), 240)
}

// entryOf is a signal as the journal keeps it.
func entryOf(s *signal.Signal) journal.Signal {
	return journal.Signal{ID: s.ID, Commit: s.Commit.Hash.String(), Path: s.Path, Line: s.Line(), Class: string(s.Class)}
}
