package knowledge

import (
	"bytes"
	"sort"
)

// source answers questions about the lines of a file. Only LF ends a line, as
// for git and for people's editors; a CR before it belongs to the line end.
type source struct {
	text  []byte
	start []int // offset of the first byte of each line
}

var bom = []byte("\xef\xbb\xbf")

func newSource(text []byte) *source {
	s := &source{text: text, start: make([]int, 1, 1+bytes.Count(text, []byte{'\n'}))}
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return s
		}
		at += i + 1
		s.start = append(s.start, at)
	}
}

// line returns the 1-based line of an offset.
func (s *source) line(at int) int {
	return sort.SearchInts(s.start, at+1)
}

// lineStart returns the offset at which the line of at begins.
func (s *source) lineStart(at int) int { return s.start[s.line(at)-1] }

// lineEnd returns the offset after the line of at, its line end included.
func (s *source) lineEnd(at int) int {
	if n := s.line(at); n < len(s.start) {
		return s.start[n]
	}
	return len(s.text)
}

// nth returns the extent of a 1-based line with its line end.
func (s *source) nth(n int) Span {
	if n < 1 || n > len(s.start) {
		return Span{len(s.text), len(s.text)}
	}
	return Span{s.start[n-1], s.lineEnd(s.start[n-1])}
}

// of returns the bytes of a span.
func (s *source) of(p Span) []byte { return s.text[p.Start:p.End] }

// blank reports whether the line of at holds nothing that a reader sees;
// the marker of a block quote alone counts as nothing.
func (s *source) blank(at int) bool {
	line := s.text[s.lineStart(at):s.lineEnd(at)]
	return len(bytes.Trim(line, "> \t\r\n")) == 0
}

// trimBlank moves end back over blank lines, not before start.
func (s *source) trimBlank(start, end int) int {
	for end > start {
		at := s.lineStart(end - 1)
		if at < start || !s.blank(at) {
			break
		}
		end = at
	}
	return end
}

// eol returns the line end that the line of at carries, or that of the file.
func (s *source) eol(at int) string {
	if e := endOf(s.text[s.lineStart(at):s.lineEnd(at)]); e != "" {
		return e
	}
	return eolOf(s.text)
}

// eolOf returns the line end that most lines of text carry.
func eolOf(text []byte) string {
	if crlf := bytes.Count(text, []byte("\r\n")); crlf > 0 && 2*crlf >= bytes.Count(text, []byte("\n")) {
		return "\r\n"
	}
	return "\n"
}

// endOf returns the line end of one line, "" where it has none.
func endOf(line []byte) string {
	switch {
	case bytes.HasSuffix(line, []byte("\r\n")):
		return "\r\n"
	case bytes.HasSuffix(line, []byte("\n")):
		return "\n"
	}
	return ""
}

// splice returns text with the bytes of span replaced.
func splice(text []byte, at Span, with []byte) []byte {
	out := make([]byte, 0, len(text)-(at.End-at.Start)+len(with))
	out = append(out, text[:at.Start]...)
	out = append(out, with...)
	return append(out, text[at.End:]...)
}
