package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/prompts"
)

// StageName is the stage that the suite asks for.
const StageName = "conformance"

// NewGenerator makes a generator under test that will meet these replies, in
// turn, for the stage StageName.
type NewGenerator func(t *testing.T, replies ...Reply) llm.Generator

// Suite is what every generator must pass.
func Suite(t *testing.T, newGenerator NewGenerator) {
	t.Helper()
	t.Run("answers", func(t *testing.T) { t.Parallel(); suiteAnswers(t, newGenerator) })
	t.Run("faults", func(t *testing.T) { t.Parallel(); suiteFaults(t, newGenerator) })
	t.Run("cancel", func(t *testing.T) { t.Parallel(); suiteCancel(t, newGenerator) })
	t.Run("deadline", func(t *testing.T) { t.Parallel(); suiteDeadline(t, newGenerator) })
	t.Run("side by side", func(t *testing.T) { t.Parallel(); suiteSideBySide(t, newGenerator) })
	t.Run("one attempt a call", func(t *testing.T) { t.Parallel(); suiteOneAttempt(t, newGenerator) })
	t.Run("behind a client", func(t *testing.T) { t.Parallel(); suiteClient(t, newGenerator) })
}

// Prompt is a small question with a strict schema: {"answer": string}.
func Prompt(user string) prompts.Prompt {
	return prompts.Prompt{Name: "conformance", Version: "1", System: "Answer in JSON.", User: user,
		Schema: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}`)}
}

func ask(ctx context.Context, g llm.Generator) (llm.Response, error) {
	return g.Generate(ctx, llm.Request{Stage: StageName, Prompt: Prompt("How?"), MaxTokens: 100})
}

func suiteAnswers(t *testing.T, newGenerator NewGenerator) {
	usage := llm.Usage{PromptTokens: 21, CompletionTokens: 8, CachedTokens: 5, ReasoningTokens: 3}
	replies := []Reply{
		{Text: `{"answer":"so"}`, Usage: usage},
		{Text: `{"answer":"replayed"}`, Recorded: true},
		{Text: "", FinishReason: "length", Usage: usage},
		{Text: "", Refusal: "I would rather not."},
		{Text: "", FinishReason: "content_filter"},
		{Text: "two\nlines \u2028 and ⟂"},
	}
	g := newGenerator(t, replies...)
	info := g.Info()
	if info.Endpoint == "" || info.Model == "" {
		t.Errorf("Info() = %+v: endpoint and model must be named", info)
	}
	for i, want := range replies {
		got, err := ask(t.Context(), g)
		if err != nil {
			t.Fatalf("reply %d: %v", i, err)
		}
		got.Model = ""
		if diff := cmp.Diff(llm.Response{Text: want.Text, Refusal: want.Refusal, FinishReason: want.finish(),
			Usage: want.Usage, Recorded: want.Recorded}, got); diff != "" {
			t.Errorf("reply %d (-want +got):\n%s", i, diff)
		}
	}
	if g.Info() != info {
		t.Errorf("Info() changed from %+v to %+v", info, g.Info())
	}
}

func suiteFaults(t *testing.T, newGenerator NewGenerator) {
	for fault, want := range outcomes {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			_, err := ask(t.Context(), newGenerator(t, Reply{Fault: fault, RetryAfter: 7 * time.Second}))
			var failed *llm.CallError
			if !errors.As(err, &failed) {
				t.Fatalf("got %v, want a *llm.CallError", err)
			}
			if !errors.Is(err, want.kind) || failed.Transient != want.transient || failed.Status != want.status {
				t.Errorf("got kind %v, transient %v, status %d; want %+v", failed.Kind, failed.Transient, failed.Status, want)
			}
			if fault == RateLimited && failed.RetryAfter != 7*time.Second {
				t.Errorf("RetryAfter = %s, want 7s", failed.RetryAfter)
			}
		})
	}
}

func suiteCancel(t *testing.T, newGenerator NewGenerator) {
	g := newGenerator(t, Reply{Fault: Hangs})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantContextError(ctx, t, g, context.Canceled)
}

func suiteDeadline(t *testing.T, newGenerator NewGenerator) {
	g := newGenerator(t, Reply{Fault: Hangs})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	wantContextError(ctx, t, g, context.DeadlineExceeded)
}

// wantContextError: the caller's end is not the endpoint's fault.
func wantContextError(ctx context.Context, t *testing.T, g llm.Generator, want error) {
	t.Helper()
	_, err := ask(ctx, g)
	if !errors.Is(err, want) || errors.Is(err, llm.ErrUnavailable) {
		t.Errorf("got %v, want %v and not %v", err, want, llm.ErrUnavailable)
	}
}

func suiteSideBySide(t *testing.T, newGenerator NewGenerator) {
	const n = 8
	replies := []Reply{}
	for range n {
		replies = append(replies, Reply{Text: `{"answer":"same"}`})
	}
	g := newGenerator(t, replies...)
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if r, err := ask(t.Context(), g); err != nil || r.Text != `{"answer":"same"}` {
				t.Errorf("got %q, %v", r.Text, err)
			}
		})
	}
	all.Wait()
}

// suiteOneAttempt: retries are the client's, which counts them.
func suiteOneAttempt(t *testing.T, newGenerator NewGenerator) {
	g := newGenerator(t, Reply{Fault: Overloaded}, Reply{Text: "second"})
	if _, err := ask(t.Context(), g); err == nil {
		t.Fatal("the first call hid a failure")
	}
	if r, err := ask(t.Context(), g); err != nil || r.Text != "second" {
		t.Errorf("second call: %q, %v", r.Text, err)
	}
}

func suiteClient(t *testing.T, newGenerator NewGenerator) {
	g := newGenerator(t, Reply{Fault: RateLimited, RetryAfter: time.Second}, Reply{Text: "Sure!"}, Reply{Text: `{"answer":"repaired"}`})
	noWait := llm.Retry{Sleep: func(context.Context, time.Duration) error { return nil }}
	c, err := llm.New(llm.Options{Default: llm.Stage{Generator: g}, Retry: noWait})
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		Answer string `json:"answer"`
	}
	if err := c.Ask(t.Context(), StageName, Prompt("How?"), &out); err != nil {
		t.Fatal(err)
	}
	u := c.Usage()[StageName]
	if out.Answer != "repaired" || u.Calls != 3 || u.Retried != 1 || u.Repaired != 1 {
		t.Errorf("answer %q, usage %+v", out.Answer, u)
	}
}
