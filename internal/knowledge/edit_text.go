package knowledge

import (
	"bytes"
	"fmt"
	"strings"
)

// replace gives a fact another text; its markers and indentation stay.
func (a *applier) replace(e Edit) error {
	f, i, err := a.find(e.Path, e.FactID)
	if err != nil {
		return err
	}
	fact, l := &f.doc.Facts[i], f.doc.layout[i]
	switch {
	case fact.Kind == KindField, fact.Kind == KindEntry && l.style == styleFrontMatter:
		name := "description"
		if fact.Kind == KindField {
			name = fact.Title
		}
		return a.setField(Edit{Op: e.Op, Path: e.Path, FactID: e.FactID, Field: name, Value: e.Text})
	case len(l.pieces) == 0:
		return fmt.Errorf("%w: set a field of this %s instead", ErrUnsupported, fact.Kind)
	}
	return f.setText(i, e.Text)
}

// setText splices the lines of a text in place of those of a fact.
func (f *file) setText(i int, text string) error {
	lines, err := textLines(text)
	if err != nil {
		return err
	}
	fact, l := &f.doc.Facts[i], f.doc.layout[i]
	if len(lines) > 1 && fact.Kind != KindBullet && fact.Kind != KindParagraph && fact.Kind != KindIndex {
		return fmt.Errorf("%w: a %s has one line", ErrStructure, fact.Kind)
	}
	s := newSource(f.doc.Source)
	at := Span{l.pieces[0].Start, l.pieces[len(l.pieces)-1].End}
	sep := s.eol(at.Start) + string(continuation(s, fact, l))
	return f.commit(at, []byte(strings.Join(lines, sep)), func(doc *Document, before, after []*Fact) error {
		if err := same(doc, before, after); err != nil {
			return err
		}
		return reads(after, fact.Kind, lines)
	})
}

// reads expects one fact of a kind that says what was meant.
func reads(after []*Fact, k Kind, lines []string) error {
	want := normal(strings.Join(lines, "\n"))
	for _, f := range after {
		if f.Kind == k && normal(f.Text) == want {
			return nil
		}
	}
	return fmt.Errorf("%w: %q does not read as one %s", ErrStructure, title(want), k)
}

// textLines splits a text into trimmed lines.
func textLines(text string) ([]string, error) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if text == "" {
		return nil, fmt.Errorf("%w: the text is empty", ErrStructure)
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if err := oneLine("a line of the text", l); err != nil {
			return nil, err
		}
		if lines[i] = strings.TrimSpace(l); lines[i] == "" {
			return nil, fmt.Errorf("%w: the text holds a blank line", ErrStructure)
		}
	}
	return lines, nil
}

// continuation is what stands before the second line of a fact: as the fact
// has it, or its first prefix with the marker blanked out.
func continuation(s *source, f *Fact, l layout) []byte {
	if len(l.pieces) > 1 {
		return s.text[s.lineStart(l.pieces[1].Start):l.pieces[1].Start]
	}
	first := l.pieces[0].Start
	prefix := bytes.Clone(s.text[s.lineStart(first):first])
	if f.Kind == KindBullet || f.Kind == KindIndex {
		prefix = prefix[:len(prefix)-boxLen(prefix)]
	}
	for i, b := range prefix {
		if b != '>' && b != '\t' {
			prefix[i] = ' '
		}
	}
	return prefix
}

// boxLen is the length of the task box that a prefix ends with.
func boxLen(prefix []byte) int {
	if i := bytes.LastIndexByte(prefix, '['); i >= 0 && taskBox.Match(prefix[i:]) {
		return len(prefix) - i
	}
	return 0
}

// merge replaces one fact and archives those that it now covers.
func (a *applier) merge(e Edit) error {
	for _, id := range e.Merge {
		if id == e.FactID {
			return fmt.Errorf("a fact cannot be merged into itself (%q)", id)
		}
	}
	if err := a.replace(e); err != nil {
		return err
	}
	for _, id := range e.Merge {
		reason := nonempty(e.Reason, "merged into "+e.FactID)
		if err := a.archive(Edit{Op: OpArchive, Path: e.Path, FactID: id, Reason: reason, Date: e.Date}); err != nil {
			return fmt.Errorf("archive merged %s: %w", id, err)
		}
	}
	return nil
}

// rewrite changes every occurrence of one spelling inside a fact.
func (a *applier) rewrite(e Edit) error {
	f, i, err := a.find(e.Path, e.FactID)
	if err != nil {
		return err
	}
	if err := oneLine("the new text", e.New); err != nil {
		return err
	}
	span := f.doc.Facts[i].Span
	if f.doc.Facts[i].Kind == KindRow && strings.Contains(e.New, "|") {
		return fmt.Errorf("%w: a | in a table row begins another cell", ErrStructure)
	}
	hits := occurrences(f.doc.Source[span.Start:span.End], e.Old)
	if len(hits) == 0 || e.Old == e.New {
		return fmt.Errorf("%w: %q does not stand there on its own", ErrNoFact, e.Old)
	}
	at := Span{span.Start + hits[0], span.Start + hits[len(hits)-1] + len(e.Old)}
	var out bytes.Buffer
	from := at.Start
	for _, h := range hits {
		out.Write(f.doc.Source[from : span.Start+h])
		out.WriteString(e.New)
		from = span.Start + h + len(e.Old)
	}
	return f.commit(at, out.Bytes(), same)
}

// occurrences finds where old stands as a whole path or name: not as part of
// a longer one.
func occurrences(text []byte, old string) (at []int) {
	if old == "" {
		return nil
	}
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(old))
		if i < 0 {
			return at
		}
		i += from
		from = i + len(old)
		if boundary(text, i, i+len(old)) {
			at = append(at, i)
		} else {
			from = i + 1
		}
	}
}

// boundary reports whether text[i:j] is not the middle of a longer path. A
// name that ends in a slash is a prefix of the paths below it.
func boundary(text []byte, i, j int) bool {
	if i > 0 && nameByte(text[i]) && (nameByte(text[i-1]) || text[i-1] == '/' || text[i-1] == '.') {
		return false
	}
	if j >= len(text) || text[j-1] == '/' {
		return true
	}
	if text[j] == '.' {
		return j+1 >= len(text) || !nameByte(text[j+1])
	}
	return !(nameByte(text[j]) && nameByte(text[j-1])) && text[j] != '/'
}

func nameByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-' || b >= 0x80
}
