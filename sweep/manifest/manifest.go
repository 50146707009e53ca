// Package manifest reads the values that a project's manifests hold: its
// version, the versions of the languages it needs, and what it counts.
//
// It owns where such a value stands in which file. It is pure: what a text says
// of a value, and since when that is false, is for package audit.
package manifest

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Keys of values. A count's key is [Count] and what is counted, in the plural.
const (
	Version = "version"
	Go      = "go"
	Node    = "node"
	Python  = "python"
	Rust    = "rust"
	Count   = "count "
)

// Value is one value of a manifest.
type Value struct {
	Key, Text string
	Line      int // 1-based
}

// rule finds a value of one key; its first group is the value, unless counted.
type rule struct {
	key string
	re  *regexp.Regexp
}

var (
	byName = map[string][]rule{
		"go.mod":       {{Go, regexp.MustCompile(`(?m)^go\s+(\d[\w.]*)`)}},
		"pubspec.yaml": {{Version, regexp.MustCompile(`(?m)^version:\s*["']?(\d[\w.+-]*)`)}},
		"package.json": {
			{Version, regexp.MustCompile(`(?m)^\s{0,4}"version"\s*:\s*"(\d[\w.+-]*)"`)},
			{Node, regexp.MustCompile(`"node"\s*:\s*"[>=^~v\s]*(\d[\w.]*)`)},
		},
		"Cargo.toml": {
			{Version, regexp.MustCompile(`(?m)^version\s*=\s*"(\d[\w.+-]*)"`)},
			{Rust, regexp.MustCompile(`(?m)^rust-version\s*=\s*"(\d[\w.]*)"`)},
		},
		"pyproject.toml": {
			{Version, regexp.MustCompile(`(?m)^version\s*=\s*"(\d[\w.+-]*)"`)},
			{Python, regexp.MustCompile(`(?m)^(?:requires-python|python)\s*=\s*"[>=^~\s]*(\d[\w.]*)`)},
		},
		"VERSION": {{Version, regexp.MustCompile(`^v?(\d[\w.+-]*)\s*$`)}},
	}
	counted = regexp.MustCompile(`"(?:(?:total|num|count)_([a-z_]+)|([a-z_]+)_(?:count|total))"\s*:\s*(\d+)\b`)
)

// aside are the projects inside a project that speak for themselves.
var aside = regexp.MustCompile(`(?i)(?:^|/)(?:examples?|samples?|demos?|templates?|bench\w*|fixtures?|testdata|__\w+__|tests?|node_modules|vendor|third_party|website)/`)

// Is reports whether a file may hold values of the project.
func Is(file string) bool {
	return (byName[path.Base(file)] != nil || path.Ext(file) == ".json") && !aside.MatchString(file)
}

// Read returns the values of a manifest, in the order of its rules.
func Read(file string, src []byte) []Value {
	var out []Value
	for _, r := range byName[path.Base(file)] {
		if m := r.re.FindSubmatchIndex(src); m != nil {
			out = append(out, Value{r.key, string(src[m[2]:m[3]]), lineOf(src, m[2])})
		}
	}
	if path.Ext(file) == ".json" {
		out = append(out, counts(src)...)
	}
	return out
}

func counts(src []byte) []Value {
	var out []Value
	for _, m := range counted.FindAllSubmatchIndex(src, -1) {
		noun := m[2:4]
		if noun[0] < 0 {
			noun = m[4:6]
		}
		out = append(out, Value{Count + plural(string(src[noun[0]:noun[1]])), string(src[m[6]:m[7]]), lineOf(src, m[6])})
	}
	return out
}

func plural(noun string) string {
	if strings.HasSuffix(noun, "s") {
		return noun
	}
	return noun + "s"
}

func lineOf(src []byte, at int) int { return 1 + bytes.Count(src[:at], []byte("\n")) }

// Holds reports whether what a text says of a key is so where the manifest has
// this value: a text may leave out the last parts of a language's version.
func Holds(key, said, value string) bool {
	if key == Version || strings.HasPrefix(key, Count) {
		return said == value
	}
	s, v := strings.Split(said, "."), strings.Split(value, ".")
	return len(s) <= len(v) && slices.Equal(s, v[:len(s)])
}
