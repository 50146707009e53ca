package knowledge

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	yaml "go.yaml.in/yaml/v3"
)

// Anchored facts are YAML mappings with a claim, its anchors and a body: one
// in the front matter, in a fence, or several in a sequence or a file of
// documents.

var (
	claimKeys = []string{"lesson", "fact", "claim", "rule", "title", "name"}
	listKeys  = map[string]bool{"facts": true, "lessons": true, "entries": true}
	bodyKeys  = []string{"body", "text", "content", "description"}

	documentLine = regexp.MustCompile(`(?m)^(---|\.\.\.)[ \t]*\r?$\n?`)
	// A claim is often written with its other keys indented below it, which
	// YAML refuses: its first line is read as if it were indented as well.
	looseHead = regexp.MustCompile(`^([A-Za-z_]\w*):[ \t]+\S[^\n]*\n([ \t]+)[A-Za-z_]\w*:`)
)

// yamlFile reads a file of YAML documents.
func (p *parser) yamlFile() {
	if len(p.src.text) > maxYAML {
		p.fault("yaml/size", 1, "the file "+errYAMLSize.Error())
		return
	}
	base := bomLen(p.src.text)
	start := base
	for _, h := range documentLine.FindAllIndex(p.src.text[base:], -1) {
		p.yamlDocument(start, base+h[0])
		start = base + h[1]
	}
	p.yamlDocument(start, len(p.src.text))
}

func (p *parser) yamlDocument(start, end int) {
	at := Span{start, end}
	p.yamlEntries(at, nil, "", at)
}

func bomLen(text []byte) int {
	if bytes.HasPrefix(text, bom) {
		return len(bom)
	}
	return 0
}

// yamlFence reads a fence as anchored facts; false where it holds none.
func (w *walker) yamlFence(n *ast.FencedCodeBlock, lang string, at place) bool {
	if l := strings.ToLower(lang); l != "yaml" && l != "yml" {
		return false
	}
	lines := n.Lines()
	if lines.Len() == 0 {
		return false
	}
	inner := Span{w.base + lines.At(0).Start, w.base + lines.At(lines.Len()-1).Stop}
	whole := Span{w.p.src.lineStart(w.pos(n)), w.p.src.trimBlank(inner.End, max(at.end, inner.End))}
	before := len(w.p.facts)
	w.p.yamlEntries(inner, w.headings, at.parent, whole)
	return len(w.p.facts) > before
}

// yamlEntries adds the mappings of one YAML text that are facts. whole are the
// lines that go with a fact that is the only one.
func (p *parser) yamlEntries(at Span, headings []string, parent string, whole Span) {
	y := yamlText{src: p.src, span: at, text: p.src.of(at)}
	if len(bytes.TrimSpace(y.text)) == 0 {
		return
	}
	node, err := decodeYAML(y.text)
	if err != nil && y.loosen() {
		node, err = decodeYAML(y.text)
	}
	if err != nil {
		line, msg := yamlError(err)
		p.fault("yaml/invalid", p.src.line(at.Start)+max(line-1, 0), "the YAML holds no facts that can be read: it "+strings.TrimSuffix(readable(err, msg), ": it is read line by line"))
		return
	}
	if node == nil {
		return
	}
	if node.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(node.Content); i += 2 {
			if listKeys[node.Content[i].Value] && node.Content[i+1].Kind == yaml.SequenceNode {
				node = node.Content[i+1]
				break
			}
		}
	}
	if node.Kind == yaml.MappingNode {
		p.yamlEntry(y, node, whole, headings, parent)
		return
	}
	for i, n := range node.Content {
		end := at.End
		if i+1 < len(node.Content) {
			end = p.src.lineStart(y.offset(node.Content[i+1]))
		}
		start := p.src.lineStart(y.offset(n))
		p.yamlEntry(y, n, Span{start, p.src.trimBlank(start, end)}, headings, parent)
	}
}

// loosen indents the first line of a claim like the keys below it.
func (y *yamlText) loosen() bool {
	first := bytes.TrimLeft(y.text, "\r\n")
	m := looseHead.FindSubmatch(first)
	if m == nil {
		return false
	}
	skipped := len(y.text) - len(first)
	line := 1 + bytes.Count(y.text[:skipped], []byte("\n"))
	y.text = append(append(bytes.Clone(y.text[:skipped]), m[2]...), first...)
	y.pad = map[int]int{line: len(m[2])}
	return true
}

func (p *parser) yamlEntry(y yamlText, n *yaml.Node, extent Span, headings []string, parent string) {
	fields := y.fields(n, p.fault)
	get := func(keys ...string) string {
		for _, k := range keys {
			for _, f := range fields {
				if f.key == k && f.group == "" && f.scalar && strings.TrimSpace(f.text) != "" {
					return strings.TrimSpace(f.text)
				}
			}
		}
		return ""
	}
	claim, body := get(claimKeys...), get(bodyKeys...)
	if claim == "" && !hasLife(fields) {
		return
	}
	text := strings.TrimSpace(claim + "\n" + body)
	p.add(Fact{ID: validID(get("id")), Kind: KindEntry, Title: title(nonempty(claim, body)), Text: text, Span: trim(p.src.text, extent),
		Heading: headings, Parent: parent, Life: life(fields), Type: get("type")}, layout{extent: extent, fields: fields, style: styleYAML})
}
