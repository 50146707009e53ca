package audit

import (
	"regexp"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/symbols"
)

var joint = regexp.MustCompile(`\.|::|#|\\`)

// respellSymbol writes the new place of a symbol the way the old one was: as much
// of its nesting, and the new package where the old one was named. It is ""
// where a person must choose the names.
func (a *auditor) respellSymbol(spelled string, ref symbols.Ref, was symbols.File, left symbols.Def, now home) string {
	src := a.code(now.entry)
	f, err := symbols.Read(now.entry.Path, src)
	if err != nil {
		return ""
	}
	names := renamed(ref.Names, was.Scope, strings.Split(left.Name, "."), f.Scope, strings.Split(now.name, "."))
	file, name, hashed := strings.Cut(spelled, "#")
	if ref.Path == "" {
		name, hashed = spelled, false
	}
	joints := slices.Compact(joint.FindAllString(name, -1))
	switch {
	case names == nil || len(joints) > 1:
		return ""
	case len(joints) == 0:
		joints = []string{"."}
	}
	out := strings.Join(names, joints[0])
	if hashed {
		out = keepDot(file, now.entry.Path) + "#" + out
	}
	if again, ok := symbols.ParseRef(out); !ok || !again.In(now.entry.Path, src) {
		return ""
	}
	return out
}

// renamed is how a symbol whose nesting was own, in a file of one scope, is
// named now that it is called to in another; nil where that cannot be told.
func renamed(names, scope, own, newScope, to []string) []string {
	n := min(len(own), len(names))
	prefix, whole := names[:len(names)-n], n == len(own)
	tail := to
	if !whole {
		tail = to[max(0, len(to)-n):]
	}
	switch {
	case len(prefix) == 0 || within(prefix, newScope):
	case len(prefix) == 1 && len(newScope) > 0 && len(scope) > 0 && scope[len(scope)-1] == prefix[0]:
		prefix = newScope[len(newScope)-1:] // the package, or the file where that is one
	default:
		return nil
	}
	return slices.Concat(prefix, tail)
}

// within reports whether names stand in a scope in their order.
func within(names, scope []string) bool {
	for _, s := range scope {
		if len(names) > 0 && names[0] == s {
			names = names[1:]
		}
	}
	return len(names) == 0
}
