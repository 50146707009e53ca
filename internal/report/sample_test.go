package report_test

import (
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/report"
)

const (
	commitA = "3f2a1b9c4d5e6f708192a3b4c5d6e7f801234567"
	commitB = "9b1c0d2e3f4a5b6c7d8e9f0011223344556677aa"
	treeA   = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
)

var started = time.Date(2026, 11, 30, 4, 30, 0, 0, time.UTC)

func ref(file string, line int) knowledge.FactRef {
	return knowledge.FactRef{ID: "f-" + file, File: file, Line: line, EndLine: line, Kind: knowledge.KindBullet, Title: "Carts live in internal/old/cart.go"}
}

func findings() []knowledge.Finding {
	return []knowledge.Finding{
		{
			ID: "1", Rule: "anchor/moved", Severity: knowledge.Error, Verdict: knowledge.Broken, Fact: ref("AGENTS.md", 14),
			Reason: "It names internal/old/cart.go, which was moved.",
			Anchor: &knowledge.Anchor{Kind: knowledge.AnchorFile, Text: "`cart.go`"},
			Was:    &knowledge.Place{Commit: commitA, Path: "internal/old/cart.go"}, Now: &knowledge.Place{Path: "internal/checkout/cart.go"},
			Since:    &knowledge.Since{Commit: commitB, Date: "2026-10-02", Subject: "refactor: carts belong to the checkout"},
			Evidence: []knowledge.Quote{{Commit: commitA, Path: "AGENTS.md", Line: 14, Quote: "- Carts live in internal/old/cart.go"}},
			Action:   &knowledge.Action{Type: knowledge.ActionEdit, Route: knowledge.RouteQueue, Edit: &knowledge.Edit{Op: knowledge.OpRewrite, Path: "AGENTS.md", Old: "internal/old/cart.go", New: "internal/checkout/cart.go"}},
		},
		{
			ID: "2", Rule: "anchor/broken", Severity: knowledge.Warning, Verdict: knowledge.Broken, Fact: ref("memory/deploy-window.md", 8),
			Reason: "It names scripts/ship.sh, which is gone, and nothing else in the repository has that name or did what it did when the text was written.",
			Since:  &knowledge.Since{Commit: commitB, Date: "2024-01-15", Subject: "chore: ship from CI"},
			Action: &knowledge.Action{Type: knowledge.ActionWorklist},
		},
		{
			ID: "3", Rule: "life/expired", Severity: knowledge.Warning, Verdict: knowledge.Unknown, Fact: ref("KNOWLEDGE_VAULT.md", 41),
			Reason: "Its TTL of 90 days ended on 2026-10-20.", Action: &knowledge.Action{Type: knowledge.ActionArchive, Route: knowledge.RouteUpkeep},
		},
		{ID: "4", Rule: "anchor/never", Severity: knowledge.Info, Verdict: knowledge.Unknown, Fact: ref("README.md", 3), Reason: "It names docs/plan.md, which is in no commit."},
		{ID: "5", Rule: "anchor/never", Severity: knowledge.Info, Verdict: knowledge.Unknown, Fact: ref("README.md", 9), Reason: "It names docs/road.md, which is in no commit."},
	}
}

// firstRun is a dry run without a model.
func firstRun() *report.Receipt {
	r := report.New()
	r.Command, r.Run, r.Repo, r.Branch = "run", "20261130-3f2a1b9c", "/srv/shop", "main"
	r.Started, r.Ended = started, started.Add(3*time.Second)
	r.Range = report.Range{From: commitA, To: commitB, Commits: 200, Files: 1341, Basis: report.BasisFirstRun}
	r.Signals = &report.Signals{Found: 31, Waiting: 31}
	r.Facts = report.FactCounts{Total: 120, Touched: 120, Broken: 2, Unknown: 118, Files: 9, Reasons: map[string]int{"unconfirmed": 80, "no anchor": 32, "outside": 4, "never existed": 2}}
	r.Findings = findings()
	r.Proposals = []report.Proposal{
		{Slot: "s1", Content: "c1", Kind: "upkeep", Title: "docs(agents): archive a retired fact in KNOWLEDGE_VAULT.md", Branch: "retrosweep/upkeep", Base: "main", Route: knowledge.RouteUpkeep, State: report.ProposalOpened, Reason: "a new branch on main", Files: []string{"KNOWLEDGE_VAULT.md"}, Diff: sampleDiff},
		{Slot: "s2", Content: "c2", Kind: "instruction", Title: "docs(agents): correct a moved path in AGENTS.md", Branch: "retrosweep/instruction/agents-5f2a1b9c", Base: "main", Route: knowledge.RouteQueue, State: report.ProposalWaiting, Reason: "limit: 1 new a run", Files: []string{"AGENTS.md"}},
	}
	r.Warnings = []string{"the working tree has changes that are not committed; they were not read"}
	r.Watermark.Sweep.After = &report.Mark{Commit: commitB, Tree: treeA}
	r.Diff = sampleDiff
	return r
}

