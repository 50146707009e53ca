package anchor

import (
	"regexp"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// shells are the languages of fences that hold commands.
var shells = set(`bash sh shell zsh fish console terminal text txt plaintext plain powershell ps1 pwsh shellsession shell-session cmd`)

var (
	prompt   = regexp.MustCompile(`^\s*(?:\$|>|PS>|❯|#\s*\$)\s+`)
	writes   = regexp.MustCompile(`^(?:mkdir|touch|rm|rmdir|mv|cp|tee|unlink|git\s+(?:rm|mv)|git\s+worktree|curl|wget|ln|tar|unzip|scp|rsync|sudo\s+(?:rm|mkdir|cp|mv))\b`)
	outFlags = set(`> >> -o --output --out --outfile --out-dir --outdir --dest --destination --target-dir -O tee`)
	runners  = set(`python python3 bash sh zsh node bun deno tsx ts-node ruby perl php pwsh source . uv run exec eval`)
	codeLine = regexp.MustCompile(`[{}]|;\s*$|=>|^\s*(?:import|from|const|let|var|func|def|class|return|export\s+(?:const|default|function)|#include|package)\s|^\s*[/*]{2}|^\s*--\s|\s=\s`)
	module   = regexp.MustCompile(`^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$`)
)

// commandLine returns the paths that a command takes: scripts it runs, files
// it reads. What it writes or makes is muted.
func commandLine(text string) []Candidate {
	text = prompt.ReplaceAllString(strings.TrimSpace(text), "")
	if strings.HasPrefix(text, "#") || strings.HasPrefix(text, "//") {
		return nil
	}
	if i := strings.Index(text, " #"); i >= 0 {
		text = text[:i]
	}
	if codeLine.MatchString(text) {
		return nil
	}
	words := strings.Fields(text)
	var out []Candidate
	var dirs []string
	making := writes.MatchString(text)
	for i, w := range words {
		prev := ""
		if i > 0 {
			prev = words[i-1]
		}
		if prev == "&&" || prev == ";" || prev == "|" {
			making = writes.MatchString(strings.Join(words[i:], " "))
		}
		c, ok := argument(w, prev, i)
		if !ok {
			continue
		}
		if prev == "cd" {
			dirs = []string{c.Path}
		}
		c.Dirs = append(c.Dirs, dirs...)
		if making || outFlags[prev] || outFlags[strings.SplitN(w, "=", 2)[0]] {
			c.muted = mutedPlanned
		}
		out = append(out, c)
	}
	return out
}

// argument reads one word of a command.
func argument(w, prev string, i int) (Candidate, bool) {
	w = strings.Trim(w, `"'(),`)
	if prev == "-m" && module.MatchString(w) {
		return moduleOf(w), true
	}
	if strings.HasPrefix(w, "-") || strings.Contains(w, "=") {
		_, v, ok := strings.Cut(w, "=")
		if !ok {
			return Candidate{}, false
		}
		w = strings.Trim(v, `"'`)
	}
	w = strings.TrimPrefix(w, "@") // curl -d @file
	w = strings.TrimSuffix(w, "/...")
	c, ok := parse(w, FormCommand)
	switch {
	case !ok || c.Rooted:
		return c, false
	case c.Kind == knowledge.AnchorGlob || c.Kind == knowledge.AnchorDir:
		return c, strings.Contains(c.Path, "/") || strings.HasPrefix(w, "./")
	case c.Kind == kindEither:
		return c, strings.HasPrefix(w, "./") || strings.Count(c.Path, "/") > 0
	case c.Bare() && !strings.HasPrefix(w, "./"):
		return c, runners[prev]
	}
	return c, true
}

// moduleOf maps python -m pkg.mod to the files that would be run.
func moduleOf(w string) Candidate {
	p := strings.ReplaceAll(w, ".", "/")
	return Candidate{
		Kind: knowledge.AnchorFile, Form: FormModule, Text: w, Path: p + ".py",
		Others: []string{p + "/__main__.py", p + "/__init__.py"},
	}
}
