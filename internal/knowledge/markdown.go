package knowledge

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	gmparser "github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
)

// blocks reads the block structure alone: facts keep their inline marks, and
// most of the time of a Markdown parser goes into inlines. Tables are found
// here: the library fills each row up to the width of the head, and a wide
// head over many rows would take all memory.
var blocks = gmparser.NewParser(gmparser.WithBlockParsers(gmparser.DefaultBlockParsers()...))

// walker turns a Markdown tree into facts.
type walker struct {
	p        *parser
	base     int // offset of the Markdown text in the file
	headings []string
	levels   []int
	event    bool // one of the headings opens a record
}

// place is where a block stands.
type place struct {
	parent string // text of the enclosing item, or the lead-in line above
	end    int    // offset at which the next block outside begins
	top    bool   // not inside an item or a quote
}

// markdown reads everything after the front matter.
func (p *parser) markdown() {
	base := p.fm.end
	root := blocks.Parse(gmtext.NewReader(p.src.text[base:]))
	w := &walker{p: p, base: base}
	w.children(root, place{end: len(p.src.text), top: true})
}

// children walks the blocks inside n.
func (w *walker) children(n ast.Node, at place) {
	if first := n.FirstChild(); first != nil {
		w.visit(first, at)
		w.siblings(first, at)
	}
}

// siblings walks the blocks after n. A paragraph leads in the list, fence or
// table directly below it.
func (w *walker) siblings(n ast.Node, at place) {
	for c := n.NextSibling(); c != nil; c = c.NextSibling() {
		in := at
		switch c.Kind() {
		case ast.KindList, ast.KindFencedCodeBlock, ast.KindCodeBlock:
			in.parent = nonempty(w.lead(c.PreviousSibling()), at.parent)
		case ast.KindParagraph:
			if l := w.pieces(c); w.tableHead(l) == 0 {
				in.parent = nonempty(w.lead(c.PreviousSibling()), at.parent)
			}
		}
		w.visit(c, in)
	}
}

// lead returns the last line of a paragraph.
func (w *walker) lead(n ast.Node) string {
	l := w.pieces(n)
	if n.Kind() != ast.KindParagraph || len(l) == 0 || w.tableHead(l) >= 0 {
		return ""
	}
	return string(w.p.src.of(l[len(l)-1]))
}

// visit reads one block; it ends where the next one begins.
func (w *walker) visit(n ast.Node, at place) {
	if next := n.NextSibling(); next != nil {
		at.end = w.p.src.lineStart(w.pos(next))
	}
	w.block(n, at)
}

func (w *walker) block(n ast.Node, at place) {
	switch n := n.(type) {
	case *ast.Heading:
		w.heading(n, at)
	case *ast.Paragraph, *ast.TextBlock:
		w.paragraph(n, at)
	case *ast.List:
		if w.p.doc.Format == Vault && at.top && w.vaultList(n, at) {
			return
		}
		w.children(n, place{parent: at.parent, end: at.end})
	case *ast.ListItem:
		w.item(n, at)
	case *ast.Blockquote:
		w.children(n, place{parent: at.parent, end: at.end})
	case *ast.FencedCodeBlock:
		w.fence(n, at)
	case *ast.CodeBlock:
		w.code(n, "text", at)
	case *ast.HTMLBlock:
		if !bytes.HasPrefix(bytes.TrimSpace(w.p.src.text[w.pos(n):]), []byte("<!--")) {
			w.paragraph(n, at)
		}
	}
}

// item walks a list item: its first text is the bullet, everything after it
// stands under that text.
func (w *walker) item(n *ast.ListItem, at place) {
	first := n.FirstChild()
	if first == nil {
		return
	}
	if !isText(first) {
		w.children(n, place{parent: at.parent, end: at.end})
		return
	}
	pieces := w.pieces(first)
	inner := place{parent: w.text(pieces), end: at.end}
	if head := w.tableHead(pieces); head >= 0 {
		inner.parent = nonempty(w.text(pieces[:head]), at.parent)
		w.table(pieces[head:], 0, inner)
		pieces = pieces[:head]
	}
	w.bullet(pieces, w.pos(n), at)
	w.siblings(first, inner)
}

func isText(n ast.Node) bool {
	k := n.Kind()
	return k == ast.KindParagraph || k == ast.KindTextBlock
}

