package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// pick returns the findings to show: all of them when they are few or there is
// no limit, else the first limit of those that do harm.
func pick(all []knowledge.Finding, limit int) []knowledge.Finding {
	if limit <= 0 || len(all) <= limit {
		return all
	}
	n := 0
	for n < len(all) && n < limit && all[n].Severity != knowledge.Info {
		n++
	}
	return all[:n]
}

// severities counts findings by severity: "2 errors, 3 warnings, 1 note".
func severities(all []knowledge.Finding) string {
	n := map[knowledge.Severity]int{}
	for i := range all {
		n[all[i].Severity]++
	}
	var parts []string
	for _, s := range []struct {
		severity knowledge.Severity
		noun     string
	}{{knowledge.Error, "error"}, {knowledge.Warning, "warning"}, {knowledge.Info, "note"}} {
		if n[s.severity] > 0 {
			parts = append(parts, plural(n[s.severity], s.noun))
		}
	}
	return strings.Join(parts, ", ")
}

// byRule counts findings by what they say, the most frequent first.
func byRule(rest []knowledge.Finding) string {
	n := map[string]int{}
	for i := range rest {
		n[cmp.Or(ruleWords[rest[i].Rule], rest[i].Rule)]++
	}
	return counts(n)
}

// ruleWords say what a rule finds, for those who have not learnt its name.
var ruleWords = map[string]string{
	"anchor/broken":  "gone",
	"anchor/moved":   "moved",
	"anchor/event":   "gone but named in a log or decision record",
	"anchor/late":    "gone before the line was written",
	"anchor/never":   "never existed",
	"anchor/unfound": "named in the new commits and not there",
	"life/expired":   "past their time",
	"life/no-date":   "without a readable date",
	"life/task":      "whose task ended otherwise or is not found",
	"life/unseen":    "whose task nobody could look at",
	"judge/stale":    "not borne out by the code any more",
	"judge/flaps":    "judged this way and that",

	"conflict/contradiction": "that contradict another",
	"conflict/duplicate":     "that say what another says",
}

// counts writes a map as "3 a, 1 b", the largest first.
func counts(n map[string]int) string {
	keys := slices.Collect(maps.Keys(n))
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(n[b]-n[a], strings.Compare(a, b)) })
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = fmt.Sprintf("%d %s", n[k], safe(k))
	}
	return strings.Join(parts, ", ")
}

// sinceText says for how long a fact has been false, and which commit made it so.
func sinceText(s *knowledge.Since, now time.Time) string {
	if s == nil || s.Commit == "" {
		return ended(s, now)
	}
	text := "false since " + short(s.Commit)
	if day, err := time.Parse(time.DateOnly, s.Date); err == nil {
		text += " of " + s.Date
		if !now.IsZero() {
			text += ", for " + age(day, now)
		}
	}
	if s.Subject != "" {
		text += ": " + safe(s.Subject)
	}
	return text
}

// ended says how long ago the time of a fact was over.
func ended(s *knowledge.Since, now time.Time) string {
	if s == nil || now.IsZero() {
		return ""
	}
	day, err := time.Parse(time.DateOnly, s.Date)
	if err != nil {
		return ""
	}
	return age(day, now) + " ago"
}

// age says how much time has gone by since a day, roughly.
func age(day, now time.Time) string {
	days := max(int(now.Sub(day).Hours()/24), 0)
	switch {
	case days < 60:
		return plural(days, "day")
	case days < 730:
		return plural(days*12/365, "month")
	}
	return plural(days/365, "year")
}

// actionText says what is done about a finding, or who has to do it.
func actionText(f *knowledge.Finding) string {
	to := ""
	if f.Now != nil && f.Now.Path != "" {
		to = safe(f.Now.Path)
		if f.Now.Symbol != "" {
			to = safe(f.Now.Symbol) + " in " + to
		}
	}
	if f.Action == nil {
		if to != "" {
			return "it is " + to + " now"
		}
		return ""
	}
	switch f.Action.Type {
	case knowledge.ActionEdit:
		return "edit ready" + orNothing(": ", to) + review(f.Action.Route)
	case knowledge.ActionArchive:
		return "to be archived; it can be restored" + review(f.Action.Route)
	case knowledge.ActionPropose:
		return "offered for review" + orNothing(": ", to)
	case knowledge.ActionWorklist:
		return "a person must look" + orNothing("; it may be ", to)
	}
	return safe(string(f.Action.Type))
}

