package llm

import (
	"fmt"
	"sync"

	"github.com/retrosweep/retrosweep/prompts"
)

// Budget is a ceiling. Zero fields set no limit.
type Budget struct {
	Tokens int     // prompt and completion together
	USD    float64 // holds only for models with a known price
}

// amount is a cost: asked for, reserved or spent.
type amount struct {
	tokens int
	usd    float64
}

func (a amount) plus(b amount) amount  { return amount{a.tokens + b.tokens, a.usd + b.usd} }
func (a amount) minus(b amount) amount { return amount{a.tokens - b.tokens, a.usd - b.usd} }

// account is one ceiling and what was taken from it. Reservations of calls under
// way count like money spent, so calls side by side cannot go over together.
type account struct {
	name  string
	limit Budget
	taken amount
}

// slack forgives the rounding of sums of small prices.
const slack = 1e-9

func (a *account) fits(need amount) error {
	if a.limit.Tokens > 0 && a.taken.tokens+need.tokens > a.limit.Tokens {
		return fmt.Errorf("%w: %s: %d of %d tokens are taken, the next call may need %d",
			ErrBudget, a.name, a.taken.tokens, a.limit.Tokens, need.tokens)
	}
	if a.limit.USD > 0 && a.taken.usd+need.usd > a.limit.USD+slack {
		return fmt.Errorf("%w: %s: $%.4f of $%.2f are taken, the next call may need $%.4f",
			ErrBudget, a.name, a.taken.usd, a.limit.USD, need.usd)
	}
	return nil
}

// meter holds the run's account and one for each stage.
type meter struct {
	mu     sync.Mutex
	run    account
	stages map[string]*account
}

func newMeter(run Budget, stages map[string]Stage) *meter {
	m := &meter{run: account{name: "run", limit: run}, stages: map[string]*account{}}
	for name, s := range stages {
		m.stages[name] = &account{name: "stage " + name, limit: s.Budget}
	}
	return m
}

// reserve takes the worst case before a call, or says which budget is in the way.
func (m *meter) reserve(stage string, fallback Budget, need amount) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	own := m.stages[stage]
	if own == nil {
		own = &account{name: "stage " + stage, limit: fallback}
		m.stages[stage] = own
	}
	for _, a := range []*account{own, &m.run} {
		if err := a.fits(need); err != nil {
			return err
		}
	}
	m.change(stage, need)
	return nil
}

// settle puts what was really used in the place of a reservation.
func (m *meter) settle(stage string, reserved, used amount) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.change(stage, used.minus(reserved))
}

func (m *meter) change(stage string, by amount) {
	m.run.taken = m.run.taken.plus(by)
	m.stages[stage].taken = m.stages[stage].taken.plus(by)
}

// estimate counts the tokens of a text by its bytes: four a token and a tenth
// on top. No vocabulary is needed, and no model is unknown.
func estimate(bytes int) int {
	return ((bytes+3)/4*11 + 9) / 10
}

// envelope is what the protocol's own words around a prompt may cost.
const envelope = 32

func promptTokens(p prompts.Prompt) int {
	return estimate(len(p.System)+len(p.User)+len(p.Schema)) + envelope
}

// measured is what a call really used; what the endpoint does not say, or says
// absurdly, is estimated.
func measured(p prompts.Prompt, r Response) Usage {
	u := r.Usage
	if u.PromptTokens <= 0 || u.PromptTokens > maxTokenCount {
		u.PromptTokens = promptTokens(p)
	}
	if u.CompletionTokens < 0 || u.CompletionTokens > maxTokenCount || u.CompletionTokens == 0 && r.Text != "" {
		u.CompletionTokens = estimate(len(r.Text))
	}
	return u
}

// maxTokenCount is more than any model reads or writes in one call.
const maxTokenCount = 20_000_000
