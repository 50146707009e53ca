package audit

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// TestSort: severity, then startup surfaces, then reach, then age, then place.
func TestSort(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	docs := []*knowledge.Document{
		{Path: "CLAUDE.md", Startup: true}, {Path: "docs/a.md"}, {Path: "docs/led.md"},
		{Path: "docs/over.md", Facts: []knowledge.Fact{{ID: "f", Life: knowledge.Lifecycle{SupersededBy: "x"}}}},
	}
	make1 := func(id, file string, s knowledge.Severity, was, since string) knowledge.Finding {
		f := knowledge.Finding{ID: id, Severity: s, Fact: knowledge.FactRef{File: file}}
		if was != "" {
			f.Was = &knowledge.Place{Path: was}
		}
		if since != "" {
			f.Since = &knowledge.Since{Date: since}
		}
		return f
	}
	fs := []knowledge.Finding{
		make1("info", "CLAUDE.md", knowledge.Info, "x", "2020-01-01"),
		make1("young", "docs/a.md", knowledge.Warning, "y", "2026-05-01"),
		make1("undated", "docs/a.md", knowledge.Warning, "", ""),
		make1("old", "docs/a.md", knowledge.Warning, "z", "2026-01-01"),
		make1("reach-b", "docs/b.md", knowledge.Warning, "w", "2026-06-01"),
		make1("reach-a", "docs/a.md", knowledge.Warning, "w", "2026-06-01"),
		make1("led", "docs/led.md", knowledge.Warning, "r", "2026-06-01"),
		make1("over", "docs/over.md", knowledge.Warning, "q", "2020-01-01"),
		make1("startup", "CLAUDE.md", knowledge.Warning, "v", "2026-06-01"),
		make1("error", "docs/a.md", knowledge.Error, "u", "2026-06-01"),
	}
	for i := range fs {
		fs[i].Fact.ID = "f"
	}
	var got []string
	for _, f := range Sort(fs, docs, map[string]int{"docs/led.md": 4}, now) {
		got = append(got, f.ID)
	}
	want := []string{"error", "startup", "led", "reach-a", "reach-b", "old", "young", "over", "undated", "info"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order: -want +got\n%s", diff)
	}
}

func TestGrade(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rule     string
		startup  bool
		verdict  knowledge.Verdict
		severity knowledge.Severity
	}{
		{RuleBroken, true, knowledge.Broken, knowledge.Error},
		{RuleBroken, false, knowledge.Broken, knowledge.Warning},
		{RuleMoved, true, knowledge.Broken, knowledge.Warning},
		{RuleExpired, true, knowledge.Stale, knowledge.Warning},
		{RuleNever, true, knowledge.Unknown, knowledge.Info},
		{RuleLate, true, knowledge.Broken, knowledge.Info},
		{RuleEvent, true, knowledge.Broken, knowledge.Info},
		{RuleNoDate, true, knowledge.Unknown, knowledge.Info},
	} {
		if v, s := Grade(tc.rule, tc.startup); v != tc.verdict || s != tc.severity {
			t.Errorf("Grade(%s, %v) = %s, %s; want %s, %s", tc.rule, tc.startup, v, s, tc.verdict, tc.severity)
		}
	}
}

func TestRecord(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"docs/adr/0001-x.md": true, "docs/plans/cart.md": true, "docs/archive/old.md": true, "docs/migrations/1.md": true,
		"docs/SESSION_HANDOFF.md": true, "docs/cart_spec.md": true, "docs/review-2026-03-01.md": true,
		"docs/RELEASE.md": false, "docs/guide.md": false, "examples/README.md": false, "docs/planner.md": false,
	} {
		if got := record(&knowledge.Document{Path: path, Format: knowledge.Docs}); got != want {
			t.Errorf("record(%q) = %v, want %v", path, got, want)
		}
	}
	for path, want := range map[string]bool{
		".claude/commands/release/release-check.md": false, ".claude/commands/review.md": false, ".agent/specs/cart.md": true,
	} {
		if got := record(&knowledge.Document{Path: path, Format: knowledge.Instruction}); got != want {
			t.Errorf("record(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestAlike(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"1\n2\n3\n", "1\n2\n3\n4\n", true}, {"1\n2\n", "3\n4\n", false}, {"", "", false}, {"1\n1\n1\n", "1\n2\n3\n", false},
	} {
		if got := alike([]byte(tc.a), []byte(tc.b)); got != tc.want {
			t.Errorf("alike(%q, %q) = %v", tc.a, tc.b, got)
		}
	}
}
