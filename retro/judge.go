package retro

import (
	"context"
	"errors"
	"fmt"

	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/retro/signal"
	"github.com/retrosweep/retrosweep/retro/triage"
)

// judge asks about window after window until all are answered or the budget is
// spent. An error means that the pass cannot go on.
func (n *night) judge(ctx context.Context) error {
	fresh := triage.Windows(n.fresh, n.in.Limits.Window)
	backlog := triage.Windows(oldSignals(n.old), min(n.in.Limits.Window, n.in.Limits.Tokens/4)) // small enough to fit beside a full one
	windows := plan(fresh, backlog, n.in.Limits.Tokens)
	if err := n.ahead(ctx, windows); err != nil {
		return err
	}
	for i, w := range windows {
		n.in.Progress(fmt.Sprintf("triage %d/%d: %d signals", i+1, len(windows), len(w.Signals)))
		if err := n.window(ctx, w.Signals); err != nil {
			return err
		}
		if n.spent {
			return nil
		}
	}
	if n.failed > 0 && n.asked == 0 {
		return errors.New("no window got a usable answer")
	}
	return nil
}

func oldSignals(all []old) []*signal.Signal {
	out := make([]*signal.Signal, 0, len(all))
	for _, o := range all {
		if o.signal != nil {
			out = append(out, o.signal)
		}
	}
	return out
}

// Sizes of what triage sees beside the signals.
const (
	rulesInView   = 40
	rulesOfOne    = 5 // rules that one signal may bring
	waitingInView = 30
)

func (n *night) window(ctx context.Context, signals []*signal.Signal) error {
	q, err := n.question(ctx, signals)
	if err != nil {
		return err
	}
	res, err := triage.Ask(ctx, n.in.Model, n.in.Repo, q)
	if err != nil {
		return n.fault(ctx, err)
	}
	n.asked++
	n.warnings = append(n.warnings, res.Warnings...)
	for _, s := range signals {
		n.judged[s.ID] = true
	}
	for _, l := range res.Lessons {
		if err := n.lesson(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// question is one window beside what is known.
func (n *night) question(ctx context.Context, signals []*signal.Signal) (triage.Question, error) {
	waiting := n.shown
	if waiting == nil {
		var err error
		if waiting, err = n.candidates(ctx); err != nil {
			return triage.Question{}, err
		}
	}
	return triage.Question{Signals: signals, Rules: n.rules.Around(triage.Texts(signals), rulesOfOne, rulesInView, n.stood), Waiting: waiting}, nil
}

// ahead asks all windows as one batch, where triage is asked so. None of them sees
// what another finds tonight: a lesson that two of them show waits as two, unless
// its words are the same, and is joined by the next that shows it.
func (n *night) ahead(ctx context.Context, windows []planned) error {
	if !n.in.Model.Batches(triage.Stage) || len(windows) == 0 {
		return nil
	}
	waiting, err := n.candidates(ctx)
	if err != nil {
		return err
	}
	n.shown = append([]triage.Waiting{}, waiting...) // not nil, also where nothing waits
	var all []prompts.Prompt
	for _, w := range windows {
		q, err := n.question(ctx, w.Signals)
		if err != nil {
			return err
		}
		p, err := triage.Prompt(q)
		if err != nil {
			return err
		}
		all = append(all, p)
	}
	n.in.Progress(fmt.Sprintf("triage: a batch of %d", len(all)))
	return n.in.Model.Gather(ctx, triage.Stage, all)
}

// fault sorts what keeps a question from being answered: a spent budget ends
// the pass as planned, one question that fails waits, anything else ends it.
func (n *night) fault(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return err
	case errors.Is(err, llm.ErrBudget):
		n.spent = true
		return nil
	case errors.Is(err, llm.ErrLate):
		n.warn("retro: %v; its signals wait for the next night", err)
		return nil
	case errors.Is(err, llm.ErrSchema), errors.Is(err, llm.ErrRefused):
		n.failed++
		n.warn("retro: %v; its signals wait for the next night", err)
		return nil
	}
	return err
}
