package llm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/retrosweep/retrosweep/prompts"
)

// Stage says who answers a stage's questions and what that may cost.
type Stage struct {
	Generator Generator
	MaxTokens int // completion limit a call, DefaultMaxTokens when 0
	Budget    Budget
	Batch     time.Duration // how long a batch of its questions is waited for; 0: each is asked by itself
}

// Options make a Client.
type Options struct {
	Stages     map[string]Stage
	Default    Stage            // for stages not named above; no Generator: ErrNoModel
	Budget     Budget           // of the whole run
	Repository string           // identity of the repository: part of every cache key
	CacheDir   string           // "": no cache; see DefaultCacheDir
	Prices     map[string]Price // added to, and before, the built-in table
	Retry      Retry
	Now        func() time.Time // the clock; nil: time.Now
}

// DefaultMaxTokens is the completion limit of a call where none is set.
const DefaultMaxTokens = 4096

// Client asks questions within budgets and returns checked answers. It is safe
// for concurrent use. Which questions a nearly spent budget still allows depends
// on their order, so callers that want the same edits twice ask in one order.
type Client struct {
	opts  Options
	cache cache
	meter *meter
	retry retrier
	books *books
	held  *shelf

	mu      sync.Mutex
	schemas map[string]*jsonschema.Schema
	down    map[Info]error // endpoints that failed for good in this run
}

// New makes a client. It sends nothing and makes no file.
func New(o Options) (*Client, error) {
	if o.CacheDir != "" && o.Repository == "" {
		return nil, errors.New("make a model client: a cache needs the repository's identity")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Client{
		opts:    o,
		cache:   cache{dir: o.CacheDir},
		meter:   newMeter(o.Budget, o.Stages),
		retry:   newRetrier(o.Retry),
		books:   newBooks(),
		held:    newShelf(),
		schemas: map[string]*jsonschema.Schema{},
		down:    map[Info]error{},
	}, nil
}

// Usage returns what each stage asked and spent so far.
func (c *Client) Usage() map[string]StageUsage { return c.books.stages() }

// Sent lists where prompts were sent, in the order of first use. An answer from
// the cache sends nothing.
func (c *Client) Sent() []Sent { return c.books.places() }

// Warnings lists what the user should know, each said once.
func (c *Client) Warnings() []string { return c.books.warnings() }

// Has reports whether a model is named for the stage. A nil Client has none.
func (c *Client) Has(stage string) bool {
	return c != nil && c.stage(stage).Generator != nil
}

func (c *Client) stage(name string) Stage {
	s, ok := c.opts.Stages[name]
	if !ok {
		s = c.opts.Default
	}
	if s.MaxTokens == 0 {
		s.MaxTokens = DefaultMaxTokens
	}
	return s
}

// Ask puts one question and decodes the checked answer into out, which stays
// untouched on error. An answer from the cache passes the same check, and is
// charged to the budget (not to the usage) at what it once cost: so an apply
// stops where its dry run stopped.
func (c *Client) Ask(ctx context.Context, stage string, p prompts.Prompt, out any) error {
	if !c.Has(stage) {
		return fmt.Errorf("ask %s: %w", stage, ErrNoModel)
	}
	schema, err := c.schema(p)
	if err != nil {
		return fmt.Errorf("ask %s: prompt %s: %w", stage, p.Name, err)
	}
	q := c.question(stage, p)
	if q.Batch > 0 && c.held.has(q.key) {
		return wrapAsk(stage, p, c.gathered(q, schema, out))
	}
	if hit, err := c.remembered(q, schema, out); hit || err != nil {
		return wrapAsk(stage, p, err)
	}
	if q.Batch > 0 {
		return wrapAsk(stage, p, c.gathered(q, schema, out))
	}
	answer, err := c.answer(ctx, q, schema, out)
	if err != nil {
		return wrapAsk(stage, p, err)
	}
	if err := c.cache.save(answer); err != nil {
		c.books.note("answers are not remembered: " + err.Error())
	}
	return nil
}

func wrapAsk(stage string, p prompts.Prompt, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("ask %s (prompt %s %s): %w", stage, p.Name, p.Version, err)
}

// question is a prompt with everything that one Ask needs to know about it.
type question struct {
	stage string
	Stage
	prompt prompts.Prompt
	info   Info
	key    string
	price  Price
	priced bool
}

func (c *Client) question(stage string, p prompts.Prompt) question {
	q := question{stage: stage, Stage: c.stage(stage), prompt: p}
	q.info = q.Generator.Info()
	q.key = cacheKey(c.opts.Repository, q.info, p)
	listed, priced := priceOf(q.info.Model, c.opts.Prices)
	if q.price, q.priced = listed.Price, priced; q.Batch > 0 {
		q.price = listed.batched()
	}
	c.books.open(q)
	if !q.priced && (c.opts.Budget.USD > 0 || q.Budget.USD > 0) {
		c.books.note(fmt.Sprintf("no price is known for model %s: the USD budget does not hold for it, only the token budget", q.info.Model))
	}
	return q
}

func (q question) amount(prompt, completion, cached int) amount {
	return amount{tokens: prompt + completion, usd: q.price.cost(prompt, completion, cached)}
}

// worst is what a call may cost at most, as far as can be told before it.
func (q question) worst(p prompts.Prompt) amount {
	return q.amount(promptTokens(p), q.MaxTokens, 0)
}

func (c *Client) schema(p prompts.Prompt) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.schemas[string(p.Schema)]; ok {
		return s, nil
	}
	s, err := compile(p.Schema)
	if err == nil {
		c.schemas[string(p.Schema)] = s
	}
	return s, err
}

// remembered answers from the cache, under the budget that a call would have.
func (c *Client) remembered(q question, schema *jsonschema.Schema, out any) (bool, error) {
	r, ok := c.cache.load(q.key)
	if !ok {
		return false, nil
	}
	worst := q.worst(q.prompt)
	if err := c.meter.reserve(q.stage, q.Budget, worst); err != nil {
		return false, err
	}
	if decode(r.Text, schema, out) != nil {
		c.meter.settle(q.stage, worst, amount{})
		return false, nil
	}
	u := measured(q.prompt, Response{Text: r.Text, Usage: r.Usage})
	c.meter.settle(q.stage, worst, q.amount(u.PromptTokens, u.CompletionTokens, u.CachedTokens))
	c.books.cached(q, r.Recorded)
	return true, nil
}
