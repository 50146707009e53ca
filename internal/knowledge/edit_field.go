package knowledge

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// setField gives a field of an entry another value, in the spelling and with
// the quotes it has, or adds it in the way of the format.
func (a *applier) setField(e Edit) error {
	f, i, err := a.find(e.Path, e.FactID)
	if err != nil {
		return err
	}
	if err := oneLine("the value", e.Value); err != nil {
		return err
	}
	value := strings.TrimSpace(e.Value)
	if value == "" || strings.TrimSpace(e.Field) == "" {
		return fmt.Errorf("%w: a field and a value are needed", ErrStructure)
	}
	l := f.doc.layout[i]
	if l.style == styleNone {
		return fmt.Errorf("%w: a %s has no fields", ErrUnsupported, f.doc.Facts[i].Kind)
	}
	if f.doc.Facts[i].Kind == KindField {
		return f.setItem(i, value)
	}
	f.stamping = fieldName(e.Field) == stampField
	defer func() { f.stamping = false }()
	if at, ok := findField(l.fields, e.Field); ok {
		return f.changeField(i, at, value)
	}
	return f.addField(i, e.Field, value)
}

// findField returns a field however it is spelt; one that stands alone before
// one under metadata.
func findField(fields []field, name string) (field, bool) {
	for _, group := range []string{"", "metadata"} {
		for _, f := range fields {
			if f.group == group && fieldName(f.key) == fieldName(name) {
				return f, true
			}
		}
	}
	return field{}, false
}

func (f *file) changeField(i int, at field, value string) error {
	l := f.doc.layout[i]
	if !at.scalar || at.value.Start == at.value.End && at.text != "" {
		return fmt.Errorf("%w: the value of %s takes several lines", ErrUnsupported, at.key)
	}
	span, with := at.value, value
	if l.style != styleVault {
		with = quoteYAML(value, f.doc.Source[span.Start:span.End])
	}
	if span.Start == span.End {
		colon := bytes.TrimRight(f.doc.Source[at.line.Start:at.line.End], " \t\r\n")
		span = Span{at.line.Start + len(colon), at.line.Start + len(colon)}
		with = " " + with
	}
	return f.commit(span, []byte(with), f.hasField(i, at.key, value))
}

// setItem changes the value that a front-matter fact is.
func (f *file) setItem(i int, value string) error {
	fact := &f.doc.Facts[i]
	old := f.doc.Source[fact.Span.Start:fact.Span.End]
	if bytes.ContainsAny(old, "\n") {
		return fmt.Errorf("%w: the value of %s takes several lines", ErrUnsupported, fact.Title)
	}
	with := quoteYAML(value, old)
	if looseValue(old) {
		with = value
	}
	return f.commit(fact.Span, []byte(with), func(doc *Document, before, after []*Fact) error {
		if err := same(doc, before, after); err != nil {
			return err
		}
		return reads(after, KindField, []string{value})
	})
}

// looseValue reports whether a value stands without the quotes that YAML
// would want: the tool that reads it takes it as it is.
func looseValue(old []byte) bool {
	return len(old) > 0 && bytes.IndexByte([]byte("*!{&%@"), old[0]) >= 0
}

// addField adds a line for a field that is not there.
func (f *file) addField(i int, name, value string) error {
	l := f.doc.layout[i]
	s := newSource(f.doc.Source)
	switch l.style {
	case styleVault:
		return f.addVaultField(s, i, name, value)
	case styleYAML:
		return f.addYAMLField(s, i, name, value)
	}
	fm := splitFrontMatter(s, func(string, int, string) {})
	if !fm.present {
		return fmt.Errorf("%w: the page has no front matter", ErrUnsupported)
	}
	line := canonical(name) + ": " + quoteYAML(value, nil) + s.eol(max(fm.inner.Start-1, 0))
	return f.insert(i, fm.inner.End, line, name, value)
}

