package retro

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/retro/rules"
	"github.com/retrosweep/retrosweep/retro/triage"
)

// Statuses of candidates in the journal.
const (
	statusWaiting = "waiting"
	statusListed  = "listed"  // waited for too long and was shown to a person once
	statusCovered = "covered" // counts the corrections that a rule did not prevent
	statusRefused = "refused" // a person said no to the rule
	statusAgain   = "again"   // it was offered once more, after new evidence: the next no is the last
	statusNever   = "never"   // a person said no twice
)

func (n *night) waitingIDs() []string { return slices.Sorted(maps.Keys(n.waiting)) }

// wait keeps an inferred lesson for a second signal, or adds what was seen
// tonight to the one that waits.
func (n *night) wait(l *triage.Lesson) {
	c := n.waiting[l.SameAs]
	if c == nil {
		c = n.waiting[l.ID]
	}
	if c == nil {
		c = &journal.Candidate{ID: l.ID, LessonKey: l.Key, Since: n.in.Now.UTC(), Status: statusWaiting}
		n.waiting[c.ID] = c
		n.texts[c.ID] = l.Text
	}
	note(c, l)
}

// maxPlaces bounds the evidence that one candidate keeps.
const maxPlaces = 8

func note(c *journal.Candidate, l *triage.Lesson) {
	c.Evidence = slices.Clone(c.Evidence)
	for _, w := range places(l) {
		if !slices.Contains(c.Evidence, w) && len(c.Evidence) < maxPlaces {
			c.Evidence = append(c.Evidence, w)
		}
	}
}

// places are where a lesson's evidence can be read again: lines that the commit
// added or its message, else the place of its signal.
func places(l *triage.Lesson) []journal.Where {
	var out []journal.Where
	for _, e := range l.Evidence {
		w := journal.Where{Commit: e.Signal.Commit.Hash.String(), Path: e.Path, Line: e.Line}
		switch {
		case !e.Changed:
			continue
		case !e.Added && e.Path != "":
			w.Path, w.Line = e.Signal.Path, e.Signal.Line()
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// forget removes the candidate that a promoted lesson was. What a person refused
// is kept: it is offered once more, not twice.
func (n *night) forget(l *triage.Lesson) {
	if c := n.waiting[l.SameAs]; c != nil && c.Status == statusRefused {
		c.Status = statusAgain
		note(c, l)
		return
	}
	delete(n.waiting, l.SameAs)
	delete(n.waiting, l.ID)
}

// candidates is what triage sees of the lessons that wait: what stands at their
// evidence, read again.
func (n *night) candidates(ctx context.Context) ([]triage.Waiting, error) {
	var out []triage.Waiting
	for _, id := range n.newest() {
		text := n.texts[id]
		if text == "" {
			found, err := n.reader.evidence(ctx, n.waiting[id])
			if err != nil {
				return nil, err
			}
			for _, s := range found {
				text = strings.TrimSpace(text + " " + s.quote.Quote)
			}
			n.texts[id] = text
		}
		if text != "" {
			out = append(out, triage.Waiting{ID: id, Text: text})
		}
	}
	return out, nil
}

// newest are the ids of the candidates that are shown, in the order of ids.
func (n *night) newest() []string {
	ids := slices.DeleteFunc(n.waitingIDs(), func(id string) bool {
		status := n.waiting[id].Status
		return status != statusWaiting && !refused(status)
	})
	slices.SortStableFunc(ids, func(a, b string) int { return n.waiting[b].Since.Compare(n.waiting[a].Since) })
	ids = ids[:min(len(ids), waitingInView)]
	slices.Sort(ids)
	return ids
}

// count counts a correction against the rule that covers it. A rule that did
// not prevent two independent corrections is itself at fault: patch may reword,
// merge or replace it, and nothing else.
func (n *night) count(ctx context.Context, l *triage.Lesson, r *rules.Rule, d decision) error {
	id := r.Key()
	c := n.waiting[id]
	if c == nil || c.Status != statusCovered {
		c = &journal.Candidate{ID: id, LessonKey: r.Fact.ID, Since: n.in.Now.UTC(), Status: statusCovered}
	}
	earlier, err := n.reader.evidence(ctx, c)
	if err != nil {
		return err
	}
	n.waiting[id] = c
	note(c, l)
	n.corrects(l, id, true)
	all := sightings(l, earlier)
	a, b, again := pair(all)
	if !again || !r.Playbook() && !r.Instruction() || n.touched[touchKey(r)] {
		n.record(l, report.LessonCovered, "", d.Reason)
		return nil
	}
	l.SameAs = id // forgotten once the rule is changed: the count begins again
	reason := d.Reason + "; it did not prevent " + a.Commit[:10] + " and " + b.Commit[:10]
	if r.Reworded() {
		reason += ", although it was reworded before: move it to where work begins, or let a check enforce it"
	}
	return n.promote(ctx, l, earlier, decision{Reason: reason, Queue: outsidersAlone(all) || r.Reworded()}, r)
}

// corrects notes a mistake that a commit set right: of which rule, and whether it
// had said so before.
func (n *night) corrects(l *triage.Lesson, rule string, again bool) {
	c := l.Signal.Commit
	n.corrections = append(n.corrections, journal.Correction{Commit: c.Hash.String(), Rule: rule, Again: again, At: c.Committer.When})
}

// prune drops the counts against rules that are gone.
func (n *night) prune() {
	stand := map[string]bool{}
	for _, r := range n.rules.Rules {
		stand[r.Key()] = true
	}
	maps.DeleteFunc(n.waiting, func(id string, c *journal.Candidate) bool { return c.Status == statusCovered && !stand[id] })
}

// age lists the candidates that waited for too long. They stay in the journal
// as listed, so that they are listed once.
func (n *night) age(ctx context.Context) error {
	for _, id := range n.waitingIDs() {
		c := n.waiting[id]
		if c.Status != statusWaiting || n.in.Now.Sub(c.Since) < maxWait {
			continue
		}
		found, err := n.reader.evidence(ctx, c)
		if err != nil {
			return err
		}
		c.Status = statusListed
		l := report.Lesson{ID: id, Status: report.LessonCandidate, Reason: "no second signal in 60 days: look at it once, it will not be shown again"}
		for _, s := range found {
			l.Evidence = append(l.Evidence, s.quote)
		}
		if l.Evidence == nil {
			l.Evidence, l.Reason = []knowledge.Quote{}, "waited 60 days, and its evidence is not in the reviewed history any more"
		} else {
			l.Text = l.Evidence[0].Quote
		}
		n.lessons = append(n.lessons, l)
	}
	return nil
}
