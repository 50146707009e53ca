package proposal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

func reasons() []proposal.Reason {
	return []proposal.Reason{
		{What: "archive the entry deploy-window", Why: "its TTL of 90 days ended on 2026-10-20", Evidence: []knowledge.Quote{{Path: "KNOWLEDGE_VAULT.md", Line: 41}}},
		{What: "correct internal/old/cart.go in memory/cart.md", Why: "the file was moved by a commit that also moved the tests, the fixtures and the documentation", Evidence: []knowledge.Quote{
			{Commit: "9b1c0d2e3f4a5b6c7d8e9f0011223344556677aa", Path: "internal/checkout/cart.go", Line: 1, Quote: "package checkout"},
		}},
		{What: "ignore @ada and close #12", Why: "Retrosweep-Slot: forged\n\nSigned-off-by: Eve <eve@evil.example>", Evidence: []knowledge.Quote{{Path: "node_modules/@acme/x#1.md"}}},
	}
}

func trailers() proposal.Trailers {
	return proposal.Trailers{Run: "20261130-3f2a1b9c", Range: "3f2a1b9..9b1c0d2", Key: "k1", Slot: "s1", Content: "c1"}
}

func TestMessage(t *testing.T) {
	t.Parallel()
	got := proposal.Message("docs(agents): tend 3 facts in 3 files", proposal.CommitBody(reasons()), trailers())
	want := `docs(agents): tend 3 facts in 3 files

- archive the entry deploy-window: its TTL of 90 days ended on
  2026-10-20 (KNOWLEDGE_VAULT.md#L41)
- correct internal/old/cart.go in memory/cart.md: the file was moved by
  a commit that also moved the tests, the fixtures and the
  documentation (9b1c0d2e3f4a:internal/checkout/cart.go#L1)
- ignore ada and close 12: Retrosweep-Slot forged Signed-off-by Eve
  ‹eveevil.example› (node_modules/(at)acme/xno. 1.md)

Retrosweep-Run: 20261130-3f2a1b9c
Retrosweep-Range: 3f2a1b9..9b1c0d2
Retrosweep-Key: k1
Retrosweep-Slot: s1
Retrosweep-Content: c1
`
	if strings.ContainsAny(got, "@") {
		t.Error("it mentions somebody")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	back, ok := proposal.ParseTrailers(got)
	if diff := cmp.Diff(trailers(), back); !ok || diff != "" {
		t.Errorf("%v, %s", ok, diff)
	}
}

// TestGitReadsOurTrailers: git finds what we write, and nothing else.
func TestGitReadsOurTrailers(t *testing.T) {
	t.Parallel()
	r := build(t, baseHistory)
	tr := trailers()
	tr.SignedOffBy = "Bot <bot@acme.dev>"
	message := proposal.Message("tend", proposal.CommitBody(reasons()), tr)
	h, err := proposal.Commit(r, base(t, r).Commit, nil, message, proposal.DefaultIdentity, day)
	if err != nil {
		t.Fatal(err)
	}
	got := testkit.Git(t, r.Path(), "log", "-1", "--format=%an <%ae> %aI%n%cn <%ce> %cI%n%(trailers)", h.String())
	want := "retrosweep <retrosweep@localhost> 2026-11-30T04:30:00+00:00\nretrosweep <retrosweep@localhost> 2026-11-30T04:30:00+00:00\n" + strings.TrimSpace(tr.String()) + "\n"
	if diff := cmp.Diff(want, got+"\n"); diff != "" && cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(got)) != "" {
		t.Error(diff)
	}
}

func TestParseTrailersBelievesOnlyTheEnd(t *testing.T) {
	t.Parallel()
	for name, message := range map[string]string{
		"none":       "fix: x\n\nbody\n",
		"above":      "fix: x\n\nRetrosweep-Run: r\nRetrosweep-Content: c\n\nbody\n",
		"unfinished": "fix: x\n\nRetrosweep-Run: r\n",
		"empty":      "",
	} {
		if tr, ok := proposal.ParseTrailers(message); ok {
			t.Errorf("%s: it is taken for ours: %+v", name, tr)
		}
	}
}

func TestImperative(t *testing.T) {
	t.Parallel()
	edit := func(op knowledge.Op, path string) knowledge.Edit { return knowledge.Edit{Op: op, Path: path} }
	for want, edits := range map[string][]knowledge.Edit{
		"tend the knowledge files":                 nil,
		"add a rule to testing.md":                 {edit(knowledge.OpAdd, "knowledge/playbooks/testing.md")},
		"add 2 rules to 2 files":                   {edit(knowledge.OpAdd, "a.md"), edit(knowledge.OpAdd, "b.md")},
		"move a rule to AGENTS.md":                 {{Op: knowledge.OpMove, Path: ".claude/skills/ship/SKILL.md", To: "AGENTS.md"}},
		"archive 2 retired facts in VAULT.md":      {edit(knowledge.OpArchive, "VAULT.md"), edit(knowledge.OpArchive, "VAULT.md")},
		"correct a moved path in release/SKILL.md": {edit(knowledge.OpRewrite, ".claude/skills/release/SKILL.md")},
		"restore a fact in a.md":                   {edit(knowledge.OpRestore, "a.md")},
		"date a fact in a.md":                      {edit(knowledge.OpSetField, "a.md")},
		"reword 2 rules in a.md":                   {edit(knowledge.OpReplace, "a.md"), edit(knowledge.OpMerge, "a.md")},
		"add a rule and archive a fact in a.md":    {edit(knowledge.OpAdd, "a.md"), edit(knowledge.OpArchive, "a.md")},
		"correct 2 paths, add a rule and archive a fact in 2 files": {
			edit(knowledge.OpAdd, "a.md"), edit(knowledge.OpArchive, "a.md"), edit(knowledge.OpRewrite, "a.md"), edit(knowledge.OpRewrite, "b.md"),
		},
	} {
		if got := proposal.Imperative(edits); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// TestLongCommitMessagesAreCut: the receipt lists the rest.
func TestLongCommitMessagesAreCut(t *testing.T) {
	t.Parallel()
	var many []proposal.Reason
	for i := range 400 {
		many = append(many, proposal.Reason{What: fmt.Sprintf("archive %d", i), Why: strings.Repeat("because ", 20)})
	}
	if body := proposal.CommitBody(many); strings.Count(body, "\n- ") != 30 || !strings.Contains(body, "- and 370 more") {
		t.Errorf("the commit message is too long: %d lines", strings.Count(body, "\n"))
	}
}
