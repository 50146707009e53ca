package knowledge

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var editDay = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

// files is a tree of knowledge files under edit.
type files map[string][]byte

func (f files) read(name string) ([]byte, bool) {
	b, ok := f[name]
	return b, ok
}

// apply returns the tree after edits.
func (f files) apply(edits ...Edit) (files, error) {
	changes, err := Apply(f.read, edits)
	if err != nil {
		return nil, err
	}
	out := maps.Clone(f)
	for name, b := range changes {
		if b == nil {
			delete(out, name)
		} else {
			out[name] = b
		}
	}
	return out, nil
}

// diff compares two trees; "" where they are equal.
func diff(a, b files) string {
	if maps.EqualFunc(a, b, bytes.Equal) {
		return ""
	}
	text := func(f files) map[string]string {
		out := map[string]string{}
		for name, src := range f {
			out[name] = string(src)
		}
		return out
	}
	return cmp.Diff(text(a), text(b))
}

// variants are ways in which files are written by people and their tools.
var variants = map[string]func([]byte) []byte{
	"lf":    func(b []byte) []byte { return b },
	"crlf":  func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) },
	"bom":   func(b []byte) []byte { return append(bytes.Clone(bom), b...) },
	"noeol": func(b []byte) []byte { return bytes.TrimRight(b, "\n") },
	"mixed": func(b []byte) []byte {
		lines := bytes.SplitAfter(b, []byte("\n"))
		for i := range lines {
			if i%3 == 1 {
				lines[i] = bytes.Replace(lines[i], []byte("\n"), []byte("\r\n"), 1)
			}
		}
		return bytes.Join(lines, nil)
	},
	"gaps":   func(b []byte) []byte { return append(append([]byte("\n\n"), b...), "\n \n\n"...) },
	"latin1": func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("—"), []byte{0x97}) },
}

// samples returns the sample files in one variant.
func samples(t testing.TB, variant string) files {
	t.Helper()
	src, err := os.ReadFile("testdata/samples.txtar")
	if err != nil {
		t.Fatal(err)
	}
	out := files{}
	for _, f := range txtar.Parse(src).Files {
		if variant == "gaps" && bytes.HasPrefix(f.Data, []byte("---")) {
			continue // front matter must begin the file
		}
		out[f.Name] = variants[variant](bytes.Clone(f.Data))
	}
	return out
}

func parseAs(name string, src []byte) *Document {
	format, _, _ := byPath.Classify(name)
	return Parse(name, src, format)
}

// everyFact runs check at every fact of every sample in every variant.
func everyFact(t *testing.T, check func(t *testing.T, tree files, doc *Document, i int)) {
	for variant := range variants {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			tree := samples(t, variant)
			for _, name := range slices.Sorted(maps.Keys(tree)) {
				doc := parseAs(name, tree[name])
				for i := range doc.Facts {
					t.Run(fmt.Sprintf("%s:%d-%s", name, doc.Facts[i].Line, doc.Facts[i].Kind), func(t *testing.T) {
						check(t, tree, doc, i)
					})
				}
			}
		})
	}
}

// claims lists what the facts of a file say, without those of one span and
// without the page.
func claims(d *Document, without Span) []string {
	var out []string
	for i := range d.Facts {
		if f := &d.Facts[i]; !d.isPage(i) && (without.Start == without.End || !overlaps(f.Span, without)) {
			out = append(out, fmt.Sprintf("%s %s %v %q", f.Kind, f.ID, f.Heading, f.Text))
		}
	}
	return out
}

// duplicated reports whether a text stands twice: then ids move up.
func duplicated(d *Document, i int) bool {
	n := 0
	for j := range d.Facts {
		if d.Facts[j].Claim == d.Facts[i].Claim && d.Facts[j].Kind == d.Facts[i].Kind {
			n++
		}
	}
	return n > 1
}

