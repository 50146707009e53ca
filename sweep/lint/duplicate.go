package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/pair"
)

// Texts with fewer words say too little to be the same rule twice.
const (
	leastSame = 6 // distinct words of two equal texts
	leastNear = 8 // and of two similar ones
	mirrored  = 0.6
	alike     = 0.8 // share of common words from which on two are a pair
)

// double is a pair with what is the matter with it.
type double struct {
	rule string
	a, b *pair.Statement // b is the one that is told
	says string
}

// pairs compares the statements of all documents with each other. Documents
// that are copies of each other are one finding, not one a line, and so is a
// block that was pasted twice.
func (c *checker) pairs() {
	all := pair.Statements(c.Docs, leastSame)
	close := pair.Similar(pair.Sets(all), alike, func(x, y int) bool { return all[x].Doc == all[y].Doc || all[x].Ambient && all[y].Ambient })
	copies := c.copies(all, close)
	told := map[*knowledge.Fact]bool{}
	found := map[[2]*knowledge.Document][]double{}
	var order [][2]*knowledge.Document
	for _, p := range close {
		a, b := &all[p.A], &all[p.B]
		key := [2]*knowledge.Document{a.Doc, b.Doc}
		if copies[key] || told[b.Fact] || a.Doc != b.Doc && !a.Together(b.Reach) {
			continue
		}
		if x, ok := judge(a, b); ok {
			told[b.Fact] = true
			if found[key] == nil {
				order = append(order, key)
			}
			found[key] = append(found[key], x)
		}
	}
	for _, key := range order {
		c.doubles(found[key])
	}
}

// many is from how many doubles between two documents on they are one finding.
const many = 5

// doubles reports what two documents, or one with itself, say twice. In one
// document a line may belong under each of several headings; many of them are a
// block that stands there twice.
func (c *checker) doubles(all []double) {
	var same []double
	for _, x := range all {
		if x.rule == "duplicate/same" || x.rule == "duplicate/memory" {
			same = append(same, x)
		}
	}
	if len(same) >= many && (same[0].a.Doc != same[0].b.Doc || block(same)) {
		x := same[0]
		x.says = fmt.Sprintf("says the same as this line; so do %d more of its statements and those below this one", len(same)-1)
		c.tell(x)
		all = slices.DeleteFunc(all, func(x double) bool { return x.rule == same[0].rule || x.rule == "duplicate/near" })
	}
	for _, x := range all {
		if x.a.Doc != x.b.Doc || sameSection(x.a.Fact, x.b.Fact) {
			c.tell(x)
		}
	}
}

// block reports whether doubles follow each other in both places, as what was
// pasted does.
func block(all []double) bool {
	apart := map[int]int{}
	for _, x := range all {
		apart[x.b.Fact.Line-x.a.Fact.Line]++
	}
	for _, n := range apart {
		if n >= many && 2*n >= len(all) {
			return true
		}
	}
	return false
}

func sameSection(a, b *knowledge.Fact) bool {
	return slices.Equal(a.Heading, b.Heading) && a.Parent == b.Parent
}

// copies finds pairs of documents that say mostly the same, and names those
// that have begun to differ.
func (c *checker) copies(all []pair.Statement, close []pair.Pair) map[[2]*knowledge.Document]bool {
	size := map[*knowledge.Document]int{}
	for i := range all {
		size[all[i].Doc]++
	}
	shared, equal := map[[2]*knowledge.Document]int{}, map[[2]*knowledge.Document]int{}
	var order [][2]*knowledge.Document
	for _, p := range close {
		a, b := &all[p.A], &all[p.B]
		if a.Doc == b.Doc {
			continue
		}
		key := [2]*knowledge.Document{a.Doc, b.Doc}
		if shared[key] == 0 {
			order = append(order, key)
		}
		shared[key]++
		if a.Fact.Claim == b.Fact.Claim {
			equal[key]++
		}
	}
	out := map[[2]*knowledge.Document]bool{}
	for _, key := range order {
		a, b := key[0], key[1]
		n := min(size[a], size[b])
		if n < 3 || float64(shared[key]) < mirrored*float64(n) {
			continue
		}
		out[key] = true
		if pair.Named[path.Base(a.Path)] && pair.Named[path.Base(b.Path)] && path.Dir(a.Path) == path.Dir(b.Path) {
			c.copy(a, b, size[a]+size[b]-2*equal[key])
		}
	}
	return out
}

