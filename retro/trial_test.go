package retro

import (
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/prompts"
)

// A promoted rule whose mistake a pattern sees is tried on the past, and says
// how that went; one that is too wide is a rule all the same.
func TestPromotedRuleIsTriedOnThePast(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		`return cached\b`:         "would have caught 1 of 1, 0 hits on 2 other commits",
		`return (cached|&Client)`: "would have caught 1 of 1, 1 hits on 2 other commits",
		`nothing alike`:           "would have caught 0 of 1, 0 hits on 2 other commits",
		`.*`:                      "",
	} {
		in := input(t, "revert.txtar", 0)
		m := careful()
		m.patch = func(string) []prompts.PatchEdit {
			edits := add(freshClient)
			edits[0].Check = &prompts.Check{Kind: "line", Pattern: pattern}
			return edits
		}
		in.Model = m.client(t, llm.Options{})
		res := run(t, in)
		if len(res.Edits) != 1 {
			t.Fatalf("%q: %+v", pattern, res)
		}
		got := ""
		if trial := res.Edits[0].Trial; trial != nil {
			got = trial.String()
		}
		if got != want || !strings.Contains(res.Lessons[0].Reason, want) {
			t.Errorf("%q: %q, want %q; %s", pattern, got, want, res.Lessons[0].Reason)
		}
	}
}
