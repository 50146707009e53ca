package measure

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/retro/rules"
)

// life is what thirty nights did to one rule that they made.
type life struct {
	born           int
	changed, taken []int // nights
}

// lives follows the rules that the nights made, by their keys. An edit of a rule
// that people wrote is counted in theirs.
func (p *replay) lives() (ours map[string]*life, theirs int) {
	ours = map[string]*life{}
	for _, e := range p.edits {
		switch of := ours[e.rule]; {
		case e.Edit.Op == knowledge.OpAdd:
			key := e.rule // rules that one commit brings to one file share it
			for n := 2; ours[key] != nil; n++ {
				key = fmt.Sprintf("%s-%d", e.rule, n)
			}
			ours[key] = &life{born: e.night}
		case of != nil:
			of.changed = append(of.changed, e.night)
		default:
			theirs++
		}
		for _, key := range e.took {
			if of := ours[key]; of != nil {
				of.taken = append(of.taken, e.night)
			}
		}
	}
	return ours, theirs
}

// left logs the lessons and edits of all nights, the rules that stand at the end,
// and their churn.
func (p *replay) left(head repo.Hash) {
	lessons, edits, overtaken := map[string]int{}, map[string]int{}, 0
	for _, l := range p.lessons {
		lessons[string(l.Status)]++
	}
	for _, e := range p.edits {
		edits[fmt.Sprintf("%s to %s", e.Edit.Op, e.Route)]++
		if e.over {
			overtaken++
		}
	}
	p.t.Logf("lessons %v; edits %v; backlog %d, candidates %d", lessons, edits, len(p.state.Backlog), len(p.state.Candidates))
	ours, theirs := p.lives()
	standing := 0
	for _, r := range rules.Collect(p.documents(head).Docs).Rules {
		if ours[r.Key()] != nil {
			standing++
			p.t.Logf("  %s: %s", r.Doc.Path, r.Fact.Text)
		}
	}
	changed, taken, changes := 0, 0, 0
	for _, key := range slices.Sorted(maps.Keys(ours)) {
		of := ours[key]
		changes += len(of.changed)
		if len(of.changed) > 0 {
			changed++
		}
		if len(of.taken) > 0 {
			taken++
		}
		if len(of.changed)+len(of.taken) > 0 {
			p.t.Logf("  rule %s: made on night %d, changed on %v, taken up by another on %v", key, of.born, of.changed, of.taken)
		}
	}
	p.t.Logf("%d rules at the end, of %d made; churn: %d changed, %d taken up by another, %.2f edits a rule; %d edits of rules that people wrote, %d edits overtaken by people",
		standing, len(ours), changed, taken, float64(len(ours)+changes)/float64(max(len(ours), 1)), theirs, overtaken)
	p.refusals()
}

// refusals logs why lessons became nothing, the commonest reasons first.
func (p *replay) refusals() {
	reasons := map[string]int{}
	for _, l := range p.lessons {
		if l.Status == report.LessonDropped {
			reason, _, _ := strings.Cut(l.Reason, ":")
			reasons[reason]++
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		p.t.Logf("  dropped, %d times: %s", reasons[reason], reason)
	}
}

// recalled logs what became of the known corrections among the commits that were
// seen. A correction of an instruction file stands where agents read it already:
// that it is covered is as good as a rule.
func (p *replay) recalled(seen map[string]bool) {
	if *corrections == "" {
		return
	}
	count, known := map[string]int{}, 0
	for _, c := range readCorrections(p.t) {
		if c.Repo != *name || !seen[c.Commit] {
			continue
		}
		known++
		fate, says := p.fate(c)
		count[fate]++
		p.t.Logf("  correction %s (%s): %s %s", c.ID, c.Generalizable, fate, says)
	}
	p.t.Logf("%d known corrections in these nights: %v", known, count)
}

// fates are what may become of a correction, the best first.
var fates = []report.LessonStatus{report.LessonPromoted, report.LessonCovered, report.LessonCandidate, report.LessonRejected, report.LessonDropped}

// fate is the best that became of a correction, and the lesson that says so. What
// a commit took away is quoted from its parent.
func (p *replay) fate(c correction) (fate, says string) {
	own, before := map[string]bool{}, map[string]bool{}
	for _, m := range made(p.t, p.repo, c.Commit) {
		own[m.Hash.String()] = true
		for _, h := range m.Parents {
			before[h.String()] = true
		}
	}
	shows := func(q knowledge.Quote) bool {
		return own[q.Commit] || before[q.Commit] && slices.Contains(c.Files, q.Path)
	}
	for _, status := range fates {
		for _, l := range p.lessons {
			if l.Status == status && slices.ContainsFunc(l.Evidence, shows) {
				return string(status), fmt.Sprintf("%q (%s)", l.Text, l.Reason)
			}
		}
	}
	if slices.ContainsFunc(p.state.Backlog, func(s journal.Signal) bool { return own[s.Commit] }) {
		return "waits in the backlog", ""
	}
	return "no lesson", ""
}

// price is of a small model for triage and a strong one for patch, in dollars a
// million tokens in and out.
var price = map[string][2]float64{"triage": {0.25, 2}, "patch": {1.25, 10}}

// cost logs what the nights asked and would have cost, beside the naive way.
func (p *replay) cost() {
	calls, spent, usd := 0, 0, 0.0
	for _, stage := range slices.Sorted(maps.Keys(p.model.Usage())) {
		u := p.model.Usage()[stage]
		cost := (float64(u.PromptTokens)*price[stage][0] + float64(u.CompletionTokens)*price[stage][1]) / 1e6
		p.t.Logf("%s: %d calls, %d repaired, %d tokens in, %d out, $%.3f", stage, u.Calls, u.Repaired, u.PromptTokens, u.CompletionTokens, cost)
		calls, spent, usd = calls+u.Calls, spent+u.PromptTokens+u.CompletionTokens, usd+cost
	}
	p.t.Logf("%d calls, %d tokens, $%.3f; naively %d calls, %d tokens, $%.2f for what the strong model reads alone",
		calls, spent, usd, p.asks, p.naive, float64(p.naive)*price["patch"][0]/1e6)
	share := 100 * float64(spent) / float64(max(p.naive, 1))
	p.t.Logf("%.1f %% of the tokens of the naive way", share)
	if share >= 10 {
		p.t.Errorf("%.1f %% is not under a tenth", share)
	}
}
