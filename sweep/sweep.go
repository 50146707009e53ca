package sweep

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/knowledge/corpus"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/sweep/audit"
	"github.com/retrosweep/retrosweep/sweep/expire"
	"github.com/retrosweep/retrosweep/sweep/judge"
)

// Limits bound what one run does by itself.
type Limits struct {
	Archives int // archives a run; 0: 10
}

// Input is what a sweep looks at.
type Input struct {
	Repo     *repo.Repo
	From     repo.Hash   // start of the range; zero: there is none, every fact is checked
	To       repo.Commit // the commit that is checked
	All      bool        // check every fact although there is a range
	Corpus   *corpus.Corpus
	Policy   *guard.Policy                              // nil: nothing may be edited
	Ignore   func(path string) bool                     // documents the operator takes out; nil: none
	Checked  func(claim string) (journal.Verdict, bool) // the newest check of a claim; nil: nothing was ever checked
	History  func(claim string) []journal.Verdict       // all checks of a claim, oldest first; nil: there are none
	Judge    judge.Asker                                // nil: what changed stays unknown
	Tasks    forge.Tasks                                // nil: how an issue stands cannot be told
	Now      time.Time
	Limits   Limits
	Progress func(string) // nil: silent
}

// RoutedEdit is an edit with where it may go and the finding it answers.
type RoutedEdit struct {
	Edit    knowledge.Edit
	Route   knowledge.Route
	Finding string // id

	Together bool // one of many of a kind, which a person decides at once
}

// Result is what a sweep found.
type Result struct {
	Findings []knowledge.Finding // sorted by harm
	Facts    report.FactCounts
	Edits    []RoutedEdit
	Checks   []Check   // what a judge answered in this run
	Waiting  []Waiting // what it could not be asked
	Rulings  []Ruling  // what it answered about pairs, or is to be asked about
	Warnings []string
}

// Run sweeps the corpus as it stands at in.To.
func Run(ctx context.Context, in Input) (Result, error) {
	s := &run{in: in}
	s.say(fmt.Sprintf("sweep: %d knowledge files", len(in.Corpus.Docs)))
	from := in.From
	if in.All {
		from = repo.Hash{}
	}
	res, err := audit.Run(ctx, audit.Input{
		Repo: in.Repo, From: from, To: in.To, Docs: in.Corpus.Docs, Ignore: in.Ignore, Route: s.route, Now: in.Now,
	})
	if err != nil {
		return Result{}, fmt.Errorf("sweep: %w", err)
	}
	if err := s.confirm(ctx, res.Facts); err != nil {
		return Result{}, err
	}
	judged, err := s.judge(ctx, &res)
	if err != nil {
		return Result{}, err
	}
	if err := judged.rivals(ctx); err != nil {
		return Result{}, err
	}
	ended := s.expired(ctx, res.Facts)
	findings := audit.Sort(slices.Concat(ended, judged.findings, res.Findings), in.Corpus.Docs, res.Lead, in.Now)
	if findings == nil {
		findings = []knowledge.Finding{} // JSON readers expect a list
	}
	facts := count(in.Corpus, res.Facts)
	facts.Judged, facts.Pairs = judged.asked, judged.pairs
	return Result{
		Findings: findings, Facts: facts, Edits: s.edits(findings), Checks: judged.checks, Waiting: judged.waiting,
		Rulings:  judged.rulings,
		Warnings: slices.Concat(res.Warnings, judged.warnings),
	}, nil
}

// run is one sweep.
type run struct {
	in    Input
	boxes map[boxKey]expire.TaskState // lines of lists of tasks that were read

	together map[string]bool // findings that are one question, by their id
}

func (s *run) say(text string) {
	if s.in.Progress != nil {
		s.in.Progress(text)
	}
}

// route says where an edit of path may go; never without a policy.
func (s *run) route(path string) knowledge.Route {
	if s.in.Policy == nil {
		return knowledge.RouteNever
	}
	r, _ := s.in.Policy.Route(path)
	return r
}

