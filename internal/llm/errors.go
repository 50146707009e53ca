package llm

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// What can keep a question from being answered. Tell them apart with errors.Is.
var (
	// ErrBudget is a planned end: the next call could go over a budget.
	ErrBudget = errors.New("the model budget is spent")
	// ErrUnavailable says that the endpoint does not serve us: dead, refusing
	// the key, or failing after all retries. Asking it again is of no use now.
	ErrUnavailable = errors.New("the model endpoint is not available")
	// ErrSchema says that an answer did not fit the schema, nor did its repair.
	ErrSchema = errors.New("the model's answer does not fit the schema")
	// ErrRefused says that this one question was not answered: declined,
	// filtered or cut off. Other questions may be.
	ErrRefused = errors.New("the model did not answer")
	// ErrNoModel says that no model is named for the stage.
	ErrNoModel = errors.New("no model is named for this stage")
)

// CallError is how a Generator reports a failed call.
type CallError struct {
	Kind       error         // ErrUnavailable or ErrRefused
	Endpoint   string        // host and port
	Status     int           // HTTP status, 0 when there was no answer
	Detail     string        // what the endpoint said: untrusted, one short line
	Check      string        // what a person should look at
	Transient  bool          // worth another try
	Billed     bool          // the prompt may have been paid for (a timeout)
	RetryAfter time.Duration // how long the endpoint asks to wait, 0: it did not say
	Cause      error         // the transport's error, free of secrets
}

// Error names endpoint, status, what was said and what to check.
func (e *CallError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v: %s", e.Kind, e.Endpoint)
	if e.Status != 0 {
		fmt.Fprintf(&b, " answered %d", e.Status)
	}
	if e.Detail != "" {
		fmt.Fprintf(&b, ": %s", OneLine(e.Detail, 600))
	}
	if e.Cause != nil {
		fmt.Fprintf(&b, ": %v", e.Cause)
	}
	if e.Check != "" {
		fmt.Fprintf(&b, " (check %s)", e.Check)
	}
	return b.String()
}

// Unwrap makes errors.Is find the kind and the cause.
func (e *CallError) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// OneLine makes untrusted text fit for an error message: one line, printable
// runes only, about limit of them.
func OneLine(s string, limit int) string {
	var b strings.Builder
	n, space := 0, false
	for _, r := range s {
		if n >= limit {
			return b.String() + "…"
		}
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case !unicode.IsGraphic(r):
			r = '·'
		}
		if space {
			b.WriteByte(' ')
			n, space = n+1, false
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}