// copy names two instruction files that were copied and have begun to differ.
func (c *checker) copy(a, b *knowledge.Document, differ int) {
	if differ == 0 {
		return
	}
	if pair.Scope(a) == pair.Scope(b) {
		c.line("duplicate/file", a, 1, b.Path, fmt.Sprintf("It and %s are copies of each other, but for %s.", b.Path, plural(differ, "statement")))
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// judge says what is the matter with two similar statements; false where
// nothing is.
func judge(a, b *pair.Statement) (double, bool) {
	if a.Doc == b.Doc && (a.Fact.Kind == knowledge.KindEntry || b.Fact.Kind == knowledge.KindEntry) && a.Doc.Format == knowledge.Memory {
		return double{}, false // a description repeats its own page
	}
	onlyA, onlyB := pair.Difference(a.Set, b.Set)
	turned, rival := a.Negated != b.Negated, a.Doc != b.Doc && a.Scope == b.Scope // a folder may have rules of its own
	switch {
	case turned && plainWords(onlyA) && plainWords(onlyB) && len(onlyA)+len(onlyB) <= 2 && rival:
		return contradiction("conflict/negation", a, b, "says the same, and one of the two says not"), true
	case len(onlyA)+len(onlyB) == 0 && !turned:
		return copyOf("duplicate/same", a, b, "says the same"), a.Fact.Claim == b.Fact.Claim || len(a.Set) >= leastNear
	case turned || len(a.Set) < leastNear || len(b.Set) < leastNear:
		return double{}, false
	case numbers(onlyA) && numbers(onlyB) && len(onlyA) == len(onlyB) && (rival || a.Doc == b.Doc && sameSection(a.Fact, b.Fact)):
		return contradiction("conflict/number", a, b, fmt.Sprintf("says the same with another number (%s, %s)", strings.Join(onlyA, " "), strings.Join(onlyB, " "))), true
	case plainWords(onlyA) && plainWords(onlyB) || len(onlyA) == 0 || len(onlyB) == 0:
		return copyOf("duplicate/near", a, b, "says nearly the same"), true
	}
	return double{}, false // parallel rules about different things
}

// copyOf tells b as the copy of a, a memory as that of an instruction file.
func copyOf(id string, a, b *pair.Statement, says string) double {
	if a.Doc.Format == knowledge.Memory && b.Doc.Format != knowledge.Memory {
		a, b = b, a
	}
	if b.Doc.Format == knowledge.Memory && a.Doc.Format == knowledge.Instruction {
		id = "duplicate/memory"
	}
	return double{id, a, b, says}
}

// contradiction tells a pair for a person to decide, at the place that every
// session loads.
func contradiction(id string, a, b *pair.Statement, says string) double {
	if a.Doc.Startup && !b.Doc.Startup {
		a, b = b, a
	}
	return double{id, a, b, says}
}

// tell adds the finding about a pair.
func (c *checker) tell(x double) {
	out := c.fact(x.rule, x.b.Doc, x.b.Fact, x.a.Fact.Claim, fmt.Sprintf("%s %s.", at(x.a), x.says))
	out.Evidence = []knowledge.Quote{quote(x.a)}
	if x.rule == "duplicate/same" && pair.Tool(x.b.Doc) != "" && !pair.Named[path.Base(x.b.Doc.Path)] && x.b.Doc.Format == knowledge.Instruction {
		out.Severity = knowledge.Info // rules that may be loaded apart
	}
}

func at(s *pair.Statement) string { return fmt.Sprintf("%s:%d", s.Doc.Path, s.Fact.Line) }

func quote(s *pair.Statement) knowledge.Quote {
	return knowledge.Quote{Path: s.Doc.Path, Line: s.Fact.Line, Quote: cut(strings.Join(strings.Fields(s.Fact.Text), " "), 160)}
}

// plainWords reports whether words are language alone: no names, paths or
// numbers, which make two rules of one shape different rules.
func plainWords(ws []string) bool {
	for _, w := range ws {
		if pair.CodeLike(w) {
			return false
		}
	}
	return true
}

func numbers(ws []string) bool {
	for _, w := range ws {
		if !pair.Number(w) {
			return false
		}
	}
	return len(ws) > 0
}
