package retro

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/retro/triage"
)

const (
	freshClient = "Make a new client for each request, so that an expired token is not used again."
	noPrompts   = "Pass -f to cp and mv in scripts, so that no prompt waits for an answer."
)

// careful finds the lesson of revert.txtar and adds it.
func careful() *model {
	return &model{
		triage: func(user string) []prompts.TriageItem {
			return lesson(user, "expired tokens", freshClient, "http-clients")
		},
		patch: func(string) []prompts.PatchEdit { return add(freshClient) },
	}
}

// scripted finds the lesson of recurs.txtar wherever it is shown.
func scripted() *model {
	return &model{
		triage: func(user string) []prompts.TriageItem {
			for _, line := range []string{"cp -f x y", "mv -f x y"} {
				items := lesson(user, line, noPrompts, "shell-use")
				if items == nil {
					continue
				}
				if strings.Contains(user, "\nC1 ") {
					c1 := "C1"
					items[0].SameAs = &c1
				}
				return items
			}
			return nil
		},
		patch: func(string) []prompts.PatchEdit { return add(noPrompts) },
	}
}

func statuses(lessons []report.Lesson) []string {
	var out []string
	for _, l := range lessons {
		out = append(out, string(l.Status))
	}
	return out
}

func TestExplicitCorrectionPromotesAtOnce(t *testing.T) {
	t.Parallel()
	in := input(t, "revert.txtar", 0)
	m := careful()
	in.Model = m.client(t, llm.Options{})
	res := run(t, in)
	commit := in.Commits[0].Hash.String()
	want := []RoutedEdit{{
		Edit: knowledge.Edit{
			Op: knowledge.OpAdd, Path: "knowledge/playbooks/http-clients.md", Section: "Rules",
			Text: freshClient + " (2026-11-30, " + commit[:10] + ")", Reason: "No rule is near.", Date: tonight.Truncate(24 * 3600e9),
		},
		Route: knowledge.RouteAuto, Why: "explicit correction by a member. No rule is near.",
		Evidence: []knowledge.Quote{{Commit: commit, Line: 3, Quote: "The cache kept expired tokens alive."}},
	}}
	if diff := cmp.Diff(want, res.Edits, cmpopts.IgnoreFields(RoutedEdit{}, "LessonID", "Title", "Signal")); diff != "" {
		t.Errorf("edits (-want +got):\n%s", diff)
	}
	if !res.Complete || res.Signals != 2 || res.Judged != 2 || len(res.Backlog) != 0 || len(res.Candidates) != 0 {
		t.Errorf("result = %+v", res)
	}
	if len(res.Lessons) != 1 || res.Lessons[0].Status != report.LessonPromoted || !res.Lessons[0].Explicit || res.Lessons[0].ID != res.Edits[0].LessonID {
		t.Errorf("lessons = %+v", res.Lessons)
	}
	if m.calls() != 2 {
		t.Errorf("%d calls, want one of each stage", m.calls())
	}
}

func TestSameNightTwice(t *testing.T) {
	t.Parallel()
	in := input(t, "revert.txtar", 0)
	in.Model = careful().client(t, llm.Options{})
	first := run(t, in)
	in.Model = careful().client(t, llm.Options{})
	if diff := cmp.Diff(first, run(t, in)); diff != "" {
		t.Errorf("the same range and answers give another result:\n%s", diff)
	}
}

func TestWithoutModelTheWatermarkStays(t *testing.T) {
	t.Parallel()
	in := input(t, "revert.txtar", 0)
	in.State.Backlog = []journal.Signal{{ID: "s1", Commit: in.Head.String(), Path: "client.go", Line: 4, Class: "change"}}
	for name, client := range map[string]*llm.Client{"none": nil, "triage alone": withStages(t, "triage")} {
		in.Model = client
		res := run(t, in)
		if res.Complete || res.Signals != 2 || len(res.Lessons)+len(res.Edits) != 0 {
			t.Errorf("%s: %+v", name, res)
		}
		if diff := cmp.Diff(in.State.Backlog, res.Backlog); diff != "" {
			t.Errorf("%s: the backlog changed:\n%s", name, diff)
		}
	}
}

