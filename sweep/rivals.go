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
	"github.com/retrosweep/retrosweep/sweep/harm"
	"github.com/retrosweep/retrosweep/sweep/judge"
	"github.com/retrosweep/retrosweep/sweep/pair"
)

// Bounds of what is asked about pairs in one run.
const (
	mostRivals  = 10 // questions
	mostWaiting = 50 // pairs that are left to other nights
)

// Ruling is what a judge answered in this run about two facts that share many
// words, or [journal.Deferred] where it is to be asked in another.
type Ruling struct {
	Pair    string          // names the question, see [judge.Rivals.Key]
	Told    *knowledge.Fact // the one of the two that changed later
	Verdict string
}

// RuledBy names in the journal a judge of pairs.
func RuledBy(model string) string { return byJudge + model + ":" + prompts.ContradictVersion() }

// rivals are two facts, of which code knows only that they share many words.
type rivals struct {
	judge.Rivals
	key     string
	told    int  // the side that changed later
	due     bool // one of them is new, or an earlier night left them to this one
	waits   bool // an earlier night left them
	opposed bool
}

// rivals asks about the pairs of facts of which one is new, the most harmful
// first, and repeats which are known to contradict each other. It edits and
// merges nothing.
func (c *court) rivals(ctx context.Context) error {
	if c.in.Judge == nil && c.in.History == nil {
		return nil
	}
	news, err := c.news(ctx)
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	all := c.propose(news)
	slices.SortStableFunc(all, c.worse)
	for _, x := range all {
		if err := c.rule(ctx, x); err != nil {
			return fmt.Errorf("sweep: %w", err)
		}
	}
	if n := c.pairs[knowledge.ReasonBudget] - mostWaiting; n > 0 {
		c.warnings = append(c.warnings, fmt.Sprintf("%d more pairs of facts share most of their words and are not remembered: sweep --all finds them again", n))
	}
	return nil
}

// propose finds the pairs. A document that the operator takes out is in none,
// nor is a fact that holds nobody to anything.
func (c *court) propose(news func(*knowledge.Fact) bool) []*rivals {
	var docs []*knowledge.Document
	for _, d := range c.in.Corpus.Docs {
		if c.in.Ignore == nil || !c.in.Ignore(d.Path) {
			docs = append(docs, d)
		}
	}
	binds := func(d *knowledge.Document, f *knowledge.Fact) bool {
		page := d.Page()
		return harm.Standing(f, c.in.Now) == 1 && (page == nil || harm.Standing(page, c.in.Now) == 1)
	}
	var out []*rivals
	for _, p := range pair.Propose(docs, binds) {
		x := &rivals{Rivals: judge.Rivals{{Doc: p.A.Doc, Fact: p.A.Fact}, {Doc: p.B.Doc, Fact: p.B.Fact}}, opposed: p.Opposed}
		x.key, x.told = x.Key(), later(x.Rivals, news)
		x.due = news(p.A.Fact) || news(p.B.Fact)
		out = append(out, x)
	}
	return out
}

// later says which side changed later: in the range, else by its dates, else the
// one that stands behind the other.
func later(r judge.Rivals, news func(*knowledge.Fact) bool) int {
	a, b := r[0].Fact, r[1].Fact
	if news(a) != news(b) {
		if news(a) {
			return 0
		}
		return 1
	}
	if changed(a).After(changed(b)) {
		return 0
	}
	return 1
}

func changed(f *knowledge.Fact) time.Time {
	if f.Life.Renewed.After(f.Life.Created) {
		return f.Life.Renewed
	}
	return f.Life.Created
}

// worse puts first what every session loads, what most pages lead to, and what
// differs by a not or a number.
func (c *court) worse(a, b *rivals) int {
	startup := func(x *rivals) bool { return x.Rivals[0].Doc.Startup || x.Rivals[1].Doc.Startup }
	lead := func(x *rivals) int { return max(c.lead[x.Rivals[0].Doc.Path], c.lead[x.Rivals[1].Doc.Path]) }
	return cmp.Or(before(startup(a), startup(b)), cmp.Compare(lead(b), lead(a)), before(a.opposed, b.opposed))
}

