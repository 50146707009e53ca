package guard

import (
	"fmt"
	"path"
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

// Classifier says what a path is, and which route its format has by default.
// [knowledge.Classifier] is one.
type Classifier interface {
	Classify(path string) (knowledge.Format, knowledge.Route, bool)
}

// Policy decides where an edit of a path may go.
type Policy struct {
	class                Classifier
	operator, repository Routes
}

// NewPolicy returns the policy of an operator and a repository. The operator
// may open Markdown files that are not protected, and may narrow anything; the
// repository may only narrow: its Auto is not read.
func NewPolicy(c Classifier, operator, repository Routes) *Policy {
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
	if surface := instruction(file); surface && !p.memoryStore(file) {
		route, why = stricter(route, why, knowledge.RouteQueue, "an instruction surface waits for a person")
	}
	if r, glob := p.repository.strictest(file); glob != "" {
		route, why = stricter(route, why, r, fmt.Sprintf("the repository's %s glob %q", r, glob))
	}
	return route, why
}

// wanted is the route before the floors: the operator's word, else the
// format's default.
func (p *Policy) wanted(file string) (knowledge.Route, string) {
	if r, glob := p.operator.strictest(file); glob != "" {
		return r, fmt.Sprintf("the operator's %s glob %q", r, glob)
	}
	format, route, ok := p.class.Classify(file)
	if !ok {
		return knowledge.RouteNever, "not a knowledge file"
	}
	if route == knowledge.RouteAuto && !builtInAuto(file) {
		return knowledge.RouteUpkeep, fmt.Sprintf("declared as %s; only the operator's routes.auto opens it further", format)
	}
	return route, fmt.Sprintf("default of %s files", format)
}

// memoryStore reports that file is a memory inside an agent's directory: data
// of the agent, not an instruction to it.
func (p *Policy) memoryStore(file string) bool {
	if !underMemory(file) {
		return false
	}
	switch format, _, ok := p.class.Classify(file); format {
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
	_, ok := anyGlob(autoPaths, strings.ToLower(file))
	return ok
}

func underMemory(file string) bool {
	for _, dir := range strings.Split(path.Dir(strings.ToLower(file)), "/") {
		if dir == "memory" || strings.HasSuffix(dir, "-memory") {
			_, instructed := anyGlob(neverMemory, strings.ToLower(file))
			return !instructed
		}
	}
	return false
}
