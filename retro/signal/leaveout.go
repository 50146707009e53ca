package signal

import (
	"path"
	"regexp"
	"strings"

	"github.com/go-enry/go-enry/v2"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// What Linguist's lists, which enry carries, do not know.
var (
	vendored = map[string]bool{
		"third_party": true, "thirdparty": true, ".yarn": true, "site-packages": true, "Pods": true, "__snapshots__": true,
	}
	lockName      = regexp.MustCompile(`^(go(\.work)?\.sum|npm-shrinkwrap\.json|package-lock\.json|pnpm-lock\.yaml|Package\.resolved|gradle\.lockfile|.*\.lockb?)$`)
	generatedName = regexp.MustCompile(`(?i)(\.map|\.pb\.(go|cc|h)|_pb2\.py|_generated\.\w+|\.generated\.\w+|\.g\.dart|\.freezed\.dart|\.snap|\.svg)$`)
	generatedHead = regexp.MustCompile(`(?im)^\W*(code generated .*do not edit|@generated\b|this file (is|was) (auto-?)?generated|auto-?generated (file|by)\b)`)
)

// ownWork matches what Linguist counts as vendored, so that it does not count
// for a repository's language, and what people write by hand all the same.
var ownWork = regexp.MustCompile(`(^|/)(\.[^/]+/|cache/|env/|debian/|deps/|[Dd]ependencies/|testdata/|([Tt]ests?|[Ss]pecs?)/fixtures/|[Ee]xtern(als?)?/|docs?/)|` +
	`(^|/)(\.git\w+|\.gitpod\.Dockerfile|configure|Vagrantfile|Jenkinsfile|fabfile\.py|proguard[^/]*\.pro|(effects|controls|dragdrop)\.js)$|\.d\.ts$`)

// rows are files of records: issues, measurements, translations. What a line of
// one says, a program wrote, or it is no rule. A store of knowledge is asked
// about before.
var rows = regexp.MustCompile(`(?i)\.(jsonl|ndjson|csv|tsv|po|arb)$`)

// longLine is the length from which on a line is no longer for people.
const longLine = 5000

// leftOutByPath says why no hunk of a path is looked at, "" if it is. What
// .gitattributes says is not asked: it would let a commit hide itself.
func leftOutByPath(p string) string {
	for _, dir := range strings.Split(path.Dir(p), "/") {
		if vendored[dir] {
			return "vendored"
		}
	}
	switch base := path.Base(p); {
	case lockName.MatchString(base):
		return "lock file"
	case generatedName.MatchString(base):
		return "generated"
	case enry.IsVendor(p) && !ownWork.MatchString(p):
		return "vendored"
	}
	return ""
}

// leftOutByContent is leftOutByPath for what only the content shows.
func leftOutByContent(p string, content []byte, hunks []repo.Hunk) string {
	if rows.MatchString(p) {
		return "data"
	}
	if generatedHead.Match(content[:min(len(content), 1024)]) || enry.IsGenerated(p, content) {
		return "generated"
	}
	for _, h := range hunks {
		for _, lines := range [][]string{h.Added, h.Removed} {
			for _, line := range lines {
				if len(line) > longLine {
					return "minified"
				}
			}
		}
	}
	return ""
}

// LeftOut says why no hunk of a path is ever a signal, "" if it may be.
func LeftOut(path string) string { return leftOutByPath(path) }
