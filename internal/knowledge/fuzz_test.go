package knowledge

import (
	"bytes"
	"errors"
	"testing"
	"unicode/utf8"
)

// fuzzPaths are one path of every format.
var fuzzPaths = []string{
	"docs/a.md", "CLAUDE.md", "lessons.md", "wiki/a.md", ".claude/memory/a.md", ".claude/memory/MEMORY.md",
	"KNOWLEDGE_VAULT.md", "facts/a.md", "facts/a.yaml", "ARCHIVED_KNOWLEDGE.md", ".cursor/rules/a.mdc", ".claude/memory/archive/a.md",
}

func seed(f *testing.F) {
	for variant := range variants {
		for name, src := range samples(f, variant) {
			for i, p := range fuzzPaths {
				a, _, _ := byPath.Classify(name)
				if b, _, _ := byPath.Classify(p); a == b {
					f.Add(uint8(i), src, uint16(3))
				}
			}
		}
	}
	for _, s := range []string{"", "---", "---\n", "---\n---", "---\na: b\n...\n", "\xef\xbb\xbf---\nx: 1\n---\n", "- \n", "|a|\n|-|\n|", "```", "> - ```\n> x", "1.\n2)\t- a"} {
		for i := range fuzzPaths {
			f.Add(uint8(i), []byte(s), uint16(0))
		}
	}
}

func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, which uint8, src []byte, _ uint16) {
		name := fuzzPaths[int(which)%len(fuzzPaths)]
		before := bytes.Clone(src)
		d := parseAs(name, src)
		if !bytes.Equal(before, src) || !bytes.Equal(d.Source, src) {
			t.Fatal("the source was changed")
		}
		sound(t, d)
	})
}

// sound asserts what every reader of a document relies on.
func sound(t *testing.T, d *Document) {
	t.Helper()
	lines := bytes.Count(d.Source, []byte("\n")) + 1
	ids := map[string]bool{}
	for i := range d.Facts {
		f, l := &d.Facts[i], d.layout[i]
		if f.Span.Start < 0 || f.Span.Start > f.Span.End || f.Span.End > len(d.Source) {
			t.Fatalf("span %v of %q is out of bounds", f.Span, f.Title)
		}
		if l.extent.Start < 0 || l.extent.Start > l.extent.End || l.extent.End > len(d.Source) {
			t.Fatalf("extent %v of %q is out of bounds", l.extent, f.Title)
		}
		if i > 0 && f.Span.Start < d.Facts[i-1].Span.Start {
			t.Fatalf("fact %d stands before fact %d", i, i-1)
		}
		if f.Line < 1 || f.Line > f.EndLine || f.EndLine > lines {
			t.Fatalf("lines %d-%d of %d", f.Line, f.EndLine, lines)
		}
		if f.ID == "" || ids[f.ID] {
			t.Fatalf("id %q is empty or stands twice", f.ID)
		}
		ids[f.ID] = true
		if !utf8.ValidString(f.Text) || !utf8.ValidString(f.Parent) || !utf8.ValidString(f.Title) {
			t.Fatalf("%q is not valid UTF-8", f.Text)
		}
		DueDate(f.Life)
	}
	for _, f := range d.Faults {
		if f.Line < 1 || f.Line > lines || f.Rule == "" || f.Text == "" {
			t.Fatalf("fault %+v of a file of %d lines", f, lines)
		}
	}
}

func FuzzApplyRestore(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, which uint8, src []byte, pick uint16) {
		name := fuzzPaths[int(which)%len(fuzzPaths)]
		d := parseAs(name, src)
		if len(d.Facts) == 0 {
			return
		}
		fact := d.Facts[int(pick)%len(d.Facts)]
		tree := files{name: src}
		gone, err := tree.apply(Edit{Op: OpArchive, Path: name, FactID: fact.ID, Reason: fact.Title, Date: editDay})
		if err != nil {
			if !errors.As(err, new(*EditError)) {
				t.Fatalf("archive: %v", err)
			}
			return
		}
		back, err := gone.apply(Edit{Op: OpRestore, Path: name, FactID: fact.ID})
		if err != nil {
			t.Fatalf("restore: %v", err)
		}
		if d := diff(tree, back); d != "" {
			t.Fatalf("not exact:\n%s", d)
		}
	})
}

func FuzzReplace(f *testing.F) {
	f.Add(uint8(2), []byte("- a\n- b\n"), uint16(0), "c\nd")
	f.Add(uint8(2), []byte("> - a\n> - b\n"), uint16(0), "c\nd")
	f.Add(uint8(1), []byte("| a | b |\n|---|---|\n| c | d |\n"), uint16(0), "x | y")
	f.Fuzz(func(t *testing.T, which uint8, src []byte, pick uint16, text string) {
		name := fuzzPaths[int(which)%len(fuzzPaths)]
		d := parseAs(name, src)
		if len(d.Facts) == 0 {
			return
		}
		i := int(pick) % len(d.Facts)
		got, err := files{name: src}.apply(Edit{Op: OpReplace, Path: name, FactID: d.Facts[i].ID, Text: text})
		if err != nil {
			return
		}
		after := parseAs(name, got[name])
		sound(t, after)
		if len(after.Facts) != len(d.Facts) && d.layout[i].style == styleNone {
			t.Fatalf("%d facts become %d:\n%q\n%q", len(d.Facts), len(after.Facts), src, got[name])
		}
	})
}
