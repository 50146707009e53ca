package knowledge

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// A vault keeps its entries as runs of "- **Key**: value" bullets, each from
// its ID on. Several entries may stand in one list.

var vaultField = regexp.MustCompile(`^\*\*([^*:\n]{1,40}?)\s*(?::\*\*|\*\*\s*:)[ \t]*`)

// vaultItem is one bullet of a vault's list.
type vaultItem struct {
	node   *ast.ListItem
	extent Span
	pieces []Span
	field  *field
}

// vaultList adds the entries of a list; false where none of its items is a
// field, and it is a list like any other.
func (w *walker) vaultList(n *ast.List, at place) bool {
	items, any := w.vaultItems(n, at.end)
	if !any {
		return false
	}
	for from := 0; from < len(items); {
		to := from + 1
		for to < len(items) && !(items[to].field != nil && fieldName(items[to].field.key) == "id") {
			to++
		}
		w.vaultEntry(items[from:to], at)
		from = to
	}
	return true
}

func (w *walker) vaultItems(n *ast.List, end int) (items []vaultItem, any bool) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		li, ok := c.(*ast.ListItem)
		if !ok {
			continue
		}
		it := vaultItem{node: li, extent: Span{w.p.src.lineStart(w.pos(li)), end}}
		if next := c.NextSibling(); next != nil {
			it.extent.End = w.p.src.lineStart(w.pos(next))
		}
		if first := li.FirstChild(); first != nil && isText(first) {
			it.pieces = w.pieces(first)
			it.field = w.vaultField(it)
		}
		any = any || it.field != nil
		items = append(items, it)
	}
	return items, any
}

// vaultField reads a bullet as a field; its value is the rest of the bullet.
func (w *walker) vaultField(it vaultItem) *field {
	if len(it.pieces) == 0 {
		return nil
	}
	text := w.text(it.pieces)
	m := vaultField.FindStringSubmatchIndex(text)
	if m == nil {
		return nil
	}
	f := &field{key: valid(text[m[2]:m[3]]), text: valid(strings.TrimSpace(text[m[1]:])), scalar: true}
	at := it.pieces[0].Start
	f.line = w.p.src.wholeLines(it.pieces[0])
	if len(it.pieces) == 1 {
		f.value = Span{min(at+m[1], it.pieces[0].End), it.pieces[0].End}
	}
	f.items = []item{{f.text, f.value}}
	return f
}

// vaultEntry adds one entry, or plain bullets where no field is among them.
func (w *walker) vaultEntry(items []vaultItem, at place) {
	var fields []field
	for _, it := range items {
		if it.field != nil {
			fields = append(fields, *it.field)
		}
	}
	if len(fields) == 0 {
		for _, it := range items {
			w.item(it.node, place{parent: at.parent, end: it.extent.End})
		}
		return
	}
	last := items[len(items)-1]
	extent := Span{items[0].extent.Start, w.p.src.trimBlank(items[0].extent.Start, last.extent.End)}
	text, id := vaultText(fields)
	f := Fact{ID: validID(id), Kind: KindEntry, Text: text, Title: title(nonempty(strings.TrimSpace(id+": "+firstLine(text)), id)),
		Span: trim(w.p.src.text, extent), Heading: w.headings, Parent: at.parent, Life: life(fields)}
	if len(w.headings) > 0 {
		f.Type = w.headings[len(w.headings)-1]
	}
	if id == "" {
		w.p.fault("vault/no-id", w.p.src.line(extent.Start), "the entry has no **ID**: give it one, so that it can be named")
	}
	w.p.add(f, layout{extent: extent, fields: fields, style: styleVault})
}

// bookkeeping are the fields of a vault entry that are not its claim.
var bookkeeping = map[string]bool{
	"id": true, "tags": true, "created": true, "ttl": true, "verified": true, "renewed": true, "expires": true, "archived": true,
	"status": true, "supersedes": true, "superseded_by": true, "retire_when": true, "anchor_files": true, "anchor_symbols": true, "reason": true,
}

// vaultText is what an entry says: its fields without the bookkeeping.
func vaultText(fields []field) (text, id string) {
	var lines []string
	for _, f := range fields {
		name := fieldName(f.key)
		if name == "id" && id == "" {
			id = f.text
		}
		if !bookkeeping[name] && f.text != "" && !strings.EqualFold(f.text, "n/a") {
			lines = append(lines, f.text)
		}
	}
	return strings.Join(lines, "\n"), id
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
