package knowledge

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// maxIndex is how much of MEMORY.md agents load.
const (
	maxIndexLines = 200
	maxIndexBytes = 25 << 10
)

// Indexing is what a tree's indexes need to be true.
type Indexing struct {
	Edits []Edit
	Notes []string // why an index is left as it is
}

// IsIndex reports whether a file lists others: MEMORY.md, the INDEX.md of a
// wiki, VAULT_INDEX.json.
func IsIndex(name string) bool {
	switch base := path.Base(name); {
	case base == indexName, base == vaultIndexName:
		return true
	case strings.EqualFold(base, "INDEX.md"):
		f, _, ok := byPath.Classify(name)
		return ok && f == Wiki
	}
	return false
}

// Index says which edits make the index at a path true of the files of the
// tree. Files are listed where most of them are listed already: an index that
// was never meant to be whole is left to its owner.
func Index(read ReadFunc, index string, files []string) Indexing {
	src, ok := read(index)
	if !ok {
		return Indexing{}
	}
	if path.Base(index) == vaultIndexName {
		return vaultIndexing(read, index, src)
	}
	format, _, _ := byPath.Classify(index)
	doc := Parse(index, src, format)
	var out Indexing
	there := listable(index, format, doc, files)
	for i := range doc.Facts {
		l, ok := doc.indexLine(i)
		if !ok || slices.ContainsFunc(l.targets, func(t string) bool { return has(files, path.Dir(index), t) || !beside(t, format) }) {
			continue
		}
		out.add(Edit{Op: OpIndex, Path: index, Text: l.targets[0], Reason: "its file is not there any more"})
	}
	var missing []string
	for _, name := range there {
		if !mentions(src, name) {
			missing = append(missing, name)
		}
	}
	switch {
	case len(missing) == 0:
	case 2*len(missing) > len(there):
		out.Notes = append(out.Notes, index+" lists less than half of the files beside it: it is kept by hand, and none is added")
	case format == MemoryIndex && !fits(src, len(missing)):
		out.Notes = append(out.Notes, index+" is as long as agents load of it: files that it does not list are not added")
	default:
		for _, name := range missing {
			out.add(Edit{Op: OpIndex, Path: index, Text: name, Reason: "it was not listed"})
		}
	}
	return out
}

func (x *Indexing) add(e Edit) {
	if !slices.ContainsFunc(x.Edits, func(have Edit) bool { return sameFile(have.Text, e.Text) && have.Path == e.Path }) {
		x.Edits = append(x.Edits, e)
	}
}

func vaultIndexing(read ReadFunc, index string, src []byte) Indexing {
	vault, ok := read(path.Join(path.Dir(index), vaultFile))
	if !ok {
		return Indexing{}
	}
	now, err := reindex(src, Parse(path.Join(path.Dir(index), vaultFile), vault, Vault))
	switch {
	case err != nil:
		return Indexing{Notes: []string{index + " is written in a way that is not known: it is left as it is"}}
	case bytes.Equal(now, src):
		return Indexing{}
	}
	return Indexing{Edits: []Edit{{Op: OpIndex, Path: index, Reason: "the lines of the vault have moved"}}}
}

// listable are the files that an index ought to list, relative to it.
func listable(index string, format Format, doc *Document, files []string) []string {
	deep := false // whether it lists files of directories below
	for i := range doc.Facts {
		if l, ok := doc.indexLine(i); ok && strings.Contains(l.targets[0], "/") {
			deep = true
		}
	}
	var out []string
	dir := path.Dir(index)
	for _, f := range files {
		name, ok := strings.CutPrefix(f, dir+"/")
		if dir == "." {
			name, ok = f, true
		}
		if !ok || strings.Contains(name, "/") && !(deep && format == Wiki) || IsIndex(f) || strings.EqualFold(stem(f), "README") || strings.EqualFold(name, "log.md") {
			continue
		}
		if kind, _, ok := byPath.Classify(f); ok && (kind == Memory && format == MemoryIndex || kind == Wiki && format == Wiki) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// beside reports whether a target is one that the index may list.
func beside(target string, format Format) bool {
	return !strings.HasPrefix(target, "..") && !path.IsAbs(target) && (format == Wiki || !strings.Contains(target, "/"))
}

// has reports whether a target is a file of the tree; - and _ are one.
func has(files []string, dir, target string) bool {
	full := path.Join(dir, target)
	return slices.ContainsFunc(files, func(f string) bool {
		return f == full || path.Dir(f) == path.Dir(full) && sameFile(path.Base(f), path.Base(full))
	})
}

func fits(src []byte, more int) bool {
	const line = 120 // bytes that a line takes, roughly
	return bytes.Count(src, []byte("\n"))+more <= maxIndexLines && len(src)+more*line <= maxIndexBytes
}
