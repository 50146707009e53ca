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
//
// # Why a batch is asked ahead
//
// A batch ([Client.Gather]) takes all windows of a night in one file, for half
// the price where the endpoint sells it so. So no window is shown what another
// found tonight; two that show one lesson are joined by its words, or by the next
// that shows it. What is not answered in time is cancelled, what was answered by
// then is used, and the rest waits in the backlog. An endpoint that takes no
// batch is a dead one. A worker that is killed while it waits leaves its batch
// behind: that is paid for, and asked again.
package llm
