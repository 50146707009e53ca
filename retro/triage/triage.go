// Package triage asks a model which signals teach a durable lesson, and
// believes only what code can find again: every quote is looked up in the
// commit it is said to come from, and a lesson is explicit only where the
// signal it is quoted from is.
package triage

import (
	"context"
	"fmt"
	"strings"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/retro/rules"
	"github.com/retrosweep/retrosweep/retro/signal"
)

// Stage is the name of this stage in configuration, budgets and receipts.
const Stage = "triage"

// Asker puts a question to a model and decodes its checked answer; *llm.Client
// is one.
type Asker interface {
	Ask(ctx context.Context, stage string, p prompts.Prompt, out any) error
}

// Blobs reads file content; *repo.Repo is one.
type Blobs interface {
	Blob(h repo.Hash, max int64) ([]byte, error)
}

// Waiting is a candidate of an earlier night as triage sees it: what stands at
// its evidence, read again from the commits.
type Waiting struct {
	ID   string
	Text string
}

// Question is one window with what is known already.
type Question struct {
	Signals []*signal.Signal
	Rules   []*rules.Rule // those near the window
	Waiting []Waiting
}

// Lesson is what triage found, grounded. Dropped says why it is not kept.
type Lesson struct {
	ID         string // hash of the signal and the first quote
	Key        string // hash of the lesson's words
	Title      string // one line, fit for a commit subject
	Text       string
	Topic      string
	Kind       string // prompts.KindState or prompts.KindEvent
	Confidence string
	Signal     *signal.Signal
	Explicit   bool
	Evidence   []Evidence
	CoveredBy  *rules.Rule
	SameAs     string // id of the waiting candidate
	Dropped    string
}

// Evidence is one quote that was found, and the signal it stands in.
type Evidence struct {
	knowledge.Quote
	Signal  *signal.Signal
	Added   bool // on a line that the commit added
	Changed bool // on a changed line or in the message, not around it
}

// Result is the outcome of one question.
type Result struct {
	Lessons  []*Lesson // durable ones, in the order of the answer; dropped ones too
	Warnings []string
}

// MaxItems bounds how many lessons one answer may hold: more than that from one
// window is no judgement.
const MaxItems = 20

// Prompt is what Ask asks, for those who gather questions first.
func Prompt(q Question) (prompts.Prompt, error) { return newView(q).prompt() }

func (v *view) prompt() (prompts.Prompt, error) {
	p, err := prompts.Triage(v.data())
	if err != nil {
		return p, fmt.Errorf("write triage prompt: %w", err)
	}
	return p, nil
}

// Ask puts a question and grounds the answer.
func Ask(ctx context.Context, model Asker, blobs Blobs, q Question) (Result, error) {
	v := newView(q)
	prompt, err := v.prompt()
	if err != nil {
		return Result{}, err
	}
	var answer prompts.TriageAnswer
	if err := model.Ask(ctx, Stage, prompt, &answer); err != nil {
		return Result{}, fmt.Errorf("triage %d signals: %w", len(q.Signals), err)
	}
	return v.ground(blobs, answer), nil
}

// fence is the way of all repository text into a prompt.
func fence(label, text string) string {
	return strings.TrimRight(guard.Fence(label, clean(text)), "\n")
}

// clean scrubs and redacts text.
func clean(text string) string {
	text, _ = guard.Scrub(text)
	text, _ = guard.Redact(text)
	return text
}
