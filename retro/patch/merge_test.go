package patch

import (
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/retro/rules"
)

const twice = "# Build\n\n- Build with make install before the tests.\n- Before the tests, install with make.\n- Wait 30 s for the daemon unless it runs.\n"

// merging asks about a playbook that says the same twice.
func merging() Question {
	q := question()
	doc := knowledge.Parse("knowledge/playbooks/build.md", []byte(twice), knowledge.Playbook)
	q.Rules, q.Playbooks = rules.Collect([]*knowledge.Document{doc}).Rules, []*knowledge.Document{doc}
	return q
}

// Two rules that say the same become one; the other is archived, and loses
// nothing that the new text does not have.
func TestMergeTakesUpASecondRule(t *testing.T) {
	t.Parallel()
	q := merging()
	e := edit("merge", "R1", "", "", "Build with make install before the tests, so that the new binary is tested.", "they say the same")
	e.Also = []string{"R2"}
	res := q.check(prompts.PatchAnswer{Edits: []prompts.PatchEdit{e}})
	if len(res.Edits) != 1 || res.Edits[0].Op != knowledge.OpMerge || len(res.Edits[0].Merge) != 1 {
		t.Fatalf("%+v", res)
	}
	read := func(string) ([]byte, bool) { return []byte(twice), true }
	changes, err := knowledge.Apply(read, []knowledge.Edit{res.Edits[0].Edit})
	if err != nil {
		t.Fatal(err)
	}
	got := string(changes["knowledge/playbooks/build.md"])
	if !strings.Contains(got, "- Build with make install before the tests, so that") || !strings.Contains(got, "- Wait 30 s") ||
		strings.Contains(strings.Split(got, "## Archive")[0], "- Before the tests, install") {
		t.Errorf("merged:\n%s", got)
	}
}

func TestMergeRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		op   string
		also []string
		want string
	}{
		"loses what the other says":  {"merge", []string{"R3"}, "would lose"},
		"itself":                     {"merge", []string{"R1"}, "no other rule"},
		"twice":                      {"merge", []string{"R2", "R2"}, "no other rule"},
		"one that was not shown":     {"merge", []string{"R9"}, "no other rule"},
		"a reword that takes one up": {"reword", []string{"R2"}, "only a merge"},
	} {
		q := merging()
		e := edit(tt.op, "R1", "", "", "Build with make install before the tests, each time.", "they say the same")
		e.Also = tt.also
		res := q.check(prompts.PatchAnswer{Edits: []prompts.PatchEdit{e}})
		if len(res.Edits) != 0 || len(res.Refused) != 1 || !strings.Contains(res.Refused[0], tt.want) {
			t.Errorf("%s: %+v", name, res)
		}
	}
}

// A text about something else is no edit of this lesson.
func TestRuleThatBearsOnNothing(t *testing.T) {
	t.Parallel()
	q := question()
	for text, want := range map[string]int{
		"Prefer tabs over blanks in every Makefile of the project.": 0,
		"Build with make install, so that the tests are honest.":    1,
	} {
		res := q.check(prompts.PatchAnswer{Edits: []prompts.PatchEdit{edit("add", "", "", "", text, "new")}})
		if len(res.Edits) != want {
			t.Errorf("%q: %+v", text, res)
		}
	}
}

// What was tried and taken back is kept where failures are kept, whatever file
// the model names; a rule of it is still a rule.
func TestFailuresGoToTheirFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ kind, here, want, section string }{
		{prompts.KindEvent, "", "knowledge/what-flopped.md", "Events"},
		{prompts.KindEvent, "docs/what-flopped.md", "docs/what-flopped.md", "Events"},
		{prompts.KindState, "docs/what-flopped.md", "knowledge/playbooks/build.md", "Rules"},
	} {
		q := question()
		q.Kind, q.Flopped = tt.kind, true
		if tt.here != "" {
			q.Playbooks = append(q.Playbooks, knowledge.Parse(tt.here, []byte("# What flopped\n"), knowledge.Playbook))
		}
		e := edit("add", "", "", "", "Build with make install before the tests.", "new")
		if tt.kind == prompts.KindEvent {
			e.Path = &q.Playbooks[0].Path
		}
		res := q.check(prompts.PatchAnswer{Edits: []prompts.PatchEdit{e}})
		if len(res.Edits) != 1 || res.Edits[0].Path != tt.want || res.Edits[0].Section != tt.section {
			t.Errorf("%+v: %+v", tt, res)
		}
	}
}

// A pattern that cannot be used costs the rule nothing.
func TestCheckOfAnEdit(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]bool{`\bgo build\b`: true, `.*`: false, `go(`: false} {
		e := edit("add", "", "", "", "Build with make install before the tests.", "new")
		e.Check = &prompts.Check{Kind: "line", Pattern: pattern}
		res := question().check(prompts.PatchAnswer{Edits: []prompts.PatchEdit{e}})
		if len(res.Edits) != 1 || (res.Edits[0].Check != nil) != want {
			t.Errorf("%q: %+v", pattern, res)
		}
	}
}
