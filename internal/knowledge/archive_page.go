package knowledge

import (
	"fmt"
	"path"
	"strings"
)

// A memory is a file: it moves to archive/ beside it, and two lines in its
// front matter say when and why. Its line in MEMORY.md goes with it, into a
// record.

const (
	keyArchived = "archived: "
	keyReason   = "reason: "
	addedFences = "# this front matter came with the archive"
	maxSpares   = 99
)

// archivePage moves a whole file to the archive.
func (a *applier) archivePage(f *file, e Edit) error {
	if f.doc.Format != Memory {
		return fmt.Errorf("%w: a page is not archived by an edit, only a memory and single facts are", ErrUnsupported)
	}
	to, err := a.freeName(ArchivePath(f.path, Memory))
	if err != nil {
		return err
	}
	if path.Base(path.Dir(to.path)) != archiveDir {
		return fmt.Errorf("%w: no archive is known for %s", ErrUnsupported, f.path)
	}
	to.write(stampArchived(f.doc.Source, stamp(e.Date), normal(e.Reason)))
	if err := a.archiveIndex(f.path, e); err != nil {
		return err
	}
	f.remove()
	return nil
}

// freeName returns the first file of a name and its spares that is not there.
func (a *applier) freeName(name string) (*file, error) {
	for n := 1; n <= maxSpares; n++ {
		if f := a.open(spare(name, n)); !f.exists {
			return f, nil
		}
	}
	return nil, fmt.Errorf("archive %s: %d files of that name are archived already", name, maxSpares)
}

// stampArchived adds the two lines at the end of the front matter; without
// front matter a block of its own.
func stampArchived(src []byte, date, reason string) []byte {
	s := newSource(src)
	fm := splitFrontMatter(s, func(string, int, string) {})
	lines := func(eol string) string {
		return keyArchived + date + eol + keyReason + quoteYAML(nonempty(reason, "no reason given"), nil) + eol
	}
	if fm.present {
		return splice(src, Span{fm.inner.End, fm.inner.End}, []byte(lines(s.eol(fm.inner.Start-1))))
	}
	at, eol := bomLen(src), eolOf(src)
	return splice(src, Span{at, at}, []byte("---"+eol+lines(eol)+addedFences+eol+"---"+eol))
}

// stripArchived takes out what stampArchived added; false where it is not
// there.
func stripArchived(src []byte) ([]byte, bool) {
	s := newSource(src)
	fm := splitFrontMatter(s, func(string, int, string) {})
	if !fm.present {
		return nil, false
	}
	last := s.line(fm.inner.End) - 1
	own := s.trimmed(s.nth(last).Start) == addedFences
	if own {
		last--
	}
	reason, archived := s.nth(last), s.nth(last-1)
	if !strings.HasPrefix(s.trimmed(reason.Start), keyReason) || !strings.HasPrefix(s.trimmed(archived.Start), keyArchived) {
		return nil, false
	}
	if own {
		return splice(src, Span{bomLen(src), fm.end}, nil), true
	}
	return splice(src, Span{archived.Start, reason.End}, nil), true
}

// archiveIndex moves the index lines that point at a memory alone.
func (a *applier) archiveIndex(memory string, e Edit) error {
	f := a.open(path.Join(path.Dir(memory), indexName))
	if !f.exists {
		return nil
	}
	for {
		i := f.pointingAt(path.Base(memory))
		if i < 0 {
			return nil
		}
		line := Edit{Op: OpArchive, Path: f.path, FactID: f.doc.Facts[i].ID, Reason: e.Reason, Date: e.Date}
		if err := a.archiveFact(f, i, line, path.Base(memory)); err != nil {
			return fmt.Errorf("archive its line of %s: %w", f.path, err)
		}
	}
}

// pointingAt returns an index line whose links all go to one memory.
func (f *file) pointingAt(base string) int {
	for i := range f.doc.Facts {
		if f.doc.Facts[i].Kind != KindIndex {
			continue
		}
		all := true
		for _, to := range linked(f.doc.Facts[i].Text) {
			all = all && sameFile(to, base)
		}
		if all {
			return i
		}
	}
	return -1
}

// restorePage brings an archived memory and its index lines back.
func (a *applier) restorePage(e Edit) error {
	f := a.open(e.Path)
	from := a.lastArchived(ArchivePath(e.Path, Memory))
	if from == nil {
		return fmt.Errorf("%w (%q is in no archive)", ErrNoFact, e.FactID)
	}
	if f.exists {
		return fmt.Errorf("%w: %s is there again, so the archived one cannot go back", ErrStructure, e.Path)
	}
	src, ok := stripArchived(from.doc.Source)
	if !ok {
		return fmt.Errorf("%w: %s does not end its front matter with archived and reason", ErrStructure, from.path)
	}
	f.write(src)
	if i := f.doc.index(e.FactID); i < 0 || !f.doc.isPage(i) {
		f.read(src, Memory)
		if i := f.doc.index(e.FactID); i < 0 || !f.doc.isPage(i) {
			return fmt.Errorf("%w (%q is not what %s holds)", ErrNoFact, e.FactID, from.path)
		}
	}
	from.remove()
	return a.restoreIndex(e.Path)
}

// lastArchived returns the newest archived file of a name.
func (a *applier) lastArchived(name string) *file {
	var last *file
	for n := 1; n <= maxSpares; n++ {
		f := a.open(spare(name, n))
		if !f.exists {
			break
		}
		last = f
	}
	return last
}

// restoreIndex puts the index lines of a memory back, the last one first.
func (a *applier) restoreIndex(memory string) error {
	index := path.Join(path.Dir(memory), indexName)
	from := a.open(ArchivePath(index, MemoryIndex))
	if !from.exists {
		return nil
	}
	for {
		found := false
		all := parseRecords(newSource(from.doc.Source))
		for i := len(all) - 1; i >= 0 && !found; i-- {
			if r := all[i]; r.From == index && r.With == path.Base(memory) {
				if err := a.restoreRecord(from, r); err != nil {
					return fmt.Errorf("restore its line of %s: %w", index, err)
				}
				found = true
			}
		}
		if !found || !from.exists {
			return nil
		}
	}
}
