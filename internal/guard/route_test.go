package guard

import (
	"testing"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

func TestRouteDefaults(t *testing.T) {
	t.Parallel()
	p := policy(Routes{}, Routes{})
	wantRoute(t, p, knowledge.RouteAuto, "knowledge/playbooks/api.md", "knowledge/playbooks/web/forms.md", "docs/what-flopped.md", "what-flopped.md")
	wantRoute(t, p, knowledge.RouteUpkeep, "memory/a.md", "memory/MEMORY.md", "memory/archive/a.md", "KNOWLEDGE_VAULT.md", ".claude/projects/shop/memory/feedback_tests.md", ".claude/MEMORY.md", "facts/a.yaml", "VAULT_INDEX.json")
	wantRoute(t, p, knowledge.RouteQueue, "AGENTS.md", "web/AGENTS.md", "CLAUDE.md", ".claude/rules/a.md", "prompts/triage.md")
	wantRoute(t, p, knowledge.RouteNever, "README.md", "docs/guide.md", "main.go", "notes/a.md")
}

func TestRouteOperatorOpensAndNarrows(t *testing.T) {
	t.Parallel()
	p := policy(Routes{
		Auto:   []string{"docs/runbooks/**", "notes/*.md", "**"},
		Upkeep: []string{"docs/adr/*.md"},
		Queue:  []string{"knowledge/playbooks/security.md"},
		Never:  []string{"knowledge/playbooks/legal/**"},
	}, Routes{})
	wantRoute(t, p, knowledge.RouteAuto, "docs/runbooks/deploy.md", "notes/a.md", "notes/a.txt")
	wantRoute(t, p, knowledge.RouteUpkeep, "docs/adr/1.md")
	wantRoute(t, p, knowledge.RouteQueue, "knowledge/playbooks/security.md", "knowledge/playbooks/Security.md")
	wantRoute(t, p, knowledge.RouteNever, "knowledge/playbooks/legal/a.md")
}

func TestRouteRepositoryOnlyNarrows(t *testing.T) {
	t.Parallel()
	p := policy(Routes{Auto: []string{"notes/*.md"}}, Routes{
		Auto:   []string{"docs/**", "AGENTS.md", "main.go"},
		Upkeep: []string{"knowledge/playbooks/slow.md", "README.md", "AGENTS.md"},
		Queue:  []string{"docs/secret.md", "notes/b.md", "memory/b.md"},
		Never:  []string{"memory/c.md", "notes/c.md", "AGENTS.md"},
	})
	wantRoute(t, p, knowledge.RouteNever, "docs/guide.md", "main.go", "README.md", "docs/secret.md", "memory/c.md", "notes/c.md", "AGENTS.md")
	wantRoute(t, p, knowledge.RouteQueue, "notes/b.md", "memory/b.md")
	wantRoute(t, p, knowledge.RouteUpkeep, "knowledge/playbooks/slow.md")
	wantRoute(t, p, knowledge.RouteAuto, "notes/a.md")
}

func TestRouteDeclaredFormatsAreNotApplied(t *testing.T) {
	t.Parallel()
	declared := knowledge.NewClassifier([]knowledge.Rule{
		{Path: "docs/agents/a.md", Format: knowledge.Playbook},
		{Path: "{CLAUDE.md,go.mod,run.yaml}", Format: knowledge.Playbook},
		{Path: "{.claude/rules/**,.claude/memory/SKILL.md}", Format: knowledge.Memory},
		{Path: "README.md", Format: knowledge.Playbook, Route: knowledge.RouteAuto},
	})
	p := NewPolicy(declared, Routes{}, Routes{})
	wantRoute(t, p, knowledge.RouteUpkeep, "docs/agents/a.md", "README.md")
	wantRoute(t, p, knowledge.RouteQueue, "CLAUDE.md", ".claude/rules/a.md", ".claude/rules/memory/a.md", ".claude/memory/SKILL.md")
	wantRoute(t, p, knowledge.RouteNever, "go.mod", "run.yaml")
	opened := NewPolicy(declared, Routes{Auto: []string{"docs/agents/*"}}, Routes{})
	wantRoute(t, opened, knowledge.RouteAuto, "docs/agents/a.md")
}

func TestRouteMalformedGlobIsAWall(t *testing.T) {
	t.Parallel()
	p := policy(Routes{Never: []string{"knowledge/[playbooks/**"}}, Routes{})
	wantRoute(t, p, knowledge.RouteNever, "knowledge/playbooks/a.md")
	p = policy(Routes{Auto: []string{"notes/[a.md"}}, Routes{})
	wantRoute(t, p, knowledge.RouteNever, "notes/[a.md", "notes/a.md")
}

// What leaves one file for another goes where the stricter of the two may.
func TestRouteOfBothFiles(t *testing.T) {
	t.Parallel()
	p := NewPolicy(nil, Routes{}, Routes{})
	for want, e := range map[knowledge.Route]knowledge.Edit{
		knowledge.RouteAuto:  {Path: "knowledge/playbooks/a.md", To: "knowledge/playbooks/b.md"},
		knowledge.RouteQueue: {Path: "knowledge/playbooks/a.md", To: "AGENTS.md"},
		knowledge.RouteNever: {Path: "knowledge/playbooks/a.md", To: ".github/workflows/ci.yml"},
	} {
		if got, why := p.RouteOf(e); got != want || why == "" {
			t.Errorf("%s to %s: %s (%s)", e.Path, e.To, got, why)
		}
		e.Path, e.To = e.To, e.Path
		if got, _ := p.RouteOf(e); got != want {
			t.Errorf("%s to %s: %s", e.Path, e.To, got)
		}
	}
	if got, _ := p.RouteOf(knowledge.Edit{Path: "AGENTS.md"}); got != knowledge.RouteQueue {
		t.Errorf("AGENTS.md: %s", got)
	}
}
