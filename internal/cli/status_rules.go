package cli

import (
	"fmt"
	"io"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/night"
)

// maxRules is how many rules are shown in text; JSON has all.
const maxRules = 10

// writeLessons says whether the rules work: the headline is how often a mistake
// was made again that a rule speaks of.
func writeLessons(w io.Writer, l night.Lessons) {
	if len(l.Rules) == 0 && total(l.Recurrence) == 0 {
		return
	}
	fmt.Fprintf(w, "\nrecurrence  %s\n", spoken(l.Recurrence[0]))
	for _, r := range l.Recurrence[1:] {
		if r.Corrections > 0 {
			fmt.Fprintf(w, "  %s to %s  %s\n", r.From, r.To, share(r))
		}
	}
	fmt.Fprintf(w, "rules       about %d tokens, %d of them in every session\n", l.Tokens, l.Session)
	for _, r := range l.Rules[:min(len(l.Rules), maxRules)] {
		since := "since " + r.Since + ", of " + r.Evidence
		if r.Since == "" {
			since = "written by hand"
		}
		failed := "not made again"
		if r.Recurrences > 0 {
			failed = fmt.Sprintf("made again %d times, last on %s", r.Recurrences, r.Last)
		}
		fmt.Fprintf(w, "  %s:%d  %s\n    %s; %s; %d tokens%s\n", guard.Terminal(r.File), r.Line, guard.TerminalLine(r.Text, 100), since, failed, r.Tokens, everySession(r))
	}
	if more := len(l.Rules) - maxRules; more > 0 {
		fmt.Fprintf(w, "  and %d more: --format json has all\n", more)
	}
}

func everySession(r night.RuleLife) string {
	if r.EverySession {
		return " in every session"
	}
	return ""
}

func total(all []night.Recurrence) (n int) {
	for _, r := range all {
		n += r.Corrections
	}
	return n
}

func spoken(r night.Recurrence) string {
	if r.Corrections == 0 {
		return "no correction in the last 30 days"
	}
	return share(r) + " in the last 30 days"
}

func share(r night.Recurrence) string {
	if r.Corrections == 0 {
		return "no correction"
	}
	return fmt.Sprintf("%d of %d corrections had a rule already (%d %%)", r.Again, r.Corrections, (100*r.Again+r.Corrections/2)/r.Corrections)
}
