//go:build cgo && !nogrammars

package symbols

import (
	"slices"
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// What is spent on one file at most. A parser that looks ahead to the end of a
// file again and again is stopped by the bytes that it reads, which costs the
// same everywhere; the clock is for what that does not catch.
const (
	chunk       = 32 << 10 // bytes that the parser is given at once
	readFactor  = 8        // times that a file may be read
	readFree    = 8 << 20  // bytes that may be read of any file
	parseMicros = 3_000_000
	queryMicros = 2_000_000
	maxOpen     = 512 // matches that are begun and not ended: a measure of depth
)

// read parses a file and asks the query what it defines.
func (g *grammar) read(file string, src []byte, marks bool) (File, error) {
	if len(src) > maxParsed {
		return File{}, ErrTooLarge
	}
	c, err := g.load()
	if err != nil {
		return File{}, err
	}
	tree := c.parse(src)
	if tree == nil { // the clock, or the reads
		return File{}, ErrTooLarge
	}
	defer tree.Close()
	a := answers{src: src, leaves: map[uintptr]leaf{}}
	if !a.ask(c.names, tree.RootNode()) || marks && !a.ask(c.tokens, tree.RootNode()) {
		return File{}, ErrTooLarge
	}
	f := File{Scope: scopeOf(file, a.pkg)}
	var spans []span
	f.Defs, spans = nest(a.found, newLineIndex(src))
	if marks {
		w := walker{answers: &a, drops: g.drops, quotes: g.quotes}
		w.walk(tree.Walk())
		for i := range f.Defs {
			f.Defs[i].Fingerprint = g.name() + ":" + w.out.hash(spans[i])
		}
	}
	return f, nil
}

// parse returns the tree of a file, nil if that takes too much.
func (c *compiled) parse(src []byte) *sitter.Tree {
	p := sitter.NewParser()
	defer p.Close()
	if p.SetLanguage(c.language) != nil {
		return nil
	}
	//lint:ignore SA1019 a callback in ParseOptions is never freed by the library
	p.SetTimeoutMicros(parseMicros)
	left, over := readFree+readFactor*len(src), false
	tree := p.ParseWithOptions(func(at int, _ sitter.Point) []byte {
		if at >= len(src) || over {
			return nil
		}
		b := src[at:min(len(src), at+chunk)]
		left -= len(b)
		over = left < 0
		return b
	}, nil, nil)
	if over && tree != nil {
		tree.Close()
		return nil
	}
	return tree
}

// leaf says how the tokens of a node are taken.
type leaf int

const (
	leafIgnore leaf = iota + 1
	leafText
	leafSpaced
	leafBlock
)

var leafOf = map[string]leaf{"ignore": leafIgnore, "text": leafText, "spaced": leafSpaced, "block": leafBlock}

var roleOf = map[string]role{"def": roleDef, "var": roleVar, "scope": roleScope, "local": roleLocal}

// answers are those of a query about one file.
type answers struct {
	src    []byte
	found  []found
	leaves map[uintptr]leaf // by the id of the node
	pkg    string
}

// ask runs a query. It is false where that takes too much.
func (a *answers) ask(q *query, root *sitter.Node) bool {
	cursor := sitter.NewQueryCursor()
	defer cursor.Close()
	cursor.SetMatchLimit(maxOpen)
	cursor.SetTimeoutMicros(queryMicros)
	matches := cursor.Matches(q.Query, root, a.src)
	for m := matches.Next(); m != nil; m = matches.Next() {
		a.match(q, m)
	}
	return !cursor.DidExceedMatchLimit()
}

// match takes one match apart: what it says of nodes, and what it defines.
func (a *answers) match(q *query, m *sitter.QueryMatch) {
	var name, of string
	key, at := -1, len(a.found)
	for _, x := range m.Captures {
		what := q.captures[x.Index]
		switch from, to := x.Node.StartByte(), x.Node.EndByte(); what {
		case "name":
			name, key = plain(string(a.src[from:to])), int(from)
		case "of":
			of = plain(string(a.src[from:to])) + "."
		case "package":
			a.pkg = string(a.src[from:to])
		default:
			if l, ok := leafOf[what]; ok {
				a.leaves[x.Node.Id()] = l
			} else if r, ok := roleOf[what]; ok {
				a.found = append(a.found, found{role: r, span: span{int(from), int(to)}})
			}
		}
	}
	for i := at; i < len(a.found); i++ {
		if f := &a.found[i]; f.role != roleLocal {
			f.name, f.key = of+name, key
		}
	}
}

// walker collects the tokens of a tree.
type walker struct {
	*answers
	drops  string
	quotes bool
	out    tokens
	end    int // of the last token
}

// walk visits the leaves in their order.
func (w *walker) walk(c *sitter.TreeCursor) {
	defer c.Close()
	var blocks []span // open ones
	for {
		n := c.Node()
		from, to := int(n.StartByte()), int(n.EndByte())
		for len(blocks) > 0 && blocks[len(blocks)-1].to <= from && from < to {
			blocks = w.closeBlock(blocks)
		}
		how := w.leaves[n.Id()]
		if how == leafBlock && to > from {
			w.out = append(w.out, tok{from - 1, "\x01"})
			blocks = append(blocks, span{from, to})
		}
		if how != leafIgnore && how != leafText && how != leafSpaced && c.GotoFirstChild() {
			continue
		}
		w.leaf(how, from, to)
		for !c.GotoNextSibling() {
			if !c.GotoParent() {
				for len(blocks) > 0 {
					blocks = w.closeBlock(blocks)
				}
				return
			}
		}
	}
}

// closeBlock marks the end of the innermost block. The marks stand outside, so
// that what comes first or last in a block is the same elsewhere.
func (w *walker) closeBlock(blocks []span) []span {
	last := blocks[len(blocks)-1]
	w.out = append(w.out, tok{last.to, "\x02"})
	return slices.Delete(blocks, len(blocks)-1, len(blocks))
}

// leaf adds the token of a leaf, and before it what stands in the source and is
// no node.
func (w *walker) leaf(how leaf, from, to int) {
	if from >= w.end {
		if gap := strings.TrimSpace(string(w.src[w.end:from])); gap != "" {
			w.out = w.out.add(w.end, gap)
		}
	}
	w.end = max(w.end, to)
	text := string(w.src[from:to])
	switch {
	case how == leafIgnore || text == w.drops || strings.TrimSpace(text) == "" && how == 0 && strings.ContainsAny(text, "\n\r"):
		return
	case how == leafSpaced:
		text = strings.Join(strings.Fields(text), " ")
	case how == 0 && w.quotes && strings.HasSuffix(text, "'"):
		text = strings.ReplaceAll(text, "'", `"`)
	}
	if text != "" {
		w.out = w.out.add(from, text)
	}
}
