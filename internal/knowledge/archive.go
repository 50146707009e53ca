package knowledge

import (
	"bytes"
	"fmt"
)

// archive moves a fact to the archive of its format. A memory is a file and
// moves as one; any other fact leaves a record with its original bytes.
func (a *applier) archive(e Edit) error {
	f, i, err := a.find(e.Path, e.FactID)
	if err != nil {
		return err
	}
	if f.doc.Format == Archive {
		return fmt.Errorf("%w: it is archived already", ErrUnsupported)
	}
	if f.doc.isPage(i) {
		return a.archivePage(f, e)
	}
	if f.doc.Format == Memory {
		return fmt.Errorf("%w: a memory is archived as a whole", ErrUnsupported)
	}
	return a.archiveFact(f, i, e, "")
}

// archiveFact moves the lines of one fact into a record.
func (a *applier) archiveFact(f *file, i int, e Edit, with string) error {
	fact := &f.doc.Facts[i]
	if fact.Kind == KindHeading || fact.Kind == KindField {
		return fmt.Errorf("%w: a %s is not archived by itself", ErrUnsupported, fact.Kind)
	}
	s := newSource(f.doc.Source)
	at := f.leaving(s, i)
	rest := splice(f.doc.Source, at, nil)
	r := record{ID: e.FactID, From: f.path, Format: f.doc.Format, Kind: fact.Kind, Claim: fact.Claim, Date: stamp(e.Date), Reason: normal(e.Reason), With: with,
		Heading: fact.Heading, Offset: at.Start, Rest: hashOf(string(rest)), Bytes: at.End - at.Start, Loose: at.Start > 0 && s.blank(at.Start-1),
		title: fact.Title, body: bytes.Clone(f.doc.Source[at.Start:at.End])}
	r.Prev, r.Next = f.neighbours(at)
	r.Above, r.Below = s.above(at.Start), s.below(at.End)
	if err := a.file(&r, ArchivePath(f.path, f.doc.Format), eolOf(f.doc.Source)); err != nil {
		return err
	}
	if len(rest) == 0 {
		f.remove()
		return nil
	}
	return f.commit(at, nil, func(_ *Document, _, after []*Fact) error {
		if len(after) > 0 {
			return fmt.Errorf("%w: %q would be torn", ErrStructure, after[0].Title)
		}
		return nil
	})
}

// leaving is what goes with a fact: its whole lines, and the blank lines after
// it where blank lines stand before it too, so that no gap is left.
func (f *file) leaving(s *source, i int) Span {
	at := f.doc.layout[i].extent
	if at.Start > 0 && !s.blank(at.Start-1) {
		return at
	}
	for at.End < len(s.text) && s.blank(at.End) {
		at.End = s.lineEnd(at.End)
	}
	return at
}

// neighbours returns the ids of the facts before and after a span.
func (f *file) neighbours(at Span) (prev, next string) {
	for i := range f.doc.Facts {
		x := &f.doc.Facts[i]
		switch {
		case f.doc.isPage(i):
		case x.Span.End <= at.Start:
			prev = x.ID
		case x.Span.Start >= at.End:
			return prev, x.ID
		}
	}
	return prev, ""
}

// file appends a record to an archive, which is made where it is not there.
func (a *applier) file(r *record, name, eol string) error {
	f := a.open(name)
	src := []byte(archiveHead(eol))
	if f.exists {
		src = f.doc.Source
		eol = eolOf(src)
	}
	r.Sep = len(eol)
	if endOf(src) == "" && len(src) > 0 {
		r.Sep *= 2
	}
	text, err := r.render(eol)
	if err != nil {
		return fmt.Errorf("write the record of %s: %w", r.ID, err)
	}
	f.write(append(bytes.Clone(src), text...))
	back := parseRecords(newSource(f.doc.Source))
	if len(back) == 0 || !bytes.Equal(back[len(back)-1].body, r.body) {
		return fmt.Errorf("%w: the archive %s would not give it back", ErrStructure, name)
	}
	return nil
}

// restore brings a fact back from the archive of its format.
func (a *applier) restore(e Edit) error {
	for _, name := range archives(e.Path) {
		f := a.open(name)
		if !f.exists || memoryArchive(name) {
			continue
		}
		for all, n := parseRecords(newSource(f.doc.Source)), 0; n < len(all); n++ {
			if r := all[len(all)-1-n]; r.ID == e.FactID && r.From == e.Path {
				return a.restoreRecord(f, r)
			}
		}
	}
	return a.restorePage(e)
}

