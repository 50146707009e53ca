package knowledge

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Causes of an [EditError] that callers branch on.
var (
	ErrNoFact      = errors.New("no such fact: it was changed, moved or archived meanwhile")
	ErrNoFile      = errors.New("no such file")
	ErrStructure   = errors.New("the result would not read as intended")
	ErrUnsupported = errors.New("this kind of fact has no such edit")
)

// EditError says which edit could not be applied, to which file, and why. No
// file is changed by an application that fails.
type EditError struct {
	Edit  Edit
	Cause error
}

// Error names the edit, the file and the cause.
func (e *EditError) Error() string {
	what := string(e.Edit.Op)
	if e.Edit.FactID != "" {
		what += " " + e.Edit.FactID
	}
	return fmt.Sprintf("%s in %s: %v", what, e.Edit.Path, e.Cause)
}

// Unwrap returns the cause.
func (e *EditError) Unwrap() error { return e.Cause }

// Apply applies edits in their order to the files that read returns and
// returns the files that change. It is pure. Facts are named as they stand
// before the first edit, also where an earlier edit of the list changes them.
// Everything outside what an edit names stays byte for byte, and every edited
// file is read again: an edit after which another fact would read differently
// is an error.
func Apply(read ReadFunc, edits []Edit) (Changes, error) {
	a := &applier{read: read, files: map[string]*file{}}
	for _, e := range edits {
		if err := a.apply(e); err != nil {
			return nil, &EditError{Edit: e, Cause: err}
		}
	}
	a.keepVaultIndexes()
	return a.changes(), nil
}

// applier holds the files under edit.
type applier struct {
	read  ReadFunc
	files map[string]*file
}

// file is one file under edit. A file that is not there has no document.
type file struct {
	path   string
	before []byte
	existed,
	exists bool
	doc *Document
	now map[string]string // id before the edits -> id now; "" once it is gone

	stamping bool   // the edit under way is about a stamp
	carried  string // the counter that a fact on the move brings along
}

func (a *applier) apply(e Edit) error {
	if e.Path == "" {
		return fmt.Errorf("%w: the edit names no path", ErrNoFile)
	}
	switch e.Op {
	case OpAdd:
		return a.add(e)
	case OpReplace:
		return a.replace(e)
	case OpMerge:
		return a.merge(e)
	case OpSetField:
		return a.setField(e)
	case OpRewrite:
		return a.rewrite(e)
	case OpArchive:
		return a.archive(e)
	case OpRestore:
		return a.restore(e)
	case OpMove:
		return a.move(e)
	case OpIndex:
		return a.index(e)
	}
	return fmt.Errorf("unknown edit %q", e.Op)
}

// changes compares every file with what it was.
func (a *applier) changes() Changes {
	out := Changes{}
	for _, f := range a.files {
		switch {
		case !f.exists && f.existed:
			out[f.path] = nil
		case f.exists && (!f.existed || !bytes.Equal(f.before, f.doc.Source)):
			out[f.path] = f.doc.Source
		}
	}
	return out
}

// open returns a file under edit, read by the format of its path.
func (a *applier) open(name string) *file {
	if f, ok := a.files[name]; ok {
		return f
	}
	src, ok := a.read(name)
	format, _, known := byPath.Classify(name)
	if !known {
		format = Playbook
	}
	f := &file{path: name, before: src, existed: ok, exists: ok, now: map[string]string{}}
	f.read(src, format)
	a.files[name] = f
	return f
}

func (f *file) read(src []byte, format Format) {
	f.doc = Parse(f.path, src, format)
	for i := range f.doc.Facts {
		id := f.doc.Facts[i].ID
		if _, ok := f.now[id]; !ok {
			f.now[id] = id
		}
	}
}

// formatsTried are the ways of reading that differ in what their facts are.
var formatsTried = []Format{Playbook, MemoryIndex, Memory, Vault, Anchored}

// find returns the file and the index of a fact. A path alone does not always
// tell the format (a repository may declare its own), so that in which the
// fact is found counts.
func (a *applier) find(name, id string) (*file, int, error) {
	f := a.open(name)
	if !f.exists {
		return nil, 0, ErrNoFile
	}
	if i := f.index(id); i >= 0 {
		return f, i, nil
	}
	if now, known := f.now[id]; !known || now != "" {
		was := f.doc.Format
		for _, format := range formatsTried {
			f.read(f.doc.Source, format)
			if i := f.index(id); i >= 0 {
				return f, i, nil
			}
		}
		f.read(f.doc.Source, was)
	}
	return nil, 0, fmt.Errorf("%w (%q)", ErrNoFact, id)
}

func (f *file) index(id string) int {
	if now, ok := f.now[id]; ok {
		id = now
	}
	if id == "" {
		return -1
	}
	return f.doc.index(id)
}

// commit makes the bytes of at become with. want is asked about the facts that
// the change touches, before and after.
func (f *file) commit(at Span, with []byte, want wanted) error {
	src := splice(f.doc.Source, at, with)
	after := Parse(f.path, src, f.doc.Format)
	pairs, err := compare(f.doc, after, at, len(with), want)
	if err != nil {
		return err
	}
	if err := f.stampsStay(after, pairs); err != nil {
		return err
	}
	for old, cur := range f.now {
		if to, ok := pairs[cur]; ok && cur != "" {
			f.now[old] = to
		}
	}
	images := make(map[string]bool, len(pairs))
	for _, to := range pairs {
		images[to] = true
	}
	f.exists, f.doc = true, after
	for i := range after.Facts {
		if id := after.Facts[i].ID; !images[id] {
			f.now[id] = id // it came with this change
		}
	}
	return nil
}

// stampsStay refuses a change that moves the verification clock of a fact on the
// way to something else.
func (f *file) stampsStay(after *Document, pairs map[string]string) error {
	if f.stamping {
		return nil
	}
	for i := range f.doc.Facts {
		was, had := findField(f.doc.layout[i].fields, stampField)
		j := after.index(pairs[f.doc.Facts[i].ID])
		if j < 0 {
			continue // it leaves, whole
		}
		if is, has := findField(after.layout[j].fields, stampField); has != had || is.text != was.text {
			return fmt.Errorf("%w: when %s was last verified would change, and nobody verified it", ErrStructure, f.doc.Facts[i].Title)
		}
	}
	return nil
}

// stampField is the field that only a check of the claim may set.
const stampField = "verified"

// write makes a file hold other content, without looking at its facts.
func (f *file) write(src []byte) {
	f.exists, f.now = true, map[string]string{}
	f.read(src, f.doc.Format)
}

// remove makes a file go away.
func (f *file) remove() {
	f.exists = false
	f.doc = Parse(f.path, nil, f.doc.Format)
	for id := range f.now {
		f.now[id] = ""
	}
}

// oneLine refuses text that cannot stand on a line of its own.
func oneLine(what, text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("%w: %s is not valid UTF-8", ErrStructure, what)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 && r != '\t' || r == 0x7f }) {
		return fmt.Errorf("%w: %s holds line breaks or control characters", ErrStructure, what)
	}
	return nil
}
