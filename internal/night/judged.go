package night

import (
	"context"
	"errors"
	"fmt"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/retro/triage"
	"github.com/retrosweep/retrosweep/sweep"
	"github.com/retrosweep/retrosweep/sweep/judge"
)

// judge is who the sweep may ask; nobody where no model is named for it.
func (r *run) judge() judge.Asker {
	if !r.Model.Has(judge.Stage) {
		return nil
	}
	return bench{r.Model}
}

// bench says in the words of the sweep why a question was not answered.
type bench struct{ model *llm.Client }

func (b bench) Ask(ctx context.Context, stage string, p prompts.Prompt, out any) error {
	err := b.model.Ask(ctx, stage, p, out)
	switch {
	case errors.Is(err, llm.ErrBudget):
		return fmt.Errorf("%w: %w", judge.ErrBudget, err)
	case errors.Is(err, llm.ErrSchema), errors.Is(err, llm.ErrRefused):
		return fmt.Errorf("%w: %w", judge.ErrUnanswered, err)
	}
	return err
}

// learner is who the retro may ask; nobody where no model is named for triage.
func (r *run) learner() *llm.Client {
	if !r.Model.Has(triage.Stage) {
		return nil
	}
	return r.Model
}

// judged notes what the judge answered in this run, and what it could not be
// asked. What it could not tell is remembered, so that it is not asked again,
// and is no check.
func (r *run) judged(result sweep.Result) {
	if r.judge() == nil {
		return
	}
	by := sweep.JudgedBy(r.Model.Usage()[judge.Stage].Model)
	for _, w := range result.Waiting {
		r.state.Note(journal.Verdict{
			Claim: w.Fact.Claim, Fact: w.Fact.ID, Verdict: journal.Deferred, By: by, At: r.Now, Commit: w.Since, Fingerprints: []string{},
		})
	}
	r.ruled(result.Rulings)
	for _, c := range result.Checks {
		if c.Verdict == knowledge.Unknown {
			r.keepCheck(c.Fact, c.Face, c.Verdict, by)
			continue
		}
		r.confirmed(c.Fact, c.Face, c.Verdict, by)
	}
}

// ruled notes what the judge answered about pairs of facts. The journal has no
// text of them: a hash of both, and which one was told.
func (r *run) ruled(all []sweep.Ruling) {
	by := sweep.RuledBy(r.Model.Usage()[judge.Stage].Model)
	for _, x := range all {
		r.state.Note(journal.Verdict{
			Claim: x.Pair, Fact: x.Told.ID, Verdict: x.Verdict, By: by, At: r.Now, Fingerprints: []string{},
			Commit: r.scope.head.Hash.String(), Tree: r.scope.head.Tree.String(),
		})
	}
}