var taskBox = regexp.MustCompile(`^\[[ xX]\][ \t]+`)

// bullet adds a list item without what is nested in it; its extent holds the
// nested lines too, because they cannot stand without it.
func (w *walker) bullet(pieces []Span, marker int, at place) {
	if len(pieces) == 0 {
		return
	}
	if box := taskBox.Find(w.p.src.of(pieces[0])); box != nil {
		pieces[0].Start += len(box)
	}
	s := w.p.src
	from := s.lineStart(marker)
	extent := Span{from, s.trimBlank(s.lineEnd(pieces[len(pieces)-1].End), max(at.end, s.lineEnd(pieces[len(pieces)-1].End)))}
	w.add(KindBullet, pieces, Span{marker, pieces[len(pieces)-1].End}, extent, at.parent)
}

func (w *walker) paragraph(n ast.Node, at place) {
	pieces := w.pieces(n)
	if len(pieces) == 0 {
		return
	}
	if head := w.tableHead(pieces); head >= 0 {
		w.table(pieces, head, at)
		return
	}
	if acePrefix.Match(w.p.src.of(pieces[0])) {
		w.aceLines(pieces, at.parent)
		return
	}
	w.add(KindParagraph, pieces, Span{pieces[0].Start, pieces[len(pieces)-1].End}, w.lines(pieces), at.parent)
}

func (w *walker) heading(n *ast.Heading, at place) {
	pieces := w.pieces(n)
	text := normal(valid(w.text(pieces)))
	if at.top {
		for len(w.levels) > 0 && w.levels[len(w.levels)-1] >= n.Level {
			w.levels, w.headings = w.levels[:len(w.levels)-1], w.headings[:len(w.headings)-1]
		}
		w.event = eventSection(w.headings)
	}
	if len(pieces) == 0 {
		return
	}
	last := pieces[len(pieces)-1].End
	extent := Span{w.p.src.lineStart(pieces[0].Start), w.p.src.trimBlank(w.p.src.lineEnd(last), max(at.end, w.p.src.lineEnd(last)))}
	above := w.event
	w.event = above || eventSection([]string{text})
	w.add(KindHeading, pieces, Span{min(w.pos(n), pieces[0].Start), last}, extent, at.parent)
	if !at.top {
		w.event = above
		return
	}
	w.levels = append(w.levels, n.Level)
	w.headings = append(w.headings[:len(w.headings):len(w.headings)], text)
}

func (w *walker) fence(n *ast.FencedCodeBlock, at place) {
	lang := strings.Trim(string(n.Language(w.p.src.text[w.base:])), "{}. ")
	if lang == "" {
		lang = "text"
	}
	if w.p.doc.Format == Anchored && w.yamlFence(n, lang, at) {
		return
	}
	w.code(n, lang, at)
}

// code adds every line of a block that is not blank; indentation stays,
// because it says where a line of a tree belongs.
func (w *walker) code(n ast.Node, lang string, at place) {
	lines := n.Lines()
	for i := range lines.Len() {
		seg := lines.At(i)
		whole := Span{w.base + seg.Start, w.base + seg.Stop}
		piece := trim(w.p.src.text, whole)
		if piece.Start == piece.End {
			continue
		}
		text := string(w.p.src.text[whole.Start:piece.End])
		l := layout{extent: w.lines([]Span{piece}), pieces: []Span{piece}}
		w.p.add(Fact{Kind: KindCode, Text: text, Span: piece, Heading: w.headings, Event: w.event, Parent: at.parent, Fence: lang, Type: w.p.doc.kind}, l)
	}
}

// table adds the rows below a head; lines above the head are a paragraph that
// leads them in.
func (w *walker) table(pieces []Span, head int, at place) {
	if above := pieces[:head]; head > 0 {
		w.add(KindParagraph, above, Span{above[0].Start, above[head-1].End}, w.lines(above), at.parent)
		at.parent = string(w.p.src.of(above[head-1]))
	}
	for _, row := range pieces[head+2:] {
		w.add(KindRow, []Span{inPipes(w.p.src.text, row)}, row, w.lines([]Span{row}), at.parent)
	}
}

var tableRule = regexp.MustCompile(`^\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?$`)

