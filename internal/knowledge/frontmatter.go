package knowledge

import (
	"bytes"
	"regexp"
)

// frontMatter is the block of YAML between two --- lines at the top of a page.
type frontMatter struct {
	present bool
	inner   Span // the lines between the fences
	end     int  // where the page begins; the start of the text where there is no front matter
	fields  []field
}

var (
	fieldLine = regexp.MustCompile(`^([A-Za-z_][\w .-]*):(?:[ \t]+(.*?))?[ \t]*$`)
	// Globs are often written without quotes, which YAML takes for an alias,
	// a tag or a mapping.
	looseGlob = regexp.MustCompile(`(?m)^(globs|paths|applyTo|trigger|files):[ \t]+([*!{&%@][^\r\n]*?)[ \t\r]*$`)
)

// splitFrontMatter finds the front matter of a file and reads its fields. A
// fence is a line of three dashes and nothing else; a first line of dashes
// without a key below it is a thematic break.
func splitFrontMatter(s *source, fault func(rule string, line int, text string)) frontMatter {
	var fm frontMatter
	if bytes.HasPrefix(s.text, bom) {
		fm.end = len(bom)
	}
	first := s.nth(1)
	if !isFence(s.text[fm.end:first.End], "---") {
		return fm
	}
	for n := 2; n <= len(s.start); n++ {
		l := s.nth(n)
		if isFence(s.of(l), "---") || isFence(s.of(l), "...") {
			fm.present, fm.inner, fm.end = true, Span{first.End, l.Start}, l.End
			fm.fields = readFields(s, fm.inner, fault)
			return fm
		}
	}
	if fieldLine.Match(bytes.TrimRight(s.of(s.nth(2)), "\r\n")) {
		fault("front-matter/unclosed", 1, "the front matter has no closing --- line: the whole file is read as text")
	}
	return fm
}

func isFence(line []byte, fence string) bool {
	return string(bytes.TrimRight(line, " \t\r\n")) == fence
}

// readFields reads front matter as YAML, and line by line where it is none.
func readFields(s *source, inner Span, fault func(string, int, string)) []field {
	text := s.of(inner)
	var loose []field
	if hits := looseGlob.FindAllSubmatchIndex(text, -1); hits != nil {
		text = bytes.Clone(text)
		for _, h := range hits {
			loose = append(loose, lineField(s, inner.Start, text, h))
			text[h[0]] = '#'
		}
	}
	node, err := decodeYAML(text)
	if err == nil {
		y := yamlText{src: s, span: inner}
		return append(y.fields(node, fault), loose...)
	}
	line, msg := yamlError(err)
	fault("front-matter/yaml", s.line(inner.Start)+max(line-1, 0), "the front matter "+readable(err, msg))
	if err == errYAMLSize || err == errYAMLAlias || err == errYAMLDepth {
		return nil
	}
	return append(lineFields(s, inner, text), loose...)
}

func readable(err error, msg string) string {
	if err == errYAMLSize || err == errYAMLAlias || err == errYAMLDepth {
		return msg
	}
	return "is not valid YAML (" + msg + "): it is read line by line"
}

// lineFields reads key: value lines that do not form valid YAML together.
func lineFields(s *source, inner Span, text []byte) []field {
	var out []field
	seen := map[string]bool{}
	for at := 0; at < len(text); {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := bytes.TrimRight(text[at:end], "\r\n")
		if h := fieldLine.FindSubmatchIndex(line); h != nil && h[4] >= 0 && !seen[string(line[h[2]:h[3]])] {
			for i := range h {
				h[i] += at
			}
			seen[string(text[h[2]:h[3]])] = true
			out = append(out, lineField(s, inner.Start, text, h))
		}
		at = end
	}
	return out
}

// lineField makes a field of a match of key and value.
func lineField(s *source, base int, text []byte, h []int) field {
	value := Span{base + h[4], base + h[5]}
	raw := string(text[h[4]:h[5]])
	if n := len(raw); n >= 2 && (raw[0] == '"' || raw[0] == '\'') && raw[n-1] == raw[0] {
		raw = raw[1 : n-1]
	}
	at := base + h[0]
	raw = valid(raw)
	return field{key: string(text[h[2]:h[3]]), line: Span{s.lineStart(at), s.lineEnd(at)}, value: value, text: raw, scalar: true,
		items: []item{{raw, value}}}
}
