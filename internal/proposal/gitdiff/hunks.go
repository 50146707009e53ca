package gitdiff

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"
)

const (
	context     = 3
	maxFunction = 80 // bytes of the line that a hunk header ends with
)

// change replaces lines [a0, a1) of one side by [b0, b1) of the other.
type change struct{ a0, a1, b0, b1 int }

// Lines compares two texts line by line and returns what differs: lines
// [A0, A1) of a (counted from 0) became [B0, B1) of b.
func Lines(a, b []byte) []Range {
	x, y := newSides(a, b)
	var out []Range
	for _, c := range changes(x, y) {
		out = append(out, Range{c.a0, c.a1, c.b0, c.b1})
	}
	return out
}

// Range is one run of lines that differ.
type Range struct{ A0, A1, B0, B1 int }

// changes compares two sides.
func changes(a, b *side) []change {
	compare(a, b)
	slide(a, b)
	slide(b, a)
	var out []change
	for i, j := 0, 0; i < len(a.lines) || j < len(b.lines); {
		c := change{i, i, j, j}
		for a.changed[c.a1] {
			c.a1++
		}
		for b.changed[c.b1] {
			c.b1++
		}
		if c.a1 > c.a0 || c.b1 > c.b0 {
			out = append(out, c)
		}
		i, j = c.a1+1, c.b1+1
	}
	return out
}

// unified writes the hunks of two texts.
func unified(w *bytes.Buffer, from, to []byte) {
	a, b := newSides(from, to)
	all := changes(a, b)
	var fn []byte
	searched := -1
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].a0-all[n-1].a1 <= 2*context {
			n++
		}
		first, last := all[0], all[n-1]
		lead := min(context, first.a0, first.b0)
		tail := min(context, len(a.lines)-last.a1, len(b.lines)-last.b1)
		a0, a1 := first.a0-lead, last.a1+tail
		b0, b1 := first.b0-lead, last.b1+tail
		if f := function(a, a0-1, searched); f != nil {
			fn = f
		}
		searched = a0 - 1
		fmt.Fprintf(w, "@@ -%s +%s @@%s\n", span(a0, a1), span(b0, b1), heading(fn))
		writeHunk(w, a, b, all[:n], a0, a1)
		all = all[n:]
	}
}

func writeHunk(w *bytes.Buffer, a, b *side, changes []change, a0, a1 int) {
	at := a0
	for _, c := range changes {
		writeLines(w, ' ', a.lines[at:c.a0])
		writeLines(w, '-', a.lines[c.a0:c.a1])
		writeLines(w, '+', b.lines[c.b0:c.b1])
		at = c.a1
	}
	writeLines(w, ' ', a.lines[at:a1])
}

func writeLines(w *bytes.Buffer, mark byte, lines [][]byte) {
	for _, l := range lines {
		w.WriteByte(mark)
		w.Write(l)
		if !bytes.HasSuffix(l, []byte("\n")) {
			w.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// span is a line range in a hunk header: an empty one names the line before.
func span(from, to int) string {
	switch n := to - from; n {
	case 0:
		return strconv.Itoa(from) + ",0"
	case 1:
		return strconv.Itoa(from + 1)
	default:
		return fmt.Sprintf("%d,%d", from+1, n)
	}
}

// function finds the nearest line above a hunk that begins like a definition,
// down to the line where the last search began.
func function(s *side, from, until int) []byte {
	for i := from; i > until && i >= 0; i-- {
		l := s.lines[i]
		if c := l[0]; c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' {
			return bytes.TrimRight(l[:min(len(l), maxFunction)], " \t\n\v\f\r")
		}
	}
	return nil
}

// heading is the end of a hunk header. A character cut in two is left out.
func heading(fn []byte) string {
	if len(fn) == 0 {
		return ""
	}
	for i := 0; i < len(fn); {
		r, n := utf8.DecodeRune(fn[i:])
		if r == utf8.RuneError && n == 1 {
			fn = fn[:i]
			break
		}
		i += n
	}
	return " " + string(fn)
}
