package pair

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

var (
	templateName = regexp.MustCompile(`(?i)(^|[/._-])(templates?|tmpl|skeletons?|scaffold(ing|s)?|boilerplates?)([/._-]|$)`)
	generatedBy  = regexp.MustCompile(`(?i)\bdo not (edit|modify)\b|@generated\b|\b(auto-?)?generated (by|from|file|automatically)\b|\bthis file is (auto-?)?generated\b`)
)

// Template reports whether a file is one to be filled in: what it names is not
// there yet.
func Template(name string) bool { return templateName.MatchString(name) }

// Plan reports whether a file says what is to be done once: it names what is
// not there yet, and is not kept true afterwards.
var Plan = regexp.MustCompile(`(?i)(^|/)(plans?|archived?|history|backlog|drafts?)/|\.plan\.md$`).MatchString

// generatedHead is how far into a file its maker says so.
const generatedHead = 600

// Generated reports whether a program writes the file: what is wrong in it is
// that program's.
func Generated(d *knowledge.Document) bool {
	head := d.Source[:min(len(d.Source), generatedHead)]
	return bytes.Contains(head, []byte("<!--")) && generatedBy.Match(head) && !d.Startup
}

// Tool is which agent loads a file by itself; "" for what all of them may read.
func Tool(d *knowledge.Document) string {
	base := path.Base(d.Path)
	switch {
	case strings.HasPrefix(base, "CLAUDE"), within(d.Path, ".claude"):
		return "claude"
	case strings.HasPrefix(base, "AGENT"), within(d.Path, ".codex"), within(d.Path, ".agents"):
		return "codex"
	case strings.HasPrefix(base, "GEMINI"), within(d.Path, ".gemini"):
		return "gemini"
	case within(d.Path, ".agent"):
		return "antigravity"
	case within(d.Path, ".github"), within(d.Path, ".copilot"):
		return "copilot"
	case strings.HasPrefix(base, ".cursor"), within(d.Path, ".cursor"):
		return "cursor"
	case strings.HasPrefix(base, ".windsurf"), within(d.Path, ".windsurf"):
		return "windsurf"
	case strings.HasPrefix(base, ".cline"), within(d.Path, ".clinerules"):
		return "cline"
	case base == "CRUSH.md":
		return "crush"
	}
	return ""
}

// within reports whether a path lies in a folder of a name.
func within(name, dir string) bool {
	return strings.HasPrefix(name, dir+"/") || strings.Contains(name, "/"+dir+"/")
}

// Ambient reports whether a document is part of what every reader of its folder
// has at hand, not read on call like a skill.
func Ambient(d *knowledge.Document) bool {
	switch d.Format {
	case knowledge.Memory, knowledge.MemoryIndex, knowledge.Vault, knowledge.Playbook, knowledge.Anchored:
		return true
	case knowledge.Instruction:
		return Named[path.Base(d.Path)] || (within(d.Path, "rules") || within(d.Path, "instructions") && within(d.Path, ".github")) && !attached(d)
	}
	return false
}

// attached reports whether a rule file is loaded with some files of the code
// alone.
func attached(d *knowledge.Document) bool {
	if d.Startup {
		return false
	}
	for _, w := range d.FrontMatter() {
		switch w.Name {
		case "globs", "paths", "applyto", "trigger", "alwaysapply", "description":
			return true
		}
	}
	return false
}

// Named are the instruction files that tools load by their names.
var Named = map[string]bool{
	"CLAUDE.md": true, "CLAUDE.local.md": true, "AGENTS.md": true, "AGENTS.override.md": true, "AGENT.md": true, "GEMINI.md": true, "CRUSH.md": true,
	".cursorrules": true, ".windsurfrules": true, ".clinerules": true, "copilot-instructions.md": true, "CONVENTIONS.md": true,
}

// Scope is the folder that a document speaks about: the one it stands in, or
// the one above where that is a folder of a tool or of knowledge.
func Scope(d *knowledge.Document) string {
	dir := path.Dir(d.Path)
	parts := strings.Split(dir, "/")
	for i, p := range parts {
		if strings.HasPrefix(p, ".") && p != "." || p == "knowledge" || p == "memory" || p == "memories" || p == "docs" || p == "wiki" {
			return path.Join(parts[:i]...)
		}
	}
	if dir == "." {
		return ""
	}
	return dir
}

// Reach is who reads a document.
type Reach struct {
	Ambient bool   // it is at hand to all of them, not read on call
	Tool    string // the agent that loads it by itself; "" for any
	Scope   string // the folder that it speaks about
}

// ReachOf is the reach of a document.
func ReachOf(d *knowledge.Document) Reach { return Reach{Ambient(d), Tool(d), Scope(d)} }

// Together reports whether two documents, which are not one, reach one reader:
// the same or any tool, and one folder inside the other.
func (a Reach) Together(b Reach) bool {
	if !a.Ambient || !b.Ambient || a.Tool != "" && b.Tool != "" && a.Tool != b.Tool {
		return false
	}
	return nested(a.Scope, b.Scope) || nested(b.Scope, a.Scope)
}

// nested reports whether a folder is another or lies in it.
func nested(inner, outer string) bool {
	return outer == "" || inner == outer || strings.HasPrefix(inner, outer+"/")
}

// Prose reports whether a fact is a statement in words: no code, no heading,
// no line of an index, no record of the past.
func Prose(f *knowledge.Fact) bool {
	switch f.Kind {
	case knowledge.KindBullet, knowledge.KindParagraph, knowledge.KindEntry, knowledge.KindRow:
		return !f.Event && f.Fence == ""
	}
	return false
}

// Aside reports whether a document is a template, a plan or generated: it is not
// kept true by people.
func Aside(d *knowledge.Document) bool { return Template(d.Path) || Plan(d.Path) || Generated(d) }
