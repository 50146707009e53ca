// Package rules owns the rules that stand: the statements of playbooks,
// instruction files and memories that a lesson may repeat, sharpen or
// contradict. It finds those nearest to a text by the words they share. Words
// propose, they do not decide: a contradiction shares as many words as a
// paraphrase.
package rules

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"regexp"
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
	paths  []string           // of the documents
	keys   map[string]bool    // of the rules
	index  map[string][]int   // word to the rules that have it, ascending
	rarity map[string]float64 // word to inverse document frequency
}

// Collect reads the rules of documents, which are in the order of their paths.
func Collect(docs []*knowledge.Document) *Set {
	s := &Set{keys: map[string]bool{}}
	for _, d := range docs {
		s.paths = append(s.paths, d.Path)
		for i := range d.Facts {
			if f := &d.Facts[i]; isRule(d, f) {
				r := &Rule{Doc: d, Fact: f, bag: bag(statement(f))}
				s.Rules, s.keys[r.Key()] = append(s.Rules, r), true
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
	s.index, s.rarity = map[string][]int{}, map[string]float64{}
	for i, r := range s.Rules {
		for w := range r.bag {
			s.index[w] = append(s.index[w], i)
		}
	}
	for w, in := range s.index {
		s.rarity[w] = math.Log(1 + float64(len(s.Rules))/float64(len(in)))
	}
}

// Nearest returns the at most n rules that share most with text, nearest
// first: the rarity of the words shared, over the root of the rule's length.
// Rules that share nothing are left out, and so are those that keep refuses
// (nil keeps all).
func (s *Set) Nearest(text string, n int, keep func(*Rule) bool) []*Rule {
	scores := map[int]float64{}
	for _, w := range slices.Sorted(maps.Keys(bag(text))) { // sums of floats depend on their order
		for _, i := range s.index[w] {
			scores[i] += s.rarity[w] / math.Sqrt(float64(len(s.Rules[i].bag)))
		}
	}
	near := slices.Sorted(maps.Keys(scores))
	slices.SortStableFunc(near, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var out []*Rule
	for _, i := range near {
		if len(out) == n {
			break
		}
		if r := s.Rules[i]; keep == nil || keep(r) {
			out = append(out, r)
		}
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

// Instruction reports whether the rule stands in an instruction file, where
// only a person changes it.
func (r *Rule) Instruction() bool { return r.Doc.Format == knowledge.Instruction }

// Playbook reports whether the rule stands in a playbook.
func (r *Rule) Playbook() bool { return r.Doc.Format == knowledge.Playbook }

// provenance is the day and commit behind a rule that a lesson became.
var provenance = regexp.MustCompile(`\((\d{4}-\d{2}-\d{2}), ([0-9a-f]{7,40})((?:; \d{4}-\d{2}-\d{2}, [0-9a-f]{7,40})*)\)\s*$`)

// Origin is the day on which a rule was made of a commit, and that commit; ok is
// false where the rule does not say so.
func (r *Rule) Origin() (day, commit string, ok bool) {
	m := provenance.FindStringSubmatch(r.Fact.Text)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

// Reworded reports whether a rule was changed since it was made.
func (r *Rule) Reworded() bool {
	m := provenance.FindStringSubmatch(r.Fact.Text)
	return m != nil && m[3] != ""
}

// Key names a rule, through every change of its words: by its file and the
// commit that it was made of, else by its fact.
func (r *Rule) Key() string {
	if _, commit, ok := r.Origin(); ok {
		return KeyOf(r.Doc.Path, commit)
	}
	return KeyOf(r.Doc.Path, r.Fact.ID)
}

// KeyOf is the key of a rule that is made in a file of a commit.
func KeyOf(path, origin string) string {
	sum := sha256.Sum256([]byte(path + "\x00" + origin))
	return "r" + hex.EncodeToString(sum[:])[:12]
}

// Names are the keys under which a rule may be remembered: its own, and those that
// it had in other files before it moved. Of two rules that one commit brought to
// two files, neither is taken for the other.
func (s *Set) Names(r *Rule) []string {
	names := []string{r.Key()}
	if _, commit, ok := r.Origin(); ok {
		for _, path := range s.paths {
			if key := KeyOf(path, commit); !s.keys[key] {
				names = append(names, key)
			}
		}
	}
	return names
}

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
