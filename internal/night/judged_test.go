package night_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
)

// bakery is a memory with a clock of its own, and a change of what it declares.
const bakery = `
-- commit --
author: Ada <ada@kitchen.example>
date: 2026-10-01T08:00:00Z
tag: first

start

-- oven/bake.go --
package oven

// BakeLoaf bakes one loaf.
func BakeLoaf() {
	heat(230)
	wait(40)
}
-- .claude/memory/reference_bread.md --
---
name: reference_bread
description: "how hot bread is baked"
type: reference
anchor_symbols: [BakeLoaf]
verified: 2026-05-01
---

Bread needs 230 degrees.
-- commit --
author: Ada <ada@kitchen.example>
date: 2026-10-02T08:00:00Z

shorter

-- oven/bake.go --
package oven

// BakeLoaf bakes one loaf.
func BakeLoaf() {
	heat(230)
	wait(25)
}
`

const (
	saysFresh = `{"verdict":"fresh","reason":"It still heats to 230.","quotes":[{"side":"after","path":"oven/bake.go","line":5,"quote":"heat(230)"}]}`
	saysStale = `{"verdict":"stale","reason":"It waits for 25 now.","quotes":[{"side":"after","path":"oven/bake.go","line":6,"quote":"wait(25)"}]}`
	saysLie   = `{"verdict":"fresh","reason":"It is so.","quotes":[{"side":"after","path":"oven/bake.go","line":5,"quote":"heat(200) as ever"}]}`
)

// asked is a night with a judge alone, and the judge.
func asked(t *testing.T, r *repo.Repo, cache string, replies ...string) (night.Options, *llmtest.Fake) {
	t.Helper()
	fake := &llmtest.Fake{Name: "small", Script: map[string][]llmtest.Reply{}}
	for _, text := range replies {
		fake.Script["judge"] = append(fake.Script["judge"], llmtest.Reply{Text: text})
	}
	client, err := llm.New(llm.Options{Stages: map[string]llm.Stage{"judge": {Generator: fake}}, Repository: "kitchen", CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	o := options(r)
	o.Model, o.From = client, "first"
	return o, fake
}

func state(t *testing.T, r *repo.Repo) *journal.State {
	t.Helper()
	s, _, err := journal.Load(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func verdicts(s *journal.State) []journal.Verdict {
	var out []journal.Verdict
	for _, all := range s.Verdicts {
		out = append(out, all...)
	}
	return out
}

// diffs are what the proposals of a receipt change.
func diffs(r *report.Receipt) string {
	var b strings.Builder
	for _, p := range r.Proposals {
		b.WriteString(p.Diff)
	}
	return b.String()
}

// A grounded answer sets the clock: in the journal, and in the file that has
// one. The next night asks nothing and stamps nothing.
func TestJudgeConfirms(t *testing.T) {
	t.Parallel()
	r := build(t, bakery)
	o, fake := asked(t, r, "", saysFresh)
	receipt := run(t, o)
	if len(fake.Requests()) != 1 || receipt.Facts.Judged != 1 || receipt.Facts.Fresh == 0 || receipt.Usage["judge"].Calls != 1 || len(receipt.Sent) != 1 {
		t.Fatalf("asked %d times, facts %+v, usage %+v, sent %+v", len(fake.Requests()), receipt.Facts, receipt.Usage, receipt.Sent)
	}
	if len(receipt.Checks) != 1 || !receipt.Checks[0].Stamped || !strings.HasPrefix(receipt.Checks[0].By, "judge:small:") {
		t.Errorf("checks = %+v", receipt.Checks)
	}
	if d := diffs(receipt); !strings.Contains(d, "+verified: 2026-10-03") {
		t.Errorf("the file has no new date:\n%s", d)
	}
	got := verdicts(state(t, r))
	if len(got) != 1 || got[0].Verdict != string(knowledge.Fresh) || len(got[0].Fingerprints) != 1 || !strings.HasPrefix(got[0].By, "judge:small:") {
		t.Fatalf("journal = %+v", got)
	}
	o, fake = asked(t, r, "")
	again := run(t, o)
	if len(fake.Requests()) != 0 || len(again.Checks) != 0 || again.Facts.Fresh != receipt.Facts.Fresh {
		t.Errorf("the next night asked %d times, checks %+v, facts %+v", len(fake.Requests()), again.Checks, again.Facts)
	}
	if diff := cmp.Diff(got, verdicts(state(t, r))); diff != "" {
		t.Errorf("the journal moved (-was +is):\n%s", diff)
	}
}

// A verdict that the journal remembers, true or forged, sets no clock.
func TestRememberedVerdictSetsNoClock(t *testing.T) {
	t.Parallel()
	r := build(t, bakery)
	o, _ := asked(t, r, "", saysFresh)
	run(t, o)
	forged := state(t, r)
	other := build(t, bakery)
	if _, err := journal.Save(t.Context(), other, &journal.State{Verdicts: forged.Verdicts}, repo.Hash{}, evening); err != nil {
		t.Fatal(err)
	}
	o, fake := asked(t, other, "")
	receipt := run(t, o)
	if len(fake.Requests()) != 0 || len(receipt.Checks) != 0 || diffs(receipt) != "" {
		t.Errorf("asked %d times, checks %+v, diff\n%s", len(fake.Requests()), receipt.Checks, diffs(receipt))
	}
}

// A falsified quote confirms nothing and stamps nothing, and is not asked for
// again.
func TestUngroundedAnswerSetsNoClock(t *testing.T) {
	t.Parallel()
	r := build(t, bakery)
	o, _ := asked(t, r, "", saysLie)
	receipt := run(t, o)
	if receipt.Facts.Reasons[knowledge.ReasonUngrounded] != 1 || len(receipt.Checks) != 0 || diffs(receipt) != "" {
		t.Errorf("facts %+v, checks %+v", receipt.Facts, receipt.Checks)
	}
	o, fake := asked(t, r, "")
	if run(t, o); len(fake.Requests()) != 0 {
		t.Error("asked again")
	}
}

// A dry run shows what an apply does, which asks nothing that the dry run asked.
func TestJudgeDryRunIsApply(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"fresh": saysFresh, "stale": saysStale} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, cache := build(t, bakery), t.TempDir()
			o, _ := asked(t, r, cache, answer)
			o.Apply = false
			dry := run(t, o)
			if len(verdicts(state(t, r))) != 0 {
				t.Error("a dry run wrote the journal")
			}
			o, fake := asked(t, r, cache)
			wet := run(t, o)
			if len(fake.Requests()) != 0 || wet.Usage["judge"].Cached != 1 {
				t.Errorf("the apply asked %d times, usage %+v", len(fake.Requests()), wet.Usage)
			}
			if diff := cmp.Diff(diffs(dry), diffs(wet)); diff != "" {
				t.Errorf("diff (-dry +apply):\n%s", diff)
			}
			if diff := cmp.Diff(dry.Findings, wet.Findings); diff != "" {
				t.Errorf("findings (-dry +apply):\n%s", diff)
			}
			if got := verdicts(state(t, r)); len(got) != 1 || got[0].Verdict != name {
				t.Errorf("journal = %+v", got)
			}
		})
	}
}

