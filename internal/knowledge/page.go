package knowledge

import (
	"path"
	"regexp"
	"strings"
)

// pathFields are front-matter fields that hold paths or globs, or describe the
// page; each value of theirs is a fact of its own.
var pathFields = map[string]bool{
	"paths": true, "globs": true, "applyto": true, "trigger": true, "files": true, "description": true,
}

// page adds what the front matter says: the entry of a memory or of a page
// with a lifecycle, and the fields that name paths.
func (p *parser) page() {
	if p.doc.Format == Memory || p.doc.Format == Archive && memoryArchive(p.doc.Path) {
		p.memory()
		return
	}
	if hasLife(p.fm.fields) {
		name := nonempty(p.value("title"), p.value("name"), stem(p.doc.Path))
		p.entry(p.value("id"), name, nonempty(p.value("description"), name))
	}
	for _, f := range p.fm.fields {
		if pathFields[fieldName(f.key)] && (f.group == "" || f.group == "drift") {
			p.fields(f)
		}
		if fieldName(f.key) == "alwaysapply" && f.text == "true" {
			p.doc.Startup = true
		}
	}
}

// memory adds the entry of a memory file. Its id is that of its path, so that
// an archived memory keeps the one it had.
func (p *parser) memory() {
	p.doc.kind = nonempty(p.nested("metadata", "type"), p.value("type"))
	p.entry(p.value("id"), nonempty(p.value("name"), stem(p.doc.Path)), nonempty(p.value("description"), p.lead()))
	e := &p.facts[len(p.facts)-1]
	e.Claim = hashOf(normal(e.Text), normal(string(p.src.text[p.fm.end:])))
	if e.ID == "" {
		e.ID = hashOf(home(p.doc.Path), "", "")
	}
	if !p.fm.present && p.doc.Format == Memory {
		p.fault("memory/front-matter", 1, "a memory begins with front matter (name, description, type): it is read as text")
	}
}

// entry adds the fact that is the whole page.
func (p *parser) entry(id, name, text string) {
	all := Span{0, len(p.src.text)}
	p.add(Fact{ID: validID(id), Kind: KindEntry, Title: title(name), Text: text, Span: all, Type: p.doc.kind, Life: life(p.fm.fields)},
		layout{extent: all, fields: p.fm.fields, style: styleFrontMatter})
}

// fields adds a fact for each value of a field.
func (p *parser) fields(f field) {
	for _, it := range f.items {
		if strings.TrimSpace(it.text) == "" {
			continue
		}
		span := it.span
		if span.Start == span.End { // a block of several lines
			span = trim(p.src.text, Span{f.line.Start, p.blockEnd(f.line)})
		}
		l := layout{extent: p.src.wholeLines(span), fields: []field{f}, style: styleFrontMatter}
		p.add(Fact{Kind: KindField, Title: f.key, Text: it.text, Span: span, Type: p.doc.kind}, l)
	}
}

// blockEnd returns where the indented lines below a key end.
func (p *parser) blockEnd(key Span) int {
	end := key.End
	for end < p.fm.inner.End && (space(p.src.text[end])) {
		end = p.src.lineEnd(end)
	}
	return end
}

func (s *source) wholeLines(at Span) Span {
	return Span{s.lineStart(at.Start), s.lineEnd(max(at.Start, at.End-1))}
}

// lead returns the first paragraph of a page on one line.
func (p *parser) lead() string {
	for _, par := range strings.Split(strings.ReplaceAll(string(p.src.text[p.fm.end:]), "\r\n", "\n"), "\n\n") {
		if t := normal(par); t != "" && !strings.HasPrefix(t, "#") {
			return t
		}
	}
	return ""
}

func (p *parser) value(key string) string { return p.nested("", key) }

func (p *parser) nested(group, key string) string {
	for _, f := range p.fm.fields {
		if f.group == group && fieldName(f.key) == fieldName(key) && f.scalar {
			return strings.TrimSpace(f.text)
		}
	}
	return ""
}

// hasLife reports whether any field is one of a fact's life.
func hasLife(fields []field) bool {
	for _, f := range fields {
		if _, known := aliases[strings.ReplaceAll(fieldName(f.key), "_", "")]; known && (f.group == "" || f.group == "metadata") {
			return true
		}
	}
	return false
}

var (
	mdLink   = regexp.MustCompile(`\]\(<?([^)\s>#]+\.md)(?:#[^)\s]*)?>?\)`)
	wikiLink = regexp.MustCompile(`\[\[([^\]|#\n]+)(?:[#|][^\]\n]*)?\]\]`)
	fileSpan = regexp.MustCompile("^\\|?\\s*`?([\\w.-]+\\.md)`?\\s*\\|")
)

// linked returns the files of its own directory that a line of an index
// points at, by their base name.
func linked(text string) []string {
	var out []string
	for _, m := range mdLink.FindAllStringSubmatch(text, -1) {
		if t := strings.TrimPrefix(m[1], "./"); !strings.Contains(t, "/") {
			out = append(out, t)
		}
	}
	for _, m := range wikiLink.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(m[1], "/") {
			out = append(out, strings.TrimSuffix(strings.TrimSpace(m[1]), ".md")+".md")
		}
	}
	if m := fileSpan.FindStringSubmatch(text); m != nil {
		out = append(out, m[1])
	}
	return out
}

// sameFile compares two names of memories: - and _ are one.
func sameFile(a, b string) bool {
	flat := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "-", "_")) }
	return flat(a) == flat(b)
}

// memoryArchive reports whether a file is an archived memory: it stands in the
// archive of a directory of memories.
func memoryArchive(name string) bool {
	if path.Base(path.Dir(name)) != archiveDir {
		return false
	}
	f, _, ok := byPath.Classify(home(name))
	return ok && f == Memory
}

func stem(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

func nonempty(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
