package knowledge

import "testing"

func TestClassify(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		".claude/memory/feedback_x.md":         "memory upkeep",
		"memory/a.md":                          "memory upkeep",
		".claude/projects/x/memory/a.md":       "memory upkeep",
		".agent-memory/approved/a.md":          "memory upkeep",
		".claude/memory/MEMORY.md":             "memoryindex upkeep",
		".claude/memory/archive/feedback_x.md": "archive upkeep",
		".claude/memory/archive/MEMORY.md":     "archive upkeep",
		"KNOWLEDGE_VAULT.md":                   "vault upkeep",
		"team/KNOWLEDGE_VAULT.md":              "vault upkeep",
		"ARCHIVED_KNOWLEDGE.md":                "archive upkeep",
		"facts/a.yaml":                         "anchored upkeep",
		"knowledge/facts/deep/a.md":            "anchored upkeep",
		"knowledge/playbooks/ads.md":           "playbook auto",
		"knowledge/playbooks/archive/ads.md":   "archive auto",
		"tasks/lessons.md":                     "playbook auto",
		"tasks/archive/lessons.md":             "archive auto",
		"apps/x/what-flopped.md":               "playbook auto",
		"wiki/clients/acme.md":                 "wiki upkeep",
		"wiki/archive/acme.md":                 "archive upkeep",
		"CLAUDE.md":                            "instruction queue",
		"internal/x/AGENTS.md":                 "instruction queue",
		".claude/rules/a.md":                   "instruction queue",
		".claude/skills/x/SKILL.md":            "instruction queue",
		".cursor/rules/a.mdc":                  "instruction queue",
		".cursorrules":                         "instruction queue",
		".clinerules":                          "instruction queue",
		".github/copilot-instructions.md":      "instruction queue",
		"prompts/triage.txt":                   "instruction queue",
		"skills/x/SKILL.md":                    "instruction queue",
		"README.md":                            "docs never",
		"cmd/x/README.md":                      "docs never",
		"docs/agents.md":                       "docs never",
		"docs/memory.md":                       "docs never",
		"docs/archive/old.md":                  "docs never",
		"src/memory/Pool.md":                   "",
		"src/main/memory/Store.kt":             "",
		".claude/settings.json":                "",
		"CHANGELOG.md":                         "",
		"main.go":                              "",
		"":                                     "",
	} {
		f, r, ok := NewClassifier(nil).Classify(name)
		got := string(f) + " " + string(r)
		if !ok {
			got = ""
		}
		if got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

func TestRulesComeFirst(t *testing.T) {
	t.Parallel()
	c := NewClassifier([]Rule{
		{Path: "docs/agents/*.md", Format: Playbook},
		{Path: "docs/agents/security.md", Route: RouteQueue},
		{Path: "knowledge/playbooks/legal.md", Route: RouteNever},
		{Path: "[", Format: Vault},
	})
	for name, want := range map[string]string{
		"docs/agents/style.md":         "playbook auto",
		"docs/agents/security.md":      "playbook queue",
		"docs/agents/archive/style.md": "archive auto",
		"knowledge/playbooks/legal.md": "playbook never",
		"docs/other.md":                "docs never",
	} {
		if f, r, _ := c.Classify(name); string(f)+" "+string(r) != want {
			t.Errorf("%q is %s %s, want %s", name, f, r, want)
		}
	}
}

func TestStartup(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"CLAUDE.md": true, ".github/copilot-instructions.md": true, ".claude/memory/MEMORY.md": true, ".cursorrules": true,
		"docs/CLAUDE.md": false, "internal/AGENTS.md": false, ".claude/rules/a.md": false, "README.md": false,
	} {
		if Startup(name) != want {
			t.Errorf("%s: startup is %v", name, !want)
		}
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"docs/adr/0001-x.md": true, "docs/adrs/README.md": true, "docs/decisions/a.md": true, "docs/solutions/a/b.md": true, "docs/CHANGELOG.md": true,
		"wiki/log.md": true, "docs/audit_2026-03-17.md": true, "docs/archive/plan.md": true, ".claude/TECH_DEBT.md": true,
		"docs/logging.md": false, "docs/history-tables.md": false, "docs/port-20260.md": false, "docs/adrenaline/a.md": false, "README.md": false,
		"internal/journal/README.md": false, "retro/README.md": false, "wiki/journal/a.md": true,
	} {
		if eventPath(name) != want {
			t.Errorf("%s: event is %v", name, !want)
		}
	}
	for h, want := range map[string]bool{
		"Log": true, "Changelog": true, "## History": true, "2026-03-01": true, "2026-03-01: moved": true, "[1.2.0] - 2026-01-01": true, "v2.0.1": true,
		"3. Recent changes": true, "Session (2026-03-19)": true, "Release notes (old)": true, "Meeting — 2026-03-19": true,
		"Logging": false, "History of the parser and how to extend it": false, "Status (2026-03-19)": false, "Last validated: 2026-03-19": false,
		"1.2 Layout": false, "Changes to make": false, "": false, "Current state": false, "Port 2026": false,
	} {
		if eventSection([]string{h}) != want {
			t.Errorf("%q: event is %v", h, !want)
		}
	}
}
