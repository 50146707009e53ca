package symbols

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
)

// goEngine reads Go by the parser that comes with it. Its answers are exact.
type goEngine struct{}

// The number is that of our normalization: other tokens, another number.
func (goEngine) name() string { return "go@1" }

func (e goEngine) read(_ string, src []byte, marks bool) (File, error) {
	set := token.NewFileSet()
	f, _ := parser.ParseFile(set, "", src, parser.SkipObjectResolution) // what a broken file still defines counts
	if f == nil || f.Name == nil {
		return File{}, nil
	}
	r := &goReader{file: set.File(f.FileStart)}
	for _, d := range f.Decls {
		r.decl(d)
	}
	if marks {
		stream := goTokens(src)
		for i := range r.defs {
			r.defs[i].Fingerprint = e.name() + ":" + stream.hash(r.spans[i])
		}
	}
	return File{Scope: []string{f.Name.Name}, Defs: r.defs}, nil
}

// goReader collects definitions.
type goReader struct {
	file  *token.File
	defs  []Def
	spans []span
}

func (r *goReader) add(name string, n ast.Node) {
	if len(r.defs) < maxDefs {
		line := func(p token.Pos) int { return r.file.PositionFor(p, false).Line }
		r.defs = append(r.defs, Def{Name: name, Line: line(n.Pos()), End: line(n.End())})
		r.spans = append(r.spans, span{r.file.Offset(n.Pos()), r.file.Offset(n.End())})
	}
}

func (r *goReader) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		r.add(receiver(d)+d.Name.Name, d)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			r.spec(s)
		}
	}
}

// receiver is the type of a method with a dot.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "."
		default:
			return ""
		}
	}
}

func (r *goReader) spec(s ast.Spec) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			r.add(n.Name, s)
		}
	case *ast.TypeSpec:
		r.add(s.Name.Name, s)
		r.members(s.Name.Name, s.Type)
	}
}

// members adds the fields and methods of a type.
func (r *goReader) members(of string, t ast.Expr) {
	var list *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	}
	if list == nil {
		return
	}
	for _, f := range list.List {
		for _, n := range f.Names {
			r.add(of+"."+n.Name, f)
		}
	}
}

// goTokens are the tokens of a file without comments. What gofmt adds and takes
// away, ends of lines and commas before a closing bracket, is left out.
func goTokens(src []byte) tokens {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(file, src, func(token.Position, string) {}, 0)
	var out tokens
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return out
		}
		if tok == token.SEMICOLON || lit == "" {
			lit = tok.String()
		}
		out = out.add(file.Offset(pos), lit)
	}
}
