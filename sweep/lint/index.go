package lint

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/pair"
)

// What a session loads of MEMORY.md. The rest is cut off without a word.
const (
	indexLines = 200
	indexBytes = 25 << 10
)

// indexes checks the indexes of memories and of wiki pages against what stands
// beside them.
func (c *checker) indexes() {
	beside := map[string][]*knowledge.Document{}
	for _, d := range c.Docs {
		beside[path.Dir(d.Path)] = append(beside[path.Dir(d.Path)], d)
	}
	for _, d := range c.Docs {
		switch {
		case d.Format == knowledge.MemoryIndex:
			c.long(d)
			c.index(d, beside[path.Dir(d.Path)], knowledge.Memory)
		case d.Format == knowledge.Wiki && strings.EqualFold(path.Base(d.Path), "index.md") && !pair.Generated(d):
			c.index(d, beside[path.Dir(d.Path)], knowledge.Wiki)
		}
	}
}

// long measures what is loaded at the start of every session.
func (c *checker) long(d *knowledge.Document) {
	lines := bytes.Count(bytes.TrimRight(d.Source, "\r\n"), []byte{'\n'}) + 1
	switch {
	case lines > indexLines:
		c.line("index/long", d, indexLines+1, "lines", fmt.Sprintf("It has %d lines, and %d are loaded: what stands from here on is not seen.", lines, indexLines))
	case len(d.Source) > indexBytes:
		at := bytes.Count(d.Source[:indexBytes], []byte{'\n'}) + 1
		c.line("index/long", d, at, "bytes", fmt.Sprintf("It has %d KB, and %d are loaded: what stands from here on is not seen.", len(d.Source)>>10, indexBytes>>10))
	}
}

// listing is what an index says: each file, with the facts that name it.
type listing struct {
	index *knowledge.Document
	names []string // in their order
	by    map[string][]*knowledge.Fact
}

// listed reads the lines of an index.
func listed(d *knowledge.Document) listing {
	l := listing{index: d, by: map[string][]*knowledge.Fact{}}
	for i := range d.Facts {
		f := &d.Facts[i]
		if f.Kind == knowledge.KindHeading || f.Kind == knowledge.KindCode || f.Kind == knowledge.KindField || f.Kind == knowledge.KindEntry {
			continue
		}
		for _, name := range knowledge.Linked(f.Text) {
			if key := flat(name); !slices.Contains(l.by[key], f) {
				l.by[key] = append(l.by[key], f)
				l.names = append(l.names, name)
			}
		}
	}
	return l
}

// flat is a file name as indexes compare it.
func flat(name string) string { return strings.ToLower(strings.ReplaceAll(name, "-", "_")) }

// index compares a listing with the files of its folder. An index that lists
// few of them is a page about some, and none is missing from it.
func (c *checker) index(d *knowledge.Document, beside []*knowledge.Document, format knowledge.Format) {
	l := listed(d)
	files := pages(d, beside, format)
	known := 0
	for _, f := range files {
		if l.by[flat(path.Base(f.Path))] != nil {
			known++
		}
	}
	if format == knowledge.Memory {
		c.lines(l)
	}
	if known == 0 || format != knowledge.Memory && 3*known < 2*len(files) {
		return
	}
	text := flat(string(d.Source))
	left := room{indexLines - bytes.Count(d.Source, []byte{'\n'}) - 1, indexBytes - len(d.Source)}
	for _, f := range files {
		stem := strings.TrimSuffix(flat(path.Base(f.Path)), ".md")
		if l.by[flat(path.Base(f.Path))] == nil && !strings.Contains(text, stem) {
			c.missing(d, f, &left)
		}
	}
}

// room is what an index can take before its end is cut off.
type room struct{ lines, bytes int }

// take reports whether a line fits, and takes its room.
func (r *room) take(line string) bool {
	r.lines, r.bytes = r.lines-1, r.bytes-len(line)-4
	return r.lines >= 0 && r.bytes >= 0
}

// pages are the files that an index should list.
func pages(index *knowledge.Document, beside []*knowledge.Document, format knowledge.Format) []*knowledge.Document {
	var out []*knowledge.Document
	for _, d := range beside {
		base := strings.ToLower(path.Base(d.Path))
		if d != index && d.Format == format && base != "readme.md" && base != "log.md" && base != "index.md" {
			out = append(out, d)
		}
	}
	return out
}

// lines checks what an index of memories points at.
func (c *checker) lines(l listing) {
	seen := map[string]bool{}
	for _, name := range l.names {
		key := flat(name)
		if seen[key] {
			continue
		}
		seen[key] = true
		f := l.by[key][0]
		if !c.beside(l.index, name) {
			c.deadLine(l.index, f, name)
		} else if n := len(l.by[key]); n > 1 && f.Kind == knowledge.KindIndex && starts(l.by[key][1], name) && starts(f, name) {
			c.fact("index/twice", l.index, l.by[key][1], key, fmt.Sprintf("%s is listed on line %d already.", name, f.Line))
		}
	}
}

