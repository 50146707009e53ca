package knowledge

import "bytes"

// Field is one key of an entry or of front matter, as it is written.
type Field struct {
	Key   string   // as it is spelt
	Name  string   // however it is spelt: tags, ttl, created, ...
	Group string   // the key it is nested under (metadata), "" at the top
	Text  string   // the scalar value, "" for a list
	Items []string // the values of a list, or the scalar alone
	Line  int      // 1-based
}

// FrontMatter returns the fields of a page's front matter, in their order.
func (d *Document) FrontMatter() []Field { return d.written(d.front, 0, 1) }

// Fields returns the fields of a fact that is an entry, in their order.
func (d *Document) Fields(f *Fact) []Field {
	if i := d.index(f.ID); i >= 0 {
		return d.written(d.layout[i].fields, f.Span.Start, f.Line)
	}
	return nil
}

// written shows fields; line is the one on which the text from start begins.
func (d *Document) written(fields []field, start, line int) []Field {
	out := make([]Field, 0, len(fields))
	for _, f := range fields {
		w := Field{Key: f.key, Name: fieldName(f.key), Group: f.group, Line: line}
		if at := f.line.Start; at > start {
			w.Line += bytes.Count(d.Source[start:at], []byte{'\n'})
		}
		if f.scalar {
			w.Text = f.text
		}
		for _, it := range f.items {
			w.Items = append(w.Items, it.text)
		}
		out = append(out, w)
	}
	return out
}

// Linked returns the files of its own directory that a line of an index points
// at, by their base names: as a link, as [[name]], or as the first cell of a
// table.
func Linked(line string) []string { return linked(line) }

// SameName reports whether two names of memories mean the same file: - and _
// are one, and so are upper and lower case.
func SameName(a, b string) bool { return sameFile(a, b) }