func review(r knowledge.Route) string {
	switch r {
	case knowledge.RouteQueue:
		return " (waits for review)"
	case knowledge.RouteNever:
		return " (by hand: this file is not written)"
	}
	return ""
}

func orNothing(lead, s string) string {
	if s == "" {
		return ""
	}
	return lead + s
}

func lessonSummary(r *Receipt) string {
	n := map[LessonStatus]int{}
	for _, l := range r.Lessons {
		n[l.Status]++
	}
	var parts []string
	for _, s := range []LessonStatus{LessonPromoted, LessonCandidate, LessonCovered, LessonRejected, LessonDropped} {
		if n[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[s], lessonWords[s]))
		}
	}
	if r.Signals != nil && r.Signals.Waiting > 0 {
		parts = append(parts, plural(r.Signals.Waiting, "signal")+" wait for a model (name one with --model)")
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, ", ")
	case r.Signals != nil && r.Signals.Found > 0:
		return "none in " + plural(r.Signals.Found, "signal")
	}
	return "none"
}

var lessonWords = map[LessonStatus]string{
	LessonPromoted:  "promoted",
	LessonCandidate: "waiting for a second, independent signal",
	LessonCovered:   "covered by a rule",
	LessonRejected:  "rejected",
	LessonDropped:   "dropped",
}

// lessonNote is the mark before a lesson and the line below it.
func lessonNote(l Lesson) (mark, note string) {
	mark = map[LessonStatus]string{LessonPromoted: "+", LessonCandidate: "?", LessonCovered: "="}[l.Status]
	if mark == "" {
		mark = "-"
	}
	note = lessonWords[l.Status]
	if l.Playbook != "" {
		note += ", " + safe(l.Playbook)
	}
	if n := len(l.Evidence); n > 0 {
		note += fmt.Sprintf(", from %s", quotePlace(l.Evidence[0]))
		if n > 1 {
			note += fmt.Sprintf(" and %d more", n-1)
		}
	}
	if l.Reason != "" {
		note += ": " + safeText(l.Reason)
	}
	return mark, note
}

func quotePlace(q knowledge.Quote) string {
	at := safe(q.Path)
	if at == "" {
		at = "message"
	}
	if q.Line > 0 {
		at += fmt.Sprintf(":%d", q.Line)
	}
	if q.Commit != "" {
		at = short(q.Commit) + " " + at
	}
	return strings.TrimSpace(at)
}

func stateSummary(r *Receipt) string {
	n := map[string]int{}
	for _, p := range r.Proposals {
		n[stateWords(p.State, r.Mode)]++
	}
	return counts(n)
}

// stateWords say how a proposal stands: in a dry run, how it would.
func stateWords(s ProposalState, m Mode) string {
	if m != Apply {
		switch s {
		case ProposalOpened:
			return "would be opened"
		case ProposalUpdated:
			return "would be updated"
		case ProposalClosed:
			return "would be closed"
		case ProposalCommitted:
			return "would be committed"
		}
	}
	if s == ProposalHandsOff {
		return "left to its new owner"
	}
	return safe(string(s))
}

// lookCommand is what shows a branch that is there.
func lookCommand(q Proposal, m Mode) string {
	if q.URL != "" {
		return safe(q.URL)
	}
	if q.Branch == "" || q.Base == "" {
		return ""
	}
	switch q.State {
	case ProposalUnchanged, ProposalHandsOff:
	case ProposalOpened, ProposalUpdated:
		if m != Apply {
			return ""
		}
	default:
		return ""
	}
	return fmt.Sprintf("git diff %s..%s", shellWord(q.Base), shellWord(q.Branch))
}

