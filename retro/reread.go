package retro

import (
	"context"
	"fmt"
	"strings"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/retro/rules"
	"github.com/retrosweep/retrosweep/retro/signal"
)

// reader reads signals of single commits again, each commit once.
type reader struct {
	in    Input
	diffs *diffs
	read  map[string][]*signal.Signal
}

func newReader(in Input) *reader {
	return &reader{in: in, diffs: newDiffs(in.Repo), read: map[string][]*signal.Signal{}}
}

// signals are the signals of a commit that the journal names. A commit that is
// not part of the reviewed history has none: the journal may be forged. Where it
// counts of which class they are, the commit is compared with what came before.
func (r *reader) signals(ctx context.Context, commit string, compared bool) ([]*signal.Signal, error) {
	key := commit
	if compared {
		key += " and its past"
	}
	if found, ok := r.read[key]; ok {
		return found, nil
	}
	h, err := r.in.Repo.Resolve(commit)
	if err != nil || h.String() != commit {
		return nil, ctx.Err()
	}
	c, err := r.in.Repo.Commit(h)
	if err != nil {
		return nil, ctx.Err()
	}
	if in, err := r.in.Repo.IsAncestor(ctx, h, r.in.Head); err != nil || !in {
		return nil, ctx.Err()
	}
	o := r.in.options()
	if compared {
		if o.Past, err = r.in.past(ctx, c.Parents); err != nil {
			return nil, err
		}
	}
	found, err := signal.Extract(ctx, r.diffs, []repo.Commit{c}, o)
	if err != nil {
		return nil, fmt.Errorf("read %.10s again: %w", commit, err)
	}
	r.read[key] = found.Signals
	return found.Signals, nil
}

// backlogged finds the signal that the journal left over; nil: it is gone.
func (r *reader) backlogged(ctx context.Context, j journal.Signal) (*signal.Signal, error) {
	signals, err := r.signals(ctx, j.Commit, true)
	for _, s := range signals {
		if s.ID == j.ID {
			return s, err
		}
	}
	return nil, err
}

// seen is one place of a candidate's evidence as it stands in history.
type seen struct {
	signal *signal.Signal
	quote  knowledge.Quote
}

// evidence reads the places of a candidate again. A place that no hunk of its
// commit touches is no evidence.
func (r *reader) evidence(ctx context.Context, c *journal.Candidate) ([]seen, error) {
	var out []seen
	for _, w := range c.Evidence {
		signals, err := r.signals(ctx, w.Commit, false)
		if err != nil {
			return nil, err
		}
		for _, s := range signals {
			if text, ok := textAt(s, w); ok {
				out = append(out, seen{s, knowledge.Quote{Commit: w.Commit, Path: w.Path, Line: w.Line, Quote: shown(text)}})
				break
			}
		}
	}
	return out, nil
}

// textAt is what a signal has at a place: the line of the message, the added
// line, or all that its hunk removed there.
func textAt(s *signal.Signal, w journal.Where) (string, bool) {
	if w.Path == "" {
		lines := strings.Split(s.Commit.Message, "\n")
		if w.Line < 1 || w.Line > len(lines) || strings.TrimSpace(lines[w.Line-1]) == "" {
			return "", false
		}
		return lines[w.Line-1], true
	}
	if w.Path != s.Path {
		return "", false
	}
	for _, h := range s.Hunks {
		if at := w.Line - h.NewLine; at >= 0 && at < len(h.Added) {
			return h.Added[at], true
		}
		if at := w.Line - h.OldLine; at >= 0 && at < len(h.Removed) && len(h.Added) == 0 {
			return strings.Join(h.Removed, " "), true
		}
	}
	return "", false
}

// shown is repository text as a prompt or receipt may hold it.
func shown(text string) string {
	text, _ = guard.Scrub(text)
	text, _ = guard.Redact(text)
	return rules.Brief(text, 240)
}
