package patch

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/retro/rules"
)

// house is a repository with a rule "Pass -f to cp." in every kind of file.
func house() []*knowledge.Document {
	class := knowledge.NewClassifier(nil)
	var docs []*knowledge.Document
	for _, path := range []string{
		".claude/skills/ship/SKILL.md", "AGENTS.md", "CLAUDE.md", "cmd/AGENTS.md", "knowledge/playbooks/git.md", "knowledge/playbooks/shell.md", "knowledge/what-flopped.md",
	} {
		format, _, _ := class.Classify(path)
		docs = append(docs, knowledge.Parse(path, []byte("# Top\n\n## Shell\n\n- Pass -f to cp in "+strings.ReplaceAll(path, "/", " ")+". (2026-01-02, 0123456789)\n\n## Rules\n\n- Other words.\n"), format))
	}
	return docs
}

// failed asks about the rule of one file, which did not prevent its mistake.
func failed(path string) Question {
	q := question()
	q.Text, q.Failed, q.Rules, q.Playbooks = "Pass -f to cp.", true, nil, nil
	for _, r := range rules.Collect(house()).Rules {
		if r.Doc.Path == path && strings.HasPrefix(r.Fact.Text, "Pass") {
			q.Rules = []*rules.Rule{r}
		}
	}
	q.Places = Places(q.Rules[0], house())
	return q
}

// Where a rule may go: to where more is read, within its own file, and from one
// playbook to another. Out of an instruction file there is no way down.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for from, want := range map[string][]string{
		".claude/skills/ship/SKILL.md": {"AGENTS.md", "CLAUDE.md", ".claude/skills/ship/SKILL.md"},
		"AGENTS.md":                    {"AGENTS.md"},
		"CLAUDE.md":                    {"CLAUDE.md"},
		"cmd/AGENTS.md":                {"AGENTS.md", "CLAUDE.md", "cmd/AGENTS.md"},
		"knowledge/playbooks/git.md":   {"AGENTS.md", "CLAUDE.md", "knowledge/playbooks/git.md", "knowledge/playbooks/shell.md"},
	} {
		var got []string
		for _, d := range failed(from).Places {
			got = append(got, d.Path)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", from, diff)
		}
	}
}

func move(to, section string) prompts.PatchAnswer {
	return prompts.PatchAnswer{Edits: []prompts.PatchEdit{edit("move", "R1", to, section, "", "nobody reads it there")}}
}

func TestMoves(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		from, to, section, in string
		route                 knowledge.Route
	}{
		{".claude/skills/ship/SKILL.md", "AGENTS.md", "## Shell", "Shell", knowledge.RouteQueue},
		{"knowledge/playbooks/git.md", "CLAUDE.md", "", "Rules", knowledge.RouteQueue},
		{"knowledge/playbooks/git.md", "knowledge/playbooks/shell.md", "Shell", "Shell", knowledge.RouteAuto},
		{"knowledge/playbooks/git.md", "knowledge/playbooks/git.md", "Rules", "Rules", knowledge.RouteAuto},
		{"AGENTS.md", "AGENTS.md", "Rules", "Rules", knowledge.RouteQueue},
	} {
		q := failed(tt.from)
		res := q.check(move(tt.to, tt.section))
		if len(res.Edits) != 1 || res.Edits[0].Route != tt.route {
			t.Errorf("%s to %s: %+v", tt.from, tt.to, res)
			continue
		}
		rule := q.Rules[0].Fact
		want := knowledge.Edit{Op: knowledge.OpMove, Path: tt.from, To: tt.to, FactID: rule.ID, Section: tt.in, Text: rule.Text, Reason: "nobody reads it there", Date: day(q.Now)}
		if diff := cmp.Diff(want, res.Edits[0].Edit); diff != "" {
			t.Error(diff)
		}
	}
}

func TestMovesThatAreRefused(t *testing.T) {
	t.Parallel()
	narrowed := guard.NewPolicy(nil, guard.Routes{}, guard.Routes{Never: []string{"CLAUDE.md"}}).Route
	for _, tt := range []struct {
		name, from, to, section, want string
		change                        func(*Question)
	}{
		{"hidden in a playbook", "AGENTS.md", "knowledge/playbooks/git.md", "Rules", "none of the places", nil},
		{"hidden in a skill", "CLAUDE.md", ".claude/skills/ship/SKILL.md", "Rules", "none of the places", nil},
		{"hidden from one tool", "CLAUDE.md", "AGENTS.md", "Rules", "none of the places", nil},
		{"hidden below a directory", "AGENTS.md", "cmd/AGENTS.md", "Rules", "none of the places", nil},
		{"among failures", "knowledge/playbooks/git.md", "knowledge/what-flopped.md", "Rules", "none of the places", nil},
		{"out of the repository", "knowledge/playbooks/git.md", "../x.md", "Rules", "none of the places", nil},
		{"into a workflow", "knowledge/playbooks/git.md", ".github/workflows/ci.yml", "Rules", "none of the places", nil},
		{"under a heading of its own", "knowledge/playbooks/git.md", "AGENTS.md", "Never do this", "no heading", nil},
		{"nowhere", "knowledge/playbooks/git.md", "", "Rules", "none of the places", nil},
		{"a rule that did not fail", "knowledge/playbooks/git.md", "AGENTS.md", "Rules", "did not prevent", func(q *Question) { q.Failed = false }},
		{"another rule", "knowledge/playbooks/git.md", "AGENTS.md", "Rules", "none of the rules", func(q *Question) { q.Rules = nil }},
		{"a rule about something else", "knowledge/playbooks/git.md", "AGENTS.md", "Rules", "bears on nothing", func(q *Question) { q.Text = "Close every response body." }},
		{"where the policy says no", "knowledge/playbooks/git.md", "CLAUDE.md", "Rules", "may not be edited", func(q *Question) { q.Route = narrowed }},
		{"from where the policy says no", "CLAUDE.md", "CLAUDE.md", "Rules", "may not be edited", func(q *Question) { q.Route = narrowed }},
	} {
		q := failed(tt.from)
		if tt.change != nil {
			tt.change(&q)
		}
		res := q.check(move(tt.to, tt.section))
		if len(res.Edits) != 0 || len(res.Refused) != 1 || !strings.Contains(res.Refused[0], tt.want) {
			t.Errorf("%s: edits %+v, refused %q, want %q", tt.name, res.Edits, res.Refused, tt.want)
		}
	}
}

// A move and another edit of either of its files do not come together.
func TestMoveTakesBothFiles(t *testing.T) {
	t.Parallel()
	for _, second := range []prompts.PatchEdit{
		edit("reword", "R1", "", "", "Pass -f to cp in knowledge playbooks git.md, always.", "x"), move("AGENTS.md", "").Edits[0],
	} {
		q := failed("knowledge/playbooks/git.md")
		res := q.check(prompts.PatchAnswer{Edits: []prompts.PatchEdit{move("CLAUDE.md", "").Edits[0], second}})
		if len(res.Edits) != 1 || len(res.Refused) != 1 || !strings.Contains(res.Refused[0], "same file") {
			t.Errorf("%+v", res)
		}
	}
}