// cut asserts that after is before without one run of bytes, and returns it.
func cut(t *testing.T, before, after []byte) Span {
	t.Helper()
	n := 0
	for n < len(after) && before[n] == after[n] {
		n++
	}
	removed := len(before) - len(after)
	// The run can be slid where the bytes around it are equal.
	if removed < 0 || !bytes.Equal(before[n+removed:], after[n:]) {
		t.Fatalf("bytes outside the fact changed:\n%s", cmp.Diff(string(before), string(after)))
	}
	return Span{n, n + removed}
}

func TestArchiveAndRestoreAreInverse(t *testing.T) {
	t.Parallel()
	everyFact(t, func(t *testing.T, tree files, doc *Document, i int) {
		f := doc.Facts[i]
		e := Edit{Op: OpArchive, Path: doc.Path, FactID: f.ID, Reason: "over: --> <b>", Date: editDay}
		archived, err := tree.apply(e)
		if err != nil {
			if mayRefuseArchive(doc, i) && errors.As(err, new(*EditError)) {
				return
			}
			t.Fatalf("archive: %v", err)
		}
		if left, ok := archived[doc.Path]; ok {
			cut(t, doc.Source, left)
			if !duplicated(doc, i) {
				want := claims(doc, doc.layout[i].extent)
				if diff := cmp.Diff(want, claims(parseAs(doc.Path, left), Span{})); diff != "" {
					t.Errorf("other facts differ:\n%s", diff)
				}
			}
		}
		back, err := archived.apply(Edit{Op: OpRestore, Path: doc.Path, FactID: f.ID})
		if err != nil {
			t.Fatalf("restore: %v", err)
		}
		if d := diff(tree, back); d != "" {
			t.Errorf("restore is not exact:\n%s", d)
		}
	})
}

// mayRefuseArchive says which facts have no archive of their own, or cannot
// leave without changing how their neighbours read.
func mayRefuseArchive(doc *Document, i int) bool {
	if doc.Format == Memory {
		return !doc.isPage(i) // it goes as a whole
	}
	switch f := doc.Facts[i]; f.Kind {
	case KindHeading, KindField:
		return true
	case KindEntry:
		return doc.isPage(i) && doc.Format != Memory
	case KindParagraph:
		return strings.HasPrefix(f.Text, "<") || strings.HasPrefix(f.Text, "quoted") || strings.HasPrefix(f.Text, "end of")
	case KindBullet:
		return f.Text == "quoted bullet\ngoes on"
	}
	return false
}

func TestReplaceAndBack(t *testing.T) {
	t.Parallel()
	everyFact(t, func(t *testing.T, tree files, doc *Document, i int) {
		f, l := doc.Facts[i], doc.layout[i]
		const text = "Quite another statement."
		edited, err := tree.apply(Edit{Op: OpReplace, Path: doc.Path, FactID: f.ID, Text: text})
		if err != nil {
			if mayRefuseReplace(doc, i) && errors.As(err, new(*EditError)) {
				return
			}
			t.Fatalf("replace: %v", err)
		}
		got := edited[doc.Path]
		if !l.rewritable() {
			t.Fatalf("a %s without text was replaced", f.Kind)
		}
		at := l.text()
		if at.Start == 0 {
			return // the page had no description: it has one now
		}
		if !bytes.HasPrefix(got, doc.Source[:at.Start]) || !bytes.HasSuffix(got, doc.Source[at.End:]) {
			t.Errorf("bytes outside the fact changed:\n%s", cmp.Diff(string(doc.Source), string(got)))
		}
		after := parseAs(doc.Path, got)
		if f.Kind == KindHeading || duplicated(doc, i) || doc.isPage(i) {
			return
		}
		if diff := cmp.Diff(claims(doc, f.Span), claims(after, Span{f.Span.Start, f.Span.End + len(got) - len(doc.Source)})); diff != "" {
			t.Errorf("other facts differ:\n%s", diff)
		}
		if len(l.pieces) > 1 || f.Kind == KindField {
			return
		}
		id := after.Facts[i].ID
		back, err := edited.apply(Edit{Op: OpReplace, Path: doc.Path, FactID: id, Text: f.Text})
		if err != nil {
			if bytes.ContainsRune([]byte(f.Text), '\uFFFD') {
				return
			}
			t.Fatalf("replace back: %v", err)
		}
		if d := diff(tree, back); d != "" && !strings.Contains(f.Text, "\uFFFD") {
			t.Errorf("replacing back is not exact:\n%s", d)
		}
	})
}

