package config

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Bounds of a configuration file, checked before it is parsed: the parser's
// time grows with the square of the lines.
const (
	maxBytes = 64 << 10
	maxLines = 2000
	maxDepth = 20
)

// readMapping parses src and returns its one mapping, nil where the file says
// nothing. What YAML offers beyond plain data (anchors, aliases, merge keys,
// tags, several documents) is a fault: nothing here needs it.
func readMapping(file string, src []byte) (*ast.MappingNode, []Fault) {
	if len(src) > maxBytes {
		return nil, []Fault{{File: file, Message: fmt.Sprintf("larger than %d bytes", maxBytes)}}
	}
	if bytes.Count(src, []byte("\n")) > maxLines {
		return nil, []Fault{{File: file, Message: fmt.Sprintf("longer than %d lines", maxLines)}}
	}
	if line, column := deepAt(src); line > 0 {
		return nil, []Fault{{File: file, Line: line, Column: column, Message: fmt.Sprintf("nested deeper than %d levels", maxDepth)}}
	}
	src = bytes.TrimPrefix(src, []byte("\uFEFF"))
	parsed, err := parser.ParseBytes(src, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, []Fault{syntaxFault(file, err)}
	}
	var body ast.Node
	for _, doc := range parsed.Docs {
		if doc.Body == nil {
			continue
		}
		if body != nil {
			return nil, []Fault{at(file, doc.Body, "a second document; one file holds one configuration")}
		}
		body = doc.Body
	}
	return asMapping(file, body)
}

func asMapping(file string, body ast.Node) (*ast.MappingNode, []Fault) {
	v := &plainVisitor{file: file}
	if body != nil {
		ast.Walk(v, body)
	}
	if len(v.faults) > 0 {
		return nil, v.faults
	}
	switch body.(type) {
	case nil, *ast.NullNode, *ast.CommentGroupNode:
		return nil, nil
	}
	if m := mappingOf(body); m != nil {
		return m, nil
	}
	return nil, []Fault{at(file, body, "must be a mapping of keys to values")}
}

// plainVisitor collects what is more than plain data.
type plainVisitor struct {
	file   string
	faults []Fault
}

// Visit implements ast.Visitor.
func (v *plainVisitor) Visit(n ast.Node) ast.Visitor {
	switch n.(type) {
	case *ast.AnchorNode:
		v.faults = append(v.faults, at(v.file, n, "anchors (&name) are not read here; write the value out"))
	case *ast.AliasNode:
		v.faults = append(v.faults, at(v.file, n, "aliases (*name) are not read here; write the value out"))
	case *ast.MergeKeyNode:
		v.faults = append(v.faults, at(v.file, n, "merge keys (<<) are not read here; write the values out"))
	case *ast.TagNode:
		v.faults = append(v.faults, at(v.file, n, "tags (!name) are not read here"))
	}
	return v
}

// at is a fault at a node.
func at(file string, n ast.Node, message string, args ...any) Fault {
	f := Fault{File: file, Message: fmt.Sprintf(message, args...)}
	if token := n.GetToken(); token != nil && token.Position != nil {
		f.Line, f.Column = token.Position.Line, token.Position.Column
	}
	return f
}

func syntaxFault(file string, err error) Fault {
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) && syntax.Token != nil && syntax.Token.Position != nil {
		return Fault{File: file, Line: syntax.Token.Position.Line, Column: syntax.Token.Position.Column, Message: syntax.Message}
	}
	return Fault{File: file, Message: err.Error()}
}

// deepAt returns where src may nest deeper than the parser should follow: too
// many open brackets, or too many block sequences begun on one line. It counts
// in strings and comments, too: a configuration has no use for that either.
func deepAt(src []byte) (line, column int) {
	line, depth, dashes := 1, 0, 0
	for _, c := range src {
		column++
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		case '-', '?', ':':
			dashes++
		case '\n':
			line, column, dashes = line+1, 0, 0
		case ' ':
		default:
			dashes = 0
		}
		if depth > maxDepth || dashes > 4*maxDepth {
			return line, column
		}
	}
	return 0, 0
}
