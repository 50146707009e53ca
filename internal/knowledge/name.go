package knowledge

import (
	"path"
	"strings"
)

// Facts name each other: by their own id, a page by its file, any other by the
// hash that names it here.

// Name is how an entry of another file would name f.
func (f *Fact) Name(from string) string {
	switch {
	case validID(f.ID) != "":
		return f.ID
	case f.Kind == KindEntry && f.Line == 1 && path.Dir(from) == path.Dir(f.File) && path.Ext(f.File) == ".md":
		return stem(f.File)
	case f.Kind == KindEntry && f.Line == 1:
		return f.File
	}
	return f.ID
}

// Called reports whether a name that stands in the file from means f, however
// it is written: with or without .md, as a wiki link, with - for _.
func (f *Fact) Called(name, from string) bool {
	name = bareName(name)
	if name == "" {
		return false
	}
	if strings.EqualFold(name, f.ID) || name == f.File {
		return true
	}
	if f.Kind != KindEntry || f.Line != 1 {
		return false
	}
	full := path.Join(path.Dir(from), name)
	return full == f.File || path.Dir(full) == path.Dir(f.File) && sameFile(strings.TrimSuffix(path.Base(full), ".md"), stem(f.File))
}