var leadLink = regexp.MustCompile(`^[^\pL\pN\[]*\[[^\]]*\]\(<?([^)>\s]+)`)

// starts reports whether a line of an index begins with the link to a file, and
// does not name it in passing.
func starts(f *knowledge.Fact, name string) bool {
	m := leadLink.FindStringSubmatch(f.Text)
	return m != nil && flat(path.Base(m[1])) == flat(name)
}

// beside reports whether a file stands in the folder of an index, by any
// spelling.
func (c *checker) beside(d *knowledge.Document, name string) bool {
	if p, ok := resolve(d.Path, name); ok && c.Exists(p) {
		return true
	}
	for _, base := range []string{name, strings.ReplaceAll(name, "-", "_"), strings.ReplaceAll(name, "_", "-"), strings.ToLower(name)} {
		if p, ok := resolve(d.Path, base); ok && c.Exists(p) {
			return true
		}
	}
	dir := path.Dir(d.Path)
	for _, o := range c.Docs {
		if path.Dir(o.Path) == dir && knowledge.SameName(path.Base(o.Path), name) {
			return true
		}
	}
	return false
}

func (c *checker) deadLine(d *knowledge.Document, f *knowledge.Fact, name string) {
	reason := fmt.Sprintf("The index points at %s, which is not there.", name)
	archived, ok := resolve(d.Path, path.Join("archive", name))
	switch {
	case ok && c.Exists(archived):
		reason = fmt.Sprintf("The index points at %s, which was archived to archive/.", name)
	case strings.Contains(f.Text, "[["+strings.TrimSuffix(name, ".md")) && !strings.Contains(f.Text, "]("+name):
		c.fact("link/page", d, f, name, fmt.Sprintf("[[%s]] names a page that is not there.", strings.TrimSuffix(name, ".md")))
		return
	}
	out := c.fact("index/dead", d, f, name, reason)
	out.Anchor = &knowledge.Anchor{Kind: knowledge.AnchorLink, Text: name, Declared: true}
}

// missing names a file that its index does not list; the line that would is
// offered where the index is written in bullets and has room for it.
func (c *checker) missing(index, d *knowledge.Document, left *room) {
	name := path.Base(d.Path)
	out := c.line("index/missing", d, 1, index.Path, fmt.Sprintf("%s does not list it.", index.Path))
	line := indexLine(name, d)
	if index.Format == knowledge.MemoryIndex && !left.take(line) {
		out.Reason = fmt.Sprintf("%s does not list it, and has no room for one more line.", index.Path)
		return
	}
	if !bulleted(index) || c.Route == nil {
		return
	}
	route := c.Route(index.Path)
	edit := &knowledge.Edit{Op: knowledge.OpAdd, Path: index.Path, Text: line, Reason: "list " + name, Date: c.Now}
	out.Action = &knowledge.Action{Type: knowledge.ActionEdit, Route: route, Edit: edit}
}

// bulleted reports whether the lines of an index are bullets of one section:
// only then is it plain where one more goes.
func bulleted(d *knowledge.Document) bool {
	n := 0
	for i := range d.Facts {
		if f := &d.Facts[i]; f.Kind == knowledge.KindIndex {
			if !bytes.HasPrefix(bytes.TrimLeft(d.Source[f.Span.Start:f.Span.End], " "), []byte("- ")) && !bytes.HasPrefix(d.Source[f.Span.Start:f.Span.End], []byte("* ")) {
				return false
			}
			n++
		}
	}
	return n > 0
}

// indexLine is the line of an index for a memory.
func indexLine(name string, d *knowledge.Document) string {
	title, about := strings.TrimSuffix(name, path.Ext(name)), ""
	for i := range d.Facts {
		if f := &d.Facts[i]; f.Kind == knowledge.KindEntry && f.Span.Start == 0 {
			title, about = f.Title, strings.Join(strings.Fields(f.Text), " ")
			break
		}
	}
	title = strings.NewReplacer("[", "(", "]", ")", "|", "/").Replace(title)
	line := "[" + title + "](" + name + ")"
	if about != "" && about != title {
		line += " — " + cut(about, 120)
	}
	return line
}

// cut shortens a text to at most n runes, at the end of a word.
func cut(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	short := string(r[:n])
	if i := strings.LastIndexByte(short, ' '); i > n/2 {
		short = short[:i]
	}
	return strings.TrimRight(short, " ,;:.") + "…"
}
