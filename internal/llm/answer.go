package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/retrosweep/retrosweep/prompts"
)

// answer asks, and once more when the answer does not fit.
func (c *Client) answer(ctx context.Context, q question, schema *jsonschema.Schema, out any) (remembered, error) {
	var spent Usage
	first, err := c.call(ctx, q, q.prompt, &spent)
	if err != nil {
		return remembered{}, err
	}
	found := decode(first.Text, schema, out)
	if found == nil {
		return remembered{q.key, first.Text, spent, first.Recorded}, nil
	}
	second, err := c.call(ctx, q, repair(q.prompt, first.Text, found), &spent)
	if err != nil {
		return remembered{}, fmt.Errorf("repair an answer that does not fit (%s): %w", list(found), err)
	}
	c.books.repaired(q)
	if found = decode(second.Text, schema, out); found != nil {
		return remembered{}, fmt.Errorf("%w: %s", ErrSchema, list(found))
	}
	return remembered{q.key, second.Text, spent, second.Recorded}, nil
}

// list names the first few violations.
func list(found []Violation) string {
	const most = 3
	parts := make([]string, 0, most+1)
	for i, v := range found {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(found)-most))
			break
		}
		parts = append(parts, v.String())
	}
	return strings.Join(parts, "; ")
}

// call gets one answer: within the budget, retried, counted and not refused.
func (c *Client) call(ctx context.Context, q question, p prompts.Prompt, spent *Usage) (Response, error) {
	if err := c.isDown(q.info); err != nil {
		return Response{}, err
	}
	var r Response
	err := c.retry.do(ctx, func() error {
		var err error
		r, err = c.attempt(ctx, q, p, spent)
		return err
	}, func() { c.books.retried(q) })
	if errors.Is(err, ErrUnavailable) {
		c.markDown(q.info, err)
	}
	if err != nil {
		return Response{}, err
	}
	return r, refusal(r)
}

// attempt is one request: the worst case is reserved before it, and what it used
// replaces that after it. One that may have been paid for unanswered counts
// with its prompt.
func (c *Client) attempt(ctx context.Context, q question, p prompts.Prompt, spent *Usage) (Response, error) {
	worst := q.worst(p)
	if err := c.meter.reserve(q.stage, q.Budget, worst); err != nil {
		return Response{}, err
	}
	r, err := q.Generator.Generate(ctx, Request{Stage: q.stage, Prompt: p, MaxTokens: q.MaxTokens})
	var used Usage
	var failed *CallError
	switch {
	case err == nil:
		used = measured(p, r)
	case errors.As(err, &failed) && failed.Billed, ctx.Err() != nil:
		used.PromptTokens = promptTokens(p)
	}
	cost := q.amount(used.PromptTokens, used.CompletionTokens, used.CachedTokens)
	c.meter.settle(q.stage, worst, cost)
	c.books.asked(q, used, cost.usd, err == nil, err == nil && r.Recorded)
	spent.PromptTokens += used.PromptTokens
	spent.CompletionTokens += used.CompletionTokens
	spent.CachedTokens += used.CachedTokens
	return r, err
}

// refusal tells an answer from what only looks like one.
func refusal(r Response) error {
	switch r.FinishReason {
	case "length":
		return fmt.Errorf("%w: the answer was cut off at the completion limit", ErrRefused)
	case "content_filter":
		return fmt.Errorf("%w: a content filter held the answer back", ErrRefused)
	case "tool_calls", "function_call":
		return fmt.Errorf("%w: it wants to call a tool, and there is none", ErrRefused)
	}
	if r.Refusal != "" {
		return fmt.Errorf("%w: it declined: %s", ErrRefused, OneLine(r.Refusal, 200))
	}
	return nil
}

func (c *Client) isDown(at Info) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.down[at]
}

// markDown keeps the rest of a run from asking an endpoint that failed for good.
func (c *Client) markDown(at Info, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down[at] == nil {
		c.down[at] = err
	}
}
