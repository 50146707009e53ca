package knowledge

import "strings"

// Names finds facts by what others call them, see [Fact.Called]. A store may
// hold thousands that name one another, so that asking each of each would never
// end.
type Names struct {
	byID   map[string][]*Fact // in lower case
	byFile map[string][]*Fact
	pages  []*Fact
}

// NewNames indexes the facts of documents.
func NewNames(docs []*Document) *Names {
	n := &Names{byID: map[string][]*Fact{}, byFile: map[string][]*Fact{}}
	for _, d := range docs {
		for i := range d.Facts {
			f := &d.Facts[i]
			id := strings.ToLower(f.ID)
			n.byID[id] = append(n.byID[id], f)
			n.byFile[f.File] = append(n.byFile[f.File], f)
			if f.Kind == KindEntry && f.Line == 1 {
				n.pages = append(n.pages, f)
			}
		}
	}
	return n
}

// Only returns the one fact that a name in the file from means, nil where it
// means none or several.
func (n *Names) Only(name, from string) *Fact {
	name = bareName(name)
	if name == "" {
		return nil
	}
	var found *Fact
	for _, some := range [][]*Fact{n.byID[strings.ToLower(name)], n.byFile[name], n.pages} {
		for _, f := range some {
			switch {
			case f == found || !f.Called(name, from):
			case found != nil:
				return nil
			default:
				found = f
			}
		}
	}
	return found
}

// bareName is a name without what it may be written in.
func bareName(name string) string { return strings.Trim(strings.TrimSpace(name), "[]`") }
