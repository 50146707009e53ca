package pair

import (
	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// What is proposed shares less than what lint tells: somebody will read it.
const (
	leastProposed = 4   // distinct words
	likely        = 0.5 // share of common words
)

// Proposal is two statements that may contradict each other, in the order of
// their documents.
type Proposal struct {
	A, B    Statement
	Opposed bool // they differ by a not, by a number, or by the order of their words alone
}

// Propose returns the pairs of statements that a reader has together and that
// use many of the same words, but not the same text: those that stand for a
// question, which is no answer. Binds says which facts still hold anybody to
// anything. A memory, which says one thing, is held against another statement
// once.
func Propose(docs []*knowledge.Document, binds func(*knowledge.Document, *knowledge.Fact) bool) []Proposal {
	var all []Statement
	for _, s := range Statements(docs, leastProposed) {
		if binds(s.Doc, s.Fact) {
			all = append(all, s)
		}
	}
	var out []Proposal
	known := map[[2]string]bool{}
	for _, p := range Similar(Sets(all), likely, func(x, y int) bool { return rivals(&all[x], &all[y]) }) {
		a, b := &all[p.A], &all[p.B]
		texts, places := [2]string{a.Fact.Claim, b.Fact.Claim}, [2]string{speaker(a), speaker(b)}
		if known[texts] || known[[2]string{texts[1], texts[0]}] || known[places] {
			continue
		}
		known[texts], known[places] = true, true
		out = append(out, Proposal{A: *a, B: *b, Opposed: opposed(a, b)})
	}
	return out
}

// rivals reports whether two statements could contradict each other at all.
func rivals(a, b *Statement) bool {
	switch {
	case a.Fact.Claim == b.Fact.Claim:
		return false
	case a.Doc != b.Doc:
		return a.Together(b.Reach)
	case a.Doc.Format == knowledge.Memory:
		return false // one page, one thing
	}
	in, out := a.Fact.Span, b.Fact.Span
	return in.End <= out.Start || out.End <= in.Start
}

// speaker is who says something: a memory as a whole, elsewhere the fact.
func speaker(s *Statement) string {
	if s.Doc.Format == knowledge.Memory {
		return s.Doc.Path
	}
	return s.Doc.Path + "\x00" + s.Fact.ID
}

func opposed(a, b *Statement) bool {
	onlyA, onlyB := Difference(a.Set, b.Set)
	return a.Negated != b.Negated || numbers(onlyA) && numbers(onlyB)
}

// numbers reports whether words are numbers, all of them.
func numbers(ws []string) bool {
	for _, w := range ws {
		if !Number(w) {
			return false
		}
	}
	return true
}
