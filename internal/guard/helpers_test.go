package guard

import (
	"testing"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

func policy(operator, repository Routes) *Policy {
	return NewPolicy(nil, operator, repository)
}

// wantRoute fails unless p sends each path to route.
func wantRoute(t *testing.T, p *Policy, route knowledge.Route, paths ...string) {
	t.Helper()
	for _, file := range paths {
		if got, why := p.Route(file); got != route || why == "" {
			t.Errorf("Route(%q) = %s (%s), want %s", file, got, why, route)
		}
	}
}

// refused fails unless OutputText refuses text by the rule.
func refused(t *testing.T, rule string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		got, err := OutputText(text, 4000)
		broken, ok := err.(*OutputError)
		if !ok || broken.Rule != rule {
			t.Errorf("OutputText(%q) = %q, %v; want it refused by rule %s", text, got, err, rule)
		}
	}
}