// archives are the places where facts of a path may have gone.
func archives(name string) []string {
	var out []string
	seen := map[string]bool{}
	for _, f := range []Format{Playbook, Vault, Instruction} {
		if to := ArchivePath(name, f); !seen[to] {
			seen[to] = true
			out = append(out, to)
		}
	}
	return out
}

// restoreRecord puts the bytes of a record back and takes the record out.
func (a *applier) restoreRecord(from *file, r record) error {
	f := a.open(r.From)
	if f.exists && f.doc.Format != r.Format {
		f.read(f.doc.Source, r.Format)
	}
	if err := f.putBack(r); err != nil {
		return err
	}
	rest := splice(from.doc.Source, r.span, nil)
	if string(rest) == archiveHead(eolOf(rest)) {
		from.remove()
		return nil
	}
	from.write(rest)
	return nil
}

// putBack finds where a fact stood: exactly there where the file is as it was
// left, else beside its old neighbours, else in its section, else at the end.
func (f *file) putBack(r record) error {
	if !f.exists {
		f.doc = Parse(f.path, nil, r.Format)
		return f.commit(Span{0, 0}, r.body, nil)
	}
	if hashOf(string(f.doc.Source)) == r.Rest && r.Offset <= len(f.doc.Source) {
		return f.commit(Span{r.Offset, r.Offset}, r.body, nil)
	}
	var err error
	for _, at := range f.candidates(r) {
		body := f.fitted(r, at)
		if err = f.commit(Span{at, at}, body, holds(r)); err == nil {
			return nil
		}
	}
	return err
}

// holds expects that the fact that left is among what came back.
func holds(r record) wanted {
	return func(_ *Document, before, after []*Fact) error {
		for _, x := range after {
			if len(before) == 0 && x.Kind == r.Kind && x.Claim == r.Claim {
				return nil
			}
		}
		return fmt.Errorf("%w: no place was found where it reads as before", ErrStructure)
	}
}

// candidates are the offsets at which a fact may go back, best first.
func (f *file) candidates(r record) []int {
	s := newSource(f.doc.Source)
	out := s.between(r)
	if prev := f.index(r.Prev); prev >= 0 {
		at := f.doc.layout[prev].extent.End
		if r.Loose {
			at = skipBlank(s, at)
		}
		out = append(out, at)
	}
	if next := f.index(r.Next); next >= 0 {
		out = append(out, f.doc.layout[next].extent.Start)
	}
	if n := len(r.Heading); n > 0 {
		if where, ok := f.section(r.Heading[n-1]); ok {
			at := f.doc.layout[where[1]-1].extent.End
			out = append(out, at, skipBlank(s, at))
		}
	}
	return append(out, len(f.doc.Source))
}

// between finds the places with the lines around them that the record names:
// both sides first, then one.
func (s *source) between(r record) []int {
	var both, one []int
	for n := 1; n <= len(s.start)+1; n++ {
		at := len(s.text)
		if n <= len(s.start) {
			at = s.start[n-1]
		}
		if at > 0 && r.Loose != s.blank(at-1) {
			continue
		}
		above, below := s.above(at) == r.Above, s.below(at) == r.Below
		switch {
		case above && below:
			both = append(both, at)
		case above || below:
			one = append(one, at)
		}
	}
	return append(both, one...)
}

// above names the two lines of text before an offset, below those after it.
func (s *source) above(at int) string {
	var lines []string
	for n := s.line(max(at-1, 0)); n >= 1 && at > 0 && len(lines) < 2; n-- {
		if l := s.nth(n); !s.blank(l.Start) {
			lines = append(lines, s.trimmed(l.Start))
		}
	}
	return hashOf(lines...)
}

func (s *source) below(at int) string {
	var lines []string
	for n := s.line(at); n <= len(s.start) && at < len(s.text) && len(lines) < 2; n++ {
		if l := s.nth(n); l.Start < len(s.text) && !s.blank(l.Start) {
			lines = append(lines, s.trimmed(l.Start))
		}
	}
	return hashOf(lines...)
}

func skipBlank(s *source, at int) int {
	for at < len(s.text) && s.blank(at) {
		at = s.lineEnd(at)
	}
	return at
}

// fitted is the original with the line ends that another place needs.
func (f *file) fitted(r record, at int) []byte {
	src := f.doc.Source
	eol := []byte(eolOf(src))
	body := bytes.Clone(r.body)
	if endOf(body) == "" && at < len(src) {
		body = append(body, eol...)
	}
	if at > 0 && src[at-1] != '\n' {
		body = append(bytes.Clone(eol), body...)
	}
	return body
}
