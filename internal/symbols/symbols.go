// Package symbols finds what source files define, and whether a name that a
// fact declares is one of those things.
//
// It owns names of code: how a reference to one is spelled, and which
// definitions a file has. Go is parsed, so that its answers are exact; in other
// languages a file is only known to have the words. The package is pure.
package symbols

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Engine says what this build reads of code, for people.
const Engine = "Go by its own parser; other languages by whole words"

// Ref is what a fact declares to be about: a name, maybe inside another one or
// inside a file, or a line of a file.
type Ref struct {
	Path  string   // file, "" where the name alone is given
	Line  int      // 0: none
	Names []string // outermost first: package or type, then the name; empty for a line
}

var (
	lineRef = regexp.MustCompile(`^([^\s#:]+):(\d+)(?:-\d+)?$`)
	nameRef = regexp.MustCompile(`^[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*$`)
	between = regexp.MustCompile(`\.|::|#`)
)

// ParseRef reads Name, pkg.Name, Type.method, path#Symbol and path:line. It is
// false for anything else.
func ParseRef(s string) (Ref, bool) {
	s = strings.TrimSuffix(strings.TrimSpace(s), "()")
	if m := lineRef.FindStringSubmatch(s); m != nil {
		n, err := strconv.Atoi(m[2])
		return Ref{Path: path.Clean(m[1]), Line: n}, err == nil && n > 0
	}
	file, name, ok := strings.Cut(s, "#")
	if !ok || !strings.ContainsAny(file, "./") {
		file, name = "", s
	}
	if !nameRef.MatchString(name) {
		return Ref{}, false
	}
	r := Ref{Names: between.Split(name, -1)}
	if file != "" {
		r.Path = path.Clean(file)
	}
	return r, true
}

// Last is the innermost name, "" for a line.
func (r Ref) Last() string {
	if len(r.Names) == 0 {
		return ""
	}
	return r.Names[len(r.Names)-1]
}

// Def is one definition. The name of what stands inside another definition has
// that one's before it: Cart.Total.
type Def struct {
	Name      string
	Line, End int
}

// Parsed reports whether the definitions of a file can be read exactly.
func Parsed(file string) bool { return path.Ext(file) == ".go" }

// Go returns the name of the package and the definitions of a Go file, as far as
// they can be parsed, in their order.
func Go(src []byte) (pkg string, defs []Def) {
	set := token.NewFileSet()
	f, _ := parser.ParseFile(set, "", src, parser.SkipObjectResolution) // what a broken file still defines counts
	if f == nil || f.Name == nil {
		return "", nil
	}
	r := &reader{set: set}
	for _, d := range f.Decls {
		r.decl(d)
	}
	return f.Name.Name, r.defs
}

// reader collects definitions.
type reader struct {
	set  *token.FileSet
	defs []Def
}

func (r *reader) add(name string, n ast.Node) {
	r.defs = append(r.defs, Def{name, r.set.Position(n.Pos()).Line, r.set.Position(n.End()).Line})
}

func (r *reader) decl(d ast.Decl) {
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

func (r *reader) spec(s ast.Spec) {
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
func (r *reader) members(of string, t ast.Expr) {
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

// In reports whether a file defines what r names. Where the file cannot be
// parsed, it must have each of the names as a word.
func (r Ref) In(file string, src []byte) bool {
	if r.Path != "" && file != r.Path && !strings.HasSuffix(file, "/"+r.Path) {
		return false
	}
	if !Parsed(file) {
		return hasWords(src, r.Names)
	}
	pkg, defs := Go(src)
	for _, d := range defs {
		if r.is(pkg, d.Name) {
			return true
		}
	}
	return false
}

// is compares the names with a definition: its own nesting, before that its
// package, and a name alone may be a method's.
func (r Ref) is(pkg, def string) bool {
	want := strings.Join(r.Names, ".")
	return want != "" && (def == want || pkg+"."+def == want || len(r.Names) == 1 && strings.HasSuffix(def, "."+want))
}

func hasWords(src []byte, names []string) bool {
	for _, n := range names {
		re, err := regexp.Compile(`(?:^|[^\w$])` + regexp.QuoteMeta(n) + `(?:[^\w$]|$)`)
		if err != nil || !re.Match(src) {
			return false
		}
	}
	return len(names) > 0
}