// tableHead returns the line of a paragraph that is the head of a table, -1
// where it holds none: the line below it is a rule with as many cells.
func (w *walker) tableHead(pieces []Span) int {
	for i := 1; i < len(pieces); i++ {
		rule := w.p.src.of(pieces[i])
		if len(rule) == 0 || bytes.IndexByte([]byte("|:-"), rule[0]) < 0 || !tableRule.Match(rule) {
			continue
		}
		if bytes.IndexByte(rule, '|') >= 0 && w.cells(pieces[i]) == w.cells(pieces[i-1]) {
			return i - 1
		}
	}
	return -1
}

// cells counts the cells of a table row.
func (w *walker) cells(row Span) int {
	text := w.p.src.of(inPipes(w.p.src.text, row))
	n := 1
	for i, c := range text {
		if c == '|' && (i == 0 || text[i-1] != '\\') {
			n++
		}
	}
	return n
}

// inPipes drops the outer pipes of a table row.
func inPipes(text []byte, row Span) Span {
	if row.Start < row.End && text[row.Start] == '|' {
		row.Start++
	}
	if row.End-1 > row.Start && text[row.End-1] == '|' && text[row.End-2] != '\\' {
		row.End--
	}
	return trim(text, row)
}

// aceLines adds the lines of an ACE playbook, which stand below each other
// without markers; a line without a counter goes on the one above.
func (w *walker) aceLines(pieces []Span, parent string) {
	for from := 0; from < len(pieces); {
		to := from + 1
		for to < len(pieces) && !acePrefix.Match(w.p.src.of(pieces[to])) {
			to++
		}
		own := pieces[from:to:to]
		w.add(KindBullet, own, Span{own[0].Start, own[len(own)-1].End}, w.lines(own), parent)
		from = to
	}
}

// add records a fact of running text.
func (w *walker) add(k Kind, pieces []Span, span, extent Span, parent string) {
	f := Fact{Kind: k, Span: span, Heading: w.headings, Parent: parent, Type: w.p.doc.kind, Event: w.event}
	l := layout{extent: extent, pieces: pieces}
	if m := acePrefix.FindSubmatch(w.p.src.of(pieces[0])); m != nil {
		f.ID, l.own = validID(string(m[1])+"-"+string(m[2])), len(m[0])
		pieces[0].Start += l.own
	}
	if f.Text = w.text(pieces); strings.TrimSpace(f.Text) == "" {
		return
	}
	if k != KindHeading && w.p.doc.Format == MemoryIndex && len(linked(f.Text)) > 0 {
		f.Kind = KindIndex
	}
	w.p.add(f, l)
}

// lines is the extent of whole lines around pieces of text.
func (w *walker) lines(pieces []Span) Span {
	return Span{w.p.src.lineStart(pieces[0].Start), w.p.src.lineEnd(pieces[len(pieces)-1].End)}
}

// pieces returns the text of a block, a span a line, without the markers and
// the white space around it. Blank lines inside (HTML) keep an empty span.
func (w *walker) pieces(n ast.Node) []Span {
	if n.Type() != ast.TypeBlock || n.Lines() == nil {
		return nil
	}
	lines := n.Lines()
	out := make([]Span, 0, lines.Len())
	for i := range lines.Len() {
		seg := lines.At(i)
		out = append(out, trim(w.p.src.text, Span{w.base + seg.Start, w.base + seg.Stop}))
	}
	for len(out) > 0 && out[len(out)-1].Start == out[len(out)-1].End {
		out = out[:len(out)-1]
	}
	return out
}

// text joins pieces, a line each: line n of a text is line n of the fact.
func (w *walker) text(pieces []Span) string {
	if len(pieces) == 1 {
		return string(w.p.src.of(pieces[0]))
	}
	var b strings.Builder
	for i, p := range pieces {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.Write(w.p.src.of(p))
	}
	return b.String()
}

func (w *walker) pos(n ast.Node) int {
	return min(w.base+max(n.Pos(), 0), len(w.p.src.text))
}

func trim(text []byte, s Span) Span {
	for s.Start < s.End && space(text[s.Start]) {
		s.Start++
	}
	for s.End > s.Start && space(text[s.End-1]) {
		s.End--
	}
	return s
}

func space(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }
