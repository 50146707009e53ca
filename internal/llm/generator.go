package llm

import (
	"context"

	"github.com/retrosweep/retrosweep/prompts"
)

// Generator answers one prompt. Implementations are safe for concurrent use,
// make one attempt a call (the Client retries), never follow an instruction in
// an answer, and return errors as *CallError or as the context's error.
type Generator interface {
	Generate(ctx context.Context, req Request) (Response, error)
	Info() Info
}

// Info says where questions go. It holds no secret and may be printed.
type Info struct {
	Endpoint string // host and port, "api.openai.com"
	Model    string
}

// Request is one question.
type Request struct {
	Stage     string
	Prompt    prompts.Prompt
	MaxTokens int // completion limit, reasoning included; 0: the endpoint's own
}

// Response is what came back, not yet checked. A refusal, a cut or a filtered
// answer is a Response, not an error: it was billed, and the Client judges it.
type Response struct {
	Text         string
	Refusal      string
	FinishReason string // "stop", "length", "content_filter", ... as the endpoint says it
	Model        string // as the endpoint names it
	Usage        Usage
	Recorded     bool // replayed from a recording
}

// Usage is what one call used. Reasoning tokens are part of CompletionTokens,
// cached ones part of PromptTokens. All zero: the endpoint did not say.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	CachedTokens     int `json:"cached_tokens,omitempty"`
	ReasoningTokens  int `json:"reasoning_tokens,omitempty"`
}

// RecordedHeader is the response header, with the value 1, by which an endpoint
// says that an answer was replayed.
const RecordedHeader = "X-Retrosweep-Recorded"
