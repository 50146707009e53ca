package llm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/retrosweep/retrosweep/prompts"
)

// Batcher is a Generator that also takes many questions at once and answers them
// later, for less. Its errors are those of Generate.
type Batcher interface {
	Generator
	// Submit hands questions over and names the batch.
	Submit(ctx context.Context, reqs []Request) (id string, err error)
	// Look says how a batch stands.
	Look(ctx context.Context, id string) (Standing, error)
	// Cancel asks for an end. What was answered by then stays answered, and is billed.
	Cancel(ctx context.Context, id string) error
}

// Standing is how a batch stands.
type Standing struct {
	Ended   bool             // nothing more will come
	Failed  bool             // none of it was begun: the endpoint does not take what we send
	Why     string           // how it ended where not as asked: failed, expired, cancelled; untrusted, one short line
	Answers map[int]Answered // by the place of the question, once it ended
}

// Answered is one answer of a batch, or why there is none.
type Answered struct {
	Response Response
	Err      error
}

// ErrLate says that a question was part of a batch that did not answer it in
// time. It costs nothing, and may be asked again another night.
var ErrLate = errors.New("the batch did not answer in time")

// How a batch is waited for.
const (
	firstLook   = 5 * time.Second
	longestLook = time.Minute
	cancelling  = 10 * time.Minute // how long a batch may take to end once it is cancelled
	farewell    = 15 * time.Second // how long a run that was told to end takes for that
)

// Batches reports whether the questions of a stage are gathered: they must be
// handed to Gather before they are asked.
func (c *Client) Batches(stage string) bool { return c.Has(stage) && c.stage(stage).Batch > 0 }

// Gather asks questions of a stage as one batch and waits for the answers, which
// Ask then gives. What is left when the time is over is cancelled; Ask answers
// ErrLate for it. An error is an endpoint that does not serve us, or a context
// that ended: then the batch is cancelled as well.
func (c *Client) Gather(ctx context.Context, stage string, all []prompts.Prompt) error {
	s := c.stage(stage)
	g, ok := s.Generator.(Batcher)
	if !ok {
		return fmt.Errorf("ask %s: %s takes no batches", stage, s.Generator.Info().Endpoint)
	}
	b := &batch{c: c, g: g, wait: s.Batch}
	for _, p := range all {
		if err := b.add(c.question(stage, p)); err != nil {
			return wrapAsk(stage, p, err)
		}
	}
	if len(b.asked) == 0 {
		return nil
	}
	if err := b.run(ctx); err != nil {
		return fmt.Errorf("ask %s as a batch of %d: %w", stage, len(b.asked), err)
	}
	return nil
}

// batch is one batch on its way.
type batch struct {
	c     *Client
	g     Batcher
	wait  time.Duration
	asked []question
	heads []*jsonschema.Schema
}

// add takes a question into the batch, unless it is answered already or no budget
// is left for it.
func (b *batch) add(q question) error {
	schema, err := b.c.schema(q.prompt)
	if err != nil {
		return err
	}
	if _, known := b.c.cache.load(q.key); known || b.c.held.has(q.key) {
		return nil
	}
	if err := b.c.meter.reserve(q.stage, q.Budget, q.worst(q.prompt)); err != nil {
		b.c.held.put(q.key, held{err: err})
		return nil
	}
	b.asked, b.heads = append(b.asked, q), append(b.heads, schema)
	return nil
}

func (b *batch) run(ctx context.Context) error {
	answers, err := b.answers(ctx)
	for i, q := range b.asked {
		b.take(q, b.heads[i], answers[i])
	}
	return err
}

// answers submits the batch and waits for its end.
func (b *batch) answers(ctx context.Context) (map[int]*Answered, error) {
	if err := b.c.isDown(b.asked[0].info); err != nil {
		return nil, err
	}
	reqs := make([]Request, len(b.asked))
	for i, q := range b.asked {
		reqs[i] = Request{Stage: q.stage, Prompt: q.prompt, MaxTokens: q.MaxTokens}
	}
	first := b.asked[0] // they are sent, whatever comes back
	b.c.books.went(Sent{Stage: first.stage, Endpoint: first.info.Endpoint, Model: first.info.Model}, false, false)
	id, err := b.submit(ctx, reqs)
	if err != nil {
		return nil, b.fault(err)
	}
	standing, err := b.await(ctx, id, b.wait)
	if err != nil || !standing.Ended {
		standing, err = b.cancel(ctx, id, err)
	}
	if standing.Failed && err == nil {
		return nil, b.fault(&CallError{Kind: ErrUnavailable, Endpoint: b.asked[0].info.Endpoint, Detail: "the batch " + standing.Why, Check: "that it takes batches for this model"})
	}
	if standing.Why != "" {
		b.c.books.note(fmt.Sprintf("the batch of %d questions ended without all its answers: %s", len(b.asked), OneLine(standing.Why, 200)))
	}
	out := map[int]*Answered{}
	for i, a := range standing.Answers {
		out[i] = &a
	}
	return out, b.fault(err)
}

