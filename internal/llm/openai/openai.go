// Package openai asks models over the OpenAI chat completions protocol. It owns
// what that wire can do to us: it sends the key to the configured host alone,
// follows no redirect, bounds time and size of every answer, and turns the many
// shapes of failure into llm.CallError. Only wiring imports it.
package openai

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"time"

	api "github.com/sashabaranov/go-openai"

	"github.com/retrosweep/retrosweep/internal/llm"
)

type generator struct {
	info       llm.Info
	timeout    time.Duration
	tokenParam TokenParam
	scrub      func(string) string // takes the key out of a text
	client     *api.Client
}

// New makes a generator for one endpoint and model. It sends nothing.
func New(o Options) (llm.Generator, error) {
	o, base, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	// The library is given no token: its configuration would print it.
	config := api.DefaultConfig("")
	config.BaseURL = base.String()
	config.HTTPClient = &http.Client{Transport: newTransport(base, o.APIKey, o.HTTPClient)}
	return &generator{
		info:       llm.Info{Endpoint: base.Host, Model: o.Model},
		timeout:    o.Timeout,
		tokenParam: o.TokenParam,
		scrub:      scrubber(o.APIKey),
		client:     api.NewClientWithConfig(config),
	}, nil
}

// Info says where questions go.
func (g *generator) Info() llm.Info { return g.info }

// Generate makes one attempt.
func (g *generator) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	seen := &observed{}
	call, cancel := context.WithTimeout(withObserved(ctx, seen), g.timeout)
	defer cancel()
	answer, err := g.client.CreateChatCompletion(call, g.wire(req))
	if err != nil {
		return llm.Response{}, g.failure(ctx, seen, err)
	}
	if len(answer.Choices) == 0 {
		return llm.Response{}, g.empty(seen)
	}
	return response(answer, seen), nil
}

func (g *generator) wire(req llm.Request) api.ChatCompletionRequest {
	w := api.ChatCompletionRequest{
		Model:    g.info.Model,
		Messages: messages(req),
		ResponseFormat: &api.ChatCompletionResponseFormat{
			Type: api.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &api.ChatCompletionResponseFormatJSONSchema{
				Name: schemaName(req.Prompt.Name), Schema: req.Prompt.Schema, Strict: true,
			},
		},
	}
	if !reasons(g.info.Model) {
		// Zero would be left out, and the endpoint's default is not zero.
		w.Temperature = math.SmallestNonzeroFloat32
	}
	if g.tokenParam == MaxTokens {
		//lint:ignore SA1019 older local servers know no other name
		w.MaxTokens = req.MaxTokens
	} else {
		w.MaxCompletionTokens = req.MaxTokens
	}
	return w
}

func messages(req llm.Request) []api.ChatCompletionMessage {
	user := api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, Content: req.Prompt.User}
	if req.Prompt.System == "" {
		return []api.ChatCompletionMessage{user}
	}
	return []api.ChatCompletionMessage{{Role: api.ChatMessageRoleSystem, Content: req.Prompt.System}, user}
}

// schemaName fits a prompt's name into what the protocol allows: letters,
// digits, - and _, at most 64.
func schemaName(name string) string {
	clean := make([]rune, 0, 64)
	for _, r := range name {
		ok := r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !ok {
			r = '_'
		}
		if len(clean) < 64 {
			clean = append(clean, r)
		}
	}
	if len(clean) == 0 {
		return "answer"
	}
	return string(clean)
}

func response(a api.ChatCompletionResponse, seen *observed) llm.Response {
	choice := a.Choices[0]
	r := llm.Response{
		Text:         choice.Message.Content,
		Refusal:      choice.Message.Refusal,
		FinishReason: string(choice.FinishReason),
		Model:        a.Model,
		Usage:        llm.Usage{PromptTokens: a.Usage.PromptTokens, CompletionTokens: a.Usage.CompletionTokens},
		Recorded:     seen.recorded,
	}
	if d := a.Usage.PromptTokensDetails; d != nil {
		r.Usage.CachedTokens = d.CachedTokens
	}
	if d := a.Usage.CompletionTokensDetails; d != nil {
		r.Usage.ReasoningTokens = d.ReasoningTokens
	}
	return r
}

// Format keeps every verb from printing more than endpoint and model.
func (g *generator) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "%s at %s", g.info.Model, g.info.Endpoint)
}
