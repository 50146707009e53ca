// Package gitignore reads .gitignore files and says which paths git would leave
// untracked. It reads no disk: callers bring the files.
package gitignore

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// rule is one pattern of a .gitignore file.
type rule struct {
	base    string // directory of the file, "" for the root
	pattern string
	negated bool
	dirOnly bool
}

// Rules answer whether git would leave a path untracked. What a repository
// ignores it expects to be absent.
type Rules []rule

// Add reads one .gitignore file. Files must be added from the root downwards.
func (ig *Rules) Add(file string, src []byte) {
	base := path.Dir(file)
	if base == "." {
		base = ""
	}
	for _, l := range strings.Split(string(src), "\n") {
		l = strings.TrimRight(strings.TrimSuffix(l, "\r"), " ")
		if l == "" || l[0] == '#' {
			continue
		}
		r := rule{base: base}
		if l[0] == '!' {
			r.negated, l = true, l[1:]
		}
		l = strings.TrimPrefix(l, `\`)
		if strings.HasSuffix(l, "/") {
			r.dirOnly, l = true, strings.TrimRight(l, "/")
		}
		if l == "" {
			continue
		}
		if !strings.Contains(l, "/") {
			l = "**/" + l
		}
		r.pattern = strings.TrimPrefix(l, "/")
		*ig = append(*ig, r)
	}
}

// Match reports whether p, or a directory above it, is ignored.
func (ig Rules) Match(p string, isDir bool) bool {
	parts := strings.Split(p, "/")
	for i := range parts {
		if ig.decides(strings.Join(parts[:i+1], "/"), isDir || i < len(parts)-1) {
			return true
		}
	}
	return false
}

// decides applies the last rule that fits p.
func (ig Rules) decides(p string, isDir bool) bool {
	for i := len(ig) - 1; i >= 0; i-- {
		r := ig[i]
		if r.dirOnly && !isDir {
			continue
		}
		rel := p
		if r.base != "" {
			if !strings.HasPrefix(p, r.base+"/") {
				continue
			}
			rel = p[len(r.base)+1:]
		}
		if ok, err := doublestar.Match(r.pattern, rel); ok && err == nil {
			return !r.negated
		}
	}
	return false
}