func withStages(t *testing.T, stages ...string) *llm.Client {
	t.Helper()
	o := llm.Options{Stages: map[string]llm.Stage{}}
	for _, s := range stages {
		o.Stages[s] = llm.Stage{Generator: &llmtest.Fake{}}
	}
	c, err := llm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// An inferred lesson waits; the second, independent signal promotes it, with
// the evidence of both; nights without anything new make no call.
func TestInferredLessonWaitsForASecondSignal(t *testing.T) {
	t.Parallel()
	in := input(t, "recurs.txtar", 0)
	second, head := in.Commits[1].Hash, in.Head
	m := scripted()
	in.Model = m.client(t, llm.Options{})

	first := run(t, at(t, in, second, 1))
	if diff := cmp.Diff([]string{"candidate"}, statuses(first.Lessons)); diff != "" || len(first.Edits) != 0 || len(first.Candidates) != 1 {
		t.Fatalf("first night: %+v", first)
	}
	in.State = &journal.State{Candidates: first.Candidates, Backlog: first.Backlog}
	calls := m.calls()

	quiet := at(t, in, second, 1)
	quiet.Commits = nil
	idle := run(t, quiet)
	if m.calls() != calls || !idle.Complete || !cmp.Equal(idle.Candidates, first.Candidates) || len(idle.Lessons) != 0 {
		t.Errorf("a night with nothing new: %d calls, %+v", m.calls()-calls, idle)
	}
	again := run(t, at(t, in, second, 1))
	if len(again.Edits) != 0 || !cmp.Equal(again.Candidates, first.Candidates) {
		t.Errorf("the same commit again: %+v", again)
	}

	last := run(t, at(t, in, head, 1))
	if diff := cmp.Diff([]string{"promoted"}, statuses(last.Lessons)); diff != "" || len(last.Edits) != 1 || len(last.Candidates) != 0 {
		t.Fatalf("second signal: %+v", last)
	}
	if got := last.Edits[0]; len(got.Evidence) != 2 || got.Evidence[1].Path != "a.sh" || got.Route != knowledge.RouteAuto {
		t.Errorf("edit = %+v", got)
	}
}

// Both signals in one range are two sightings of one lesson, not two lessons.
func TestTwoSignalsInOneNight(t *testing.T) {
	t.Parallel()
	in := input(t, "recurs.txtar", 0)
	in.Limits.Window = 1 // a signal a question
	in.Model = scripted().client(t, llm.Options{})
	res := run(t, in)
	if diff := cmp.Diff([]string{"candidate", "promoted"}, statuses(res.Lessons)); diff != "" || len(res.Edits) != 1 || len(res.Candidates) != 0 {
		t.Errorf("lessons %s\n%+v", diff, res)
	}
}

func TestCovered(t *testing.T) {
	t.Parallel()
	in := input(t, "rules.txtar", 0)
	m := &model{triage: func(user string) []prompts.TriageItem {
		guide := lesson(user, "Build with make install", "Build with make install before the tests.", "build")
		memory := lesson(user, "the run hung again", noPrompts, "shell-use")
		for i := range 9 {
			id := fmt.Sprintf("R%d", i)
			if strings.Contains(user, "\n"+id+" knowledge/playbooks/shell-use.md: Pass -f") {
				memory[0].CoveredBy = &id
			}
		}
		return append(guide, memory...)
	}}
	in.Model = m.client(t, llm.Options{})
	res := run(t, in)
	if diff := cmp.Diff([]string{"covered", "covered"}, statuses(res.Lessons)); diff != "" || len(res.Edits) != 0 || m.calls() != 1 {
		t.Fatalf("%s\n%+v", diff, res)
	}
	for i, path := range []string{"AGENTS.md", "knowledge/playbooks/shell-use.md"} {
		var id string
		for _, f := range in.Corpus.Doc(path).Facts {
			if strings.Contains(f.Text, "make install") || strings.Contains(f.Text, "Pass -f") {
				id = f.ID
			}
		}
		if reason := res.Lessons[i].Reason; !strings.Contains(reason, path) || !strings.Contains(reason, id) {
			t.Errorf("reason %q names no rule %s of %s", reason, id, path)
		}
	}
}

// A rule that was made of a commit is not made of it again.
func TestRuleOfTheSameCommitIsCovered(t *testing.T) {
	t.Parallel()
	in := input(t, "revert.txtar", 0)
	in.Model = careful().client(t, llm.Options{})
	rule := "# HTTP clients\n\n- " + run(t, in).Edits[0].Edit.Text + "\n"
	in.Corpus.Docs = append(in.Corpus.Docs, knowledge.Parse("knowledge/playbooks/http-clients.md", []byte(rule), knowledge.Playbook))
	in.Model = careful().client(t, llm.Options{})
	res := run(t, in)
	if diff := cmp.Diff([]string{"covered"}, statuses(res.Lessons)); diff != "" || len(res.Edits) != 0 {
		t.Errorf("%s\n%+v", diff, res.Lessons)
	}
}

func TestRejected(t *testing.T) {
	t.Parallel()
	in := input(t, "revert.txtar", 0)
	in.Model = careful().client(t, llm.Options{})
	id := run(t, in).Lessons[0].ID
	key := triage.Key(freshClient)
	old, fresh := tonight.AddDate(-1, 0, 0), tonight.AddDate(0, 0, -3)
	for _, tt := range []struct {
		name       string
		rejections []journal.Rejection
		want       string
	}{
		{"this evidence", []journal.Rejection{{Key: id, At: old}}, "rejected"},
		{"these words, in the cooldown", []journal.Rejection{{Key: key, At: fresh}}, "rejected"},
		{"these words, long ago", []journal.Rejection{{Key: key, At: old}}, "promoted"},
		{"these words, twice", []journal.Rejection{{Key: key, At: old}, {Key: key, At: old}}, "rejected"},
		{"others", []journal.Rejection{{Key: "k0", At: fresh}}, "promoted"},
	} {
		in.State = &journal.State{Rejections: tt.rejections}
		in.Model = careful().client(t, llm.Options{})
		if diff := cmp.Diff([]string{tt.want}, statuses(run(t, in).Lessons)); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
	}
}

// A dead endpoint ends the pass cleanly: the watermark stays, nothing counts.
func TestDeadEndpoint(t *testing.T) {
	t.Parallel()
	in := input(t, "recurs.txtar", 0)
	in.State = &journal.State{Backlog: []journal.Signal{{ID: "s1"}}}
	for _, fault := range []llmtest.Fault{llmtest.Unauthorized, llmtest.Overloaded, llmtest.RateLimited, llmtest.Garbage, llmtest.NoChoices} {
		in.Model = (&model{fault: fault}).client(t, llm.Options{})
		res := run(t, in)
		if res.Complete || len(res.Edits)+len(res.Lessons) != 0 || !cmp.Equal(res.Backlog, in.State.Backlog) || !strings.Contains(strings.Join(res.Warnings, "\n"), "watermark stays") {
			t.Errorf("%s: %+v", fault, res)
		}
	}
}

// An endpoint that dies between triage and patch loses nothing either.
func TestEndpointDiesInTheMiddle(t *testing.T) {
	t.Parallel()
	in := input(t, "revert.txtar", 0)
	m := careful()
	c := m.client(t, llm.Options{})
	m.patch = func(string) []prompts.PatchEdit { return nil }
	answer := m.fake.Answer
	m.fake.Answer = func(r llm.Request) (llmtest.Reply, bool) {
		if r.Stage == "patch" {
			return llmtest.Reply{Fault: llmtest.Unauthorized}, true
		}
		return answer(r)
	}
	in.Model = c
	if res := run(t, in); res.Complete || len(res.Edits) != 0 || len(res.Candidates) != 0 {
		t.Errorf("%+v", res)
	}
}

// Answers that do not fit keep their signals for the next night; where no
// answer fits, the watermark stays.
func TestUnusableAnswers(t *testing.T) {
	t.Parallel()
	in := input(t, "recurs.txtar", 0)
	in.Limits.Window = 1
	bad := scripted()
	c := bad.client(t, llm.Options{})
	answer := bad.fake.Answer
	bad.fake.Answer = func(r llm.Request) (llmtest.Reply, bool) {
		if strings.Contains(r.Prompt.User, "mv -f x y") {
			return llmtest.Reply{Text: "I would rather not."}, true
		}
		return answer(r)
	}
	in.Model = c
	res := run(t, in)
	if !res.Complete || len(res.Backlog) != 1 || res.Backlog[0].Path != "b.sh" || len(res.Candidates) != 1 {
		t.Errorf("one of two: %+v", res)
	}
	none := &model{}
	c = none.client(t, llm.Options{})
	none.fake.Answer = func(llm.Request) (llmtest.Reply, bool) { return llmtest.Reply{Text: "no"}, true }
	in.Model = c
	if res := run(t, in); res.Complete || len(res.Backlog) != 0 {
		t.Errorf("none: %+v", res)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	in := input(t, "revert.txtar", 0)
	ctx, cancel := context.WithCancel(context.Background())
	m := careful()
	in.Model = m.client(t, llm.Options{})
	in.Progress = func(string) { cancel() }
	if _, err := Run(ctx, in); err == nil {
		t.Error("a cancelled pass is no error")
	}
}

// The journal gets hashes, ids and places; no text and no name reaches it.
func TestJournalGetsNoText(t *testing.T) {
	t.Parallel()
	in := input(t, "recurs.txtar", 0)
	in.Model = scripted().client(t, llm.Options{})
	in = at(t, in, in.Head, 1)
	res := run(t, in)
	b, err := json.Marshal(res.Candidates)
	if err != nil || len(res.Candidates) != 1 {
		t.Fatal(err, res.Candidates)
	}
	for _, text := range []string{"alias", "prompt", "Bo", "acme", "cp"} {
		if strings.Contains(string(b), text) {
			t.Errorf("the journal holds %q: %s", text, b)
		}
	}
}
