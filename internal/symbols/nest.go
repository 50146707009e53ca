package symbols

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// role is what a place in a file does to the definitions.
type role int

const (
	roleDef   role = iota // is one
	roleVar               // is one, but not in a body
	roleScope             // gives its name to those inside
	roleLocal             // is a body: what is set in it is nobody's business
)

// found is one such place.
type found struct {
	role role
	span
	name string // "" of a body
	key  int    // where the name stands: what it names is one thing
}

// nest orders what was found and puts before each name those that it lies in.
// It returns the definitions with the span of each.
func nest(all []found, lines lineIndex) (defs []Def, spans []span) {
	slices.SortStableFunc(all, func(x, y found) int { // the larger place first, the longer name first
		return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(y.to, x.to), cmp.Compare(x.role, y.role), cmp.Compare(x.key, y.key), cmp.Compare(len(y.name), len(x.name)))
	})
	var around []found // what spans the place in hand, with whole names
	seen := map[int]bool{}
	for _, f := range all {
		for len(around) > 0 && around[len(around)-1].to < f.to {
			around = around[:len(around)-1]
		}
		if f.role != roleLocal && seen[f.key] || len(around) > maxDepth || len(defs) == maxDefs {
			continue
		}
		if f.name = whole(around, f); len(f.name) > maxName {
			f.role, f.name = roleLocal, ""
		}
		if f.role == roleVar && slices.ContainsFunc(around, func(x found) bool { return x.role == roleLocal }) {
			continue
		}
		if around = append(around, f); f.role == roleDef || f.role == roleVar {
			seen[f.key] = true
			defs = append(defs, Def{Name: f.name, Line: lines.of(f.from), End: lines.of(max(f.from, f.to-1))})
			spans = append(spans, f.span)
		}
	}
	return defs, spans
}

// whole is the name with that of the innermost place around it that is larger.
func whole(around []found, f found) string {
	for _, x := range slices.Backward(around) {
		switch {
		case x.span == f.span || x.name == "":
			continue
		case f.name == "":
			return x.name
		}
		return x.name + "." + f.name
	}
	return f.name
}

// lineIndex holds where the lines of a file end.
type lineIndex []int

func newLineIndex(src []byte) lineIndex {
	var out lineIndex
	for i, c := range src {
		if c == '\n' {
			out = append(out, i)
		}
	}
	return out
}

// of is the number of the line of a byte, from 1.
func (l lineIndex) of(at int) int { return 1 + sort.SearchInts(l, at) }

var (
	parameters = regexp.MustCompile(`<[^<>]*>|\[[^\[\]]*\]|\s+`)
	dividers   = strings.NewReplacer("::", ".", `\`, ".")
)

// plain is a name as it is referred to: without sigils and type parameters.
func plain(name string) string {
	if strings.ContainsAny(name, "<[ \t\n") && !strings.Contains(name, "operator") {
		for range 4 {
			name = parameters.ReplaceAllString(name, "")
		}
	}
	name = strings.TrimLeft(dividers.Replace(name), ".:#&*\"'")
	if strings.Contains(name, "operator") {
		return name
	}
	return strings.TrimRight(name, "?!=\"'")
}

// scopeOf is what a whole file lies in: its path, and the package that it says.
func scopeOf(file, pkg string) []string {
	stem := strings.TrimSuffix(file, path.Ext(file))
	parts := strings.Split(stem, "/")
	if pkg != "" {
		parts = append(parts, strings.Split(plain(pkg), ".")...)
	}
	return parts
}
