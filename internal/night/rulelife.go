package night

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/retro/rules"
)

// RuleLife is what became of one rule that a lesson made, or that a correction
// counted against.
type RuleLife struct {
	Key          string `json:"key"`
	File         string `json:"file"`
	Line         int    `json:"line"`
	Text         string `json:"text"`
	Since        string `json:"since,omitempty"`    // the day on which it was made
	Evidence     string `json:"evidence,omitempty"` // the commit that it was made of
	Recurrences  int    `json:"recurrences"`        // corrections after that, which it did not prevent
	Last         string `json:"last,omitempty"`     // day of the last one
	Tokens       int    `json:"tokens"`             // of its text, about
	EverySession bool   `json:"every_session"`      // it stands in a file that agents load at the start
}

// Recurrence is how many corrections of some days had been made before.
type Recurrence struct {
	From        string `json:"from"`
	To          string `json:"to"`
	Corrections int    `json:"corrections"`
	Again       int    `json:"again"` // of these, a rule had said so
}

// Lessons is what the retro's rules are worth.
type Lessons struct {
	Recurrence []Recurrence `json:"recurrence"`     // of thirty days each, the newest first
	Rules      []RuleLife   `json:"rules"`          // those that failed most first
	Tokens     int          `json:"tokens"`         // of all rules that agents read, about
	Session    int          `json:"session_tokens"` // of these, in files that every session loads
}

// bytesPerToken is what tokens are counted by where no vocabulary is.
const bytesPerToken = 4

// ReadLessons says how the rules do. It writes nothing.
func ReadLessons(ctx context.Context, l Look) (Lessons, error) {
	look, err := l.read(ctx)
	if err != nil {
		return Lessons{}, err
	}
	out := Lessons{Recurrence: recurrence(look.state.Corrections, l.Now)}
	all := rules.Collect(look.corpus.Docs)
	for _, r := range all.Rules {
		tokens := (len(r.Fact.Text) + bytesPerToken - 1) / bytesPerToken
		out.Tokens += tokens
		if r.Instruction() {
			out.Session += tokens
		}
		life := lifeOf(r, all.Names(r), look.state.Corrections)
		if life.Tokens = tokens; life.Evidence != "" || life.Recurrences > 0 {
			out.Rules = append(out.Rules, life)
		}
	}
	slices.SortStableFunc(out.Rules, func(a, b RuleLife) int {
		return cmp.Or(cmp.Compare(b.Recurrences, a.Recurrences), cmp.Compare(a.Since, b.Since))
	})
	return out, nil
}

func lifeOf(r *rules.Rule, names []string, all []journal.Correction) RuleLife {
	out := RuleLife{Key: r.Key(), File: r.Doc.Path, Line: r.Fact.Line, Text: rules.Brief(r.Fact.Text, 90), EverySession: r.Doc.Format == knowledge.Instruction}
	out.Since, out.Evidence, _ = r.Origin()
	for _, c := range all {
		if c.Again && slices.Contains(names, c.Rule) {
			out.Recurrences++
			out.Last = max(out.Last, c.At.UTC().Format(time.DateOnly))
		}
	}
	return out
}

// spans is how many months the recurrence is shown for.
const spans = 4

// month is one span of the recurrence.
const month = 30 * 24 * time.Hour

func recurrence(all []journal.Correction, now time.Time) []Recurrence {
	var out []Recurrence
	for i := range spans {
		to := now.Add(-time.Duration(i) * month)
		from := to.Add(-month)
		r := Recurrence{From: from.UTC().Format(time.DateOnly), To: to.UTC().Format(time.DateOnly)}
		for _, c := range all {
			if c.At.After(from) && !c.At.After(to) {
				r.Corrections++
				if c.Again {
					r.Again++
				}
			}
		}
		out = append(out, r)
	}
	return out
}
