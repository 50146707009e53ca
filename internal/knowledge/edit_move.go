package knowledge

import (
	"fmt"
	"slices"
	"strings"
)

// move takes a rule out of one section and puts it, word for word and with the
// counter that it may have, at the end of another, be it of the same file. What
// it says must not change by the way: neither its text, nor what stands above it,
// nor whether it is a rule or a record of what was.
func (a *applier) move(e Edit) error {
	from, i, err := a.find(e.Path, e.FactID)
	if err != nil {
		return err
	}
	fact := from.doc.Facts[i]
	if err := from.movable(i, e); err != nil {
		return err
	}
	to := a.open(e.Target())
	if to.doc.Format != Playbook && to.doc.Format != Instruction {
		return fmt.Errorf("%w: a %s file takes no rules", ErrUnsupported, to.doc.Format)
	}
	lines, own := from.words(i)
	if err := from.take(i); err != nil {
		return err
	}
	to.carried = own
	defer func() { to.carried = "" }()
	if err := to.put(e.Section, lines); err != nil {
		return err
	}
	return to.arrived(&fact, own != "")
}

// movable refuses what is no rule of its own, and one that says something else
// than what was to be moved.
func (f *file) movable(i int, e Edit) error {
	fact, l := &f.doc.Facts[i], f.doc.layout[i]
	s := newSource(f.doc.Source)
	switch {
	case normal(fact.Text) != normal(e.Text):
		return fmt.Errorf("%w (%q)", ErrNoFact, e.FactID)
	case f.doc.Format != Playbook && f.doc.Format != Instruction:
		return fmt.Errorf("%w: a %s file gives no rules away", ErrUnsupported, f.doc.Format)
	case fact.Kind != KindBullet && fact.Kind != KindParagraph, fact.Fence != "", len(l.pieces) == 0:
		return fmt.Errorf("%w: a %s is not moved by itself", ErrUnsupported, fact.Kind)
	case fact.Parent != "" && (!strings.HasSuffix(fact.Parent, ".") || f.says(KindBullet, fact.Parent)):
		return fmt.Errorf("%w: it belongs to %q above it", ErrStructure, title(fact.Parent))
	case slices.ContainsFunc(f.doc.Facts, func(o Fact) bool { return o.Parent != "" && o.Parent == fact.Text }):
		return fmt.Errorf("%w: what stands below it would be torn off", ErrStructure)
	case boxLen(s.text[s.lineStart(l.pieces[0].Start):l.pieces[0].Start-l.own]) > 0:
		return fmt.Errorf("%w: it is a task", ErrUnsupported)
	case e.Target() == e.Path && len(fact.Heading) > 0 && strings.EqualFold(normal(fact.Heading[len(fact.Heading)-1]), normal(e.Section)):
		return fmt.Errorf("%w: it stands there", ErrStructure)
	}
	return nil
}

// says reports whether a fact of a kind has a text.
func (f *file) says(k Kind, text string) bool {
	return slices.ContainsFunc(f.doc.Facts, func(o Fact) bool { return o.Kind == k && o.Text == text })
}

// words are the lines of a fact as they are written, and its counter.
func (f *file) words(i int) (lines []string, own string) {
	l := f.doc.layout[i]
	for _, p := range l.pieces {
		lines = append(lines, string(f.doc.Source[p.Start:p.End]))
	}
	return lines, string(f.doc.Source[l.pieces[0].Start-l.own : l.pieces[0].Start])
}

// take removes the lines of one fact. A file of which nothing is left stays with
// its owner.
func (f *file) take(i int) error {
	at := f.leaving(newSource(f.doc.Source), i)
	if at.End-at.Start == len(f.doc.Source) {
		return fmt.Errorf("%w: nothing would be left of the file", ErrUnsupported)
	}
	return f.commit(at, nil, func(_ *Document, before, after []*Fact) error {
		if len(before) != 1 || len(after) > 0 {
			return fmt.Errorf("%w: what stands below it would be torn off", ErrStructure)
		}
		return nil
	})
}

// arrived looks a moved fact up where it stands now.
func (f *file) arrived(was *Fact, counted bool) error {
	var is *Fact
	for i := range f.doc.Facts {
		if o := &f.doc.Facts[i]; o.Claim == was.Claim && is != nil {
			return fmt.Errorf("%w: %s says it already", ErrStructure, f.path)
		} else if o.Claim == was.Claim {
			is = o
		}
	}
	switch {
	case is == nil || is.Kind != KindBullet || is.Fence != "":
		return fmt.Errorf("%w: it does not read there as it did", ErrStructure)
	case is.Parent != "":
		return fmt.Errorf("%w: it would belong to %q above it", ErrStructure, title(is.Parent))
	case is.Event != was.Event:
		return fmt.Errorf("%w: a rule would become a record of what was, or a record a rule", ErrStructure)
	case counted && is.ID != was.ID:
		return fmt.Errorf("%w: %s is the counter of another line there", ErrStructure, was.ID)
	}
	return nil
}