// before orders what is true first.
func before(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// rule gives one pair its ruling. What was answered is not asked again.
func (c *court) rule(ctx context.Context, x *rivals) error {
	if v, ok := c.ruled(x); ok {
		x.recall(v)
		c.report(x, v.Verdict, "as was judged on "+v.At.UTC().Format(time.DateOnly)+"; neither has changed since", [2]string{})
		return nil
	}
	if c.in.Judge == nil || !x.due {
		return nil
	}
	if c.spent || c.ruledOn >= mostRivals {
		c.leave(x)
		return nil
	}
	c.say(fmt.Sprintf("judge %s:%d against %s:%d", x.Rivals[0].Fact.File, x.Rivals[0].Fact.Line, x.Rivals[1].Fact.File, x.Rivals[1].Fact.Line))
	a, err := x.Ask(ctx, c.in.Judge)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, judge.ErrBudget):
		c.spent = true
		c.leave(x)
		return nil
	case errors.Is(err, judge.ErrUnanswered): // the next night would get no better answer, and pay for it
		c.warnings = append(c.warnings, fmt.Sprintf("%v; it is not asked again", err))
		a = judge.Ruling{Verdict: journal.Undecided, Reason: knowledge.ReasonUndecided}
	case err != nil:
		return err
	}
	c.settled(x, a)
	return nil
}

// settled notes an answer.
func (c *court) settled(x *rivals, a judge.Ruling) {
	c.ruledOn++
	c.count(cmp.Or(a.Reason, a.Verdict))
	c.rulings = append(c.rulings, Ruling{Pair: x.key, Told: x.Rivals[x.told].Fact, Verdict: a.Verdict})
	c.report(x, a.Verdict, a.Words, a.Quotes)
}

// ruled is what the journal remembers of a pair. It may be forged: then it is a
// warning or silence, as any answer is, and no edit.
func (c *court) ruled(x *rivals) (journal.Verdict, bool) {
	if c.in.History == nil {
		return journal.Verdict{}, false
	}
	for _, v := range slices.Backward(c.in.History(x.key)) {
		switch v.Verdict {
		case prompts.Contradicts, prompts.Duplicates, prompts.Compatible, journal.Undecided:
			return v, true
		case journal.Deferred:
			x.due, x.waits = true, true
		}
	}
	return journal.Verdict{}, false
}

// recall tells a remembered pair at the fact where it was told before.
func (x *rivals) recall(v journal.Verdict) {
	for i := range x.Rivals {
		if x.Rivals[i].Fact.ID == v.Fact {
			x.told = i
		}
	}
}

// leave keeps a pair for another night: the range would forget it.
func (c *court) leave(x *rivals) {
	c.count(knowledge.ReasonBudget)
	if !x.waits && c.pairs[knowledge.ReasonBudget] <= mostWaiting {
		c.rulings = append(c.rulings, Ruling{Pair: x.key, Told: x.Rivals[x.told].Fact, Verdict: journal.Deferred})
	}
}

func (c *court) count(outcome string) {
	if c.pairs == nil {
		c.pairs = map[string]int{}
	}
	c.pairs[outcome]++
}

// report adds the finding of a pair for a person to decide; of two facts that
// may both stand there is nothing to say.
func (c *court) report(x *rivals, verdict, words string, quotes [2]string) {
	rule, says := audit.RuleRivals, "says otherwise"
	switch verdict {
	case prompts.Contradicts:
	case prompts.Duplicates:
		rule, says = audit.RuleTwice, "says the same"
	default:
		return
	}
	told, other := x.Rivals[x.told], x.Rivals[1-x.told]
	f := audit.Describe(rule, told.Doc, told.Fact, other.Fact.Claim)
	f.Reason = strings.TrimSuffix(fmt.Sprintf("%s:%d %s: %s", other.Fact.File, other.Fact.Line, says, words), ": ")
	f.Action = &knowledge.Action{Type: knowledge.ActionWorklist}
	for i, s := range x.Rivals {
		f.Evidence = append(f.Evidence, knowledge.Quote{Commit: c.in.To.Hash.String(), Path: s.Fact.File, Line: s.Fact.Line, Quote: quotes[i]})
	}
	c.findings = append(c.findings, f)
}
