package audit

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/sweep/anchor"
)

// names is how a file names what a tool runs: the first group that matched.
type names struct {
	tool string
	re   *regexp.Regexp
}

var (
	recipes    = regexp.MustCompile(`(?m)^@?([A-Za-z][\w.-]*)(?:\s+[^:=\n]*)?:(?:[^=]|$)`)
	scripts    = regexp.MustCompile(`"([\w:.-]+)"\s*:\s*"`)
	lists      = regexp.MustCompile(`"([\w:.-]+)"\s*:\s*["\[]`)
	tasks      = regexp.MustCompile(`(?m)^(?: {2}|\t)["']?([A-Za-z][\w:.-]*)["']?:`)
	packages   = regexp.MustCompile(`(?m)^\s{0,4}"name"\s*:\s*"(@?[\w./-]+)"`)
	crates     = regexp.MustCompile(`(?m)^name\s*=\s*"([\w-]+)"`)
	entries    = regexp.MustCompile(`(?m)^["']?([\w-]+)["']?\s*=\s*["'][\w.]+:\w[\w.]*["']`)
	gradles    = regexp.MustCompile(`\btasks?\.(?:register|create)(?:<[\w.]+>)?\(\s*["'](\w+)["']|(?m)^\s*task\s+["']?(\w+)|\bval\s+(\w+)\s+by\s+tasks\.registering`)
	modules    = regexp.MustCompile(`["']:?([\w-]+(?::[\w-]+)*)["']`)
	profiles   = regexp.MustCompile(`<profile>\s*<id>([\w.-]+)</id>`)
	rakes      = regexp.MustCompile(`(?m)^task\s*\(?\s*:?["']?(\w+)`)
	sessions   = regexp.MustCompile(`(?m)^@nox\.session[^\n]*\n(?:@[^\n]*\n)*def (\w+)\(`)
	tasked     = regexp.MustCompile(`(?m)^@task[^\n]*\n(?:@[^\n]*\n)*def (\w+)\(`)
	testenvs   = regexp.MustCompile(`(?m)^\[testenv:([\w.-]+)\]`)
	miseTables = regexp.MustCompile(`(?m)^\[tasks\.["']?([\w:.-]+?)["']?\]`)
)

// runFiles are the files by their base name.
var runFiles = func() map[string][]names {
	files := map[string][]names{
		"package.json":   {{"npm", scripts}, {anchor.ToolWorkspace, packages}},
		"composer.json":  {{"composer", lists}},
		"Cargo.toml":     {{anchor.ToolCargo, crates}},
		"pyproject.toml": {{anchor.ToolPython, entries}},
		"pom.xml":        {{anchor.ToolMaven, profiles}},
		"Rakefile":       {{"rake", rakes}},
		"noxfile.py":     {{"nox", sessions}},
		"tasks.py":       {{"invoke", tasked}},
		"tox.ini":        {{"tox", testenvs}},
	}
	for _, same := range []struct {
		files string
		names names
	}{
		{"Makefile makefile GNUmakefile", names{"make", recipes}},
		{"justfile Justfile .justfile", names{"just", recipes}},
		{"Taskfile.yml Taskfile.yaml", names{"task", tasks}},
		{"deno.json deno.jsonc", names{"deno", scripts}},
		{"build.gradle build.gradle.kts", names{anchor.ToolGradle, gradles}},
		{"settings.gradle settings.gradle.kts", names{anchor.ToolModule, modules}},
		{"mise.toml .mise.toml", names{"mise", miseTables}},
	} {
		for _, f := range strings.Fields(same.files) {
			files[f] = append(files[f], same.names)
		}
	}
	return files
}()

// loose are the tools whose names other files may give as well, by a convention
// or a plugin. What is said anywhere in the code may still be there.
var loose = map[string]bool{
	anchor.ToolCargo: true, anchor.ToolGradle: true, anchor.ToolModule: true, anchor.ToolMaven: true, anchor.ToolPython: true, anchor.ToolWorkspace: true,
}

// runners are all tools.
var runners = func() map[string]bool {
	out := map[string]bool{}
	for _, all := range runFiles {
		for _, n := range all {
			out[n.tool] = true
		}
	}
	return out
}()

// reads reports whether a tool takes names from a file.
func reads(tool, file string) bool {
	return slices.ContainsFunc(runFiles[path.Base(file)], func(n names) bool { return n.tool == tool })
}

// targetsOf returns the keys of what a file gives a name to.
func targetsOf(file string, src []byte) map[string]bool {
	out := map[string]bool{}
	for _, n := range runFiles[path.Base(file)] {
		for _, m := range n.re.FindAllSubmatch(src, -1) {
			if i := slices.IndexFunc(m[1:], func(g []byte) bool { return len(g) > 0 }); i >= 0 {
				out[targetKey(n.tool, string(m[1+i]))] = true
			}
		}
	}
	return out
}

// targetKey is the key of what a tool runs. Python's names have the dashes and
// the underscores of either side.
func targetKey(tool, name string) string {
	if tool == "nox" || tool == "invoke" {
		name = strings.ReplaceAll(name, "_", "-")
	}
	return "target " + tool + " " + name
}

// targetSpelling is the token that shows that a loose target may be there, ""
// for one that only its own files show.
func targetSpelling(k string) string {
	tool, name, _ := strings.Cut(strings.TrimPrefix(k, "target "), " ")
	if !loose[tool] {
		return ""
	}
	return name[strings.LastIndexAny(name, ":/@.")+1:]
}
