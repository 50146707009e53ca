package audit

import (
	"bytes"
	"slices"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/anchor"
)

// claim is one candidate of one fact.
type claim struct {
	doc  *knowledge.Document
	fact *knowledge.Fact
	cand anchor.Candidate
	at   anchor.Place // where it leads at head
}

// collect reads the claims of all documents, each line's target once: where
// facts nest, the smallest one speaks.
func collect(docs []*knowledge.Document) []*claim {
	var out []*claim
	for _, d := range docs {
		if d.Format != knowledge.Archive {
			out = append(out, ofDocument(d)...)
		}
	}
	return out
}

func ofDocument(d *knowledge.Document) []*claim {
	type key struct {
		line int
		path string
	}
	reader := anchor.NewReader(d)
	seen := map[key]*claim{}
	var out []*claim
	for i := range d.Facts {
		f := &d.Facts[i]
		for _, c := range reader.Find(f) {
			k := key{c.Line, c.Path}
			if old := seen[k]; old != nil {
				if size(f) < size(old.fact) {
					old.fact, old.cand = f, c
				}
				continue
			}
			seen[k] = &claim{doc: d, fact: f, cand: c}
			out = append(out, seen[k])
		}
	}
	return oncePerFact(out)
}

func size(f *knowledge.Fact) int { return f.EndLine - f.Line }

// oncePerFact keeps one claim of each path in a fact.
func oncePerFact(claims []*claim) []*claim {
	type key struct {
		fact *knowledge.Fact
		path string
	}
	seen := map[key]bool{}
	return slices.DeleteFunc(claims, func(c *claim) bool {
		k := key{c.fact, c.cand.Path}
		was := seen[k]
		seen[k] = true
		return was
	})
}

// said reports whether a version of the document made the claim. Records of a
// store are told apart by their ids: many name the same file.
func (c *claim) said(src []byte) bool {
	if c.doc.Format == knowledge.Store {
		src = lineWith(src, c.fact.ID)
	}
	return bytes.Contains(src, []byte(c.cand.Text))
}

// lineText is the line of the document that makes the claim, without the space
// around it.
func (c *claim) lineText() []byte {
	n := 0
	for l := range bytes.Lines(c.doc.Source) {
		if n++; n == c.cand.Line {
			return bytes.TrimSpace(l)
		}
	}
	return nil
}

// lineWith returns the line of src that holds a text, nil if none does.
func lineWith(src []byte, text string) []byte {
	for l := range bytes.Lines(src) {
		if bytes.Contains(l, []byte(text)) {
			return l
		}
	}
	return nil
}

// event reports whether the claim stands in a record of what happened.
func (c *claim) event() bool { return c.doc.Event || c.fact.Event || record(c.doc) }

// missing reports whether the candidate leads nowhere at head.
func (c *claim) missing() bool { return c.at.How == anchor.Nowhere }

// guessed reports whether head is only matched by the end of a spelling that
// may once have led there exactly: a path that a move has left behind.
func (c *claim) guessed() bool {
	if c.cand.Form == anchor.FormModule || c.at.Path == "src/"+c.cand.Path {
		return false // by the name that it is imported by
	}
	return !c.cand.Bare() && c.cand.Kind != knowledge.AnchorGlob && c.cand.Form != anchor.FormWiki &&
		c.cand.Form != anchor.FormTree && (c.at.How == anchor.Suffix || c.at.How == anchor.Ambiguous || c.at.How == anchor.Context)
}
