package guard

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Routes are globs (doublestar, relative to the repository root) by the route
// that they ask for.
type Routes struct {
	Auto   []string // applied; the operator alone may set it
	Upkeep []string // the rolling upkeep branch
	Queue  []string // one proposal a slot, for a person
	Never  []string // refused
}

// builtIn knows the formats that hold where nobody configures anything.
var builtIn = knowledge.NewClassifier(nil)

// Policy decides where an edit of a path may go.
type Policy struct {
	class                *knowledge.Classifier
	operator, repository Routes
}

// NewPolicy returns the policy of an operator and a repository. The operator
// may open Markdown files that are not protected, and may narrow anything; the
// repository may only narrow: its Auto is not read.
func NewPolicy(c *knowledge.Classifier, operator, repository Routes) *Policy {
	if c == nil {
		c = builtIn
	}
	repository.Auto = nil
	return &Policy{class: c, operator: operator, repository: repository}
}

// Route returns where an edit of p may go, and why. What no rule names is
// never.
func (p *Policy) Route(file string) (knowledge.Route, string) {
	if err := CheckPath(file); err != nil {
		return knowledge.RouteNever, err.Error()
	}
	if why := protected(file); why != "" {
		return knowledge.RouteNever, why
	}
	route, why := p.wanted(file)
	if !slices.Contains(prose, extension(file)) {
		route, why = stricter(route, why, knowledge.RouteUpkeep, "only Markdown and plain text are applied")
	}
	if instruction(file) && !memoryStore(file) {
		route, why = stricter(route, why, knowledge.RouteQueue, "an instruction surface waits for a person")
	}
	if r, glob := p.repository.strictest(file); glob != "" {
		route, why = stricter(route, why, r, fmt.Sprintf("the repository's %s glob %q", r, glob))
	}
	return route, why
}

// RouteOf returns where an edit may go, and why: what leaves one file for another
// goes where the stricter of the two may.
func (p *Policy) RouteOf(e knowledge.Edit) (knowledge.Route, string) {
	route, why := p.Route(e.Path)
	if e.Target() == e.Path {
		return route, why
	}
	to, reason := p.Route(e.Target())
	return stricter(route, why, to, reason)
}

// wanted is the route before the floors: the operator's word, else the
// format's default.
func (p *Policy) wanted(file string) (knowledge.Route, string) {
	if r, glob := p.operator.strictest(file); glob != "" {
		return r, fmt.Sprintf("the operator's %s glob %q", r, glob)
	}
	format, route, ok := p.class.Classify(file)
	if strings.EqualFold(path.Base(file), vaultIndex) {
		return knowledge.RouteUpkeep, "index of a vault"
	}
	if !ok {
		return knowledge.RouteNever, "not a knowledge file"
	}
	if route == knowledge.RouteAuto && !builtInAuto(file) {
		return knowledge.RouteUpkeep, fmt.Sprintf("declared as %s; only the operator's routes.auto opens it further", format)
	}
	return route, fmt.Sprintf("default of %s files", format)
}

// memoryStore reports that file is a memory inside an agent's directory: data
// of the agent, not an instruction to it. What the repository declares does
// not count.
func memoryStore(file string) bool {
	if _, instructs := anyGlob(neverMemory, strings.ToLower(file)); instructs {
		return false
	}
	switch format, _, ok := builtIn.Classify(file); format {
	case knowledge.Memory, knowledge.MemoryIndex, knowledge.Archive:
		return ok
	default:
		return false
	}
}

// strictest returns the strictest route whose globs match file, with the glob.
func (r Routes) strictest(file string) (knowledge.Route, string) {
	for _, list := range []struct {
		route knowledge.Route
		globs []string
	}{
		{knowledge.RouteNever, r.Never},
		{knowledge.RouteQueue, r.Queue},
		{knowledge.RouteUpkeep, r.Upkeep},
		{knowledge.RouteAuto, r.Auto},
	} {
		narrows := list.route == knowledge.RouteNever || list.route == knowledge.RouteQueue
		for _, glob := range list.globs {
			if matches(glob, file, narrows) {
				return list.route, glob
			}
		}
	}
	return "", ""
}

// matches reports whether glob fits file. A glob that narrows fits in any
// case, since some file systems do not tell CLAUDE.md from claude.md, and when
// it is malformed, since a wall with a typing error must not be a hole.
func matches(glob, file string, narrows bool) bool {
	ok, err := doublestar.Match(glob, file)
	if ok || !narrows {
		return ok && err == nil
	}
	folded, err := doublestar.Match(strings.ToLower(glob), strings.ToLower(file))
	return folded || err != nil
}

func stricter(a knowledge.Route, whyA string, b knowledge.Route, whyB string) (knowledge.Route, string) {
	if a.Stricter(b) != a {
		return b, whyB
	}
	return a, whyA
}

// anyGlob reports whether one of the globs fits name.
func anyGlob(globs []string, name string) (string, bool) {
	for _, glob := range globs {
		if ok, err := doublestar.Match(glob, name); ok && err == nil {
			return glob, true
		}
	}
	return "", false
}

func builtInAuto(file string) bool {
	_, route, ok := builtIn.Classify(file)
	return ok && route == knowledge.RouteAuto
}
