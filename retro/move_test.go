package retro

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/knowledge/corpus"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/prompts"
)

// failing plays two nights on which the one rule of a file is not followed, over
// documents. The model then answers with edits.
func failing(t *testing.T, docs map[string]string, of string, edits ...prompts.PatchEdit) (Result, *corpus.Corpus, string) {
	t.Helper()
	classes := knowledge.NewClassifier(nil)
	var all []*knowledge.Document
	for _, path := range slices.Sorted(maps.Keys(docs)) {
		format, _, _ := classes.Classify(path)
		all = append(all, knowledge.Parse(path, []byte(docs[path]), format))
	}
	asked := ""
	m := scripted()
	inner := m.triage
	m.triage = func(user string) []prompts.TriageItem {
		items := inner(user)
		for line := range strings.Lines(user) {
			id, rest, _ := strings.Cut(line, " ")
			for i := range items {
				if strings.HasPrefix(rest, of+": Pass -f") {
					items[i].SameAs, items[i].CoveredBy = nil, &id
				}
			}
		}
		return items
	}
	m.patch = func(user string) []prompts.PatchEdit {
		asked = user
		return edits
	}
	in := input(t, "recurs.txtar", 0)
	in.Model = m.client(t, llm.Options{})
	first, head := in.Commits[1].Hash, in.Head
	one := at(t, in, first, 1)
	one.Corpus = corpus.New(all)
	in.State = &journal.State{Candidates: run(t, one).Candidates}
	two := at(t, in, head, 1)
	two.Corpus = one.Corpus
	return run(t, two), one.Corpus, asked
}

const passF = "- Pass -f to cp, mv and rm, so that no prompt waits. (2026-01-02, 0123456789)\n"

func moves(to, section string) prompts.PatchEdit {
	e := op(prompts.OpMove, "R1", to, "")
	e.Text = nil
	if section != "" {
		e.Section = &section
	}
	return e
}

// A rule in a skill that nobody loads goes to the guide that everybody does, word
// for word, through a person.
func TestRuleMovesToWhereItIsRead(t *testing.T) {
	t.Parallel()
	const skill = ".claude/skills/ship/SKILL.md"
	res, docs, asked := failing(t, map[string]string{
		skill: "# Ship\n\n" + passF + "- Tag first.\n", "AGENTS.md": "# Guide\n\n## Shell\n\n- Quote paths.\n",
	}, skill, moves("AGENTS.md", "Shell"))
	if len(res.Edits) != 1 || res.Edits[0].Route != knowledge.RouteQueue || len(res.Candidates) != 0 {
		t.Fatalf("%+v", res)
	}
	if !strings.Contains(asked, "AGENTS.md: Shell") || strings.Contains(asked, "an add may name") {
		t.Errorf("patch was asked:\n%s", asked)
	}
	read := func(path string) ([]byte, bool) { return docs.Doc(path).Source, true }
	changes, err := knowledge.Apply(read, []knowledge.Edit{res.Edits[0].Edit})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{skill: "# Ship\n\n- Tag first.\n", "AGENTS.md": "# Guide\n\n## Shell\n\n- Quote paths.\n" + passF}
	got, diffs := map[string]string{}, []guard.FileChange{}
	for path, content := range changes {
		got[path] = string(content)
		diffs = append(diffs, guard.FileChange{Path: path, OldMode: "100644", NewMode: "100644", Old: docs.Doc(path).Source, New: content})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	policy := guard.NewPolicy(nil, guard.Routes{}, guard.Routes{})
	if err := policy.CheckDiff(knowledge.RouteQueue, diffs); err != nil {
		t.Error(err)
	}
	if policy.CheckDiff(knowledge.RouteUpkeep, diffs) == nil {
		t.Error("the finished tree passes without a person")
	}
}

// Attack08MoveAway: whoever gets a rule of the guide counted as failed cannot have
// it hidden where nobody reads it.
func TestAttack08MoveAway(t *testing.T) {
	t.Parallel()
	for name, to := range map[string][2]string{
		"to a playbook": {"knowledge/playbooks/shell-use.md", "Commands"}, "to a new file": {"knowledge/playbooks/attic.md", ""},
		"to a skill": {".claude/skills/ship/SKILL.md", ""}, "to an archive": {"knowledge/playbooks/archive/shell-use.md", ""},
		"to a workflow": {".github/workflows/ci.yml", ""}, "under a heading that takes it back": {"AGENTS.md", "Not any more"},
		"among what was": {"AGENTS.md", "Changelog"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res, _, asked := failing(t, map[string]string{
				"AGENTS.md": "# Guide\n\n## Shell\n\n" + passF + "\n## Changelog\n\n- It began.\n", "knowledge/playbooks/shell-use.md": "# Shell use\n\n## Commands\n\n- Quote paths.\n",
			}, "AGENTS.md", moves(to[0], to[1]))
			if asked == "" || len(res.Edits) != 0 || !res.Complete || len(res.Warnings) == 0 {
				t.Errorf("%+v", res)
			}
		})
	}
}
