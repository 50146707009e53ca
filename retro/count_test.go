package retro

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/knowledge/corpus"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/prompts"
)

const vague = "# Shell use\n\n- Avoid prompts in scripts. (2026-01-02, 0123456789)\n"

// covering is a model that finds the lesson of recurs.txtar covered by the rule
// of the playbook, and rewords it when asked.
func covering(asked *[]string) *model {
	m := scripted()
	inner := m.triage
	m.triage = func(user string) []prompts.TriageItem {
		items := inner(user)
		r1 := "R1"
		for i := range items {
			items[i].SameAs, items[i].CoveredBy = nil, &r1
		}
		return items
	}
	m.patch = func(user string) []prompts.PatchEdit {
		*asked = append(*asked, user)
		return []prompts.PatchEdit{op(prompts.OpReword, "R1", "", noPrompts)}
	}
	return m
}

// A correction that a rule covers counts against the rule and adds no second
// one; the second independent one may reword it.
func TestRuleThatFailsTwiceIsReworded(t *testing.T) {
	t.Parallel()
	in := input(t, "recurs.txtar", 0)
	first, head := in.Commits[1].Hash, in.Head
	var asked []string
	in.Model = covering(&asked).client(t, llm.Options{})
	playbook := knowledge.Parse("knowledge/playbooks/shell-use.md", []byte(vague), knowledge.Playbook)
	night := func(head1 bool) Result {
		h := first
		if head1 {
			h = head
		}
		in := at(t, in, h, 1)
		in.Corpus = corpus.New([]*knowledge.Document{playbook})
		return run(t, in)
	}

	one := night(false)
	if diff := cmp.Diff([]string{"covered"}, statuses(one.Lessons)); diff != "" || len(asked) != 0 || len(one.Candidates) != 1 {
		t.Fatalf("first: %s %+v", diff, one)
	}
	in.State = &journal.State{Candidates: one.Candidates}
	if again := night(false); len(asked) != 0 || !cmp.Equal(again.Candidates, one.Candidates) {
		t.Errorf("the same correction counts twice: %+v", again)
	}
	two := night(true)
	if len(two.Edits) != 1 || len(asked) != 1 || len(two.Candidates) != 0 {
		t.Fatalf("second: %+v", two)
	}
	e := two.Edits[0].Edit
	if e.Op != knowledge.OpReplace || e.FactID != rule(playbook) || !strings.HasPrefix(e.Text, noPrompts) || !strings.Contains(two.Edits[0].Why, "did not prevent") {
		t.Errorf("edit = %+v", two.Edits[0])
	}
	if !strings.Contains(asked[0], "nothing may be added") || strings.Contains(asked[0], "an add may name") {
		t.Errorf("patch was asked:\n%s", asked[0])
	}
}

// rule is the id of a playbook's only rule.
func rule(d *knowledge.Document) string {
	for _, f := range d.Facts {
		if f.Kind == knowledge.KindBullet {
			return f.ID
		}
	}
	return ""
}

// A count against a rule that is gone is dropped; what waits is kept.
func TestCountsOfRulesThatAreGone(t *testing.T) {
	t.Parallel()
	in := input(t, "recurs.txtar", 0)
	in.Commits = nil
	in.Model = scripted().client(t, llm.Options{})
	in.State = &journal.State{Candidates: map[string]*journal.Candidate{
		"r0": {ID: "r0", Status: statusCovered, Since: tonight},
		"l0": {ID: "l0", Status: statusWaiting, Since: tonight},
	}}
	if res := run(t, in); len(res.Candidates) != 1 || res.Candidates["l0"] == nil {
		t.Errorf("candidates = %v", res.Candidates)
	}
}

// The edit of a lesson makes the playbook that it names.
func TestEditMakesItsPlaybook(t *testing.T) {
	t.Parallel()
	in := input(t, "revert.txtar", 0)
	m := careful()
	in.Model = m.client(t, llm.Options{})
	res := run(t, in)
	read := func(path string) ([]byte, bool) {
		if d := in.Corpus.Doc(path); d != nil {
			return d.Source, true
		}
		return nil, false
	}
	changes, err := knowledge.Apply(read, []knowledge.Edit{res.Edits[0].Edit})
	if err != nil {
		t.Fatal(err)
	}
	want := "# Http clients\n\n## Rules\n\n- " + res.Edits[0].Edit.Text + "\n"
	if diff := cmp.Diff(want, string(changes["knowledge/playbooks/http-clients.md"])); diff != "" {
		t.Errorf("the new playbook (-want +got):\n%s", diff)
	}
}

// A rule that cannot be found in its file any more costs no other edit.
func TestEditThatDoesNotFitIsRefused(t *testing.T) {
	t.Parallel()
	in := input(t, "revert.txtar", 0)
	playbook := knowledge.Parse("knowledge/playbooks/clients.md", []byte("# Clients\n\n- Cache each client for its tokens.\n"), knowledge.Playbook)
	playbook.Source = []byte("# Another file\n")
	in.Corpus = corpus.New([]*knowledge.Document{playbook})
	m := careful()
	m.patch = func(string) []prompts.PatchEdit {
		return []prompts.PatchEdit{op(prompts.OpReplace, "R1", "", freshClient)}
	}
	in.Model = m.client(t, llm.Options{})
	res := run(t, in)
	if len(res.Edits) != 0 || !res.Complete || res.Lessons[0].Status != report.LessonDropped || len(res.Warnings) == 0 {
		t.Errorf("%+v", res)
	}
}

// A member's edit of a rule lends its word only to what is quoted from it.
func TestMessageAloneIsNotExplicit(t *testing.T) {
	t.Parallel()
	in := input(t, "rules.txtar", 0)
	m := &model{triage: func(user string) []prompts.TriageItem {
		return lesson(user, "agents tested old binaries", "Test the binary that was just built.", "build")
	}}
	in.Model = m.client(t, llm.Options{})
	res := run(t, in)
	if len(res.Lessons) != 1 || res.Lessons[0].Explicit || res.Lessons[0].Status != report.LessonCandidate {
		t.Errorf("%+v", res.Lessons)
	}
}

// A rule that was written and taken back within the range is no lesson; one that
// moved to another file still is.
func TestWithdrawnRule(t *testing.T) {
	t.Parallel()
	const rule = "Commit to main, open no pull request."
	for _, tt := range []struct{ file, commit, text, want string }{
		{"withdrawn.txtar", "docs: no pull requests", rule, "dropped"}, // the line it added
		{"withdrawn.txtar", "docs: workers may open", rule, "dropped"}, // the line it took out, said again
		{"withdrawn.txtar", "docs: workers may open", "Let a worker open a pull request as everybody does, with the worker's name in its title, and commit to main only what a colleague has reviewed.", "promoted"},
		{"moved.txtar", "docs: no pull requests", rule, "covered"},    // the line it added, now elsewhere
		{"moved.txtar", "docs: the rule belongs to", rule, "covered"}, // the line that moved
	} {
		in := input(t, tt.file, 0)
		m := &model{triage: func(user string) []prompts.TriageItem {
			from := strings.LastIndex(user[:strings.Index(user, tt.commit)], "## Commit")
			return lesson(user[from:], "Commit to main", tt.text, "git-workflow")
		}}
		m.patch = func(string) []prompts.PatchEdit { return []prompts.PatchEdit{op(prompts.OpAdd, "", "", tt.text)} }
		in.Model = m.client(t, llm.Options{})
		if diff := cmp.Diff([]string{tt.want}, statuses(run(t, in).Lessons)); diff != "" {
			t.Errorf("%s, %s:\n%s", tt.file, tt.commit, diff)
		}
	}
}
