package triage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/retro/rules"
	"github.com/retrosweep/retrosweep/retro/signal"
)

// Sizes of what a prompt shows, in runes and lines.
const (
	lineRunes    = 400
	leadRunes    = 120 // of a long line, before what was changed in it
	ruleRunes    = 160
	waitingRunes = 240
	messageLines = 60
)

// view names what stands in a prompt: S1, R1 and C1 are short for the model,
// the same for the same window, and cannot be guessed into anything else.
type view struct {
	q       Question
	signals map[string]*signal.Signal
	rules   map[string]*rules.Rule
	waiting map[string]string
}

func newView(q Question) *view {
	v := &view{q: q, signals: map[string]*signal.Signal{}, rules: map[string]*rules.Rule{}, waiting: map[string]string{}}
	for i, s := range q.Signals {
		v.signals[fmt.Sprintf("S%d", i+1)] = s
	}
	for i, r := range q.Rules {
		v.rules[fmt.Sprintf("R%d", i+1)] = r
	}
	for i, w := range q.Waiting {
		v.waiting[fmt.Sprintf("C%d", i+1)] = w.ID
	}
	return v
}

// data is what the prompt shows of the question.
func (v *view) data() prompts.TriageData {
	d := prompts.TriageData{Fence: fence}
	var lines strings.Builder
	for i, r := range v.q.Rules {
		fmt.Fprintf(&lines, "R%d %s\n", i+1, r.Line(ruleRunes))
	}
	d.Rules = prompts.Untrusted(lines.String())
	lines.Reset()
	for i, w := range v.q.Waiting {
		fmt.Fprintf(&lines, "C%d %s\n", i+1, rules.Brief(w.Text, waitingRunes))
	}
	d.Waiting = prompts.Untrusted(lines.String())
	d.Commits = v.commits()
	return d
}

// commits groups the signals by commit, in the order in which the commits
// first appear: a message is shown once.
func (v *view) commits() []prompts.TriageCommit {
	var out []prompts.TriageCommit
	at := map[repo.Hash]int{}
	for i, s := range v.q.Signals {
		n, ok := at[s.Commit.Hash]
		if !ok {
			n = len(out)
			at[s.Commit.Hash] = n
			out = append(out, prompts.TriageCommit{
				ID: prompts.NameOf(Short(s.Commit.Hash)), Author: prompts.NameOf(string(s.Trust)),
				Date:    prompts.NameOf(s.Commit.Committer.When.UTC().Format("2006-01-02")),
				Message: prompts.Untrusted(message(s.Commit)),
			})
		}
		out[n].Signals = append(out[n].Signals, prompts.TriageSignal{
			ID: prompts.NameOf(fmt.Sprintf("S%d", i+1)), Class: prompts.NameOf(string(s.Class)), Body: prompts.Untrusted(body(s)),
		})
	}
	return out
}

// Short is a commit id as prompts and provenance show it.
func Short(h repo.Hash) string { return h.String()[:10] }

// message is a commit message with its lines numbered.
func message(c repo.Commit) string {
	var b strings.Builder
	lines := redacted(strings.Split(strings.TrimRight(c.Message, "\n"), "\n"))
	for i, line := range lines[:min(len(lines), messageLines)] {
		fmt.Fprintf(&b, "%4d %s\n", i+1, clip(line))
	}
	if more := len(lines) - messageLines; more > 0 {
		fmt.Fprintf(&b, "     … %d more lines\n", more)
	}
	return b.String()
}

// body is the path and the hunks of a signal with their line numbers.
func body(s *signal.Signal) string {
	var b strings.Builder
	fmt.Fprintf(&b, "path: %s%s\n", clip(s.Path), note(s))
	for i, h := range s.Hunks {
		if i > 0 {
			b.WriteString("...\n")
		}
		number(&b, ' ', h.NewLine-len(h.Before), h.Before, nil)
		number(&b, '-', h.OldLine, h.Removed, h.Added)
		number(&b, '+', h.NewLine, h.Added, h.Removed)
		number(&b, ' ', h.NewLine+len(h.Added), h.After, nil)
	}
	for _, r := range s.Remarks {
		fmt.Fprintf(&b, "reviewer (%s)%s said: %s\n", r.Trust, requested(r), clip(clean(r.Text)))
	}
	return b.String()
}

func requested(r signal.Remark) string {
	if r.Requested {
		return ", requesting changes,"
	}
	return ""
}

func note(s *signal.Signal) string {
	switch s.Change.Kind {
	case repo.Added:
		return " (new file)"
	case repo.Deleted:
		return " (file removed)"
	case repo.Renamed:
		return " (was " + clip(s.Change.From.Path) + ")"
	}
	return ""
}

// redacted takes secrets out of lines as they stand in their file: a number
// before each, or a cut of a long one, would hide the shapes they are known by.
func redacted(lines []string) []string {
	out := strings.Split(clean(strings.Join(lines, "\n")), "\n")
	if len(out) != len(lines) { // the guard keeps lines; where it should not, say nothing
		return make([]string, len(lines))
	}
	return out
}

// number writes lines with their numbers. A long one is cut around where it
// differs from the line in its place on the other side.
func number(b *strings.Builder, sign byte, first int, lines, other []string) {
	other = redacted(other)
	for i, line := range redacted(lines) {
		at := 0
		if i < len(other) {
			at = differs(line, other[i])
		}
		fmt.Fprintf(b, "%c%4d %s\n", sign, first+i, clipAt(line, at))
	}
}

// differs is the rune from which on two lines are not the same.
func differs(a, b string) int {
	x, y := []rune(a), []rune(b)
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

var oneLine = strings.NewReplacer("\r", "", "\n", " ")

// clip keeps a line on one line and of a bearable length.
func clip(line string) string { return clipAt(line, 0) }

// clipAt keeps of a long line what is around a rune of it.
func clipAt(line string, at int) string {
	runes := []rune(oneLine.Replace(line))
	if len(runes) <= lineRunes {
		return string(runes)
	}
	from := 0
	if at > lineRunes-leadRunes {
		from = min(at-leadRunes, len(runes)-lineRunes)
	}
	out := string(runes[from:min(len(runes), from+lineRunes)])
	if from > 0 {
		out = "… " + out
	}
	if from+lineRunes < len(runes) {
		out += " …"
	}
	return out
}

// Texts is what each signal says in words, for finding the rules near it.
func Texts(signals []*signal.Signal) []string {
	out := make([]string, 0, len(signals))
	for _, s := range signals {
		text := s.Commit.Message
		for _, h := range s.Hunks {
			text += "\n" + strings.Join(slices.Concat(h.Removed, h.Added), "\n")
		}
		out = append(out, text)
	}
	return out
}
