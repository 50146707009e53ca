package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/sweep/audit"
	"github.com/retrosweep/retrosweep/sweep/clock"
	"github.com/retrosweep/retrosweep/sweep/judge"
)

// byJudge is how the journal begins the name of a judge; the model and the
// version of the prompt follow.
const byJudge = "judge:"

// Check is what a judge answered in this run, grounded, and what the claim was
// held against. Only such an answer, and a person's word, set the clock of a
// claim: one that the journal remembers does not.
type Check struct {
	Fact    *knowledge.Fact
	Face    clock.Face
	Verdict knowledge.Verdict
}

// Waiting is a fact that a judge could not be asked about, and the commit since
// which what it names has changed.
type Waiting struct {
	Fact  *knowledge.Fact
	Since string
}

// JudgedBy names a judge in the journal.
func JudgedBy(model string) string { return byJudge + model + ":" + prompts.JudgeVersion() }

// court is the part of a sweep that asks about what changed.
type court struct {
	*run
	states   map[*knowledge.Fact]audit.State
	lead     map[string]int
	findings []knowledge.Finding
	checks   []Check
	waiting  []Waiting
	asked    int
	spent    bool
	rulings  []Ruling
	ruledOn  int            // pairs that were asked about
	pairs    map[string]int // what came of them, by verdict or reason
	warnings []string
}

// judge asks about the facts whose code has changed, the most harmful first,
// and repeats what was found stale before and has not changed since.
func (s *run) judge(ctx context.Context, res *audit.Result) (*court, error) {
	c := &court{run: s, states: res.Facts, lead: res.Lead}
	all, err := c.suspects(ctx)
	if err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	slices.SortStableFunc(all, c.order)
	for i, x := range all {
		if s.in.Judge != nil {
			s.say(fmt.Sprintf("judge %d/%d: %s:%d", i+1, len(all), x.fact.File, x.fact.Line))
		}
		if err := c.settle(ctx, x); err != nil {
			return nil, fmt.Errorf("sweep: %w", err)
		}
	}
	return c, nil
}

