package judge

import (
	"strings"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/prompts"
)

// Bounds of grounding.
const (
	maxQuotes  = 6
	slack      = 3 // lines up or down that a model may have miscounted
	quoteRunes = 8 // fewer are found anywhere: then the whole line must agree, where it is said to stand
)

// Ground believes an answer as far as it quotes what the question showed. A
// verdict that quotes no line of the code as it is now is unknown.
func (q Question) Ground(a prompts.JudgeAnswer) Answer {
	out := Answer{Verdict: knowledge.Unknown, Reason: knowledge.ReasonUndecided}
	if words, err := guard.OutputText(a.Reason, prompts.MaxReason); err == nil {
		out.Words = words
	}
	verdict := knowledge.Verdict(a.Verdict)
	if verdict != knowledge.Fresh && verdict != knowledge.Stale {
		return out
	}
	now := false
	for _, quote := range a.Quotes[:min(len(a.Quotes), maxQuotes)] {
		if found, ok := q.find(quote); ok {
			out.Quotes = append(out.Quotes, found)
			now = now || quote.Side == prompts.SideAfter
		}
	}
	if !now {
		out.Reason, out.Words, out.Quotes = knowledge.ReasonUngrounded, "", nil
		return out
	}
	out.Verdict, out.Reason = verdict, ""
	return out
}

// find looks a quote up among the lines of its side.
func (q Question) find(quote prompts.JudgeQuote) (knowledge.Quote, bool) {
	side, commit := q.View.Before, q.Commits[0]
	if quote.Side == prompts.SideAfter {
		side, commit = q.View.After, q.Commits[1]
	}
	want := fold(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(quote.Quote), "…"), "..."))
	best, found := slack+1, knowledge.Quote{}
	for _, p := range side {
		if p.Path != strings.TrimSpace(quote.Path) {
			continue
		}
		for _, l := range p.Lines {
			if off := abs(l.No - quote.Line); off < best && l.is(quote.Line, want) {
				best, found = off, knowledge.Quote{Commit: commit, Path: p.Path, Line: l.No, Quote: l.Text}
			}
		}
	}
	return found, best <= slack
}

// is reports whether a line may be the one that is quoted.
func (l Line) is(no int, want string) bool {
	have := fold(l.Text)
	switch {
	case (l.No == 0) != (no == 0): // what we say of the code is not the code
		return false
	case len([]rune(want)) < quoteRunes:
		return l.No == no && want != "" && have == want
	}
	return strings.Contains(have, want)
}

func abs(n int) int { return max(n, -n) }

// fold is text with its white space folded.
func fold(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }
