// Package llm owns the way to a model and back: who answers (Generator), what
// it may cost (budgets counted before a call), what counts as an answer (strict
// JSON that fits the prompt's schema, with one repair turn) and what is
// remembered (a private cache on disk, so that an apply does what its dry run
// showed).
//
// Everything a model says is untrusted text. This package checks its shape
// only; whether a quote exists and whether a sentence may be written is for the
// callers and internal/guard. Consent is the caller's too: a Client is made
// only when a model was named, and a nil Client means that there is none.
package llm
