package guard

import (
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// fakeClassifier knows the formats by a few suffixes, and what a repository
// declared.
type fakeClassifier struct{ declared map[string]knowledge.Format }

var defaultRoutes = map[knowledge.Format]knowledge.Route{
	knowledge.Playbook: knowledge.RouteAuto, knowledge.Memory: knowledge.RouteUpkeep, knowledge.MemoryIndex: knowledge.RouteUpkeep,
	knowledge.Vault: knowledge.RouteUpkeep, knowledge.Archive: knowledge.RouteUpkeep,
	knowledge.Instruction: knowledge.RouteQueue, knowledge.Docs: knowledge.RouteNever,
}

func (c fakeClassifier) Classify(file string) (knowledge.Format, knowledge.Route, bool) {
	if format, ok := c.declared[file]; ok {
		return format, defaultRoutes[format], true
	}
	for _, rule := range []struct {
		part   string
		format knowledge.Format
	}{
		{"MEMORY.md", knowledge.MemoryIndex}, {"memory/archive/", knowledge.Archive}, {"memory/", knowledge.Memory},
		{"KNOWLEDGE_VAULT.md", knowledge.Vault}, {"ARCHIVED_KNOWLEDGE.md", knowledge.Archive},
		{"knowledge/playbooks/", knowledge.Playbook}, {"what-flopped.md", knowledge.Playbook},
		{"AGENTS.md", knowledge.Instruction}, {"CLAUDE.md", knowledge.Instruction}, {".claude/", knowledge.Instruction}, {"prompts/", knowledge.Instruction},
		{"README.md", knowledge.Docs}, {"docs/", knowledge.Docs},
	} {
		if strings.Contains(file, rule.part) {
			return rule.format, defaultRoutes[rule.format], true
		}
	}
	return "", "", false
}

func policy(operator, repository Routes) *Policy {
	return NewPolicy(fakeClassifier{}, operator, repository)
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
