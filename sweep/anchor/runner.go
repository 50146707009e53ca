package anchor

import (
	"regexp"
	"strings"
)

// run is something that a command has a runner run, by its name.
type run struct {
	text string // as it is spelled, with the command
	tool string // whose files give it its name
	name string
}

// The tools whose files name what they run. Several commands may read the same
// files.
const (
	ToolCargo     = "cargo"     // packages, binaries and examples of Cargo.toml
	ToolGradle    = "gradle"    // tasks
	ToolModule    = "module"    // subprojects of Gradle
	ToolMaven     = "maven"     // profiles
	ToolPython    = "python"    // scripts of pyproject.toml
	ToolWorkspace = "workspace" // packages of npm, pnpm and yarn
)

// plainly matches runners whose next word is what they run.
var plainly = regexp.MustCompile(`(?:^|&&\s*|;\s*)(?:\$\s+)?(make|just|task|composer run-script|composer run|composer|deno task|npm run|pnpm run|pnpm|yarn run|yarn|bun run|npm|turbo run|turbo|mise run|bundle exec rake|rake|invoke|inv)\s+([A-Za-z][\w:.-]*)\s*(?:$|[&;|#]|--|\w+=)`)

// tools maps a command to the tool whose file it reads.
var tools = map[string]string{
	"make": "make", "just": "just", "task": "task", "composer run-script": "composer", "composer run": "composer", "composer": "composer",
	"deno task": "deno", "npm run": "npm", "pnpm run": "npm", "pnpm": "npm", "yarn run": "npm", "yarn": "npm", "bun run": "npm", "npm": "npm",
	"turbo run": "npm", "turbo": "npm", "mise run": "mise", "bundle exec rake": "rake", "rake": "rake", "invoke": "invoke", "inv": "invoke",
}

// among matches commands that name what they run behind an option. The last
// group is the name.
var among = []struct {
	tool string
	re   *regexp.Regexp
}{
	{ToolCargo, regexp.MustCompile(`\bcargo\s+(?:\+\S+\s+)?[a-z][^|;&\n]*?\s(?:-p|--package|--bin|--example)[= ]([A-Za-z][\w-]*)`)},
	{ToolWorkspace, regexp.MustCompile(`\bpnpm\s+(?:-\S+\s+)*(?:--filter|-F)[= ]["']?(@?[A-Za-z][\w.-]*(?:/[\w.-]*\w)?)\b`)},
	{ToolWorkspace, regexp.MustCompile(`\bnpm\s[^|;&\n]*?(?:-w|--workspace)[= ](@?[A-Za-z][\w.-]*(?:/[\w.-]*\w)?)\b`)},
	{ToolWorkspace, regexp.MustCompile(`\byarn\s+workspace\s+(@?[A-Za-z][\w.-]*(?:/[\w.-]*\w)?)\b`)},
	{ToolPython, regexp.MustCompile(`\b(?:uv|poetry|pdm|hatch|rye|pixi)\s+run\s+(?:--[\w-]+(?:=\S+)?\s+)*([A-Za-z][\w-]*)(?:\s|$)`)},
	{ToolMaven, regexp.MustCompile(`\bmvnw?\s[^|;&\n]*?-P\s?([A-Za-z][\w-]*)`)},
	{"nox", regexp.MustCompile(`\bnox\s[^|;&\n]*?(?:-s|-e|--sessions?)[= ]([A-Za-z][\w-]*)`)},
	{"tox", regexp.MustCompile(`\btox\s[^|;&\n]*?-e[= ]?([A-Za-z][\w.-]*)`)},
}

var gradle = regexp.MustCompile(`(?:^|[\s;&])(?:\./)?gradlew?(?:\.bat)?((?:\s+[^\s|;&]+)+)`)

// runs returns what a command line has runners run.
func runs(line string) []run {
	var out []run
	for _, m := range plainly.FindAllStringSubmatch(line, -1) {
		out = append(out, run{m[1] + " " + m[2], tools[m[1]], m[2]})
	}
	for _, a := range among {
		for _, m := range a.re.FindAllStringSubmatch(line, -1) {
			out = append(out, run{strings.TrimSpace(m[0]), a.tool, m[1]})
		}
	}
	for _, m := range gradle.FindAllStringSubmatch(line, -1) {
		out = append(out, gradleRuns(strings.Fields(m[1]))...)
	}
	return out
}

// gradleRuns reads the words behind gradle: tasks, with the subproject that they
// are of, and options, some of which take the next word.
func gradleRuns(words []string) []run {
	var out []run
	for i, w := range words {
		if strings.HasPrefix(w, "-") || i > 0 && takesWord[words[i-1]] {
			continue
		}
		at := strings.LastIndexByte(w, ':')
		if module := strings.Trim(w[:max(at, 0)], ":"); module != "" {
			out = append(out, run{w, ToolModule, module})
		}
		if name := w[at+1:]; subcommand.MatchString(strings.ToLower(name)) {
			out = append(out, run{w, ToolGradle, name})
		}
	}
	return out
}

var takesWord = set(`--tests -x --exclude-task -p --project-dir -b -c -I --init-script`)
