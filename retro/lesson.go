package retro

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/retro/rules"
	"github.com/retrosweep/retrosweep/retro/triage"
)

// lesson decides on one lesson and does what follows.
func (n *night) lesson(ctx context.Context, l *triage.Lesson) error {
	if l.Dropped != "" {
		n.record(l, report.LessonDropped, "", l.Dropped)
		return nil
	}
	if n.said(l) {
		return nil
	}
	if path := n.withdrawn(l); path != "" {
		n.record(l, report.LessonDropped, "", "what it quotes from "+path+" was taken back again before head")
		return nil
	}
	earlier, err := n.recurrence(ctx, l)
	if err != nil {
		return err
	}
	c := claim{Explicit: l.Explicit, Rejected: n.rejected(l), Covered: n.covered(l), Sightings: sightings(l, earlier)}
	if c.Rejected == "" {
		c.Rejected = n.refusal(l, c.Sightings)
	}
	d := decide(c)
	if cand := n.waiting[l.SameAs]; cand != nil && cand.Status == statusRefused {
		d.Queue, d.Reason = true, d.Reason+"; a person refused it before this evidence"
	}
	switch d.Status {
	case report.LessonPromoted:
		return n.promote(ctx, l, earlier, d, nil)
	case report.LessonCandidate:
		n.wait(l)
	case report.LessonCovered:
		if rule := l.CoveredBy; rule != nil && c.Covered == counts(rule) {
			return n.count(ctx, l, rule, d)
		}
	}
	n.record(l, d.Status, "", d.Reason)
	return nil
}

// said reports a lesson that was decided on tonight in the same words. Another
// lesson of the same quote gets an id of its own.
func (n *night) said(l *triage.Lesson) bool {
	key := l.Signal.ID + l.Key
	if n.keys[key] {
		return true
	}
	n.keys[key] = true
	if n.ids[l.ID]++; n.ids[l.ID] > 1 {
		l.ID = fmt.Sprintf("%s-%d", l.ID, n.ids[l.ID])
	}
	return false
}

func (n *night) record(l *triage.Lesson, status report.LessonStatus, playbook, reason string) {
	n.lessons = append(n.lessons, report.Lesson{
		ID: l.ID, Status: status, Text: l.Text, Explicit: l.Explicit, Evidence: quotes(l), Playbook: playbook, Reason: reason,
	})
}

func quotes(l *triage.Lesson) []knowledge.Quote {
	out := make([]knowledge.Quote, 0, len(l.Evidence))
	for _, e := range l.Evidence {
		out = append(out, e.Quote)
	}
	return out
}

// sightings are the commits that show a lesson, each once.
func sightings(l *triage.Lesson, earlier []seen) []sighting {
	var out []sighting
	add := func(s sighting) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, e := range l.Evidence {
		if e.Changed {
			add(sightingOf(e.Signal))
		}
	}
	for _, s := range earlier {
		add(sightingOf(s.signal))
	}
	return out
}

// recurrence is the evidence of the waiting candidate that the lesson repeats,
// by the model's word or by the lesson's own words.
func (n *night) recurrence(ctx context.Context, l *triage.Lesson) ([]seen, error) {
	for _, id := range n.waitingIDs() {
		c := n.waiting[id]
		same := id == l.SameAs || c.LessonKey == l.Key
		if same && refused(c.Status) {
			l.SameAs = id
			return nil, nil // what was refused is no evidence for the same again
		}
		if same && c.Status == statusWaiting {
			l.SameAs = id
			return n.reader.evidence(ctx, c)
		}
	}
	l.SameAs = ""
	return nil, nil
}

// A lesson says again what it quotes where this share of the quote's words stands
// in it, and this share of its own words in the quote.
const (
	repeats = 0.7
	echoes  = 0.6
)

// withdrawn names the knowledge file from which a lesson takes a rule that no
// knowledge file has at head any more: one that lived for a part of the range,
// or the very text that a commit took out. A line that moved to another file
// still stands.
func (n *night) withdrawn(l *triage.Lesson) string {
	for _, e := range l.Evidence {
		if e.Path == "" || !e.Changed || !e.Added && !n.says(l, e) {
			continue
		}
		if _, _, known := n.in.Classifier.Classify(e.Path); known && !n.saidAtHead(statement(e.Quote.Quote)) {
			return e.Path
		}
	}
	return ""
}

