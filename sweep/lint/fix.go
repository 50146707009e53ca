package lint

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Fixed is what the mechanical remedies of some findings come to.
type Fixed struct {
	Changes knowledge.Changes // path to new content
	Done    []knowledge.Finding
	Left    []Left // findings that have a remedy which did not fit
}

// Left is a finding that could not be mended, and why.
type Left struct {
	Finding knowledge.Finding
	Why     error
}

// Fix works out the remedies of findings. It is pure: it returns new contents
// and writes nothing. Nothing is deleted but characters that do not show, and
// every edited file must read as it did apart from the edit.
func Fix(docs []*knowledge.Document, read knowledge.ReadFunc, findings []knowledge.Finding) Fixed {
	f := fixer{read: read, fixed: Fixed{Changes: knowledge.Changes{}}, docs: map[string]*knowledge.Document{}}
	for _, d := range docs {
		f.docs[d.Path] = d
	}
	edits, strips := map[string][]knowledge.Finding{}, []knowledge.Finding{}
	for _, x := range findings {
		switch {
		case x.Action == nil || x.Action.Type != knowledge.ActionEdit:
		case x.Action.Edit != nil:
			edits[x.Action.Edit.Path] = append(edits[x.Action.Edit.Path], x)
		case x.Rule == "text/hidden":
			strips = append(strips, x)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(edits)) {
		f.edit(edits[path])
	}
	stripped := map[string]bool{}
	for _, x := range strips {
		f.strip(x, stripped)
	}
	return f.fixed
}

type fixer struct {
	read  knowledge.ReadFunc
	docs  map[string]*knowledge.Document
	fixed Fixed
}

// current is a file as the remedies so far have left it.
func (f *fixer) current(path string) ([]byte, bool) {
	if b, ok := f.fixed.Changes[path]; ok {
		return b, b != nil
	}
	return f.read(path)
}

// edit applies the edits of one file together: facts are named as they stand
// before the first. One that does not fit must not keep the others back.
func (f *fixer) edit(xs []knowledge.Finding) {
	for len(xs) > 0 {
		var edits []knowledge.Edit
		for _, x := range xs {
			edits = append(edits, *x.Action.Edit)
		}
		changes, err := knowledge.Apply(f.current, edits)
		if err == nil {
			maps.Copy(f.fixed.Changes, changes)
			f.fixed.Done = append(f.fixed.Done, xs...)
			return
		}
		bad := len(xs) - 1
		var failed *knowledge.EditError
		if errors.As(err, &failed) {
			bad = max(slices.IndexFunc(edits, func(e knowledge.Edit) bool {
				return e.FactID == failed.Edit.FactID && e.Old == failed.Edit.Old && e.Text == failed.Edit.Text
			}), 0)
		}
		f.fixed.Left = append(f.fixed.Left, Left{xs[bad], err})
		xs = slices.Delete(slices.Clone(xs), bad, bad+1)
	}
}

// strip takes what does not show out of a file, all at once.
func (f *fixer) strip(x knowledge.Finding, done map[string]bool) {
	path := x.Fact.File
	if ok, seen := done[path]; seen {
		if ok {
			f.fixed.Done = append(f.fixed.Done, x)
		}
		return
	}
	src, ok := f.current(path)
	d := f.docs[path]
	if !ok || d == nil {
		return
	}
	clean := visible(src)
	if err := sameShape(d, src, clean); err != nil {
		done[path] = false
		f.fixed.Left = append(f.fixed.Left, Left{x, err})
		return
	}
	done[path] = true
	f.fixed.Changes[path] = clean
	f.fixed.Done = append(f.fixed.Done, x)
}

// visible returns a text without its unwanted runes.
func visible(src []byte) []byte {
	var out bytes.Buffer
	from := 0
	for _, h := range unwanted(src) {
		out.Write(src[from:h.Offset])
		from = h.Offset + len(string(h.Rune))
	}
	out.Write(src[from:])
	return out.Bytes()
}

// sameShape checks that a file still holds the same facts, each with the text
// that a reader saw.
func sameShape(d *knowledge.Document, before, after []byte) error {
	a, b := knowledge.Parse(d.Path, before, d.Format), knowledge.Parse(d.Path, after, d.Format)
	if len(a.Facts) != len(b.Facts) {
		return fmt.Errorf("%w: %d facts become %d", knowledge.ErrStructure, len(a.Facts), len(b.Facts))
	}
	for i := range a.Facts {
		x, y := &a.Facts[i], &b.Facts[i]
		if x.Kind != y.Kind || strings.TrimSpace(string(visible([]byte(x.Text)))) != strings.TrimSpace(y.Text) {
			return fmt.Errorf("%w: line %d would read differently", knowledge.ErrStructure, x.Line)
		}
	}
	return nil
}
