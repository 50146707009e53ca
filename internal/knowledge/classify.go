package knowledge

import (
	"path"

	"github.com/bmatcuk/doublestar/v4"
)

// Rule declares how the paths of a glob are read and where their edits go. An
// empty Format keeps the built-in one, an empty Route the default of the
// format.
type Rule struct {
	Path   string // doublestar glob, relative to the repository root
	Format Format
	Route  Route
}

// Classifier says which files are knowledge, how each is written, and where
// an edit of it may go by default.
type Classifier struct{ rules []Rule }

// NewClassifier returns a classifier that tries rules in their order and then
// the built-in patterns. A rule whose glob is malformed matches nothing: the
// configuration has refused it before.
func NewClassifier(rules []Rule) *Classifier {
	return &Classifier{rules: append([]Rule(nil), rules...)}
}

// byPath knows the built-in patterns alone.
var byPath = NewClassifier(nil)

// Classify returns the format and the default route of a path; ok is false
// for a file that is not knowledge. What lies in an archive directory beside
// memories, playbooks or wiki pages goes where they go.
func (c *Classifier) Classify(name string) (Format, Route, bool) {
	if from := home(name); from != name {
		if f, r, ok := c.classify(from); ok && keepsArchive[f] {
			return Archive, r, true
		}
	}
	return c.classify(name)
}

// keepsArchive are the formats whose facts are archived in archive/.
var keepsArchive = map[Format]bool{Memory: true, MemoryIndex: true, Playbook: true, Wiki: true, Archive: true}

func (c *Classifier) classify(name string) (Format, Route, bool) {
	var format Format
	var route Route
	for _, r := range c.rules {
		if hit, err := doublestar.Match(r.Path, name); err != nil || !hit {
			continue
		}
		if format == "" {
			format = r.Format
		}
		if route == "" {
			route = r.Route
		}
	}
	if format != "" && route != "" {
		return format, route, true
	}
	f, r, ok := builtIn(name)
	if format != "" {
		f, r, ok = format, defaultRoutes[format], true
	}
	if route != "" {
		r = route
	}
	return f, r, ok
}

// defaultRoutes are the routes of formats that a rule declares without one.
var defaultRoutes = map[Format]Route{
	Memory: RouteUpkeep, MemoryIndex: RouteUpkeep, Vault: RouteUpkeep, Archive: RouteUpkeep,
	Anchored: RouteUpkeep, Playbook: RouteAuto, Wiki: RouteUpkeep, Instruction: RouteQueue, Docs: RouteNever, Store: RouteNever,
}

// pattern is one line of the built-in table.
type pattern struct {
	glob   string
	format Format
	route  Route
}

// patterns is the built-in table; the first line that matches decides, so a
// memory directory inside .claude is memory. Names are exact: tools look for
// AGENTS.md, and docs/agents.md is a page about agents.
var patterns = []pattern{
	{"**/ARCHIVED_KNOWLEDGE.md", Archive, RouteUpkeep},

	{"**/MEMORY.md", MemoryIndex, RouteUpkeep},
	{"**/.*/**/{memory,memories}/*.md", Memory, RouteUpkeep},
	{"{,knowledge/}{memory,memories}/*.md", Memory, RouteUpkeep},
	{"**/.agent-memory/**/*.md", Memory, RouteUpkeep},

	{"**/KNOWLEDGE_VAULT.md", Vault, RouteUpkeep},

	{"{,knowledge/}facts/**/*.{md,yaml,yml}", Anchored, RouteUpkeep},
	{"knowledge/*.{yaml,yml}", Anchored, RouteUpkeep},

	{"knowledge/playbooks/**/*.md", Playbook, RouteAuto},
	{"**/{lessons,learnings,lessons-learned,lessons_learned,LESSONS,LEARNINGS,LESSONS_LEARNED,what-flopped}.md", Playbook, RouteAuto},

	{"{,knowledge/,docs/}wiki/**/*.md", Wiki, RouteUpkeep},

	{"**/{CLAUDE,CLAUDE.local,AGENTS,AGENTS.override,AGENT,AGENT_INSTRUCTIONS,GEMINI,CRUSH,CONVENTIONS}.md", Instruction, RouteQueue},
	{"**/.{claude,agents,agent,codex,gemini,copilot,opencode,windsurf}/**/*.md", Instruction, RouteQueue},
	{"**/.cursor/**/*.{mdc,md}", Instruction, RouteQueue},
	{"**/.{cursorrules,windsurfrules,clinerules}", Instruction, RouteQueue},
	{"**/.clinerules/**/*.md", Instruction, RouteQueue},
	{"**/.github/copilot-instructions.md", Instruction, RouteQueue},
	{"**/.github/{instructions,prompts,agents,chatmodes}/**/*.md", Instruction, RouteQueue},
	{"**/prompts/**/*.{md,txt,prompt,prompty}", Instruction, RouteQueue},
	{"**/{SKILL,skill}.md", Instruction, RouteQueue},

	{"**/.mulch/expertise/*.jsonl", Store, RouteNever},
	{"**/drift.lock", Store, RouteNever},
	{"**/.doctrine/memory/items/*/memory.toml", Store, RouteNever},
	{"**/.doctrine/memory/items/*/memory.md", Docs, RouteNever},

	{"**/{README,Readme,readme,CONTRIBUTING,Contributing,contributing}.md", Docs, RouteNever},
	{"**/docs/**/*.md", Docs, RouteNever},
}

// builtIn applies the built-in table. Most files of a repository are told
// apart by their extension alone, before any glob is tried.
func builtIn(name string) (Format, Route, bool) {
	if !textual(name) {
		return "", "", false
	}
	for _, p := range patterns {
		if doublestar.MatchUnvalidated(p.glob, name) {
			return p.format, p.route, true
		}
	}
	return "", "", false
}

func textual(name string) bool {
	switch path.Ext(name) {
	case ".md", ".mdc", ".txt", ".yaml", ".yml", ".jsonl", ".toml", ".lock", ".prompt", ".prompty", ".cursorrules", ".windsurfrules", ".clinerules":
		return true
	}
	return false
}

// startupNames are loaded at the start of every session where they stand at
// the top of a repository or in a tool's directory there.
var startupNames = map[string]bool{
	"CLAUDE.md": true, "CLAUDE.local.md": true, "AGENTS.md": true, "AGENTS.override.md": true, "AGENT.md": true,
	"GEMINI.md": true, "CRUSH.md": true, ".cursorrules": true, ".windsurfrules": true, ".clinerules": true,
	"copilot-instructions.md": true,
}

// startup reports whether the file is loaded into every session, as far as
// its path tells.
func startup(name string, f Format) bool {
	if f == MemoryIndex {
		return true
	}
	dir, base := path.Split(name)
	switch dir {
	case "", ".claude/", ".github/", ".codex/", ".gemini/":
		return f == Instruction && startupNames[base]
	}
	return false
}

// Startup reports whether a path is one that tools load into every session,
// as for a symbolic link named CLAUDE.md.
func Startup(name string) bool {
	f, _, ok := byPath.Classify(name)
	return ok && startup(name, f)
}
