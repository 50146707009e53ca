package retro

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/retro/signal"
	"github.com/retrosweep/retrosweep/retro/signal/signaltest"
	"github.com/retrosweep/retrosweep/retro/triage"
)

// silent finds nothing, and remembers what it was shown.
func silent(seen *[]string) *model {
	return &model{triage: func(user string) []prompts.TriageItem {
		for _, path := range []string{"client.go", "a.sh", "b.sh"} {
			if strings.Contains(user, "path: "+path) {
				*seen = append(*seen, path)
			}
		}
		return nil
	}}
}

// What the model's budget does not reach waits, with the night it began.
func TestBudgetEndsThePassAsPlanned(t *testing.T) {
	t.Parallel()
	in := input(t, "recurs.txtar", 0)
	in.Limits.Window = 1
	var shown []string
	m := silent(&shown)
	in.Model = m.client(t, llm.Options{Budget: llm.Budget{Tokens: 6500}})
	res := run(t, in)
	if !res.Complete || len(shown) != 1 || len(res.Backlog) != 1 || res.Judged != 1 {
		t.Fatalf("shown %v, %+v", shown, res)
	}
	left := res.Backlog[0]
	if left.Path == shown[0] || !left.Since.Equal(tonight) || left.Nights != 0 || left.Class != "change" || left.Line != 1 {
		t.Errorf("backlog = %+v", left)
	}
	// The next night has nothing new and judges what is left, once.
	in.State, in.Commits = &journal.State{Backlog: res.Backlog}, nil
	in.Model = m.client(t, llm.Options{})
	next := run(t, in)
	if !next.Complete || len(next.Backlog) != 0 || len(shown) != 2 || shown[1] != left.Path || next.Signals != 0 || next.Judged != 1 {
		t.Errorf("shown %v, %+v", shown, next)
	}
}

// A budget that is spent between triage and patch keeps the lesson's signal.
func TestBudgetEndsBeforeThePatch(t *testing.T) {
	t.Parallel()
	in := input(t, "revert.txtar", 0)
	in.Model = careful().client(t, llm.Options{Stages: map[string]llm.Stage{
		"triage": {Generator: careful().generator(t)}, "patch": {Generator: careful().generator(t), Budget: llm.Budget{Tokens: 1}},
	}})
	res := run(t, in)
	if !res.Complete || len(res.Edits) != 0 || len(res.Backlog) != 1 || res.Backlog[0].Class != "revert" {
		t.Errorf("%+v", res)
	}
	in.State, in.Commits = &journal.State{Backlog: res.Backlog}, nil
	in.Model = careful().client(t, llm.Options{})
	if next := run(t, in); len(next.Edits) != 1 || len(next.Backlog) != 0 {
		t.Errorf("the next night: %+v", next)
	}
}

// What waited is read again with its past: a person's word against an agent's is
// still one on a later night.
func TestBacklogKeepsItsClass(t *testing.T) {
	t.Parallel()
	const cached = "const limit = 100 // cached for a day"
	r, commits := signaltest.History(t, []byte("-- commit --\nauthor: Ada Byron <ada@acme.dev>\ndate: 2026-11-10T10:00:00Z\n\nbegin\n-- cache.go --\npackage cache\n"+
		"-- commit --\nauthor: coder[bot] <1+coder[bot]@users.noreply.github.com>\ndate: 2026-11-12T10:00:00Z\n\ncache it\n-- cache.go --\npackage cache\n\n"+cached+"\n"+
		"-- commit --\nauthor: Ada Byron <ada@acme.dev>\ndate: 2026-11-13T10:00:00Z\n\nCache only what is read twice\n-- cache.go --\npackage cache\n\nconst limit = 2\n"))
	in := at(t, Input{Repo: r, Now: tonight, State: &journal.State{}, Members: members}, commits[0].Hash, 1)
	shown := ""
	m := &model{triage: func(user string) []prompts.TriageItem { shown = user; return nil }}
	in.Model = m.client(t, llm.Options{Budget: llm.Budget{Tokens: 1}})
	left := run(t, in).Backlog
	if len(left) != 1 || left[0].Class != string(signal.AgentEdit) || shown != "" {
		t.Fatalf("%+v", left)
	}
	in.State, in.Commits = &journal.State{Backlog: left}, nil
	in.Model = m.client(t, llm.Options{})
	if next := run(t, in); next.Judged != 1 || !strings.Contains(shown, string(signal.AgentEdit)) {
		t.Errorf("shown:\n%s", shown)
	}
}

// generator is the model as a generator of its own.
func (m *model) generator(t *testing.T) llm.Generator {
	t.Helper()
	m.client(t, llm.Options{})
	return &m.fake
}

