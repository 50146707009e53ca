package signal

import (
	"path"
	"regexp"
	"strings"

	"github.com/retrosweep/retrosweep/internal/repo"
)

var (
	vendored = map[string]bool{
		"vendor": true, "node_modules": true, "third_party": true, "thirdparty": true, "bower_components": true,
		"dist": true, ".yarn": true, "site-packages": true, "Pods": true, "__snapshots__": true,
	}
	lockFiles = map[string]bool{
		"go.sum": true, "go.work.sum": true, "package-lock.json": true, "npm-shrinkwrap.json": true, "pnpm-lock.yaml": true,
		"bun.lockb": true, "flake.lock": true, "pubspec.lock": true, "Package.resolved": true, "gradle.lockfile": true,
	}
	generatedName   = regexp.MustCompile(`(?i)(\.lock|\.min\.(js|css)|\.map|\.pb\.go|\.pb\.cc|\.pb\.h|_pb2\.py|_generated\.\w+|\.generated\.\w+|\.g\.dart|\.freezed\.dart|\.snap|\.svg)$`)
	generatedHeader = regexp.MustCompile(`(?im)^\W*(code generated .*do not edit|@generated\b|this file (is|was) (auto-?)?generated|auto-?generated (file|by)\b)`)
)

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
	base := path.Base(p)
	switch {
	case lockFiles[base] || strings.HasSuffix(base, ".lock"):
		return "lock file"
	case generatedName.MatchString(base):
		return "generated"
	}
	return ""
}

// leftOutByContent is leftOutByPath for what only the content shows. head is
// the beginning of the file.
func leftOutByContent(head []byte, hunks []repo.Hunk) string {
	if generatedHeader.Match(head[:min(len(head), 1024)]) {
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
