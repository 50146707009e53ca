package night_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/retro/rules"
)

const lived = `
-- commit --
author: Ada <ada@kitchen.example>
date: 2026-10-01T08:00:00Z

start
-- knowledge/playbooks/baking.md --
# Baking

- Bake once, so that the bread is not burnt. (2026-06-01, 0123456789; 2026-07-01, abcdefabcd)
- Sweep the floor after each loaf. (2026-08-01, 9876543210)
-- AGENTS.md --
# Guide

- Wash the bowl before each loaf.
`

// What a rule did not prevent counts against it through every rewording, and the
// recurrence is that of thirty days each.
func TestLivesOfRules(t *testing.T) {
	t.Parallel()
	r := build(t, lived)
	key := rules.KeyOf("knowledge/playbooks/baking.md", "0123456789")
	day := func(ago int) time.Time { return evening.AddDate(0, 0, -ago) }
	state := &journal.State{}
	state.Correct([]journal.Correction{
		{Commit: "a", Rule: key, Again: true, At: day(1)}, {Commit: "b", Rule: key, Again: true, At: day(40)},
		{Commit: "c", Rule: "r0", At: day(2)}, {Commit: "d", Rule: "r1", At: day(3)}, {Commit: "e", Rule: "r2", At: day(41)},
	})
	if _, err := journal.Save(t.Context(), r, state, repo.Hash{}, evening); err != nil {
		t.Fatal(err)
	}
	got, err := night.ReadLessons(t.Context(), night.Look{Repo: r, Config: config.DefaultOperator(), Now: evening})
	if err != nil {
		t.Fatal(err)
	}
	var lives []string
	for _, l := range got.Rules {
		lives = append(lives, strings.Join([]string{l.Since, l.Evidence, l.Last}, " "))
	}
	if diff := cmp.Diff([]string{"2026-06-01 0123456789 2026-10-02", "2026-08-01 9876543210 "}, lives); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	if got.Rules[0].Recurrences != 2 || got.Rules[0].Tokens == 0 || got.Session == 0 || got.Tokens <= got.Session {
		t.Errorf("%+v", got)
	}
	var rate [][2]int
	for _, s := range got.Recurrence {
		rate = append(rate, [2]int{s.Again, s.Corrections})
	}
	if diff := cmp.Diff([][2]int{{1, 3}, {1, 2}, {0, 0}, {0, 0}}, rate); diff != "" {
		t.Errorf("recurrence (-want +got):\n%s", diff)
	}
}