// The oldest come first, and no more of them than half of the tokens.
func TestOldestFirst(t *testing.T) {
	t.Parallel()
	in := input(t, "recurs.txtar", 0)
	var shown []string
	m := silent(&shown)
	in.Limits.Window = 1
	in.Model = m.client(t, llm.Options{Budget: llm.Budget{Tokens: 1}})
	left := run(t, in).Backlog
	if len(left) != 2 || len(shown) != 0 {
		t.Fatalf("backlog = %+v", left)
	}
	for i := range left {
		left[i].Since, left[i].Nights = tonight.AddDate(0, 0, -i), i
	}
	in.State, in.Commits = &journal.State{Backlog: left}, nil
	in.Limits.Tokens = 150 // half of it is room for one of the two
	in.Model = m.client(t, llm.Options{})
	res := run(t, in)
	if len(shown) != 1 || shown[0] != left[1].Path || len(res.Backlog) != 1 || res.Backlog[0].ID != left[0].ID || res.Backlog[0].Nights != 1 {
		t.Errorf("shown %v, left %+v", shown, res.Backlog)
	}
}

func TestDroppedByNameAfterThirtyNights(t *testing.T) {
	t.Parallel()
	in := input(t, "recurs.txtar", 0)
	in.Limits.Window = 1
	m := silent(new([]string))
	broke := llm.Options{Budget: llm.Budget{Tokens: 1}}
	in.Model = m.client(t, broke)
	in.State = &journal.State{Backlog: run(t, in).Backlog}
	in.Commits = nil
	for night := 1; night <= maxNights; night++ {
		in.Model = m.client(t, broke)
		in.State = &journal.State{Backlog: run(t, in).Backlog}
		if len(in.State.Backlog) != 2 {
			t.Fatalf("night %d: %d wait", night, len(in.State.Backlog))
		}
	}
	in.Model = m.client(t, broke)
	res := run(t, in)
	warnings := strings.Join(res.Warnings, "\n")
	if len(res.Backlog) != 0 || !strings.Contains(warnings, "a.sh:1") || !strings.Contains(warnings, "b.sh:1") {
		t.Errorf("backlog %v, warnings %s", res.Backlog, warnings)
	}
}

// What a forged journal names is read again from the commits or dropped.
func TestAttack49ForgedBacklog(t *testing.T) {
	t.Parallel()
	in := input(t, "recurs.txtar", 0)
	in.Commits = nil
	head := in.Head.String()
	in.State.Backlog = []journal.Signal{
		{ID: "s0", Commit: strings.Repeat("d", 40), Path: "a.sh", Class: "feedback"},
		{ID: "s1", Commit: head, Path: "../../etc/passwd", Class: "feedback"},
		{ID: "s2", Commit: "HEAD", Path: "b.sh", Class: "revert"},
		{ID: "s3", Commit: "--upload-pack=touch x", Path: "b\x1b]52;c;x\a.sh"},
	}
	m := silent(new([]string))
	in.Model = m.client(t, llm.Options{Budget: llm.Budget{Tokens: 1}})
	honest := run(t, at(t, in, in.Head, 1)).Backlog[0]
	in.Model = m.client(t, llm.Options{})
	honest.Commit = "main" // a name that may mean another commit tomorrow
	in.State.Backlog = append(in.State.Backlog, honest)
	res := run(t, in)
	if m.calls() != 0 || !res.Complete || len(res.Backlog) != 0 || len(res.Warnings) != 5 {
		t.Errorf("%d calls, %+v", m.calls(), res)
	}
	if strings.ContainsAny(strings.Join(res.Warnings, ""), "\x1b\a") {
		t.Error("a warning carries a terminal sequence")
	}
}

// Candidates that the journal makes up promote nothing: places that no commit
// of the history changed are no second signal, and Explicit there means nothing.
func TestAttack49ForgedCandidates(t *testing.T) {
	t.Parallel()
	in := input(t, "recurs.txtar", 0)
	in = at(t, in, in.Head, 1)
	elsewhere := func(w ...journal.Where) *journal.Candidate {
		return &journal.Candidate{ID: "c", LessonKey: triage.Key(noPrompts), Evidence: w, Explicit: true, Since: tonight, Status: "waiting"}
	}
	for name, c := range map[string]*journal.Candidate{
		"no such commit":       elsewhere(journal.Where{Commit: strings.Repeat("d", 40), Path: "a.sh", Line: 1}),
		"a line nobody wrote":  elsewhere(journal.Where{Commit: in.From.String(), Path: "a.sh", Line: 77}),
		"a file not changed":   elsewhere(journal.Where{Commit: in.From.String(), Path: "b.sh", Line: 1}),
		"the commit itself":    elsewhere(journal.Where{Commit: in.Head.String(), Path: "b.sh", Line: 1}),
		"no evidence":          elsewhere(),
		"a line of no message": elsewhere(journal.Where{Commit: in.From.String(), Line: 9}),
		"an empty line of one": elsewhere(journal.Where{Commit: in.From.String(), Line: 2}),
		"a name of a commit":   elsewhere(journal.Where{Commit: "HEAD~1", Path: "a.sh", Line: 1}),
	} {
		m := scripted()
		m.triage = func(user string) []prompts.TriageItem {
			items := lesson(user, "mv -f x y", noPrompts, "shell-use")
			c1 := "C1"
			items[0].SameAs = &c1
			return items
		}
		in.State = &journal.State{Candidates: map[string]*journal.Candidate{"c": c}}
		in.Model = m.client(t, llm.Options{})
		if res := run(t, in); len(res.Edits) != 0 || res.Lessons[0].Status != report.LessonCandidate {
			t.Errorf("%s: %+v", name, res)
		}
	}
}