// order puts first what every session loads, what most pages lead to, and what
// nobody has checked for the longest.
func (c *court) order(a, b *suspect) int {
	startup := func(x *suspect) int {
		if x.doc.Startup {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(startup(a), startup(b)), cmp.Compare(c.lead[b.doc.Path], c.lead[a.doc.Path]),
		a.last.At.Compare(b.last.At), strings.Compare(a.doc.Path, b.doc.Path), cmp.Compare(a.fact.Line, b.fact.Line))
}

// settle gives one suspect its verdict: what was judged already is not judged
// again, and what was judged this way and that goes to a person.
func (c *court) settle(ctx context.Context, x *suspect) error {
	if v, ok := decided(x.history, x.face); ok {
		c.recall(x, v)
		return nil
	}
	switch {
	case flaps(x.history):
		f := c.describe(audit.RuleFlaps, x)
		f.Reason = "the code it names has changed to and fro, and so has what was judged of it: a person must say what holds"
		c.findings = append(c.findings, f)
		c.set(x, knowledge.Unknown, knowledge.ReasonFlaps)
		return nil
	case c.in.Judge == nil:
		c.set(x, knowledge.Unknown, knowledge.ReasonChanged)
		return nil
	case c.spent:
		c.wait(x, knowledge.ReasonBudget)
		return nil
	}
	return c.ask(ctx, x)
}

// recall takes over what the journal remembers of the same claim over the same
// code. It sets no clock.
func (c *court) recall(x *suspect, v journal.Verdict) {
	switch knowledge.Verdict(v.Verdict) {
	case knowledge.Fresh:
		c.set(x, knowledge.Fresh, "")
	case knowledge.Stale:
		c.stale(x, "judged stale on "+v.At.UTC().Format(time.DateOnly)+", and neither the claim nor the code has changed since", nil)
		last := &c.findings[len(c.findings)-1]
		last.Severity = knowledge.Warning // a journal can be forged: it reminds, and fails nobody's build
	default:
		c.set(x, knowledge.Unknown, knowledge.ReasonUndecided)
	}
}

// ask puts the question of one suspect.
func (c *court) ask(ctx context.Context, x *suspect) error {
	q, err := x.change.Question(x.doc, x.fact, x.targets)
	if err != nil {
		c.set(x, knowledge.Unknown, knowledge.ReasonUnreachable)
		return nil
	}
	q.Commits = [2]string{x.before, c.in.To.Hash.String()}
	a, err := judge.Ask(ctx, c.in.Judge, q)
	if err != nil {
		return c.fault(ctx, x, err)
	}
	c.asked++
	c.checks = append(c.checks, Check{Fact: x.fact, Face: x.face, Verdict: a.Verdict})
	if a.Verdict == knowledge.Stale {
		c.stale(x, cmp.Or(a.Words, "the code it names does not bear it out any more"), a.Quotes)
		return nil
	}
	c.set(x, a.Verdict, a.Reason)
	return nil
}

// fault sorts what keeps a question from being answered: a spent budget ends
// the asking as planned, a question that fails stays open, the rest ends the
// sweep.
func (c *court) fault(ctx context.Context, x *suspect, err error) error {
	switch {
	case ctx.Err() != nil:
		return err
	case errors.Is(err, judge.ErrBudget):
		c.spent = true
		c.wait(x, knowledge.ReasonBudget)
		return nil
	case errors.Is(err, judge.ErrUnanswered):
		c.warnings = append(c.warnings, fmt.Sprintf("%v; it waits for another night", err))
		c.wait(x, knowledge.ReasonChanged)
		return nil
	}
	return err
}

// wait leaves a suspect to another night. One that was never checked would be
// forgotten with the range, unless the journal says since when it waits.
func (c *court) wait(x *suspect, reason string) {
	c.set(x, knowledge.Unknown, reason)
	n := len(x.history)
	if x.last.Verdict == "" && (n == 0 || x.history[n-1].Verdict != journal.Deferred) {
		c.waiting = append(c.waiting, Waiting{x.fact, x.before})
	}
}

func (c *court) set(x *suspect, v knowledge.Verdict, reason string) {
	c.states[x.fact] = audit.State{Verdict: v, Reason: reason, Touched: c.states[x.fact].Touched || x.ranged}
}

// stale notes that a claim does not hold any more: for a person to correct.
func (c *court) stale(x *suspect, why string, quotes []knowledge.Quote) {
	f := c.describe(audit.RuleStale, x)
	f.Reason, f.Evidence = why, quotes
	c.findings = append(c.findings, f)
	c.set(x, knowledge.Stale, "")
}

// describe starts a finding about a suspect.
func (c *court) describe(rule string, x *suspect) knowledge.Finding {
	f := audit.Describe(rule, x.doc, x.fact, "")
	f.Action = &knowledge.Action{Type: knowledge.ActionWorklist}
	if len(x.targets) > 0 {
		t := x.targets[0]
		f.Anchor = &knowledge.Anchor{Kind: t.Kind, Text: t.Text}
		f.Now = &knowledge.Place{Commit: c.in.To.Hash.String(), Path: t.Path, Symbol: t.Symbol}
	}
	return f
}

// decided finds the newest check of the same claim over the same code: by a
// person, or by a judge who was asked in the same words.
func decided(history []journal.Verdict, face clock.Face) (journal.Verdict, bool) {
	for _, v := range slices.Backward(history) {
		if strings.HasPrefix(v.By, byJudge) && !strings.HasSuffix(v.By, ":"+prompts.JudgeVersion()) {
			continue
		}
		if clock.Compare(v, face).Holds {
			return v, true
		}
	}
	return journal.Verdict{}, false
}

// flaps reports whether a claim was judged this way, that way and this way
// again since a person last spoke.
func flaps(history []journal.Verdict) bool {
	turns, last := 0, ""
	for _, v := range history {
		switch {
		case !strings.HasPrefix(v.By, byJudge):
			turns = 0
		case !v.Tells():
			continue
		case last != "" && last != v.Verdict:
			turns++
		}
		last = v.Verdict
	}
	return turns >= 2
}
