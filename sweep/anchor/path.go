package anchor

import (
	"path"
	"regexp"
	"strings"
	"unicode"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// kindEither marks a spelling that may be a file or a directory: only the tree
// can tell.
const kindEither knowledge.AnchorKind = "path"

// Either reports whether the spelling leaves open if a file or a directory is
// meant.
func (c *Candidate) Either() bool { return c.Kind == kindEither }

func base(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

func dir(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// clean joins and tidies a slash path; leading ../ survives.
func clean(p string) string {
	if p == "" {
		return ""
	}
	p = path.Clean(p)
	if p == "." {
		return ""
	}
	return p
}

var (
	lineSuffix = regexp.MustCompile(`(?::L?\d+(?:[-–]L?\d+)?(?::\d+)?(?:,\d+(?:-\d+)?)*|#L\d+(?:-L?\d+)?)$`)
	globRunes  = "*?{"
	placeholds = regexp.MustCompile(`(?i)(?:^|[/._-])(?:x{3,}|y{4}|nnn+|foo|bar|baz|qux|foobar|your[-_]?\w*|my[-_]\w+|my(?:app|project|module|file|command|plugin|skill|feature|component)\w*|some[-_]\w+|example|placeholder|path[/_-]to|username|owner/repo|org/repo)(?:[/._-]|$)`)
	camelMine  = regexp.MustCompile(`(?:^|/)(?:My|Your|Foo|Bar)[A-Z]\w*\.\w+$`)
	shouty     = regexp.MustCompile(`(?:^|/)(?:[A-Z]+_[A-Z_]+|YYYY\S*|NNN+|XXX+|OWNER|REPO|NAME|PATH|FILE|DIR)(?:/|$)`)
	system     = regexp.MustCompile(`^/(?:usr|etc|var|tmp|home|Users|opt|dev|proc|sys|root|mnt|bin|sbin|lib|private|Applications|Library|Volumes|workspace|data|path)(?:/|$)`)
	domain     = regexp.MustCompile(`^(?:www\.|[\w-]+\.)+(?:com|org|net|io|dev|ai|app|in|co|sh|gg|edu|gov)(?:/|:|$)`)
	version    = regexp.MustCompile(`^v?\d+(?:\.[\dx]+)+$`)
)

// hopeless says why a spelling can name nothing of the repository, "" if it may.
func hopeless(s string) string {
	switch {
	case s == "" || len(s) > 240 || !strings.ContainsFunc(s, unicode.IsLetter):
		return "not a path"
	case strings.Contains(s, "://") || strings.HasPrefix(s, "//") || domain.MatchString(s):
		return "a URL"
	case strings.ContainsAny(s, "<>$%`\\\"'|;&^!\x00") || strings.Contains(s, "...") || strings.Contains(s, "…") || strings.Contains(s, "{{"):
		return "a template"
	case strings.HasPrefix(s, "~") || system.MatchString(s):
		return "a path of the machine"
	case placeholds.MatchString(s) || camelMine.MatchString(s) || shouty.MatchString(s):
		return "a placeholder"
	case version.MatchString(s):
		return "a version"
	}
	return ""
}

// extensions that make a word a file name. A word of prose needs one of them.
var extensions = set(`go mod sum py pyi ipynb js jsx mjs cjs ts tsx mts cts d.ts vue svelte astro rb php java kt kts scala swift m mm
 c cc cpp cxx h hh hpp rs zig cs fs vb dart lua pl pm r jl ex exs erl clj cljs hs ml elm nim sol move masm wat
 sh bash zsh fish ps1 psm1 psd1 bat cmd mk cmake gradle bazel bzl nix tf hcl
 md mdx mdc rst adoc txt text org html htm css scss sass less json jsonc json5 jsonl ndjson yaml yml toml ini cfg conf config xml plist
 csv tsv sql db sqlite proto graphql gql prisma tmpl tpl template j2 jinja ejs hbs erb
 lock lockb env svg png jpg jpeg gif webp ico pdf woff woff2 ttf wasm plugin service timer desktop properties xcodeproj storyboard
 snap patch diff example sample rules modulemap entitlements xcconfig pbxproj podspec gemspec arb`)

// names are files without an extension that everybody knows.
var names = set(`Makefile makefile GNUmakefile Dockerfile Containerfile Justfile justfile Taskfile Rakefile Gemfile Procfile Brewfile
 Jenkinsfile Vagrantfile LICENSE CODEOWNERS Podfile Fastfile Tiltfile BUILD WORKSPACE CMakeLists.txt go.mod go.sum`)

// suffixes stand before the extension in the names of a kind of file.
var suffixes = set(`test spec stories story gen pb min module d e2e it bench mock fixture generated g freezed`)

// products are names of software that end as a file would.
var products = set(`node.js next.js nuxt.js vue.js react.js express.js three.js d3.js socket.io ember.js backbone.js alpine.js chart.js
 moment.js nest.js solid.js discord.js deno.land asp.net vb.net claude.ai cal.com handlebars.js mustache.js p5.js ml.net web.config`)

// everyday names stand for a kind of file in any project rather than for one
// file: a bare mention of one says little.
var everyday = set(`readme.md package.json package-lock.json tsconfig.json index.ts index.js index.tsx index.html index.md main.go main.py main.ts main.rs
 __init__.py conftest.py setup.py pyproject.toml go.mod go.sum cargo.toml cargo.lock config.json config.yaml config.yml config.toml settings.json
 claude.md agents.md gemini.md skill.md memory.md plan.md spec.md tasks.md todo.md notes.md changelog.md license.md contributing.md
 makefile dockerfile justfile license .env .env.example .gitignore .gitattributes .npmrc docker-compose.yml docker-compose.yaml requirements.txt
 types.ts utils.ts utils.py utils.go test.ts style.css styles.css app.py app.ts app.js server.py server.ts server.go lib.rs mod.rs
 issues.jsonl data.json output.json result.json results.json report.json report.md summary.md state.json metadata.json manifest.json schema.json log.md
 agent.py tools.py prompts.py models.py config.py settings.py constants.py helpers.py routes.py schemas.py cli.py types.py models.ts config.ts constants.ts helpers.ts
 routes.ts globals.css layout.tsx page.tsx .mcp.json mcp.json hooks.json plugin.json marketplace.json .cursorrules .windsurfrules .clinerules bun.lock yarn.lock pnpm-lock.yaml`)

// Everyday reports whether the spelling is a bare name that every project has.
func (c *Candidate) Everyday() bool {
	return c.Bare() && everyday[strings.ToLower(c.Path)]
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// kindOf says what a spelling would be: a directory by its trailing slash, a
// glob, a file by its name, a path of either kind, or "" for no path at all.
func kindOf(s string) knowledge.AnchorKind {
	trimmed := strings.TrimSuffix(s, "/")
	name := base(trimmed)
	if !spelled(trimmed) {
		return ""
	}
	switch {
	case strings.ContainsAny(s, globRunes):
		if strings.Contains(s, "/") && (strings.Contains(s, "*") || strings.Contains(s, ",")) {
			return knowledge.AnchorGlob
		}
		return ""
	case strings.HasSuffix(s, "/"):
		return knowledge.AnchorDir
	case products[strings.ToLower(name)]:
		return ""
	case isFileName(name):
		return knowledge.AnchorFile
	case strings.Contains(trimmed, "/") || dotName(name):
		return kindEither
	}
	return ""
}

// spelled reports whether s has only runes that paths are written with.
func spelled(s string) bool {
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r > 0x7f && unicode.IsLetter(r):
		case strings.ContainsRune("/._@+~()[],=-*?{}", r):
		default:
			return false
		}
	}
	return true
}

// dotName reports whether name is that of a hidden file or directory.
func dotName(name string) bool {
	return len(name) > 3 && name[0] == '.' && unicode.IsLetter(rune(name[1])) && strings.Count(name, ".") == 1 && !extensions[name[1:]]
}

func isFileName(name string) bool {
	if names[name] {
		return true
	}
	i := strings.LastIndexByte(name, '.')
	if i < 0 || !extensions[strings.ToLower(name[i+1:])] {
		return false
	}
	if i == 0 {
		return name == ".env"
	}
	if name[0] != '.' {
		return true
	}
	first, _, more := strings.Cut(name[1:], ".")
	return more && !extensions[first] && !suffixes[first] // ".mcp.json", and not ".test.ts"
}

// parse reads one spelled word into a candidate. Reference suffixes (line
// numbers, fragments, test names) fall away from the text.
func parse(word string, form Form) (Candidate, bool) {
	if !strings.ContainsAny(word, "/.") && !names[word] {
		return Candidate{}, false
	}
	word = strings.TrimPrefix(word, "mdc:")
	word = lineSuffix.ReplaceAllString(word, "")
	if i := strings.Index(word, "::"); i > 0 {
		word = word[:i]
	}
	if i := strings.IndexAny(word, "#?"); i >= 0 && !strings.Contains(word[i:], "*") {
		word = word[:i]
	}
	if i := strings.IndexByte(word, ':'); i > 0 {
		word = word[:i]
	}
	if hopeless(word) != "" {
		return Candidate{}, false
	}
	c := Candidate{Form: form, Text: word, Kind: kindOf(word)}
	if c.Kind == "" {
		return Candidate{}, false
	}
	p := strings.TrimSuffix(word, "/")
	c.Rooted = strings.HasPrefix(p, "/")
	c.Path = clean(strings.TrimLeft(p, "/"))
	if c.Path == "" || strings.Trim(c.Path, "./") == "" {
		return Candidate{}, false
	}
	return c, true
}