// A commit that the reviewed history does not hold shows nothing, although the
// repository has it.
func TestEvidenceOutsideOfTheHistory(t *testing.T) {
	t.Parallel()
	in := input(t, "recurs.txtar", 0)
	later := journal.Where{Commit: in.Head.String(), Path: "b.sh", Line: 1}
	in = at(t, in, in.Commits[1].Hash, 1)
	in.State = &journal.State{Candidates: map[string]*journal.Candidate{
		"c": {ID: "c", LessonKey: triage.Key(noPrompts), Evidence: []journal.Where{later}, Since: tonight, Status: "waiting"},
	}}
	in.Model = scripted().client(t, llm.Options{})
	if res := run(t, in); len(res.Edits) != 0 {
		t.Errorf("%+v", res.Edits)
	}
}

// A candidate that waits too long is listed, with its evidence, once.
func TestListedAfterSixtyDays(t *testing.T) {
	t.Parallel()
	in := input(t, "recurs.txtar", 0)
	in.Model = scripted().client(t, llm.Options{})
	in = at(t, in, in.Head, 1)
	in.State = &journal.State{Candidates: run(t, in).Candidates}
	in.Commits = nil
	for _, tt := range []struct {
		days   int
		listed int
	}{{59, 0}, {60, 1}, {61, 0}} {
		in.Now = tonight.Add(time.Duration(tt.days) * 24 * time.Hour)
		m := scripted()
		in.Model = m.client(t, llm.Options{})
		res := run(t, in)
		if len(res.Lessons) != tt.listed || m.calls() != 0 || len(res.Candidates) != 1 {
			t.Fatalf("day %d: %+v", tt.days, res)
		}
		for _, l := range res.Lessons {
			if l.Status != report.LessonCandidate || len(l.Evidence) != 1 || !strings.Contains(l.Evidence[0].Quote, "mv -f x y") {
				t.Errorf("day %d: %+v", tt.days, l)
			}
		}
		in.State = &journal.State{Candidates: res.Candidates}
	}
}

// More lessons than a night may promote wait for the next one.
func TestPromotionsAreCapped(t *testing.T) {
	t.Parallel()
	in := input(t, "revert.txtar", 0)
	in.Limits.Promotions = 3
	m := careful()
	m.triage = func(user string) []prompts.TriageItem {
		var items []prompts.TriageItem
		for i := range 500 {
			items = append(items, lesson(user, "expired tokens", fmt.Sprintf("Make new client number %d for each request.", i), "http-clients")...)
		}
		return items
	}
	m.patch = func(user string) []prompts.PatchEdit { return add("Make a new client for each request.") }
	in.Model = m.client(t, llm.Options{})
	res := run(t, in)
	if len(res.Edits) != 3 || len(res.Backlog) != 1 || !res.Complete {
		t.Errorf("%d edits, backlog %v", len(res.Edits), res.Backlog)
	}
}

// The same lesson twice in one answer is one lesson; two lessons of one quote
// have two ids.
func TestLessonsOfOneQuote(t *testing.T) {
	t.Parallel()
	in := input(t, "revert.txtar", 0)
	m := careful()
	m.triage = func(user string) []prompts.TriageItem {
		var items []prompts.TriageItem
		for _, text := range []string{freshClient, "Check the age of a token before each request.", freshClient} {
			items = append(items, lesson(user, "expired tokens", text, "http-clients")...)
		}
		return items
	}
	calls := 0
	m.patch = func(string) []prompts.PatchEdit { calls++; return add(fmt.Sprintf("Do the thing called %d.", calls)) }
	in.Model = m.client(t, llm.Options{})
	res := run(t, in)
	if len(res.Lessons) != 2 || calls != 2 || res.Lessons[0].ID == res.Lessons[1].ID || !strings.HasPrefix(res.Lessons[1].ID, res.Lessons[0].ID) {
		t.Errorf("%d calls, lessons %+v", calls, res.Lessons)
	}
}

// A fault that only one night has changes nothing that is kept.
func TestStateIsReadOnly(t *testing.T) {
	t.Parallel()
	in := input(t, "recurs.txtar", 0)
	in.Model = scripted().client(t, llm.Options{})
	state := journal.State{Candidates: run(t, at(t, in, in.Commits[1].Hash, 1)).Candidates}
	var before []journal.Candidate
	for _, c := range state.Candidates {
		before = append(before, *c)
	}
	in.State = &state
	in = at(t, in, in.Head, 1)
	in.Model = (&model{fault: llmtest.Unauthorized}).client(t, llm.Options{})
	run(t, in)
	in.Model = scripted().client(t, llm.Options{})
	run(t, in)
	for _, c := range state.Candidates {
		if diff := cmp.Diff(before[0], *c); diff != "" {
			t.Errorf("the journal's state changed:\n%s", diff)
		}
	}
}
