package retro

import (
	"context"
	"fmt"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/retro/patch"
	"github.com/retrosweep/retrosweep/retro/rules"
	"github.com/retrosweep/retrosweep/retro/triage"
)

// rulesForPatch is how many rules of playbooks, and how many of instruction
// files, a lesson may choose from.
const rulesForPatch = 7

// patch asks for the edit of a promoted lesson and routes it.
func (n *night) patch(ctx context.Context, l *triage.Lesson, earlier []seen, d decision) error {
	evidence := quotes(l)
	for _, s := range earlier {
		evidence = append(evidence, s.quote)
	}
	res, err := patch.Ask(ctx, n.in.Model, patch.Question{
		Text: l.Text, Topic: l.Topic, Kind: l.Kind, Evidence: evidence, Commit: triage.Short(l.Signal.Commit.Hash),
		Rules: n.near(l, evidence), Tonight: n.tonight, Playbooks: n.playbooks(), Route: n.in.Policy.Route, Now: n.in.Now,
	})
	if err != nil {
		return err
	}
	for _, r := range res.Refused {
		n.warn("retro: an edit for lesson %s was refused: %s", l.ID, r)
	}
	switch {
	case len(res.Edits) > 0:
		n.deliver(l, evidence, d, res)
	case res.Covered != nil:
		f := res.Covered.Fact
		n.record(l, report.LessonCovered, "", fmt.Sprintf("counts against rule %s in %s:%d: %s", f.ID, f.File, f.Line, res.None))
	case res.None != "":
		n.record(l, report.LessonDropped, "", "no edit is needed: "+res.None)
	default:
		n.record(l, report.LessonDropped, "", "no edit that may be made: "+strings.Join(res.Refused, "; "))
	}
	return nil
}

// near are the rules that a lesson may change: those of playbooks before those
// of instruction files, and none that was changed tonight.
func (n *night) near(l *triage.Lesson, evidence []knowledge.Quote) []*rules.Rule {
	text := l.Text + " " + strings.ReplaceAll(l.Topic, "-", " ")
	for _, e := range evidence {
		text += " " + e.Quote
	}
	free := func(r *rules.Rule) bool { return !n.touched[r.Doc.Path+"\x00"+r.Fact.ID] }
	return append(
		n.rules.Nearest(text, rulesForPatch, func(r *rules.Rule) bool { return r.Playbook() && free(r) }),
		n.rules.Nearest(text, rulesForPatch, func(r *rules.Rule) bool { return r.Instruction() && free(r) })...,
	)
}

func (n *night) playbooks() []*knowledge.Document {
	var out []*knowledge.Document
	for _, d := range n.in.Corpus.Docs {
		if d.Format != knowledge.Playbook {
			continue
		}
		if route, _ := n.in.Policy.Route(d.Path); route != knowledge.RouteNever {
			out = append(out, d)
		}
	}
	return out
}

func (n *night) deliver(l *triage.Lesson, evidence []knowledge.Quote, d decision, res patch.Result) {
	for _, e := range res.Edits {
		route := e.Route
		if d.Queue {
			route = route.Stricter(knowledge.RouteQueue)
		}
		n.edits = append(n.edits, RoutedEdit{
			Edit: e.Edit, Route: route, LessonID: l.ID, Title: l.Title,
			Why: d.Reason + ". " + e.Why, Evidence: evidence,
		})
		if e.Old != nil {
			n.touched[e.Path+"\x00"+e.FactID] = true
		}
		n.tonight = append(n.tonight, rules.Brief(e.Path+": "+e.Text, 600))
	}
	n.record(l, report.LessonPromoted, res.Edits[0].Path, d.Reason)
}