// submit tries again only where the endpoint said that it did not take the batch:
// one that is lost on the way back may have begun.
func (b *batch) submit(ctx context.Context, reqs []Request) (id string, err error) {
	err = b.c.retry.do(ctx, func() error {
		var err error
		id, err = b.g.Submit(ctx, reqs)
		var failed *CallError
		if errors.As(err, &failed) && failed.Status != 429 && failed.Status != 503 {
			failed.Transient = false
		}
		return err
	}, func() { b.c.books.retried(b.asked[0]) })
	return id, err
}

func (b *batch) fault(err error) error {
	if errors.Is(err, ErrUnavailable) {
		b.c.markDown(b.asked[0].info, err)
	}
	return err
}

// await looks at a batch, less and less often, until it ends or the time is over.
func (b *batch) await(ctx context.Context, id string, limit time.Duration) (Standing, error) {
	end, pause := b.c.opts.Now().Add(limit), firstLook
	for {
		s, err := b.g.Look(ctx, id)
		var failed *CallError
		if err == nil && s.Ended {
			return s, nil
		}
		if err != nil && !(errors.As(err, &failed) && failed.Transient) {
			return Standing{}, err
		}
		if failed != nil {
			pause = max(pause, min(failed.RetryAfter, longestLook))
		}
		left := end.Sub(b.c.opts.Now())
		if left <= 0 {
			return Standing{}, nil
		}
		if err := b.c.retry.Sleep(ctx, min(pause, left)); err != nil {
			return Standing{}, err
		}
		pause = min(pause*3/2, longestLook)
	}
}

// cancel ends a batch, so that it costs nothing more, and takes what it has
// answered by then. It is done also where the run was told to end.
func (b *batch) cancel(ctx context.Context, id string, why error) (Standing, error) {
	free, limit := context.WithoutCancel(ctx), cancelling
	if ctx.Err() != nil { // somebody waits for us
		var stop context.CancelFunc
		free, stop = context.WithTimeout(free, farewell)
		defer stop()
		limit = 0
	}
	if err := b.g.Cancel(free, id); err != nil {
		b.c.books.note(fmt.Sprintf("batch %s could not be cancelled and may cost money yet: %v", OneLine(id, 80), err))
		return Standing{}, why
	}
	s, err := b.await(free, id, limit)
	if why == nil && !s.Ended {
		b.c.books.note(fmt.Sprintf("batch %s was cancelled, and had not ended: what it answered is not known", OneLine(id, 80)))
	}
	if err != nil && why == nil {
		why = err
	}
	return s, why
}

// take settles one question of the batch and keeps its answer for Ask.
func (b *batch) take(q question, schema *jsonschema.Schema, a *Answered) {
	worst := q.worst(q.prompt)
	if a == nil || errors.Is(a.Err, ErrLate) {
		b.c.meter.settle(q.stage, worst, amount{})
		b.c.held.put(q.key, held{err: ErrLate})
		return
	}
	var used Usage
	if a.Err == nil {
		used = measured(q.prompt, a.Response)
	}
	cost := q.amount(used.PromptTokens, used.CompletionTokens, used.CachedTokens)
	b.c.meter.settle(q.stage, worst, cost)
	b.c.books.asked(q, used, cost.usd, a.Err == nil, a.Err == nil && a.Response.Recorded)
	err := a.Err
	if err == nil {
		err = refusal(a.Response)
	}
	if err == nil {
		if found := fits(a.Response.Text, schema); found != nil {
			err = fmt.Errorf("%w: %s", ErrSchema, list(found))
		}
	}
	b.c.held.put(q.key, held{text: a.Response.Text, err: err})
	if err == nil {
		if err := b.c.cache.save(remembered{q.key, a.Response.Text, used, a.Response.Recorded}); err != nil {
			b.c.books.note("answers are not remembered: " + err.Error())
		}
	}
}