func (l layout) rewritable() bool { return len(l.pieces) > 0 || l.style == styleFrontMatter }

func (l layout) text() Span {
	if len(l.pieces) > 0 {
		return Span{l.pieces[0].Start, l.pieces[len(l.pieces)-1].End}
	}
	f, _ := findField(l.fields, "description")
	if len(l.fields) == 1 {
		f = l.fields[0]
	}
	return f.value
}

// mayRefuseReplace says which facts are no running text.
func mayRefuseReplace(doc *Document, i int) bool {
	switch f := doc.Facts[i]; f.Kind {
	case KindEntry:
		return true
	case KindIndex:
		return true // the text has no link: it would be no index line
	case KindRow:
		return false
	case KindField:
		return f.Title == "description" || strings.Contains(f.Text, "\n")
	case KindParagraph:
		return strings.HasPrefix(f.Text, "<")
	}
	return false
}

func TestSetFieldAndBack(t *testing.T) {
	t.Parallel()
	values := map[string]string{"created": "2026-10-01", "verified": "2026-11-30", "ttl": "45 days", "status": "stale", "expires": "2027-01-01"}
	everyFact(t, func(t *testing.T, tree files, doc *Document, i int) {
		f, l := doc.Facts[i], doc.layout[i]
		if f.Kind != KindEntry || doc.Format == Archive {
			return
		}
		for name, value := range values {
			old, had := findField(l.fields, name)
			edited, err := tree.apply(Edit{Op: OpSetField, Path: doc.Path, FactID: f.ID, Field: name, Value: value})
			if err != nil {
				if l.style == styleFrontMatter && !bytes.Contains(doc.Source[:min(10, len(doc.Source))], []byte("---")) {
					continue
				}
				t.Errorf("set %s: %v", name, err)
				continue
			}
			if !had {
				continue
			}
			back, err := edited.apply(Edit{Op: OpSetField, Path: doc.Path, FactID: f.ID, Field: name, Value: old.text})
			if err != nil {
				t.Errorf("set %s back: %v", name, err)
			} else if d := diff(tree, back); d != "" {
				t.Errorf("setting %s back is not exact:\n%s", name, d)
			}
		}
	})
}

// Two facts leave and come back in both orders: the last to leave first is
// exact, the other way round every fact stands again and nothing is lost.
func TestArchiveTwoRestoreInAnyOrder(t *testing.T) {
	t.Parallel()
	everyFact(t, func(t *testing.T, tree files, doc *Document, i int) {
		j := i + 1
		if j >= len(doc.Facts) || doc.isPage(i) || duplicated(doc, i) || duplicated(doc, j) {
			return
		}
		a, b := doc.Facts[i].ID, doc.Facts[j].ID
		gone, err := tree.apply(Edit{Op: OpArchive, Path: doc.Path, FactID: a, Date: editDay}, Edit{Op: OpArchive, Path: doc.Path, FactID: b, Date: editDay})
		if err != nil {
			return
		}
		restore := func(id string) Edit { return Edit{Op: OpRestore, Path: doc.Path, FactID: id} }
		back, err := gone.apply(restore(b), restore(a))
		if err != nil {
			t.Fatal(err)
		}
		if d := diff(tree, back); d != "" {
			t.Errorf("last out, first in is not exact:\n%s", d)
		}
		other, err := gone.apply(restore(a), restore(b))
		if err != nil {
			t.Fatalf("first out, first in: %v", err)
		}
		want, got := claims(doc, Span{}), claims(parseAs(doc.Path, other[doc.Path]), Span{})
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("facts are lost or changed:\n%s", diff)
		}
	})
}