// A budget of the stage that is too small for a question leaves it to another
// night, which is what the journal says.
func TestJudgeWithoutBudget(t *testing.T) {
	t.Parallel()
	r := build(t, bakery)
	fake := &llmtest.Fake{Script: map[string][]llmtest.Reply{"judge": {{Text: saysStale}}}}
	client, err := llm.New(llm.Options{Stages: map[string]llm.Stage{"judge": {Generator: fake, Budget: llm.Budget{Tokens: 100}}}})
	if err != nil {
		t.Fatal(err)
	}
	o := options(r)
	o.Model, o.From = client, "first"
	receipt := run(t, o)
	if len(fake.Requests()) != 0 || receipt.Facts.Reasons[knowledge.ReasonBudget] != 1 || receipt.Outcome == report.Partial {
		t.Errorf("asked %d times, facts %+v, outcome %s", len(fake.Requests()), receipt.Facts, receipt.Outcome)
	}
	if got := verdicts(state(t, r)); len(got) != 1 || got[0].Verdict != journal.Deferred {
		t.Errorf("journal = %+v", got)
	}
	o, fake = asked(t, r, "", saysStale)
	o.From = "main"
	if receipt = run(t, o); len(fake.Requests()) != 1 || receipt.Facts.Stale != 1 {
		t.Errorf("the next night asked %d times, facts %+v", len(fake.Requests()), receipt.Facts)
	}
}

// A judge alone is no model for the retro: nothing is asked there, and where it
// begins stays.
func TestJudgeAloneLeavesTheRetro(t *testing.T) {
	t.Parallel()
	r := build(t, bakery)
	o, fake := asked(t, r, "", saysFresh)
	o.From = ""
	receipt := run(t, o)
	if len(fake.Requests()) != 0 || receipt.Watermark.Retro.After != nil && receipt.Watermark.Retro.After.Commit == receipt.Range.To || receipt.Signals == nil || receipt.Signals.Judged != 0 {
		t.Errorf("asked %d times, watermark %+v, signals %+v", len(fake.Requests()), receipt.Watermark, receipt.Signals)
	}
}
