package symbols

import (
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Ref is what a fact declares to be about: a name, maybe inside another one or
// inside a file, or a line of a file.
type Ref struct {
	Path  string   // file, "" where the name alone is given
	Line  int      // 0: none
	Names []string // outermost first: package or type, then the name; empty for a line
}

var (
	lineRef = regexp.MustCompile(`^([^\s#:]+):(\d+)(?:-\d+)?$`)
	nameRef = regexp.MustCompile(`^[A-Za-z_$][\w$]*(?:(?:\.|::|#|\\)[A-Za-z_$][\w$]*)*$`)
	between = regexp.MustCompile(`\.|::|#|\\`)
)

// ParseRef reads Name, pkg.Name, Type.method, path#Symbol and path:line. It is
// false for anything else.
func ParseRef(s string) (Ref, bool) {
	s = strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(s), "()"), "?!") // Ruby ends names so
	if m := lineRef.FindStringSubmatch(s); m != nil {
		n, err := strconv.Atoi(m[2])
		return Ref{Path: path.Clean(m[1]), Line: n}, err == nil && n > 0
	}
	file, name, ok := strings.Cut(s, "#")
	if !ok || !strings.ContainsAny(file, "./") {
		file, name = "", s
	}
	if !nameRef.MatchString(name) {
		return Ref{}, false
	}
	r := Ref{Names: between.Split(name, -1)}
	if file != "" {
		r.Path = path.Clean(file)
	}
	return r, true
}

// Last is the innermost name, "" for a line.
func (r Ref) Last() string {
	if len(r.Names) == 0 {
		return ""
	}
	return r.Names[len(r.Names)-1]
}

// leadsTo reports whether the path of r, if it has one, may mean a file.
func (r Ref) leadsTo(file string) bool {
	return r.Path == "" || file == r.Path || strings.HasSuffix(file, "/"+r.Path)
}

// is compares the names with a definition: the innermost ones with its own
// nesting, those before that with what the file lies in, of which some may be
// left out.
func (r Ref) is(scope []string, def string) bool {
	own := strings.Split(def, ".")
	n := min(len(own), len(r.Names))
	if n == 0 || !endsIn(own, r.Names[len(r.Names)-n:]) {
		return false
	}
	rest := r.Names[:len(r.Names)-n]
	for _, s := range scope {
		if len(rest) > 0 && rest[0] == s {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}

// endsIn reports whether the last of names are those of end.
func endsIn(names, end []string) bool {
	names = names[len(names)-len(end):]
	for i := range end {
		if names[i] != end[i] {
			return false
		}
	}
	return true
}

func hasWords(src []byte, names []string) bool {
	for _, n := range names {
		re, err := regexp.Compile(`(?:^|[^\w$])` + regexp.QuoteMeta(n) + `(?:[^\w$]|$)`)
		if err != nil || !re.Match(src) {
			return false
		}
	}
	return len(names) > 0
}
