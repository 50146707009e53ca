package night

import (
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/retro/triage"
	"github.com/retrosweep/retrosweep/sweep"
	"github.com/retrosweep/retrosweep/sweep/judge"
)

// judge is who the sweep may ask; nobody where no model is named for it.
func (r *run) judge() judge.Asker {
	if !r.Model.Has(judge.Stage) {
		return nil
	}
	return r.Model
}

// learner is who the retro may ask; nobody where no model is named for triage.
func (r *run) learner() *llm.Client {
	if !r.Model.Has(triage.Stage) {
		return nil
	}
	return r.Model
}

// judged notes what the judge answered in this run. What it could not tell is
// remembered, so that it is not asked again, and is no check.
func (r *run) judged(checks []sweep.Check) {
	if len(checks) == 0 {
		return
	}
	by := sweep.JudgedBy(r.Model.Usage()[judge.Stage].Model)
	for _, c := range checks {
		if c.Verdict == knowledge.Unknown {
			r.keepCheck(c.Fact, c.Face, c.Verdict, by)
			continue
		}
		r.confirmed(c.Fact, c.Face, c.Verdict, by)
	}
}
