package knowledge

import (
	"bytes"
	"path"
	"sort"
	"strings"
	"unicode/utf8"
)

// layout is what an edit must know of a fact and a reader need not: where its
// text stands line by line, which lines go when it is archived, and where its
// fields are.
type layout struct {
	extent Span   // whole lines, nested items included
	pieces []Span // the text without markers, one span a source line
	fields []field
	style  entryStyle
	own    int // bytes before the text that are the fact's own counters
}

// entryStyle says how the fields of an entry are written.
type entryStyle int

const (
	styleNone        entryStyle = iota
	styleFrontMatter            // key: value between --- lines
	styleVault                  // - **Key**: value
	styleYAML                   // key: value in a YAML block
)

// parser collects the facts of one document.
type parser struct {
	doc    *Document
	src    *source
	fm     frontMatter
	facts  []Fact
	layout []layout
	plain  []string // the normalized text of each fact
}

// Parse reads one knowledge file. It never fails: what cannot be read is a
// fault, and the rest is read. The source is neither copied nor changed.
func Parse(name string, src []byte, f Format) *Document {
	p := &parser{doc: &Document{Path: name, Format: f, Source: src}, src: newSource(src)}
	p.doc.Startup, p.doc.Event = startup(name, f), eventPath(name)
	if at := bytes.IndexByte(src, 0); at >= 0 {
		p.fault("encoding/binary", p.src.line(at), "the file holds a NUL byte and is not read as text: save it as UTF-8")
		return p.doc
	}
	if !utf8.Valid(src) {
		p.fault("encoding/utf8", p.src.line(invalidAt(src)), "the text is not valid UTF-8: save it as UTF-8")
	}
	p.read()
	p.finish()
	return p.doc
}

func (p *parser) read() {
	// Most lines are facts, and facts are large: growing step by step would
	// copy them several times.
	guess := len(p.src.start)*2/3 + 4
	p.facts, p.layout, p.plain = make([]Fact, 0, guess), make([]layout, 0, guess), make([]string, 0, guess)
	if ext := path.Ext(p.doc.Path); ext == ".yaml" || ext == ".yml" {
		p.yamlFile()
		return
	}
	if p.doc.Format == Store {
		p.storeFile()
		return
	}
	p.fm = splitFrontMatter(p.src, p.fault)
	p.page()
	switch p.doc.Format {
	case Archive:
		p.records()
	default:
		p.markdown()
	}
}

// fault records something wrong with how the file is written. Parsers may
// name the line after the last one.
func (p *parser) fault(rule string, line int, text string) {
	line = max(1, min(line, len(p.src.start)))
	p.doc.Faults = append(p.doc.Faults, Fault{Rule: rule, Line: line, Text: text})
}

// add records one fact. Its span and lines follow from the layout, unless the
// fact brings its own.
func (p *parser) add(f Fact, l layout) {
	f.File = p.doc.Path
	f.Text, f.Title, f.Parent, f.Type = valid(f.Text), valid(f.Title), valid(f.Parent), valid(f.Type)
	plain := normal(f.Text)
	if f.Title == "" {
		f.Title = shorten(plain)
	}
	f.Line, f.EndLine = p.src.line(f.Span.Start), p.src.line(max(f.Span.Start, f.Span.End-1))
	f.Event = f.Event || p.doc.Event
	if f.Claim == "" {
		f.Claim = hashOf(plain)
	}
	p.facts, p.layout, p.plain = append(p.facts, f), append(p.layout, l), append(p.plain, plain)
}

// finish orders the facts and gives each the id that it keeps while the text
// around it changes.
func (p *parser) finish() {
	if order := (byPlace{p}); !sort.IsSorted(order) {
		sort.Stable(order)
	}
	names := ids{taken: make(map[string]bool, len(p.facts)), twins: make(map[string]int, len(p.facts))}
	for i := range p.facts {
		if f := &p.facts[i]; f.ID != "" && names.taken[f.ID] {
			p.fault("fact/duplicate-id", f.Line, "the id "+f.ID+" stands above already: give this entry its own")
			f.ID = ""
		} else if f.ID != "" {
			names.taken[f.ID] = true
		}
	}
	for i := range p.facts {
		if f := &p.facts[i]; f.ID == "" {
			f.ID = names.fresh(f, p.plain[i])
		}
	}
	p.doc.Facts, p.doc.layout, p.doc.front = p.facts, p.layout, p.fm.fields
}

type byPlace struct{ *parser }

func (b byPlace) Len() int           { return len(b.facts) }
func (b byPlace) Less(i, j int) bool { return b.facts[i].Span.Start < b.facts[j].Span.Start }
func (b byPlace) Swap(i, j int) {
	b.facts[i], b.facts[j] = b.facts[j], b.facts[i]
	b.layout[i], b.layout[j] = b.layout[j], b.layout[i]
	b.plain[i], b.plain[j] = b.plain[j], b.plain[i]
}

// Fact returns the fact with an id.
func (d *Document) Fact(id string) (*Fact, bool) {
	i := d.index(id)
	if i < 0 {
		return nil, false
	}
	return &d.Facts[i], true
}

// Page returns the fact that is the whole page, nil where there is none.
func (d *Document) Page() *Fact {
	for i := range d.Facts {
		if d.isPage(i) {
			return &d.Facts[i]
		}
	}
	return nil
}

// Field returns a lifecycle field as it is written in the entry, however it is
// spelt there; ok is false where the entry has no such field.
func (d *Document) Field(f *Fact, name string) (value string, ok bool) {
	i := d.index(f.ID)
	if i < 0 || f.Kind == KindField {
		return "", false
	}
	x, ok := findField(d.layout[i].fields, name)
	return x.text, ok
}

// HasFields reports whether a fact can have fields at all: a bullet has none.
func (d *Document) HasFields(f *Fact) bool {
	i := d.index(f.ID)
	return i >= 0 && f.Kind == KindEntry && d.layout[i].style != styleNone
}

func (d *Document) index(id string) int {
	for i := range d.Facts {
		if d.Facts[i].ID == id {
			return i
		}
	}
	return -1
}

// Locate returns the 1-based line on which text first stands inside the span
// of a fact; the first line of the fact where it does not stand on one line.
func (d *Document) Locate(f *Fact, text string) int {
	if f.Span.Start < 0 || f.Span.End > len(d.Source) || f.Span.Start > f.Span.End {
		return f.Line
	}
	inside := d.Source[f.Span.Start:f.Span.End]
	at := bytes.Index(inside, []byte(text))
	if at < 0 || text == "" {
		return f.Line
	}
	return f.Line + bytes.Count(inside[:at], []byte{'\n'})
}

// valid replaces what is not UTF-8, as text that is shown or hashed must be.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

func invalidAt(b []byte) int {
	for at := 0; at < len(b); {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n <= 1 {
			return at
		}
		at += n
	}
	return 0
}