// says reports whether a lesson is the very text that a commit took out, and not
// what that commit teaches: the lines that were wrong are evidence too.
func (n *night) says(l *triage.Lesson, gone triage.Evidence) bool {
	if slices.ContainsFunc(l.Evidence, func(e triage.Evidence) bool { return e.Added }) {
		return false
	}
	return rules.Overlap(gone.Quote.Quote, l.Text) >= repeats && rules.Share(l.Text, gone.Quote.Quote) >= echoes
}

func (n *night) saidAtHead(text string) bool {
	if n.head == nil {
		n.head = make([]string, 0, len(n.in.Corpus.Docs))
		for _, d := range n.in.Corpus.Docs {
			n.head = append(n.head, letters(string(d.Source)))
		}
	}
	return slices.ContainsFunc(n.head, func(doc string) bool { return strings.Contains(doc, text) })
}

// rejected says why a lesson stays rejected: the same evidence for ever, the
// same words until a cooldown is over, and for ever after a second no.
func (n *night) rejected(l *triage.Lesson) string {
	times := 0
	for _, r := range n.in.State.Rejections {
		switch r.Key {
		case l.ID:
			return "a person rejected it on " + r.At.UTC().Format("2006-01-02")
		case l.Key:
			times++
			if n.in.Now.Sub(r.At) < cooldown {
				return "a person rejected the same words on " + r.At.UTC().Format("2006-01-02") + ", the cooldown is not over"
			}
		}
	}
	if times > 1 {
		return "a person rejected the same words twice"
	}
	return ""
}

// covered names the rule that says a lesson already: the one that the range
// itself added where agents read it, the one that an earlier night made of the
// same commit, or the one that triage names.
func (n *night) covered(l *triage.Lesson) string {
	for _, e := range l.Evidence {
		if f := n.standing(e); f != nil {
			return fmt.Sprintf("the range itself put it where agents read it: rule %s in %s:%d", f.ID, f.File, f.Line)
		}
	}
	for _, r := range n.rules.Rules {
		if r.Playbook() && strings.Contains(r.Fact.Text, triage.Short(l.Signal.Commit.Hash)) && rules.Overlap(r.Fact.Text, l.Text) >= 0.5 {
			return fmt.Sprintf("made of the same commit before: rule %s in %s:%d", r.Fact.ID, r.Fact.File, r.Fact.Line)
		}
	}
	if l.CoveredBy != nil {
		return counts(l.CoveredBy)
	}
	return ""
}

func counts(r *rules.Rule) string {
	return fmt.Sprintf("counts against rule %s in %s:%d, which says it already", r.Fact.ID, r.Fact.File, r.Fact.Line)
}

// telling is from how many letters on a quote is found in another file for more
// than its common words.
const telling = 24

// standing is the fact of an instruction file or playbook that says at head
// what a lesson quotes from a knowledge file, be it there or where it moved to.
func (n *night) standing(e triage.Evidence) *knowledge.Fact {
	if _, _, known := n.in.Classifier.Classify(e.Path); !known || !e.Changed {
		return nil
	}
	want := statement(e.Quote.Quote)
	own := n.in.Corpus.Doc(e.Path)
	for _, d := range append([]*knowledge.Document{own}, n.in.Corpus.Docs...) {
		if d == nil || d.Format != knowledge.Instruction && d.Format != knowledge.Playbook {
			continue
		}
		if d != own && len(want) < telling {
			continue
		}
		for i := range d.Facts {
			if want != "" && strings.Contains(letters(d.Facts[i].Text), want) {
				return &d.Facts[i]
			}
		}
	}
	return nil
}

// promote asks for the edit of a lesson, of one rule alone where that is not
// nil. What cannot be asked tonight waits in the backlog.
func (n *night) promote(ctx context.Context, l *triage.Lesson, earlier []seen, d decision, of *rules.Rule) error {
	if n.promoted >= n.in.Limits.Promotions {
		n.later[l.Signal.ID] = true
		n.record(l, report.LessonCandidate, "", fmt.Sprintf("more than %d promotions in one night: waits for the next", n.in.Limits.Promotions))
		return nil
	}
	if n.spent {
		n.postpone(l)
		return nil
	}
	if err := n.patch(ctx, l, earlier, d, of); err != nil {
		if err := n.fault(ctx, err); err != nil {
			return err
		}
		n.postpone(l)
		return nil
	}
	n.promoted++
	n.forget(l)
	return nil
}

func (n *night) postpone(l *triage.Lesson) {
	n.later[l.Signal.ID] = true
	n.record(l, report.LessonCandidate, "", "its edit could not be asked for tonight: waits for the next night")
}
