package openai

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/retrosweep/retrosweep/internal/llm"
)

// failure sorts what went wrong by what was seen on the wire, not by the
// library's error types: a string error matches two of those, vLLM's flat one
// loses its text, and Retry-After is on none. ctx is the caller's.
func (g *generator) failure(ctx context.Context, seen *observed, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("ask %s at %s: %w", g.info.Model, g.info.Endpoint, ctx.Err())
	}
	e := &llm.CallError{Kind: llm.ErrUnavailable, Endpoint: g.info.Endpoint, Status: seen.status, RetryAfter: seen.retryAfter}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		e.Detail = "no answer within " + g.timeout.String()
		e.Transient, e.Billed, e.Check = true, true, "the timeout (llm.timeout) and the endpoint's load"
	case errors.Is(err, errRedirect):
		e.Cause, e.Check = errRedirect, "the base URL"
	case errors.Is(err, errTooLarge):
		e.Cause, e.Billed, e.Check = errTooLarge, true, "that the base URL is a chat completions endpoint"
	case !seen.sent:
		e.Cause, e.Check = err, "the model's name"
	case seen.status == 0:
		g.unreachable(e, err)
	case !seen.whole:
		e.Detail, e.Transient, e.Billed = "the answer was cut off", true, true
	case seen.status < 300:
		e.Detail, e.Billed, e.Check = "an answer that is not a chat completion: "+g.said(seen), true, "that the base URL is a chat completions endpoint (it often ends in /v1)"
	default:
		g.refused(e, seen)
	}
	return e
}

// empty is an answer of 200 without a choice, often an error in disguise.
func (g *generator) empty(seen *observed) error {
	e := &llm.CallError{Kind: llm.ErrUnavailable, Endpoint: g.info.Endpoint, Status: seen.status, RetryAfter: seen.retryAfter}
	_, code, isError := seen.said()
	if !isError {
		e.Detail, e.Transient, e.Billed = "an answer without choices", true, true
		e.Check = "that the base URL is a chat completions endpoint"
		return e
	}
	if n, err := strconv.Atoi(code); err == nil && n >= 400 && n < 600 {
		e.Status = n
		g.refused(e, seen)
		return e
	}
	e.Detail, e.Transient = g.said(seen), true
	return e
}

func (g *generator) unreachable(e *llm.CallError, err error) {
	// url.Error repeats the whole URL; only its cause says something new.
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	e.Detail = g.scrub(err.Error())
	var dns *net.DNSError
	e.Transient = !errors.As(err, &dns) || dns.IsTemporary || dns.IsTimeout
	e.Check = "the base URL, the network and the proxy settings"
}

// refused sorts an error answer by its status and code.
func (g *generator) refused(e *llm.CallError, seen *observed) {
	_, code, _ := seen.said()
	e.Detail = g.said(seen)
	switch s := e.Status; {
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		e.Check = "the API key and what it may use"
	case s == http.StatusPaymentRequired || code == "insufficient_quota":
		e.Check = "the account's quota and billing"
	case s == http.StatusTooManyRequests || s == http.StatusRequestTimeout || s == http.StatusConflict || s >= 500:
		e.Transient, e.Check = true, "the endpoint's status and rate limits"
	case thisQuestionOnly(s, code):
		e.Kind = llm.ErrRefused
	case code == "not_recorded":
		e.Check = "that prompts and input are those of the recording, or record again"
	case s == http.StatusNotFound || s == http.StatusMethodNotAllowed:
		e.Check = "the model's name and the base URL (it often ends in /v1)"
	default:
		e.Check = "that the endpoint takes response_format json_schema, and the token parameter"
	}
}

// thisQuestionOnly tells a question that was turned away from an endpoint that
// serves nobody.
func thisQuestionOnly(status int, code string) bool {
	switch code {
	case "context_length_exceeded", "content_filter", "content_policy_violation", "string_above_max_length":
		return true
	}
	return status == http.StatusRequestEntityTooLarge
}

func (g *generator) said(seen *observed) string {
	message, _, _ := seen.said()
	return llm.OneLine(g.scrub(message), 600)
}

// scrubber takes the key out of whatever an endpoint echoes.
func scrubber(key Secret) func(string) string {
	if key == "" {
		return func(s string) string { return s }
	}
	return func(s string) string { return strings.ReplaceAll(s, string(key), hidden) }
}
