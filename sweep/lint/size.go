package lint

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/pair"
)

// Limits that tools document.
const (
	codexBytes    = 32 << 10 // of all AGENTS.md from the root to a folder together
	claudeChars   = 40_000   // of a CLAUDE.md, above which Claude Code warns
	windsurfChars = 12_000   // of a rule file
	skillName     = 64
	skillAbout    = 1024
)

// sizes checks instruction files against what their tools read.
func (c *checker) sizes() {
	for _, d := range c.Docs {
		base, chars := path.Base(d.Path), utf8.RuneCount(d.Source)
		switch {
		case pair.Template(d.Path) || d.Format != knowledge.Instruction:
		case strings.HasPrefix(base, "AGENTS."):
			c.chain(d)
		case base == "CLAUDE.md" && chars > claudeChars:
			c.line("size/instructions", d, 1, "claude", fmt.Sprintf("It has %d characters; above %d it slows every session down, and rules in it are missed.", chars, claudeChars))
		case pair.Tool(d) == "windsurf" && pair.Ambient(d) && chars > windsurfChars:
			c.line("size/instructions", d, 1, "windsurf", fmt.Sprintf("It has %d characters, and %d are read.", chars, windsurfChars))
		}
	}
}

// chain measures what is read of all AGENTS.md files from the root down to the
// folder of one, and reports the one in which the limit is reached.
func (c *checker) chain(d *knowledge.Document) {
	before := 0
	for dir := path.Dir(d.Path); dir != "."; {
		dir = path.Dir(dir)
		for _, base := range []string{"AGENTS.override.md", "AGENTS.md"} {
			if up := c.byPath[path.Join(dir, base)]; up != nil && up != d {
				before += len(up.Source)
				break
			}
		}
	}
	left := codexBytes - before
	if left < 0 || len(d.Source) <= left {
		return // what is above it is too large already, and is reported
	}
	line := bytes.Count(d.Source[:left], []byte{'\n'}) + 1
	with := ""
	if before > 0 {
		with = fmt.Sprintf(", with %d of the files above it", before)
	}
	c.line("size/instructions", d, line, "codex", fmt.Sprintf("It has %d bytes%s, and Codex reads %d of AGENTS.md in all: what stands from here on is not seen.", len(d.Source), with, codexBytes))
}

var goodSkill = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// skill checks what tools choose skills by.
func (c *checker) skill(d *knowledge.Document) {
	if path.Base(d.Path) != "SKILL.md" || d.Format != knowledge.Instruction || slices.ContainsFunc(d.Faults, func(f knowledge.Fault) bool { return strings.HasPrefix(f.Rule, "front-matter/") }) {
		return
	}
	fields := map[string]knowledge.Field{}
	for _, w := range d.FrontMatter() {
		if w.Group == "" {
			fields[w.Name] = w
		}
	}
	name, about := fields["name"], fields["description"]
	text := strings.Join(about.Items, " ")
	switch n := utf8.RuneCountInString(text); {
	case strings.TrimSpace(text) == "":
		c.line("skill/description", d, max(about.Line, 1), "", "The skill has no description: no tool will choose it.")
	case n > skillAbout:
		c.line("skill/description", d, about.Line, "", fmt.Sprintf("The description has %d characters; %d are taken.", n, skillAbout))
	}
	if name.Text == "" || strings.ContainsAny(name.Text, "{<$") {
		return // tools take the name of the folder
	}
	if len(name.Text) > skillName || !goodSkill.MatchString(name.Text) {
		c.line("skill/name", d, name.Line, "", fmt.Sprintf("The name %q is not made of at most %d of a-z, 0-9 and single hyphens.", cut(name.Text, 80), skillName))
	}
}