// shellWord is a branch name as it can be pasted into a shell.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./@+", r)
	}
	s = safe(s)
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 && !strings.HasPrefix(s, "-") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func factsText(f FactCounts) string {
	s := plural(f.Total, "fact")
	if f.Files > 0 {
		s += " in " + plural(f.Files, "file")
	}
	var parts []string
	for _, c := range []struct {
		n    int
		word string
	}{{f.Fresh, "fresh"}, {f.Broken, "broken"}, {f.Stale, "stale"}, {f.Unknown, "unknown"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	if len(parts) > 0 {
		s += ": " + strings.Join(parts, ", ")
	}
	if f.Touched > 0 && f.Touched < f.Total {
		s += fmt.Sprintf("; %d name what the range changed", f.Touched)
	}
	if f.Judged > 0 {
		s += fmt.Sprintf("; %d judged", f.Judged)
	}
	if len(f.Pairs) > 0 {
		s += "; pairs compared: " + counts(f.Pairs)
	}
	return s
}

// reasonsText says why facts are unknown. Unconfirmed is no fault: the anchors
// resolve, and nobody checked the claim.
func reasonsText(f FactCounts) string {
	if len(f.Reasons) == 0 {
		return ""
	}
	n := map[string]int{}
	for reason, count := range f.Reasons {
		if reason == knowledge.ReasonUnconfirmed {
			reason = "anchors ok"
		}
		n[reason] += count
	}
	return "unknown: " + counts(n)
}

// modelLines say what models were asked, what that took and what was sent where.
func modelLines(r *Receipt) []string {
	if len(r.Usage) == 0 && len(r.Sent) == 0 {
		return []string{"none: nothing was sent anywhere"}
	}
	var lines []string
	for _, stage := range slices.Sorted(maps.Keys(r.Usage)) {
		u := r.Usage[stage]
		s := fmt.Sprintf("%s  %s: %s", safe(stage), safe(u.Model), plural(u.Calls, "call"))
		if u.Cached > 0 {
			s += fmt.Sprintf(", %d from the cache", u.Cached)
		}
		s += fmt.Sprintf(", %s tokens in, %s out", thousands(u.PromptTokens), thousands(u.CompletionTokens))
		switch {
		case u.Priced:
			s += fmt.Sprintf(", %.4f USD", u.USD)
		case u.Calls > 0:
			s += ", price unknown"
		}
		lines = append(lines, s)
	}
	return append(lines, sentText(r.Sent))
}

func sentText(sent []Sent) string {
	if len(sent) == 0 {
		return "nothing was sent anywhere"
	}
	var parts []string
	for _, s := range sent {
		how := fmt.Sprintf("%s (%s) to %s", safe(s.Stage), safe(s.Model), safe(s.Endpoint))
		if s.Recorded {
			how = fmt.Sprintf("%s (%s): recorded answers of %s", safe(s.Stage), safe(s.Model), safe(s.Endpoint))
		}
		if !slices.Contains(parts, how) {
			parts = append(parts, how)
		}
	}
	return "sent: " + strings.Join(parts, "; ")
}

// Last is the last line of a report: whether anything was written, and what to
// do next.
func Last(r *Receipt) string {
	switch {
	case r.Outcome == Skipped:
		return "Skipped: nothing was read or written."
	case r.Mode != Apply:
		return lastOfDryRun(r)
	}
	var written []Proposal
	for _, p := range r.Proposals {
		if p.State == ProposalOpened || p.State == ProposalUpdated || p.State == ProposalCommitted {
			written = append(written, p)
		}
	}
	lead := "Applied: "
	if r.Outcome == Partial {
		lead = "Applied in part, the warnings say what is left: "
	}
	switch len(written) {
	case 0:
		return lead + "there was nothing to write on a branch."
	case 1:
		return lead + nextStep(written[0], r.Bare)
	}
	return fmt.Sprintf("%s%d branches written. Next: %s", lead, len(written), lookNext(written[0]))
}

func nextStep(p Proposal, bare bool) string {
	if p.URL != "" {
		return "look at " + safe(p.URL)
	}
	merge := "git merge " + shellWord(p.Branch)
	if bare {
		merge = "git push . " + shellWord(p.Branch) + ":" + shellWord(p.Base)
	}
	return fmt.Sprintf("%s is written. Next: %s, then %s", safe(p.Branch), lookNext(p), merge)
}

func lookNext(p Proposal) string {
	return cmp.Or(lookCommand(p, Apply), "look at "+safe(p.Branch))
}

func lastOfDryRun(r *Receipt) string {
	if r.Command == "lint" {
		return lintTally(r)
	}
	command := "retrosweep " + cmp.Or(r.Command, "run")
	for _, p := range r.Proposals {
		if p.State == ProposalOpened || p.State == ProposalUpdated || p.State == ProposalClosed || p.State == ProposalCommitted {
			return fmt.Sprintf("Dry run: nothing was written. To write it: %s --apply", command)
		}
	}
	return "Dry run: nothing was written, and there is nothing to write."
}
