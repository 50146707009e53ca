package llmtest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/retrosweep/retrosweep/internal/llm"
)

// Calls lists what was done with batches: submit, look, cancel.
func (f *Fake) Calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

// begin notes a call of a batch and gives the fault that the script has for it,
// once.
func (f *Fake) begin(ctx context.Context, call string, once *Fault) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, call)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", call, err)
	}
	want, faulty := outcomes[*once]
	if !faulty {
		return nil
	}
	detail := string(*once)
	*once = None
	return &llm.CallError{Kind: want.kind, Endpoint: f.Info().Endpoint, Status: want.status, Detail: detail, Transient: want.transient}
}

// Submit takes one batch.
func (f *Fake) Submit(ctx context.Context, reqs []llm.Request) (string, error) {
	if err := f.begin(ctx, "submit", &f.Batch.Submit); err != nil {
		return "", err
	}
	f.lot, f.ended = slices.Clone(reqs), ""
	return "batch", nil
}

// Look says how the batch stands.
func (f *Fake) Look(ctx context.Context, _ string) (llm.Standing, error) {
	if err := f.begin(ctx, "look", &f.Batch.Look); err != nil {
		return llm.Standing{}, err
	}
	if f.ended == "" && f.Batch.End != "never" {
		if f.Batch.Looks--; f.Batch.Looks < 0 {
			if f.ended = f.Batch.End; f.ended == "" {
				f.ended = "completed"
			}
		}
	}
	s := llm.Standing{Ended: f.ended != "", Failed: f.ended == "failed"}
	if !s.Ended {
		return s, nil
	}
	if f.ended != "completed" {
		s.Why = f.ended
	}
	s.Answers = map[int]llm.Answered{}
	for i, req := range f.lot {
		if a, ok := f.lotAnswer(ctx, i, req); ok && !s.Failed {
			s.Answers[i] = a
		}
	}
	return s, nil
}

func (f *Fake) lotAnswer(ctx context.Context, i int, req llm.Request) (llm.Answered, bool) {
	if f.Batch.Replies == nil {
		r, err := f.Generate(ctx, req)
		return llm.Answered{Response: r, Err: err}, true
	}
	if i >= len(f.Batch.Replies) {
		return llm.Answered{}, false
	}
	r := f.Batch.Replies[i]
	if r.Fault != None {
		return llm.Answered{Err: &llm.CallError{Kind: llm.ErrRefused, Endpoint: f.Info().Endpoint, Detail: string(r.Fault)}}, true
	}
	return llm.Answered{Response: llm.Response{Text: r.Text, Refusal: r.Refusal, FinishReason: r.finish(), Model: f.Info().Model, Usage: r.Usage}}, true
}

// Cancel ends the batch.
func (f *Fake) Cancel(ctx context.Context, _ string) error {
	if err := f.begin(ctx, "cancel", new(Fault)); err != nil {
		return err
	}
	if f.lot == nil {
		return errors.New("there is no batch")
	}
	if f.ended == "" {
		f.ended = "cancelled"
	}
	return nil
}
