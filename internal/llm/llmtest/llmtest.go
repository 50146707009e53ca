// Package llmtest holds what tests need in the place of a model: scripted
// replies, a fake generator and an HTTP server that give them, and the suite
// that every generator must pass.
package llmtest

import (
	"time"

	"github.com/retrosweep/retrosweep/internal/llm"
)

// Reply is one scripted answer, or one way not to get any.
type Reply struct {
	Text         string
	Refusal      string
	FinishReason string // "stop" when empty
	Usage        llm.Usage
	Recorded     bool
	Fault        Fault
	RetryAfter   time.Duration
}

// Fault is a way in which a call fails.
type Fault string

// The faults a script may hold.
const (
	None         Fault = ""
	Unauthorized Fault = "unauthorized" // 401
	RateLimited  Fault = "rate limited" // 429
	Overloaded   Fault = "overloaded"   // 503
	Missing      Fault = "missing"      // 404: no such model
	TooLong      Fault = "too long"     // 400: more than the context holds
	NoChoices    Fault = "no choices"   // 200 without an answer
	Garbage      Fault = "garbage"      // 200 with a page of HTML
	Hangs        Fault = "hangs"        // no answer until the caller gives up
)

// outcome is what a generator must make of a fault.
type outcome struct {
	status    int
	kind      error
	transient bool
}

var outcomes = map[Fault]outcome{
	Unauthorized: {401, llm.ErrUnavailable, false},
	RateLimited:  {429, llm.ErrUnavailable, true},
	Overloaded:   {503, llm.ErrUnavailable, true},
	Missing:      {404, llm.ErrUnavailable, false},
	TooLong:      {400, llm.ErrRefused, false},
	NoChoices:    {200, llm.ErrUnavailable, true},
	Garbage:      {200, llm.ErrUnavailable, false},
}

func (r Reply) finish() string {
	if r.FinishReason == "" {
		return "stop"
	}
	return r.FinishReason
}
