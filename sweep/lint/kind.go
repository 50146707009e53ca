package lint

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
	dayIn        = regexp.MustCompile(`\b20\d\d[-/.](0[1-9]|1[0-2])[-/.]([0-2]\d|3[01])\b`)
)

// template reports whether a file is one to be filled in: what it names is not
// there yet.
func template(name string) bool { return templateName.MatchString(name) }

// plan reports whether a file says what is to be done once: it names what is
// not there yet, and is not kept true afterwards.
var plan = regexp.MustCompile(`(?i)(^|/)(plans?|archived?|history|backlog|drafts?)/|\.plan\.md$`).MatchString

// generatedHead is how far into a file its maker says so.
const generatedHead = 600

// generated reports whether a program writes the file: what is wrong in it is
// that program's.
func generated(d *knowledge.Document) bool {
	head := d.Source[:min(len(d.Source), generatedHead)]
	return bytes.Contains(head, []byte("<!--")) && generatedBy.Match(head) && !d.Startup
}

// tool is which agent loads a file by itself; "" for what all of them may read.
func tool(d *knowledge.Document) string {
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

// ambient reports whether a document is part of what every reader of its folder
// has at hand, not read on call like a skill.
func ambient(d *knowledge.Document) bool {
	switch d.Format {
	case knowledge.Memory, knowledge.MemoryIndex, knowledge.Vault, knowledge.Playbook, knowledge.Anchored:
		return true
	case knowledge.Instruction:
		return named[path.Base(d.Path)] || (within(d.Path, "rules") || within(d.Path, "instructions") && within(d.Path, ".github")) && !attached(d)
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

// named are the instruction files that tools load by their names.
var named = map[string]bool{
	"CLAUDE.md": true, "CLAUDE.local.md": true, "AGENTS.md": true, "AGENTS.override.md": true, "AGENT.md": true, "GEMINI.md": true, "CRUSH.md": true,
	".cursorrules": true, ".windsurfrules": true, ".clinerules": true, "copilot-instructions.md": true, "CONVENTIONS.md": true,
}

// scope is the folder that a document speaks about: the one it stands in, or
// the one above where that is a folder of a tool or of knowledge.
func scope(d *knowledge.Document) string {
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

// reach is who reads a document.
type reach struct {
	ambient     bool
	tool, scope string
}

func reachOf(d *knowledge.Document) reach { return reach{ambient(d), tool(d), scope(d)} }

// together reports whether two documents, which are not one, reach one reader:
// the same or any tool, and one folder inside the other.
func (a reach) together(b reach) bool {
	if !a.ambient || !b.ambient || a.tool != "" && b.tool != "" && a.tool != b.tool {
		return false
	}
	return nested(a.scope, b.scope) || nested(b.scope, a.scope)
}

// nested reports whether a folder is another or lies in it.
func nested(inner, outer string) bool {
	return outer == "" || inner == outer || strings.HasPrefix(inner, outer+"/")
}

// prose reports whether a fact is a statement in words: no code, no heading,
// no line of an index, no record of the past.
func prose(f *knowledge.Fact) bool {
	switch f.Kind {
	case knowledge.KindBullet, knowledge.KindParagraph, knowledge.KindEntry, knowledge.KindRow:
		return !f.Event && f.Fence == ""
	}
	return false
}

// resolve joins a path to the folder of a document; ok is false outside the
// tree.
func resolve(doc, target string) (string, bool) {
	p := path.Join(path.Dir(doc), target)
	return p, p != ".." && !strings.HasPrefix(p, "../")
}
