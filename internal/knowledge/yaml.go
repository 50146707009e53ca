package knowledge

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v3"
)

// What YAML may hold is far more than a fact needs. Aliases and merge keys
// are refused (they grow without bound and can raise a TTL from afar), and so
// is anything large or deep.
const (
	maxYAML      = 64 << 10
	maxYAMLDepth = 32
)

var (
	errYAMLSize  = errors.New("is larger than 64 KiB")
	errYAMLAlias = errors.New("uses aliases, anchors or merge keys, which are not read: write the value out")
	errYAMLDepth = errors.New("is nested too deep")
)

// field is one key of an entry with its values and where they stand.
type field struct {
	key    string
	group  string // the key it is nested under: metadata, drift
	line   Span   // the whole line of the key
	value  Span   // a value on the line of its key; empty where it has several lines or none
	text   string // the scalar value
	scalar bool
	items  []item // the values of a sequence, or the scalar alone
}

// item is one scalar with its place.
type item struct {
	text string
	span Span
}

// yamlText is a piece of a file that is read as YAML.
type yamlText struct {
	src  *source
	span Span
	text []byte // the bytes of span, perhaps with some lines indented
	pad  map[int]int
}

// decodeYAML parses a piece of YAML into nodes, which hold positions and do
// not expand aliases, and refuses what could still do harm.
func decodeYAML(text []byte) (node *yaml.Node, err error) {
	if len(text) > maxYAML {
		return nil, errYAMLSize
	}
	// The decoder has panicked on hostile input before, and the text comes
	// from anybody.
	defer func() {
		if r := recover(); r != nil {
			node, err = nil, fmt.Errorf("cannot be read: %v", r)
		}
	}()
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	if err := harmless(&root, 0); err != nil {
		return nil, err
	}
	if len(root.Content) == 0 {
		return nil, nil
	}
	return root.Content[0], nil
}

func harmless(n *yaml.Node, depth int) error {
	switch {
	case n.Kind == yaml.AliasNode, n.Anchor != "", n.Tag == "!!merge", n.Tag == "!!binary":
		return errYAMLAlias
	case depth > maxYAMLDepth:
		return errYAMLDepth
	}
	for _, c := range n.Content {
		if err := harmless(c, depth+1); err != nil {
			return err
		}
	}
	return nil
}

var yamlErrLine = regexp.MustCompile(`line (\d+): `)

// yamlError splits a decoder's message into the line inside the text (0 where
// it names none) and what is wrong.
func yamlError(err error) (int, string) {
	msg := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), "unmarshal errors:\n  ")
	m := yamlErrLine.FindStringSubmatch(msg)
	if m == nil {
		return 0, msg
	}
	n, _ := strconv.Atoi(m[1])
	return n, strings.Replace(msg, m[0], "", 1)
}

// fields flattens a mapping: its keys, and the keys of mappings inside it.
func (y yamlText) fields(n *yaml.Node, fault func(rule string, line int, text string)) []field {
	return y.mapping(n, "", fault)
}

func (y yamlText) mapping(n *yaml.Node, group string, fault func(string, int, string)) []field {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	var out []field
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		at := y.offset(k)
		if seen[k.Value] {
			fault("yaml/duplicate-key", y.src.line(at), "the key "+k.Value+" stands twice: the first one counts")
			continue
		}
		seen[k.Value] = true
		out = append(out, y.field(k, v, group))
		if v.Kind == yaml.MappingNode && group == "" {
			out = append(out, y.mapping(v, k.Value, fault)...)
		}
	}
	return out
}

func (y yamlText) field(k, v *yaml.Node, group string) field {
	at := y.offset(k)
	f := field{key: k.Value, group: group, line: Span{y.src.lineStart(at), y.src.lineEnd(at)}}
	switch v.Kind {
	case yaml.ScalarNode:
		f.text, f.scalar = v.Value, true
		s := y.scalar(v)
		if v.Line == k.Line && s.Start <= s.End {
			f.value = s
		}
		f.items = []item{{v.Value, s}}
	case yaml.SequenceNode:
		for _, c := range v.Content {
			if c.Kind == yaml.ScalarNode {
				f.items = append(f.items, item{c.Value, y.scalar(c)})
			}
		}
	}
	return f
}

// scalar returns the bytes of a scalar on one line with its quotes; an empty
// span at its start where it takes several.
func (y yamlText) scalar(n *yaml.Node) Span {
	at := y.offset(n)
	end := y.src.lineEnd(at)
	rest := y.src.text[at:end]
	size := 0
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		size = quoted(rest, '"')
	case n.Style&yaml.SingleQuotedStyle != 0:
		size = quoted(rest, '\'')
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
	case bytes.HasPrefix(rest, []byte(n.Value)):
		size = len(n.Value)
	}
	return Span{at, at + size}
}

// quoted returns the length of the quoted scalar that text begins with, 0
// where it does not end in text.
func quoted(text []byte, q byte) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && q == '"':
			i++
		case text[i] == q && q == '\'' && i+1 < len(text) && text[i+1] == q:
			i++
		case text[i] == q:
			return i + 1
		}
	}
	return 0
}

// offset turns the line and column of a node (columns count runes) into an
// offset of the file.
func (y yamlText) offset(n *yaml.Node) int {
	first := y.src.line(y.span.Start)
	line := y.src.nth(first + max(n.Line, 1) - 1)
	at := line.Start
	for col := 1 + y.pad[n.Line]; col < n.Column && at < line.End; col++ {
		_, size := utf8.DecodeRune(y.src.text[at:])
		at += size
	}
	return min(at, y.span.End)
}

// quoteYAML writes a value as a YAML scalar: as the old one was quoted, or
// plain where that means the same.
func quoteYAML(value string, old []byte) string {
	switch {
	case len(old) > 0 && old[0] == '"':
		return doubleQuoted(value)
	case len(old) > 0 && old[0] == '\'' && !strings.ContainsAny(value, "\n\r"):
		return "'" + strings.ReplaceAll(value, "'", "''") + "'"
	case plainYAML(value):
		return value
	}
	return doubleQuoted(value)
}

// doubleQuoted escapes no more than a YAML double-quoted scalar must, so that
// text written by people reads the same.
func doubleQuoted(value string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range value {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f || (r >= 0x80 && r < 0xa0) || r == 0x2028 || r == 0x2029 || r == 0xfeff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

var plainSafe = regexp.MustCompile(`^[A-Za-z0-9_./][-A-Za-z0-9_./# +()@,]*$`)

// plainYAML reports whether a value can stand without quotes: it reads back
// as the same text.
func plainYAML(value string) bool {
	if !plainSafe.MatchString(value) || strings.HasSuffix(value, " ") || strings.Contains(value, " #") {
		return false
	}
	n, err := decodeYAML([]byte(value))
	return err == nil && n != nil && n.Kind == yaml.ScalarNode && n.Value == value
}
