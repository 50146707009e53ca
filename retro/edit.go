package retro

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/retro/patch"
	"github.com/retrosweep/retrosweep/retro/rules"
	"github.com/retrosweep/retrosweep/retro/signal"
	"github.com/retrosweep/retrosweep/retro/triage"
)

// keyOf is the key of the rule that an edit makes or changes.
func keyOf(e patch.Edit, commit string) string {
	if e.Old != nil {
		return e.Old.Key()
	}
	return rules.KeyOf(e.Path, commit)
}

// rulesForPatch is how many rules of playbooks, and how many of instruction
// files, a lesson may choose from.
const rulesForPatch = 7

// patch asks for the edit of a promoted lesson and routes it. of is the one rule
// that it may change, nil: any near it, or a new one.
func (n *night) patch(ctx context.Context, l *triage.Lesson, earlier []seen, d decision, of *rules.Rule) error {
	evidence := quotes(l)
	for _, s := range earlier {
		evidence = append(evidence, s.quote)
	}
	q := patch.Question{
		Flopped: l.Signal.Class == signal.Revert, Text: l.Text, Topic: l.Topic, Kind: l.Kind, Evidence: evidence, Commit: triage.Short(l.Signal.Commit.Hash),
		Tonight: n.tonight, Route: n.in.Policy.Route, Now: n.in.Now,
	}
	if of != nil {
		q.Rules, q.Failed, q.Places = []*rules.Rule{of}, true, patch.Places(of, n.open())
	} else {
		q.Rules, q.Playbooks = n.near(l, evidence), n.playbooks()
	}
	res, err := patch.Ask(ctx, n.in.Model, q)
	if err != nil {
		return err
	}
	n.fit(&res)
	for _, r := range res.Refused {
		n.warn("retro: an edit for lesson %s was refused: %s", l.ID, r)
	}
	switch {
	case len(res.Edits) > 0:
		return n.deliver(ctx, l, evidence, d, res)
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

// fit refuses edits that cannot be applied to their file as it is after the
// edits of tonight: one of them must not cost the night all others.
func (n *night) fit(res *patch.Result) {
	read := func(path string) ([]byte, bool) {
		if d := n.in.Corpus.Doc(path); d != nil {
			return d.Source, true
		}
		return nil, false
	}
	kept := res.Edits[:0]
	for _, e := range res.Edits {
		var all []knowledge.Edit
		for _, before := range n.edits {
			if slices.ContainsFunc(before.Edit.Files(), func(file string) bool { return slices.Contains(e.Files(), file) }) {
				all = append(all, before.Edit)
			}
		}
		if _, err := knowledge.Apply(read, append(all, e.Edit)); err != nil {
			res.Refused = append(res.Refused, err.Error())
			continue
		}
		kept = append(kept, e)
	}
	res.Edits = kept
}

// near are the rules that a lesson may change: those of playbooks before those
// of instruction files, and none that was changed tonight.
func (n *night) near(l *triage.Lesson, evidence []knowledge.Quote) []*rules.Rule {
	text := l.Text + " " + strings.ReplaceAll(l.Topic, "-", " ")
	for _, e := range evidence {
		text += " " + e.Quote
	}
	free := func(r *rules.Rule) bool { return !n.touched[touchKey(r)] }
	return append(
		n.rules.Nearest(text, rulesForPatch, func(r *rules.Rule) bool { return r.Playbook() && free(r) }),
		n.rules.Nearest(text, rulesForPatch, func(r *rules.Rule) bool { return r.Instruction() && free(r) })...,
	)
}

func touchKey(r *rules.Rule) string { return r.Doc.Path + "\x00" + r.Fact.ID }

func (n *night) playbooks() []*knowledge.Document {
	return slices.DeleteFunc(n.open(), func(d *knowledge.Document) bool { return d.Format != knowledge.Playbook })
}

// open are the documents that may be edited, by whatever route.
func (n *night) open() []*knowledge.Document {
	return slices.DeleteFunc(slices.Clone(n.in.Corpus.Docs), func(d *knowledge.Document) bool {
		route, _ := n.in.Policy.Route(d.Path)
		return route == knowledge.RouteNever
	})
}

func (n *night) deliver(ctx context.Context, l *triage.Lesson, evidence []knowledge.Quote, d decision, res patch.Result) error {
	tried := ""
	for _, e := range res.Edits {
		trial, err := n.try(ctx, e, evidence)
		if err != nil {
			return err
		}
		if trial != nil {
			tried = "; as a check it " + trial.String()
		}
		route := e.Route
		if d.Queue {
			route = route.Stricter(knowledge.RouteQueue)
		}
		n.edits = append(n.edits, RoutedEdit{
			Edit: e.Edit, Route: route, LessonID: l.ID, Title: l.Title,
			Why: d.Reason + ". " + e.Why, Evidence: evidence, Trial: trial, Signal: signalOf(l),
		})
		if e.Old != nil {
			n.touched[touchKey(e.Old)] = true
			for _, id := range e.Merge {
				n.touched[e.Path+"\x00"+id] = true
			}
		}
		n.tonight = append(n.tonight, rules.Brief(e.Target()+": "+e.Text, 600))
	}
	n.corrects(l, keyOf(res.Edits[0], triage.Short(l.Signal.Commit.Hash)), false)
	n.record(l, report.LessonPromoted, res.Edits[0].Target(), d.Reason+tried)
	return nil
}

func signalOf(l *triage.Lesson) journal.Signal {
	if l.Signal == nil {
		return journal.Signal{}
	}
	return entryOf(l.Signal)
}
