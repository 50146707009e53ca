package lint

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Texts with fewer words say too little to be the same rule twice.
const (
	leastSame = 6 // distinct words of two equal texts
	leastNear = 8 // and of two similar ones
	mirrored  = 0.6
)

// statement is one fact that is compared with the others.
type statement struct {
	fact *knowledge.Fact
	doc  *knowledge.Document
	reach
	words
}

// double is a pair with what is the matter with it.
type double struct {
	rule string
	a, b *statement // b is the one that is told
	says string
}

// pairs compares the statements of all documents with each other. Documents
// that are copies of each other are one finding, not one a line, and so is a
// block that was pasted twice.
func (c *checker) pairs() {
	all := c.statements()
	sets := make([][]string, len(all))
	for i := range all {
		sets[i] = all[i].set
	}
	close := similar(sets, func(x, y int) bool { return all[x].doc == all[y].doc || all[x].ambient && all[y].ambient })
	copies := c.copies(all, close)
	told := map[*knowledge.Fact]bool{}
	found := map[[2]*knowledge.Document][]double{}
	var order [][2]*knowledge.Document
	for _, p := range close {
		a, b := &all[p.a], &all[p.b]
		key := [2]*knowledge.Document{a.doc, b.doc}
		if copies[key] || told[b.fact] || a.doc != b.doc && !a.together(b.reach) {
			continue
		}
		if x, ok := judge(a, b); ok {
			told[b.fact] = true
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
	if len(same) >= many && (same[0].a.doc != same[0].b.doc || block(same)) {
		x := same[0]
		x.says = fmt.Sprintf("says the same as this line; so do %d more of its statements and those below this one", len(same)-1)
		c.tell(x)
		all = slices.DeleteFunc(all, func(x double) bool { return x.rule == same[0].rule || x.rule == "duplicate/near" })
	}
	for _, x := range all {
		if x.a.doc != x.b.doc || sameSection(x.a.fact, x.b.fact) {
			c.tell(x)
		}
	}
}

// block reports whether doubles follow each other in both places, as what was
// pasted does.
func block(all []double) bool {
	apart := map[int]int{}
	for _, x := range all {
		apart[x.b.fact.Line-x.a.fact.Line]++
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

// definition is a line that explains a name: an option, a field, a file. It
// reads the same wherever the name is explained.
var definition = regexp.MustCompile("^(?:\\*\\*)?`[^`]+`(?:\\*\\*)?(?:\\s*\\([^)]*\\))?\\s*(?::|—|–|-|=)")

// statements are the facts that say something in words, where they are read.
func (c *checker) statements() []statement {
	var out []statement
	for _, d := range c.Docs {
		if !comparable(d) || c.aside[d] {
			continue
		}
		kin := reachOf(d)
		for i := range d.Facts {
			f := &d.Facts[i]
			if !prose(f) || f.Kind == knowledge.KindRow || len(f.Text) > 2000 || f.Kind == knowledge.KindEntry && f.Span.Start == 0 && d.Format != knowledge.Memory {
				continue
			}
			if strings.HasPrefix(strings.TrimLeft(f.Text, "*"), "`") && definition.MatchString(f.Text) {
				continue
			}
			if w := wordsOf(f.Text); len(w.set) >= leastSame {
				out = append(out, statement{f, d, kin, w})
			}
		}
	}
	return out
}

func comparable(d *knowledge.Document) bool {
	if d.Event {
		return false
	}
	switch d.Format {
	case knowledge.Memory, knowledge.Vault, knowledge.Playbook, knowledge.Anchored, knowledge.Instruction:
		return true
	}
	return false
}

// copies finds pairs of documents that say mostly the same, and names those
// that have begun to differ.
func (c *checker) copies(all []statement, close []pair) map[[2]*knowledge.Document]bool {
	size := map[*knowledge.Document]int{}
	for i := range all {
		size[all[i].doc]++
	}
	shared, equal := map[[2]*knowledge.Document]int{}, map[[2]*knowledge.Document]int{}
	var order [][2]*knowledge.Document
	for _, p := range close {
		a, b := &all[p.a], &all[p.b]
		if a.doc == b.doc {
			continue
		}
		key := [2]*knowledge.Document{a.doc, b.doc}
		if shared[key] == 0 {
			order = append(order, key)
		}
		shared[key]++
		if a.fact.Claim == b.fact.Claim {
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
		if named[path.Base(a.Path)] && named[path.Base(b.Path)] && path.Dir(a.Path) == path.Dir(b.Path) {
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
	if scope(a) == scope(b) {
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
func judge(a, b *statement) (double, bool) {
	if a.doc == b.doc && (a.fact.Kind == knowledge.KindEntry || b.fact.Kind == knowledge.KindEntry) && a.doc.Format == knowledge.Memory {
		return double{}, false // a description repeats its own page
	}
	onlyA, onlyB := difference(a.set, b.set)
	turned, rival := a.negated != b.negated, a.doc != b.doc && a.scope == b.scope // a folder may have rules of its own
	switch {
	case turned && plainWords(onlyA) && plainWords(onlyB) && len(onlyA)+len(onlyB) <= 2 && rival:
		return contradiction("conflict/negation", a, b, "says the same, and one of the two says not"), true
	case len(onlyA)+len(onlyB) == 0 && !turned:
		return copyOf("duplicate/same", a, b, "says the same"), a.fact.Claim == b.fact.Claim || len(a.set) >= leastNear
	case turned || len(a.set) < leastNear || len(b.set) < leastNear:
		return double{}, false
	case numbers(onlyA) && numbers(onlyB) && len(onlyA) == len(onlyB) && (rival || a.doc == b.doc && sameSection(a.fact, b.fact)):
		return contradiction("conflict/number", a, b, fmt.Sprintf("says the same with another number (%s, %s)", strings.Join(onlyA, " "), strings.Join(onlyB, " "))), true
	case plainWords(onlyA) && plainWords(onlyB) || len(onlyA) == 0 || len(onlyB) == 0:
		return copyOf("duplicate/near", a, b, "says nearly the same"), true
	}
	return double{}, false // parallel rules about different things
}

// copyOf tells b as the copy of a, a memory as that of an instruction file.
func copyOf(id string, a, b *statement, says string) double {
	if a.doc.Format == knowledge.Memory && b.doc.Format != knowledge.Memory {
		a, b = b, a
	}
	if b.doc.Format == knowledge.Memory && a.doc.Format == knowledge.Instruction {
		id = "duplicate/memory"
	}
	return double{id, a, b, says}
}

// contradiction tells a pair for a person to decide, at the place that every
// session loads.
func contradiction(id string, a, b *statement, says string) double {
	if a.doc.Startup && !b.doc.Startup {
		a, b = b, a
	}
	return double{id, a, b, says}
}

// tell adds the finding about a pair.
func (c *checker) tell(x double) {
	out := c.fact(x.rule, x.b.doc, x.b.fact, x.a.fact.Claim, fmt.Sprintf("%s %s.", at(x.a), x.says))
	out.Evidence = []knowledge.Quote{quote(x.a)}
	if x.rule == "duplicate/same" && tool(x.b.doc) != "" && !named[path.Base(x.b.doc.Path)] && x.b.doc.Format == knowledge.Instruction {
		out.Severity = knowledge.Info // rules that may be loaded apart
	}
}

func at(s *statement) string { return fmt.Sprintf("%s:%d", s.doc.Path, s.fact.Line) }

func quote(s *statement) knowledge.Quote {
	return knowledge.Quote{Path: s.doc.Path, Line: s.fact.Line, Quote: cut(strings.Join(strings.Fields(s.fact.Text), " "), 160)}
}

// plainWords reports whether words are language alone: no names, paths or
// numbers, which make two rules of one shape different rules.
func plainWords(ws []string) bool {
	for _, w := range ws {
		if codeLike(w) {
			return false
		}
	}
	return true
}

func numbers(ws []string) bool {
	for _, w := range ws {
		if !number(w) {
			return false
		}
	}
	return len(ws) > 0
}
