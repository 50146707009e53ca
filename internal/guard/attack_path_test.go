package guard

import (
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

func TestAttack11Modes(t *testing.T) {
	t.Parallel()
	p := policy(Routes{}, Routes{})
	const file = "knowledge/playbooks/a.md"
	for _, c := range []struct{ old, new string }{
		{"", "120000"}, {"120000", "120000"}, {"120000", "100644"}, {"100644", "120000"}, {"", "160000"}, {"160000", "100644"}, {"100644", "100755"},
		{"", "100755"}, {"100755", "100644"}, {"", "040000"}, {"100644", "100664"}, {"100644", "644"},
	} {
		change := FileChange{Path: file, OldMode: c.old, NewMode: c.new, Old: []byte("x\n"), New: []byte("/etc/passwd")}
		if err := p.CheckDiff(knowledge.RouteAuto, []FileChange{change}); err == nil {
			t.Errorf("a change of mode from %q to %q passes", c.old, c.new)
		}
	}
	for _, mode := range []string{"", "0", "000000", "100644"} {
		change := FileChange{Path: file, OldMode: mode, NewMode: "100644", New: []byte("x\n")}
		if err := p.CheckDiff(knowledge.RouteAuto, []FileChange{change}); err != nil {
			t.Errorf("a plain file (before: %q): %v", mode, err)
		}
	}
}

// badPaths are paths that no file system and no git should see from us.
var badPaths = []string{
	"", ".", "..", "../x.md", "a/../../x.md", "a/./x.md", "a//x.md", "a/", "/etc/passwd", "/x.md", `C:\x.md`, "C:/x.md", "c:x.md", `\\srv\x.md`, `a\b.md`,
	"x\x00.md", "x\n.md", "x\t.md", "x\x7f.md", ".git/config", ".git/hooks/pre-commit", ".GIT/config", "a/.Git/x.md", ".git", ".git /x.md", ".git./x.md", ".g\u200bit/x.md",
	".git::$INDEX_ALLOCATION/x.md", "git~1/x.md", "GIT~2/x.md", "git~.md", "PLAYBO~1/x.md", "x.md.", "x.md ", " x.md", "a /x.md", "a./x.md", "-rf.md", "--help.md", "a/-x.md", "~/x.md", "~root/x.md",
	"CON.md", "con", "a/NUL.txt", "aux.md", "COM1.md", "lpt¹.md", "CONIN$.md", "%2e%2e/x.md", "a%2fx.md", "a%00.md", "x.md:stream", "a*.md", "a?.md", `a".md`, "a|b.md", "a<b.md",
	strings.Repeat("a/", 2500) + "x.md", strings.Repeat("a", 201) + ".md", "\xff.md", "x\u202Edm.md", "cafe\u0301.md",
}

func TestAttack12PathOut(t *testing.T) {
	t.Parallel()
	open := policy(Routes{Auto: []string{"**", "**/*"}, Upkeep: []string{"**"}}, Routes{})
	for _, file := range badPaths {
		if err := open.CheckPath(file); err == nil {
			t.Errorf("CheckPath(%q) passes", file)
		}
		if route, why := open.Route(file); route != knowledge.RouteNever || why == "" {
			t.Errorf("Route(%q) = %s (%s)", file, route, why)
		}
		if err := open.CheckDiff(knowledge.RouteQueue, []FileChange{added(file, "x")}); err == nil {
			t.Errorf("CheckDiff lets %q out", file)
		}
	}
	for _, file := range []string{
		"knowledge/playbooks/a.md", "docs/a b.md", "memory/feedback_use-pnpm.md", ".claude/memory/a.md", "a/...b/x.md", "console.md", "nullable.md", "git.md", "100%.md", "a,b(c)[d].md", "notes~old.md",
		"日本語/メモ.md", ".github/copilot-instructions.md", strings.Repeat("abcdefg/", 60) + "x.md",
	} {
		if err := CheckPath(file); err != nil {
			t.Errorf("CheckPath(%q): %v", file, err)
		}
	}
	wantRoute(t, policy(Routes{}, Routes{}), knowledge.RouteNever, "knowledge/playbooks-evil/x.md", "playbooks-evil/x.md", "knowledge/playbooksx.md")
	clash := []FileChange{added("memory/Café.md", "x"), added("memory/café.md", "x")}
	if err := policy(Routes{}, Routes{}).CheckDiff(knowledge.RouteUpkeep, clash); err == nil {
		t.Error("two names of one file pass")
	}
}

// protectedExamples must be refused even where the operator opens everything.
var protectedExamples = []string{
	".github/workflows/ci.yml", ".github/workflows/agent.md", ".github/actions/x/action.yml", ".github/PULL_REQUEST_TEMPLATE.md", ".GITHUB/workflows/a.md", ".gitlab/x.md", ".gitlab-ci.yml",
	"CODEOWNERS", "docs/CODEOWNERS", ".github/CODEOWNERS", ".gitattributes", "sub/.gitmodules", ".gitignore", ".gitkeep", "go.mod", "tools/go.sum", "go.work", "Makefile", "makefile", "sub/GNUmakefile",
	"package.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "Cargo.lock", "Cargo.toml", "poetry.lock", "uv.lock", "requirements.txt", "requirements-dev.txt", "requirements/base.txt", "constraints.txt",
	"CMakeLists.txt", "Dockerfile", "Dockerfile.md", "deploy/README.md", ".retrosweep.yaml", ".retrosweep.yml", ".retrosweep/notes.md", "retrosweep.yaml", ".env", ".env.md", ".husky/a.md", ".circleci/a.md", ".devcontainer/a.md",
	"LICENSE", "LICENSE.md", "SECURITY.md", "vendor/a/README.md", "node_modules/x/README.md", "third_party/x.md", "main.go", "run.sh", "a.py", "index.html", "page.mdx", "analysis.Rmd", ".claude/settings.json",
	".claude/hooks/pre.sh", "Justfile", "robots.txt", "a.ipynb", "x.svg", "README", "knowledge/playbooks/run.sh", "config.yaml", "a.json",
}

func TestAttack13Protected(t *testing.T) {
	t.Parallel()
	all := []string{"**"}
	for _, p := range []*Policy{policy(Routes{Auto: all}, Routes{}), policy(Routes{Upkeep: all}, Routes{}), policy(Routes{Queue: all}, Routes{}), policy(Routes{}, Routes{Auto: all})} {
		wantRoute(t, p, knowledge.RouteNever, protectedExamples...)
	}
	for _, file := range protectedExamples {
		if err := policy(Routes{Auto: all}, Routes{}).CheckDiff(knowledge.RouteQueue, []FileChange{edited(file, "x\n", "y\n")}); err == nil {
			t.Errorf("CheckDiff lets %q out", file)
		}
	}
}

func TestAttack43RepositoryCannotWiden(t *testing.T) {
	t.Parallel()
	plain := policy(Routes{}, Routes{})
	greedy := policy(Routes{}, Routes{Auto: []string{"**"}, Upkeep: []string{"**"}})
	for _, file := range append([]string{"README.md", "docs/a.md", "AGENTS.md", "memory/a.md", "knowledge/playbooks/a.md", "x.md"}, protectedExamples...) {
		before, _ := plain.Route(file)
		if after, why := greedy.Route(file); before.Stricter(after) != after {
			t.Errorf("the repository widens %q from %s to %s (%s)", file, before, after, why)
		}
	}
}
