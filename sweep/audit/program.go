package audit

import (
	"path"
	"regexp"
	"strings"
)

var (
	binKey   = regexp.MustCompile(`"bin"\s*:\s*(?:"[^"]*"|\{([^}]*)\})`)
	jsonKey  = regexp.MustCompile(`"([\w.@/-]+)"\s*:`)
	jsonName = regexp.MustCompile(`(?m)^\s*"name"\s*:\s*"(?:@[\w.-]+/)?([\w.-]+)"`)
	tomlBins = regexp.MustCompile(`(?m)^\[(?:project\.scripts|tool\.poetry\.scripts)\]\s*\n((?:[^\[\n].*\n|\n)*)`)
	tomlKey  = regexp.MustCompile(`(?m)^\s*"?([\w.-]+)"?\s*=`)
	tomlName = regexp.MustCompile(`(?m)^name\s*=\s*"([\w.-]+)"`)
)

// programs returns the names under which the repository's own programs are run.
func (a *auditor) programs() map[string]bool {
	if a.tools != nil {
		return a.tools
	}
	a.tools = map[string]bool{}
	for _, e := range a.entries {
		if d, ok := strings.CutPrefix(path.Dir(e.Path), "cmd/"); ok && !strings.Contains(d, "/") {
			a.tools[d] = true
		}
		switch path.Base(e.Path) {
		case "package.json", "pyproject.toml", "Cargo.toml":
			for _, n := range programsIn(path.Base(e.Path), string(a.code(e))) {
				a.tools[n] = true
			}
		}
	}
	return a.tools
}

// programsIn returns the programs that a manifest declares.
func programsIn(name, src string) []string {
	switch name {
	case "Cargo.toml":
		return firsts(tomlName, src)
	case "pyproject.toml":
		return firsts(tomlKey, strings.Join(firsts(tomlBins, src), "\n"))
	}
	m := binKey.FindStringSubmatch(src)
	if m == nil {
		return nil
	}
	return append(firsts(jsonName, src), firsts(jsonKey, m[1])...)
}

// firsts returns the first group of every match.
func firsts(re *regexp.Regexp, s string) []string {
	var out []string
	for _, m := range re.FindAllStringSubmatch(s, -1) {
		out = append(out, m[1])
	}
	return out
}
