package llm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
)

// always is a fake that answers everything and says what it used.
func always(model string, usage llm.Usage) *llmtest.Fake {
	return &llmtest.Fake{Name: model, Answer: func(llm.Request) (llmtest.Reply, bool) {
		return llmtest.Reply{Text: good, Usage: usage}, true
	}}
}

// askUntil asks up to n questions and returns how many were answered and the
// first error.
func askUntil(t *testing.T, c *llm.Client, n int) (int, error) {
	t.Helper()
	for i := range n {
		if _, err := ask(t, c, fmt.Sprintf("commit %d", i)); err != nil {
			return i, err
		}
	}
	return n, nil
}

// budget: ten thousand tiny commits cannot drain a budget, and it is never
// gone over: what a call may cost at most counts before the call.
func TestAttack41Budget(t *testing.T) {
	t.Parallel()
	used := llm.Usage{PromptTokens: 900, CompletionTokens: 100}
	tests := map[string]struct {
		options llm.Options
		model   string
		want    int
		says    string
	}{
		"run tokens":   {llm.Options{Budget: llm.Budget{Tokens: 10_000}, Default: llm.Stage{MaxTokens: 400}}, "gpt-5-mini", 10, "run: "},
		"stage tokens": {llm.Options{Default: llm.Stage{MaxTokens: 400, Budget: llm.Budget{Tokens: 5_000}}}, "gpt-5-mini", 5, "stage triage: "},
		"run dollars":  {llm.Options{Budget: llm.Budget{USD: 0.01}, Default: llm.Stage{MaxTokens: 400}}, "gpt-5", 3, "$"},
		"dated model":  {llm.Options{Budget: llm.Budget{USD: 0.01}, Default: llm.Stage{MaxTokens: 400}}, "openai/gpt-5-2025-08-07", 3, "$"},
		"own price": {llm.Options{Budget: llm.Budget{USD: 0.01}, Default: llm.Stage{MaxTokens: 400},
			Prices: map[string]llm.Price{"house-model": {Prompt: 1.25, Completion: 10}}}, "house-model", 3, "$"},
		"both, the tighter holds": {llm.Options{Budget: llm.Budget{Tokens: 3_000, USD: 100}, Default: llm.Stage{MaxTokens: 400}}, "gpt-5-mini", 3, "tokens"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := always(tt.model, used)
			c := newClient(t, tt.options, fake)
			answered, err := askUntil(t, c, 10_000)
			if !errors.Is(err, llm.ErrBudget) || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("got %v after %d answers, want ErrBudget with %q", err, answered, tt.says)
			}
			if answered != tt.want || len(fake.Requests()) != answered {
				t.Errorf("%d answers by %d requests, want %d", answered, len(fake.Requests()), tt.want)
			}
			u := c.Usage()["triage"]
			if b := tt.options.Budget; b.Tokens > 0 && u.PromptTokens+u.CompletionTokens > b.Tokens || b.USD > 0 && u.USD > b.USD {
				t.Errorf("the budget was gone over: %+v of %+v", u, b)
			}
		})
	}
}

func TestUnknownModelHoldsOnlyTheTokenBudget(t *testing.T) {
	t.Parallel()
	c := newClient(t, llm.Options{Budget: llm.Budget{USD: 0.0001, Tokens: 10_000}, Default: llm.Stage{MaxTokens: 400}},
		always("gpt-5-pro-unheard-of", llm.Usage{PromptTokens: 900, CompletionTokens: 100}))
	answered, err := askUntil(t, c, 100)
	if answered != 10 || !errors.Is(err, llm.ErrBudget) {
		t.Errorf("%d answers, %v; want 10 and ErrBudget by tokens", answered, err)
	}
	if w := c.Warnings(); len(w) != 1 || !strings.Contains(w[0], "no price is known for model gpt-5-pro-unheard-of") {
		t.Errorf("warnings %q, want the rule said once", w)
	}
	if u := c.Usage()["triage"]; u.Priced || u.USD != 0 {
		t.Errorf("usage %+v: an unknown price is not a price", u)
	}
}

// What an endpoint says it used is not believed below zero or beyond reason,
// and silence is not free.
func TestAttackUsageLies(t *testing.T) {
	t.Parallel()
	for _, lie := range []llm.Usage{{}, {PromptTokens: -1 << 40, CompletionTokens: -5}, {PromptTokens: 1 << 60, CompletionTokens: 1 << 60}} {
		c := newClient(t, llm.Options{Budget: llm.Budget{Tokens: 2_000}, Default: llm.Stage{MaxTokens: 100}}, always("gpt-5-mini", lie))
		answered, err := askUntil(t, c, 1_000)
		if answered < 2 || answered > 20 || !errors.Is(err, llm.ErrBudget) {
			t.Errorf("usage %+v: %d answers, %v; want a handful and ErrBudget", lie, answered, err)
		}
	}
}

func TestTimeoutsAreCharged(t *testing.T) {
	t.Parallel()
	g := &failing{err: &llm.CallError{Kind: llm.ErrUnavailable, Endpoint: "x", Transient: true, Billed: true}}
	c := newClient(t, llm.Options{Budget: llm.Budget{Tokens: 1000}, Default: llm.Stage{MaxTokens: 100}}, g)
	_, err := ask(t, c, strings.Repeat("long ", 200))
	if !errors.Is(err, llm.ErrBudget) || g.calls != 2 {
		t.Errorf("got %v after %d calls, want the budget to end the retries after 2", err, g.calls)
	}
	if u := c.Usage()["triage"]; u.PromptTokens == 0 || u.CompletionTokens != 0 {
		t.Errorf("usage %+v", u)
	}
}

type failing struct {
	llmtest.Fake
	err   error
	calls int
}

func (f *failing) Generate(context.Context, llm.Request) (llm.Response, error) {
	f.calls++
	return llm.Response{}, f.err
}

// Calls side by side cannot go over together: reservations count.
func TestBudgetSideBySide(t *testing.T) {
	t.Parallel()
	const limit = 20_000
	fake := always("gpt-5-mini", llm.Usage{PromptTokens: 900, CompletionTokens: 100})
	c := newClient(t, llm.Options{Budget: llm.Budget{Tokens: limit}, Default: llm.Stage{MaxTokens: 400}}, fake)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for j := range 10 {
				if _, err := ask(t, c, fmt.Sprintf("%d/%d", i, j)); err != nil && !errors.Is(err, llm.ErrBudget) {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	u := c.Usage()["triage"]
	if spent := u.PromptTokens + u.CompletionTokens; spent > limit || spent < limit*3/4 {
		t.Errorf("spent %d of %d", spent, limit)
	}
}
