package guard

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// The lists here are matched against the lower-cased path: some file systems
// do not tell case apart.

// protectedPaths are never written, whatever anybody configures: what is run,
// built, released, deployed or trusted.
var protectedPaths = []string{
	"**/.git*", "**/.git*/**", // .gitattributes, .gitmodules, .gitignore, .github, .gitlab, .git itself
	"**/.{husky,circleci,buildkite,devcontainer,vscode,idea,woodpecker,drone,azure,azure-pipelines,teamcity,semaphore,config,ssh,gnupg,aws}/**",
	"**/.retrosweep*", "**/.retrosweep*/**", "**/retrosweep.{yaml,yml}",
	"**/codeowners", "**/{license,licence,copying}{,.md,.txt}", "{security,notice,governance}{,.md,.txt}",
	"**/go.{mod,sum,work}", "**/go.work.sum", "**/{makefile,gnumakefile,justfile,rakefile,dockerfile,procfile,jenkinsfile,vagrantfile,gemfile}{,.*}", "**/*.mk",
	"**/*.lock", "**/*lock.{json,yaml,yml}", "**/*-lock.{json,yaml,yml}", "**/*.lockb", "**/*.lockfile",
	"**/{package,composer,tsconfig}.json", "**/{cargo,pyproject}.toml", "**/pom.xml", "**/*.gradle{,.kts}",
	"**/{requirements,constraints}*.txt", "**/requirements/**", "**/cmakelists.txt", "**/meson*.txt", "**/{robots,humans,ads}.txt",
	"**/{vendor,node_modules,third_party}/**", "deploy/**", "**/.env*",
}

// instructionPaths steer agents: a change to them always waits for a person.
var instructionPaths = []string{
	"**/{claude,claude.local,agents,agents.override,gemini,conventions,skill}.md",
	"**/{.cursorrules,.windsurfrules,.clinerules,.goosehints}",
	"**/.{claude,agents,agent,cursor,codex,windsurf,clinerules,copilot,gemini,kiro,roo}/**",
	".github/copilot-instructions.md", ".github/instructions/**",
	"**/prompts/**", "**/skills/**", "**/*.{prompt,instructions}.md", "**/*.mdc",
}

// neverMemory are paths that stay instruction surfaces even where a directory
// above them is called memory.
var neverMemory = []string{
	"**/{claude,claude.local,agents,agents.override,gemini,conventions,skill}.md",
	"**/.*/{agents,commands,skills,rules,hooks,output-styles,prompts}/**",
	"**/prompts/**", ".github/**",
}

// writableNames are the files without a text extension that edits may touch.
var writableNames = []string{".cursorrules", ".windsurfrules", ".clinerules", ".goosehints", vaultIndex}

// vaultIndex is written along with the vault beside it.
const vaultIndex = "vault_index.json"

// prose are the extensions of plain text that nothing runs. Not .mdx and .rmd:
// their content is executed.
var prose = []string{".md", ".mdc", ".markdown", ".txt"}

// protected returns why file may not be written at all, "" if it may.
func protected(file string) string {
	lower := strings.ToLower(file)
	if glob, ok := anyGlob(protectedPaths, lower); ok && !githubInstruction(lower) {
		return fmt.Sprintf("protected (%s)", glob)
	}
	if !writable(lower) {
		return "protected (only Markdown, plain text and stores of facts are written)"
	}
	return ""
}

// writable goes by the extension; for others than text the built-in formats
// must know the path: facts in YAML, prompts.
func writable(lower string) bool {
	if slices.Contains(prose, extension(lower)) || slices.Contains(writableNames, path.Base(lower)) {
		return true
	}
	format, _, ok := builtIn.Classify(lower)
	return ok && (format == knowledge.Anchored || format == knowledge.Instruction)
}

func extension(file string) string { return path.Ext(strings.ToLower(file)) }

// githubInstruction picks the instruction surfaces out of .github, where all
// else is protected.
func githubInstruction(lower string) bool {
	ok, err := doublestar.Match(".github/{copilot-instructions.md,{instructions,prompts,agents,chatmodes,skills}/**/*.md}", lower)
	return ok && err == nil
}

// instruction goes by the lists here and by the built-in formats.
func instruction(file string) bool {
	if _, ok := anyGlob(instructionPaths, strings.ToLower(file)); ok {
		return true
	}
	format, _, ok := builtIn.Classify(file)
	return ok && format == knowledge.Instruction
}
