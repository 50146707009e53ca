package night

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/report"
)

// wentWrong is what of this night a person may have to mend, for the dashboard:
// sentences that are the same tomorrow while the cause is, and gone with it.
// They name no endpoint: an issue has more readers than a log.
func (r *run) wentWrong() []string {
	var out []string
	for _, p := range r.receipt.Proposals {
		if p.State == report.ProposalBlocked {
			out = append(out, fmt.Sprintf("%s could not be written: %s", p.Branch, cmp.Or(r.remedies[p.Branch], steady(p.Reason))))
		}
	}
	out = append(out, r.wrong...)
	if r.learner() != nil && r.Command.Retro && r.To == "" {
		switch {
		case !r.lessons.Complete:
			out = append(out, "the model could not be asked for lessons: what it was to look at waits, and the log of the run says why")
		case len(r.lessons.Backlog) > 0:
			out = append(out, "the budget for lessons ended before everything was looked at: the rest waits")
		}
	}
	if r.receipt.Facts.Reasons[knowledge.ReasonBudget] > 0 {
		out = append(out, "the budget of the judge ended before every fact was held against the code that changed: the rest waits")
	}
	if n := len(r.corpus.Warnings); n > 0 {
		out = append(out, fmt.Sprintf("%s could not be read", counted(n, "knowledge file")))
	}
	n := 0
	for _, d := range r.corpus.Docs {
		n += len(d.Faults)
	}
	if n > 0 {
		out = append(out, fmt.Sprintf("%s of knowledge files could not be read: `retrosweep lint` names them", counted(n, "place")))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// unwell notes a fault that the dashboard shows too, without its details.
func (r *run) unwell(what string) { r.wrong = append(r.wrong, what) }

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// changing is what an error says differently each night: commits, times, ids of
// requests.
var changing = regexp.MustCompile(`\b(?:[0-9a-f]{7,64}|\d{4}-\d{2}-\d{2}(?:[T ][0-9:.]+Z?)?|(?:[0-9A-F]{4,}:)+[0-9A-F]{4,})\b`)

// steady is an error as it reads on any night, on one line.
func steady(s string) string {
	return strings.Join(strings.Fields(changing.ReplaceAllString(s, "…")), " ")
}
