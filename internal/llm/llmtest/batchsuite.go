package llmtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/prompts"
)

// NewBatcher makes a batcher under test whose one batch goes as told, and what
// was called of it so far: submit, look, cancel.
type NewBatcher func(t *testing.T, b Batch) (g llm.Batcher, calls func() []string)

// answered is a reply that fits the schema of Prompt.
func answered(word string) Reply {
	return Reply{Text: `{"answer":"` + word + `"}`, Usage: llm.Usage{PromptTokens: 100, CompletionTokens: 10}}
}

// BatchSuite is what every batcher must pass, behind a client that waits an hour
// for two questions.
func BatchSuite(t *testing.T, newBatcher NewBatcher) {
	t.Helper()
	both := []Reply{answered("one"), answered("two")}
	for _, tt := range []struct {
		name   string
		batch  Batch
		gather error   // what Gather ends with
		asks   []error // what each Ask ends with
		cancel bool
		calls  int // answers that were paid for
	}{
		{"at once", Batch{Replies: both}, nil, []error{nil, nil}, false, 2},
		{"after some looks", Batch{Replies: both, Looks: 5}, nil, []error{nil, nil}, false, 2},
		{"one refused", Batch{Replies: []Reply{{Fault: TooLong}, both[1]}}, nil, []error{llm.ErrRefused, nil}, false, 2},
		{"one filtered", Batch{Replies: []Reply{{FinishReason: "content_filter"}, both[1]}}, nil, []error{llm.ErrRefused, nil}, false, 2},
		{"one that does not fit", Batch{Replies: []Reply{both[0], {Text: "Sure!"}}}, nil, []error{nil, llm.ErrSchema}, false, 2},
		{"expired with a part", Batch{Replies: both[:1], End: "expired"}, nil, []error{nil, llm.ErrLate}, false, 1},
		{"never ends", Batch{Replies: both[:1], End: "never"}, nil, []error{nil, llm.ErrLate}, true, 1},
		{"never ends, nothing done", Batch{Replies: []Reply{}, End: "never"}, nil, []error{llm.ErrLate, llm.ErrLate}, true, 0},
		{"failed", Batch{Replies: both, End: "failed"}, llm.ErrUnavailable, []error{llm.ErrLate, llm.ErrLate}, false, 0},
		{"not let in", Batch{Replies: both, Submit: Unauthorized}, llm.ErrUnavailable, []error{llm.ErrLate, llm.ErrLate}, false, 0},
		{"too many at first", Batch{Replies: both, Submit: RateLimited}, nil, []error{nil, nil}, false, 2},
		{"a look that fails", Batch{Replies: both, Look: Overloaded}, nil, []error{nil, nil}, false, 2},
		{"a look that is refused", Batch{Replies: both, Look: Unauthorized, Looks: 9}, llm.ErrUnavailable, []error{nil, nil}, true, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, calls := newBatcher(t, tt.batch)
			c := newGatherer(t, g, llm.Budget{})
			if err := c.gather(t.Context()); !errors.Is(err, tt.gather) {
				t.Fatalf("gather: %v, want %v", err, tt.gather)
			}
			c.check(t, tt.asks)
			if got := slices.Contains(calls(), "cancel"); got != tt.cancel {
				t.Errorf("cancelled: %v, want %v: %v", got, tt.cancel, calls())
			}
			if sent := c.Sent(); len(sent) != 1 || sent[0].Endpoint != g.Info().Endpoint {
				t.Errorf("sent to %+v", sent)
			}
			if n := c.Usage()[StageName].Calls; n != tt.calls {
				t.Errorf("%d calls were paid for, want %d", n, tt.calls)
			}
		})
	}
	t.Run("told to end", func(t *testing.T) { t.Parallel(); suiteToldToEnd(t, newBatcher) })
	t.Run("budget", func(t *testing.T) { t.Parallel(); suiteBatchBudget(t, newBatcher) })
	t.Run("asked once", func(t *testing.T) { t.Parallel(); suiteAskedOnce(t, newBatcher) })
}

// gatherer is a client with two questions and a clock of its own.
type gatherer struct {
	*llm.Client
	asked []prompts.Prompt
	slept func() // after each wait
}

func newGatherer(t *testing.T, g llm.Generator, budget llm.Budget) *gatherer {
	t.Helper()
	out := &gatherer{asked: []prompts.Prompt{Prompt("One?"), Prompt("Two?")}, slept: func() {}}
	now := time.Date(2026, 11, 30, 4, 0, 0, 0, time.UTC)
	c, err := llm.New(llm.Options{
		Default: llm.Stage{Generator: g, Batch: time.Hour, MaxTokens: 100}, Budget: budget, Now: func() time.Time { return now },
		Repository: "acme/shop", CacheDir: t.TempDir(),
		Retry: llm.Retry{Sleep: func(ctx context.Context, d time.Duration) error {
			now = now.Add(d)
			out.slept()
			return ctx.Err()
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	out.Client = c
	return out
}

func (g *gatherer) gather(ctx context.Context) error { return g.Gather(ctx, StageName, g.asked) }

func (g *gatherer) check(t *testing.T, want []error) {
	t.Helper()
	for i, p := range g.asked {
		var out struct {
			Answer string `json:"answer"`
		}
		err := g.Ask(t.Context(), StageName, p, &out)
		if !errors.Is(err, want[i]) || want[i] == nil && err != nil {
			t.Errorf("question %d: %v, want %v", i, err, want[i])
		}
		if word := []string{"one", "two"}[i]; err == nil && out.Answer != word {
			t.Errorf("question %d: %q, want %q", i, out.Answer, word)
		}
	}
}

// suiteToldToEnd: a run that is stopped leaves no batch behind that costs money.
func suiteToldToEnd(t *testing.T, newBatcher NewBatcher) {
	g, calls := newBatcher(t, Batch{Replies: []Reply{}, End: "never"})
	c := newGatherer(t, g, llm.Budget{})
	ctx, stop := context.WithCancel(t.Context())
	c.slept = stop
	if err := c.gather(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, llm.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	if !slices.Contains(calls(), "cancel") {
		t.Errorf("the batch goes on: %v", calls())
	}
}

// suiteBatchBudget: what no budget is left for is not sent.
func suiteBatchBudget(t *testing.T, newBatcher NewBatcher) {
	g, _ := newBatcher(t, Batch{Replies: []Reply{answered("one")}})
	c := newGatherer(t, g, llm.Budget{Tokens: 300})
	if err := c.gather(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.check(t, []error{nil, llm.ErrBudget})
}

// suiteAskedOnce: what is answered is in no second batch, of this client or of the
// next one with the same memory.
func suiteAskedOnce(t *testing.T, newBatcher NewBatcher) {
	g, calls := newBatcher(t, Batch{Replies: []Reply{answered("one"), answered("two")}})
	c := newGatherer(t, g, llm.Budget{})
	for range 2 {
		if err := c.gather(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c.check(t, []error{nil, nil})
	if diff := cmp.Diff("1 submitted", fmt.Sprintf("%d submitted", count(calls(), "submit"))); diff != "" {
		t.Error(diff)
	}
}

func count(all []string, what string) (n int) {
	for _, c := range all {
		if c == what {
			n++
		}
	}
	return n
}