func (f *file) addVaultField(s *source, i int, name, value string) error {
	l := f.doc.layout[i]
	firstLine := l.fields[0].line
	prefix := s.of(firstLine)[:bytes.Index(s.of(firstLine), []byte("**"))]
	eol := s.eol(firstLine.Start)
	line := string(prefix) + "**" + vaultName(name) + "**: " + value + eol
	at := l.extent.End
	if at > 0 && s.text[at-1] != '\n' {
		line = eol + strings.TrimSuffix(line, eol)
	}
	return f.insert(i, at, line, name, value)
}

// addYAMLField adds a key before the last one, whose value may take several
// lines; after the only one.
func (f *file) addYAMLField(s *source, i int, name, value string) error {
	l := f.doc.layout[i]
	var top []field
	for _, x := range l.fields {
		if x.group == "" {
			top = append(top, x)
		}
	}
	last := top[len(top)-1]
	line := s.of(last.line)
	indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
	at := last.line.Start
	if len(top) == 1 || last.line == top[0].line {
		if last.value.Start == last.value.End || len(top) > 1 {
			return fmt.Errorf("%w: no place for another key was found", ErrUnsupported)
		}
		at = last.line.End
		indent = bytes.Repeat([]byte(" "), bytes.Index(line, []byte(last.key)))
	}
	text := string(indent) + canonical(name) + ": " + quoteYAML(value, nil) + s.eol(last.line.Start)
	if at == len(s.text) && at > 0 && s.text[at-1] != '\n' {
		text = s.eol(last.line.Start) + strings.TrimRight(text, "\r\n")
	}
	return f.insert(i, at, text, name, value)
}

// insert adds a line inside or right after an entry. The check looks at the
// entry as a whole, because its bytes grow.
func (f *file) insert(i, at int, line, name, value string) error {
	start := min(f.doc.Facts[i].Span.Start, at)
	with := append(bytes.Clone(f.doc.Source[start:at]), line...)
	return f.commit(Span{start, at}, with, f.hasField(i, name, value))
}

// hasField expects the same facts as before, and that the entry now reads with
// the value. A page may gain the fact that is the field.
func (f *file) hasField(i int, name, value string) wanted {
	page := f.doc.isPage(i)
	return func(doc *Document, before, after []*Fact) error {
		entries := func(all []*Fact) []*Fact {
			return slices.DeleteFunc(slices.Clone(all), func(x *Fact) bool { return x.Kind == KindField })
		}
		if err := same(doc, entries(before), entries(after)); err != nil {
			return err
		}
		for j := range doc.Facts {
			x := &doc.Facts[j]
			if page && !doc.isPage(j) || !page && !slices.Contains(after, x) {
				continue
			}
			if got, ok := findField(doc.layout[j].fields, name); ok && got.text == value && !unreadable(x.Life, name) {
				return nil
			}
		}
		return fmt.Errorf("%w: %s does not read as %q", ErrStructure, name, value)
	}
}

func unreadable(l Lifecycle, name string) bool {
	return slices.ContainsFunc(l.Unreadable, func(key string) bool { return fieldName(key) == fieldName(name) })
}

// canonical is the spelling of a field that is added to YAML.
func canonical(name string) string {
	if _, ok := aliases[strings.ReplaceAll(fieldName(name), "_", "")]; ok {
		return fieldName(name)
	}
	return name
}

var vaultNames = map[string]string{
	"created": "First Seen", "verified": "Last Verified", "ttl": "TTL", "retire_when": "Retire When", "superseded_by": "Superseded By",
	"anchor_files": "Anchor Files", "anchor_symbols": "Anchor Symbols", "renewed": "Renewed", "expires": "Expires", "supersedes": "Supersedes",
	"status": "Status", "archived": "Archived",
}

// vaultName is the spelling of a field that is added to a vault entry.
func vaultName(name string) string { return nonempty(vaultNames[fieldName(name)], name) }
