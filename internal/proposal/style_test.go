package proposal_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/retrosweep/retrosweep/internal/proposal"
)

func TestDetectStyle(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		subjects []string
		want     string
	}{
		"no history":             {nil, "docs(agents): correct a path"},
		"too short":              {[]string{"Add the cart", "Add the dog"}, "docs(agents): correct a path"},
		"conventional, scopes":   {[]string{"feat(cart): add", "fix: total", "chore(deps): raise"}, "docs(agents): correct a path"},
		"conventional, no scope": {[]string{"feat: add", "fix: total", "docs: say so"}, "docs: correct a path"},
		"conventional, capitals": {[]string{"feat: Add", "fix: Total", "docs: Say so"}, "docs: Correct a path"},
		"breaking":               {[]string{"feat!: add", "fix(x)!: total", "docs: say so"}, "docs(agents): correct a path"},
		"packages":               {[]string{"net/http: add", "cmd/go: fix", "all: gofmt"}, "agents: correct a path"},
		"packages, capitals":     {[]string{"drivers: Add", "mm: Fix", "all: Gofmt"}, "agents: Correct a path"},
		"plain, capitals":        {[]string{"Add the cart", "Fix the total", "Say so"}, "Correct a path"},
		"plain, small":           {[]string{"add the cart", "fix the total", "say so"}, "correct a path"},
		"merges do not count":    {[]string{"Merge pull request 1", "Merge branch x", "Merge branch y", "fix: a", "fix: b", "fix: c", "Bump x"}, "docs: correct a path"},
		"mixed":                  {[]string{"fix: a", "Add the cart", "net: b", "Say so"}, "docs(agents): correct a path"},
		"only the newest count":  {slices.Concat(slices.Repeat([]string{"fix: a"}, 50), slices.Repeat([]string{"Add"}, 500)), "docs: correct a path"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := proposal.DetectStyle(tt.subjects).Title("correct a path"); got != tt.want {
				t.Errorf("the title is %q, not %q", got, tt.want)
			}
		})
	}
}

func TestParseStyle(t *testing.T) {
	t.Parallel()
	plain := []string{"Add the cart", "Fix the total", "Say so"}
	for name, want := range map[string]string{"auto": "Tend", "": "Tend", "conventional": "docs(agents): tend", "prefix": "agents: tend", "plain": "Tend"} {
		if got := proposal.ParseStyle(name, plain).Title("tend"); got != want {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
}

func TestTitleIsShortAndQuiet(t *testing.T) {
	t.Parallel()
	got := proposal.DefaultStyle.Title("correct " + strings.Repeat("very ", 40) + "long")
	if n := utf8.RuneCountInString(got); n > 72 || !strings.HasSuffix(got, "very…") {
		t.Errorf("%d: %q", n, got)
	}
	got = proposal.DefaultStyle.Title("fix @ada's path\n\nCloses #12 https://evil.example")
	if strings.ContainsAny(got, "@#\n") || strings.Contains(got, "://") {
		t.Errorf("%q", got)
	}
}
