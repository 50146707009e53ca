// Package rules owns the rules that stand: the statements of playbooks,
// instruction files and memories that a lesson may repeat, sharpen or
// contradict. It finds those nearest to a text by the words they share. Words
// propose, they do not decide: a contradiction shares as many words as a
// paraphrase.
package rules

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Rule is one statement that agents read.
type Rule struct {
	Doc  *knowledge.Document
	Fact *knowledge.Fact
	bag  map[string]bool
}

// Set is all rules of a corpus with what word overlap needs.
type Set struct {
	Rules  []*Rule
	rarity map[string]float64 // word to inverse document frequency
}

// Collect reads the rules of documents, which are in the order of their paths.
func Collect(docs []*knowledge.Document) *Set {
	s := &Set{}
	for _, d := range docs {
		for i := range d.Facts {
			if f := &d.Facts[i]; isRule(d, f) {
				s.Rules = append(s.Rules, &Rule{Doc: d, Fact: f, bag: bag(statement(f))})
			}
		}
	}
	s.weigh()
	return s
}

// isRule keeps statements that tell a reader something; records, indexes and
// code samples do not. A memory or vault entry is one statement as a whole.
func isRule(d *knowledge.Document, f *knowledge.Fact) bool {
	if f.Fence != "" || len(strings.Fields(f.Text)) < 3 || strings.HasSuffix(strings.TrimRight(f.Text, "* "), ":") {
		return false // code, a label, or the lead-in of a list
	}
	switch d.Format {
	case knowledge.Memory, knowledge.Vault:
		return f.Kind == knowledge.KindEntry
	case knowledge.Playbook, knowledge.Instruction:
		return f.Kind == knowledge.KindBullet || f.Kind == knowledge.KindParagraph || f.Kind == knowledge.KindRow
	}
	return false
}

func statement(f *knowledge.Fact) string {
	if f.Kind == knowledge.KindEntry {
		return f.Title + " " + f.Text
	}
	return f.Text
}

func (s *Set) weigh() {
	s.rarity = map[string]float64{}
	for _, r := range s.Rules {
		for w := range r.bag {
			s.rarity[w]++
		}
	}
	for w, n := range s.rarity {
		s.rarity[w] = math.Log(1 + float64(len(s.Rules))/n)
	}
}

// Nearest returns the at most n rules that share most with text, nearest
// first. Rules that share nothing are left out, and so are those that keep
// refuses (nil keeps all).
func (s *Set) Nearest(text string, n int, keep func(*Rule) bool) []*Rule {
	query := bag(text)
	type scored struct {
		rule  *Rule
		score float64
	}
	var found []scored
	for _, r := range s.Rules {
		if keep != nil && !keep(r) {
			continue
		}
		if score := s.score(query, r); score > 0 {
			found = append(found, scored{r, score})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	out := make([]*Rule, 0, min(n, len(found)))
	for _, f := range found[:min(n, len(found))] {
		out = append(out, f.rule)
	}
	return out
}

// Around returns the at most n rules nearest to any of several texts: the best
// of each text first, then the second of each, so that a long text does not
// crowd out a short one. each bounds how many one text may bring.
func (s *Set) Around(texts []string, each, n int, keep func(*Rule) bool) []*Rule {
	lists := make([][]*Rule, 0, len(texts))
	for _, text := range texts {
		lists = append(lists, s.Nearest(text, each, keep))
	}
	var out []*Rule
	for turn := range each {
		for _, list := range lists {
			if turn < len(list) && len(out) < n && !slices.Contains(out, list[turn]) {
				out = append(out, list[turn])
			}
		}
	}
	return out
}

// score is the rarity of the words shared, over the root of the rule's length.
func (s *Set) score(query map[string]bool, r *Rule) float64 {
	var shared []string
	for w := range r.bag {
		if query[w] {
			shared = append(shared, w)
		}
	}
	slices.Sort(shared) // sums of floats depend on their order
	sum := 0.0
	for _, w := range shared {
		sum += s.rarity[w]
	}
	if len(shared) == 0 {
		return 0
	}
	return sum / math.Sqrt(float64(len(r.bag)))
}

// Find returns the rule of an id in a file.
func (s *Set) Find(path, id string) *Rule {
	for _, r := range s.Rules {
		if r.Doc.Path == path && r.Fact.ID == id {
			return r
		}
	}
	return nil
}

// Instruction reports whether the rule stands in an instruction file, where
// only a person changes it.
func (r *Rule) Instruction() bool { return r.Doc.Format == knowledge.Instruction }

// Playbook reports whether the rule stands in a playbook.
func (r *Rule) Playbook() bool { return r.Doc.Format == knowledge.Playbook }

// Line is the rule on one line of at most max runes: its path and its text.
func (r *Rule) Line(max int) string {
	return fmt.Sprintf("%s: %s", r.Doc.Path, Brief(statement(r.Fact), max))
}

// Brief folds text into one line of at most max runes.
func Brief(text string, max int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > max {
		return strings.TrimRight(string(runes[:max-1]), " ") + "…"
	}
	return text
}