// expired decides which facts have ended and marks them in states.
func (s *run) expired(ctx context.Context, states map[*knowledge.Fact]audit.State) []knowledge.Finding {
	docs := map[string]*knowledge.Document{}
	var facts []*knowledge.Fact
	for _, d := range s.in.Corpus.Docs {
		if d.Format == knowledge.Archive || s.in.Ignore != nil && s.in.Ignore(d.Path) {
			continue
		}
		docs[d.Path] = d
		for i := range d.Facts {
			facts = append(facts, &d.Facts[i])
		}
	}
	look := &tasks{run: s, ctx: ctx, seen: map[expire.Ref]expire.Task{}}
	plan := expire.Decide(facts, expire.Policy{
		Archives: s.in.Limits.Archives, Route: s.route, Task: look.of,
		Fresh: func(f *knowledge.Fact) bool { return states[f].Verdict == knowledge.Fresh },
	}, s.in.Now)
	var out []knowledge.Finding
	for _, d := range plan.Archive {
		out = append(out, s.ended(docs[d.Fact.File], d, knowledge.ActionArchive))
	}
	for _, d := range plan.Propose {
		f := s.ended(docs[d.Fact.File], d, knowledge.ActionPropose)
		if d.Together && s.together == nil {
			s.together = map[string]bool{}
		}
		if d.Together {
			s.together[f.ID] = true
		}
		out = append(out, f)
	}
	for _, d := range plan.Due() {
		mark(states, d.Fact, audit.State{Verdict: knowledge.Stale})
	}
	for _, list := range []struct {
		rule, reason string
		of           []expire.Decision
	}{
		{audit.RuleNoDate, knowledge.ReasonNoDate, plan.Unknown},
		{audit.RuleUnseen, knowledge.ReasonUnreachable, plan.Hidden},
		{audit.RuleTask, "", plan.Look},
	} {
		for _, d := range list.of {
			f := audit.Describe(list.rule, docs[d.Fact.File], d.Fact, "")
			f.Reason, f.Action = d.Reason, &knowledge.Action{Type: knowledge.ActionWorklist}
			out = append(out, f)
			if list.reason != "" {
				mark(states, d.Fact, audit.State{Verdict: knowledge.Unknown, Reason: list.reason})
			}
		}
	}
	return out
}

// ended describes one fact that is due and how it would retire.
func (s *run) ended(doc *knowledge.Document, d expire.Decision, act knowledge.ActionType) knowledge.Finding {
	f := audit.Describe(audit.RuleExpired, doc, d.Fact, "")
	f.Reason = d.Reason
	if !d.Due.IsZero() {
		f.Since = &knowledge.Since{Date: d.Due.Format(time.DateOnly)}
	}
	route := s.route(doc.Path)
	if route == knowledge.RouteNever {
		f.Action = &knowledge.Action{Type: knowledge.ActionWorklist, Route: route}
		return f
	}
	if act == knowledge.ActionPropose {
		route = route.Stricter(knowledge.RouteQueue)
	}
	f.Action = &knowledge.Action{Type: act, Route: route, Edit: &knowledge.Edit{
		Op: knowledge.OpArchive, Path: doc.Path, FactID: d.Fact.ID, Reason: d.Reason, Date: s.in.Now.UTC().Truncate(24 * time.Hour),
	}}
	return f
}

// mark sets the state of a fact unless a worse one is known, or a check that
// holds.
func mark(states map[*knowledge.Fact]audit.State, f *knowledge.Fact, s audit.State) {
	old := states[f]
	if old.Verdict == knowledge.Broken || old.Verdict == knowledge.Fresh {
		return
	}
	s.Touched = old.Touched
	states[f] = s
}

// count adds up the states.
func count(c *corpus.Corpus, states map[*knowledge.Fact]audit.State) report.FactCounts {
	n := report.FactCounts{Reasons: map[string]int{}, Files: len(c.Docs), Total: len(states)}
	for _, s := range states {
		if s.Touched {
			n.Touched++
		}
		switch s.Verdict {
		case knowledge.Fresh:
			n.Fresh++
		case knowledge.Broken:
			n.Broken++
		case knowledge.Stale:
			n.Stale++
		default:
			n.Unknown++
			n.Reasons[s.Reason]++
		}
	}
	return n
}

// edits collects what the findings offer, in their order.
func (s *run) edits(fs []knowledge.Finding) []RoutedEdit {
	var out []RoutedEdit
	for _, f := range fs {
		if f.Action != nil && f.Action.Edit != nil && f.Action.Route != knowledge.RouteNever {
			out = append(out, RoutedEdit{Edit: *f.Action.Edit, Route: f.Action.Route, Finding: f.ID, Together: s.together[f.ID]})
		}
	}
	return out
}
