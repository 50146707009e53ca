package pair

import (
	"regexp"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Statement is one fact that is compared with the others.
type Statement struct {
	Fact *knowledge.Fact
	Doc  *knowledge.Document
	Reach
	Words
}

// longest is the length of a text, in bytes, above which it is no one statement.
const longest = 2000

// Statements are the facts of documents that say something in words, where they
// are read: those with at least a number of distinct words.
func Statements(docs []*knowledge.Document, words int) []Statement {
	var out []Statement
	for _, d := range docs {
		if !Comparable(d) || Aside(d) {
			continue
		}
		kin := ReachOf(d)
		for i := range d.Facts {
			f := &d.Facts[i]
			if !states(d, f) {
				continue
			}
			if w := WordsOf(f.Text); len(w.Set) >= words {
				out = append(out, Statement{f, d, kin, w})
			}
		}
	}
	return out
}

// Sets are the words of statements, as [Similar] takes them.
func Sets(all []Statement) [][]string {
	out := make([][]string, len(all))
	for i := range all {
		out[i] = all[i].Set
	}
	return out
}

// definition is a line that explains a name: an option, a field, a file. It
// reads the same wherever the name is explained.
var definition = regexp.MustCompile("^(?:\\*\\*)?`[^`]+`(?:\\*\\*)?(?:\\s*\\([^)]*\\))?\\s*(?::|—|–|-|=)")

// states reports whether a fact is one statement.
func states(d *knowledge.Document, f *knowledge.Fact) bool {
	switch {
	case !Prose(f), f.Kind == knowledge.KindRow, len(f.Text) > longest:
		return false
	case f.Kind == knowledge.KindEntry && f.Span.Start == 0 && d.Format != knowledge.Memory:
		return false // a page; of a memory, its description
	}
	return !strings.HasPrefix(strings.TrimLeft(f.Text, "*"), "`") || !definition.MatchString(f.Text)
}

// Comparable reports whether a document holds rules that are held against each
// other: a record of what happened does not.
func Comparable(d *knowledge.Document) bool {
	if d.Event {
		return false
	}
	switch d.Format {
	case knowledge.Memory, knowledge.Vault, knowledge.Playbook, knowledge.Anchored, knowledge.Instruction:
		return true
	}
	return false
}
