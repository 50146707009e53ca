package llmtest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/retrosweep/retrosweep/internal/llm"
)

// Fake is a generator that answers from a script by stage, each stage's replies
// in turn. A script that ran out is an error: nothing is repeated unasked.
type Fake struct {
	// Script is read when no Answer is set, or Answer passes.
	Script map[string][]Reply
	// Answer, if set, is asked first.
	Answer func(llm.Request) (Reply, bool)
	// Name is the model's name, "fake" when empty.
	Name string
	// Batch says how its batch goes; without Replies they are those of a call.
	Batch Batch

	mu    sync.Mutex
	asked []llm.Request
	next  map[string]int
	lot   []llm.Request
	ended string
	calls []string
}

// Info says that the fake answers itself.
func (f *Fake) Info() llm.Info {
	if f.Name == "" {
		return llm.Info{Endpoint: "fake.invalid", Model: "fake"}
	}
	return llm.Info{Endpoint: "fake.invalid", Model: f.Name}
}

// Requests lists what was asked so far.
func (f *Fake) Requests() []llm.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.asked)
}

// Generate gives the next scripted reply.
func (f *Fake) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, fmt.Errorf("ask fake: %w", err)
	}
	reply, ok := f.reply(req)
	if !ok {
		return llm.Response{}, &llm.CallError{Kind: llm.ErrUnavailable, Endpoint: f.Info().Endpoint,
			Detail: fmt.Sprintf("the script has no reply left for stage %q", req.Stage)}
	}
	if reply.Fault == Hangs {
		<-ctx.Done()
		return llm.Response{}, fmt.Errorf("ask fake: %w", ctx.Err())
	}
	if want, ok := outcomes[reply.Fault]; ok {
		return llm.Response{}, &llm.CallError{Kind: want.kind, Endpoint: f.Info().Endpoint, Status: want.status,
			Detail: string(reply.Fault), Check: "the script", Transient: want.transient, RetryAfter: reply.RetryAfter}
	}
	return llm.Response{Text: reply.Text, Refusal: reply.Refusal, FinishReason: reply.finish(),
		Model: f.Info().Model, Usage: reply.Usage, Recorded: reply.Recorded}, nil
}

func (f *Fake) reply(req llm.Request) (Reply, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, req)
	if f.Answer != nil {
		if r, ok := f.Answer(req); ok {
			return r, true
		}
	}
	if f.next == nil {
		f.next = map[string]int{}
	}
	i := f.next[req.Stage]
	if i >= len(f.Script[req.Stage]) {
		return Reply{}, false
	}
	f.next[req.Stage] = i + 1
	return f.Script[req.Stage][i], true
}