const sampleDiff = `diff --git a/KNOWLEDGE_VAULT.md b/KNOWLEDGE_VAULT.md
index 587be6b..1111111 100644
--- a/KNOWLEDGE_VAULT.md
+++ b/KNOWLEDGE_VAULT.md
@@ -1 +1 @@
-old
+new
`

// night is an apply with models.
func night() *report.Receipt {
	r := firstRun()
	r.Mode = report.Apply
	r.Range = report.Range{From: commitA, To: commitB, Commits: 1, Files: 2, Basis: report.BasisWatermark}
	r.Sent = []report.Sent{{Stage: "triage", Endpoint: "llm.acme.dev", Model: "gpt-5-mini"}, {Stage: "patch", Endpoint: "llm.acme.dev", Model: "gpt-5"}}
	r.Usage = map[string]report.StageUsage{
		"triage": {Model: "gpt-5-mini", Calls: 4, Cached: 2, PromptTokens: 41200, CompletionTokens: 913, USD: 0.0121, Priced: true},
		"patch":  {Model: "gpt-5", Calls: 1, PromptTokens: 6011, CompletionTokens: 204},
	}
	r.Signals = &report.Signals{Found: 12, Judged: 9}
	r.Lessons = []report.Lesson{
		{ID: "l1", Status: report.LessonPromoted, Text: "Seed the clock in every test that reads a date.", Explicit: true, Playbook: "knowledge/playbooks/testing.md", Evidence: []knowledge.Quote{{Commit: commitB, Path: "memory/clock.md", Line: 7, Quote: "always seed the clock"}}},
		{ID: "l2", Status: report.LessonCandidate, Text: "Prefer the small image.", Playbook: "knowledge/playbooks/deploy.md", Evidence: []knowledge.Quote{{Commit: commitA, Path: "Dockerfile", Line: 1}, {Commit: commitB, Path: "Dockerfile", Line: 2}}, Reason: "one signal is not a pattern"},
	}
	r.Facts.Fresh, r.Facts.Unknown, r.Facts.Judged, r.Facts.Archived = 3, 115, 5, 1
	r.Backlog = report.Backlog{Signals: 3, Oldest: "2026-11-28"}
	r.Watermark.Retro = report.Move{Before: &report.Mark{Commit: commitA}, After: &report.Mark{Commit: commitB, Tree: treeA}}
	r.Proposals[0].Commit = commitA
	return r
}

// quietNight has nothing new.
func quietNight() *report.Receipt {
	r := report.New()
	r.Command, r.Run, r.Repo, r.Branch, r.Mode = "run", "20261201-9b1c0d2e", "/srv/shop", "main", report.Apply
	r.Started, r.Ended = started, started
	r.Range = report.Range{From: commitB, To: commitB, Basis: report.BasisWatermark}
	r.Signals = &report.Signals{}
	r.Facts = report.FactCounts{Total: 120, Unknown: 120, Files: 9}
	r.Watermark.Sweep = report.Move{Before: &report.Mark{Commit: commitB}, After: &report.Mark{Commit: commitB}}
	return r
}

// hostile puts what must not reach a terminal or a page into every string.
func hostile() *report.Receipt {
	const evil = "\x1b]0;pwned\x07\x1b[31m\u202e<img src=x>\n# @ada fixes #1 | [l](https://evil.example)"
	r := night()
	r.Repo, r.Branch = evil, evil
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Reason, f.Rule, f.Fact.File, f.Fact.Title = evil, evil, evil, evil
		f.Since = &knowledge.Since{Commit: evil, Date: evil, Subject: evil}
		f.Now = &knowledge.Place{Path: evil, Symbol: evil}
	}
	for i := range r.Lessons {
		l := &r.Lessons[i]
		l.Text, l.Playbook, l.Reason, l.Evidence = evil, evil, evil, []knowledge.Quote{{Commit: evil, Path: evil, Quote: evil}}
	}
	for i := range r.Proposals {
		p := &r.Proposals[i]
		p.Title, p.Branch, p.Base, p.Reason, p.Files = evil, evil, evil, evil, []string{evil}
	}
	r.Sent = []report.Sent{{Stage: evil, Endpoint: evil, Model: evil}}
	r.Usage = map[string]report.StageUsage{evil: {Model: evil}}
	r.Facts.Reasons = map[string]int{evil: 1}
	r.Backlog.Oldest = evil
	r.Warnings, r.Diff = []string{evil}, "+"+evil+"\n"
	return r
}
