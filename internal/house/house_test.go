package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/retrosweep/retrosweep"

// source is one parsed Go file of the module.
type source struct {
	path  string // relative to the module's root
	pkg   string // directory relative to the module's root, "." for the root
	fset  *token.FileSet
	file  *ast.File
	lines []string
}

func (s source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

func (s source) imports() []string {
	var all []string
	for _, spec := range s.file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			all = append(all, p)
		}
	}
	return all
}

func load(t *testing.T) []source {
	t.Helper()
	root := filepath.Join("..", "..")
	var all []source
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != root && (d.Name() == "testdata" || (strings.HasPrefix(d.Name(), ".") && d.Name() != "..")) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") {
			return nil
		}
		s, err := parse(root, p)
		all = append(all, s)
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("read the module's sources: %d files, %v", len(all), err)
	}
	return all
}

func parse(root, p string) (source, error) {
	content, err := os.ReadFile(p)
	if err != nil {
		return source{}, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, p, content, parser.ParseComments)
	rel, relErr := filepath.Rel(root, p)
	if err == nil {
		err = relErr
	}
	rel = filepath.ToSlash(rel)
	return source{path: rel, pkg: path.Dir(rel), fset: fset, file: file, lines: strings.Split(string(content), "\n")}, err
}

// rules say which packages of ours (or foreign modules) a folder may not
// import. The first pattern is the importing folder, prefixes match.
var rules = []struct {
	in, mayNot, why string
}{
	{"internal/knowledge", "internal", "facts and edits are pure words"},
	{"internal/repo", "internal", "git objects know nothing of the product"},
	{"prompts", "internal", "a prompt is a text: no model, no repository"},
	{"retro", "sweep", "the two passes do not know each other"},
	{"sweep", "retro", "the two passes do not know each other"},
	{"retro", "internal/night", "a pass does not know the night"},
	{"sweep", "internal/night", "a pass does not know the night"},
	{"retro", "internal/cli", "flags stay at the edge"},
	{"sweep", "internal/cli", "flags stay at the edge"},
	{"internal/night", "internal/llm/openai", "adapters are wired by cli"},
	{"retro", "internal/llm/openai", "adapters are wired by cli"},
	{"sweep", "internal/llm", "what the sweep asks goes through the night's client"},
	{"internal/proposal", "internal/night", "a decision does not know who asks"},
	{"internal/report", "internal/night", "a receipt does not know who fills it"},
}

// exceptions are the sub-packages that a rule on their parent does not bind,
// each with its reason.
var exceptions = map[string]string{
	"internal/knowledge/corpus": "reads documents out of a tree, so it knows repo",
}

func TestImportsKeepTheirDirections(t *testing.T) {
	t.Parallel()
	for _, s := range load(t) {
		if s.isTest() || exceptions[s.pkg] != "" {
			continue
		}
		for _, imported := range s.imports() {
			checkImport(t, s, imported)
		}
	}
}

func checkImport(t *testing.T, s source, imported string) {
	t.Helper()
	if strings.HasPrefix(imported, "github.com/go-git/") && !within(s.pkg, "internal/repo") {
		t.Errorf("%s imports %s: only internal/repo knows go-git", s.path, imported)
	}
	if strings.HasPrefix(imported, "github.com/sashabaranov/") && !within(s.pkg, "internal/llm/openai") {
		t.Errorf("%s imports %s: only internal/llm/openai knows the client library", s.path, imported)
	}
	ours, ok := strings.CutPrefix(imported, module+"/")
	if !ok {
		return
	}
	for _, r := range rules {
		if within(s.pkg, r.in) && within(ours, r.mayNot) && !within(ours, r.in) {
			t.Errorf("%s imports %s: %s", s.path, ours, r.why)
		}
	}
}

// within reports whether pkg is folder or lies in it.
func within(pkg, folder string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") }

func TestFilesAndFunctionsFitOnScreens(t *testing.T) {
	t.Parallel()
	const fileMax, funcMax, medianMax = 500, 80, 10
	var lengths []int
	for _, s := range load(t) {
		if len(s.lines) > fileMax {
			t.Errorf("%s has %d lines, more than %d", s.path, len(s.lines), fileMax)
		}
		for _, f := range functions(s) {
			n := s.code(f)
			if n > funcMax {
				t.Errorf("%s: %s has %d lines, more than %d", s.path, f.Name.Name, n, funcMax)
			}
			if !s.isTest() {
				lengths = append(lengths, n)
			}
		}
	}
	slices.Sort(lengths)
	if median := lengths[len(lengths)/2]; median > medianMax {
		t.Errorf("the median function has %d lines, more than %d", median, medianMax)
	}
}

// code counts the lines of a function's body that hold code: neither blank nor
// a comment alone.
func (s source) code(f *ast.FuncDecl) int {
	first, last := s.fset.Position(f.Body.Lbrace).Line, s.fset.Position(f.Body.Rbrace).Line
	if first == last {
		return 1
	}
	n := 0
	for _, line := range s.lines[first : last-1] {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			n++
		}
	}
	return n
}

func functions(s source) []*ast.FuncDecl {
	var all []*ast.FuncDecl
	for _, d := range s.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			all = append(all, f)
		}
	}
	return all
}

func TestEveryPackageSaysWhatItOwns(t *testing.T) {
	t.Parallel()
	said := map[string]bool{}
	for _, s := range load(t) {
		if !s.isTest() {
			said[s.pkg] = said[s.pkg] || s.file.Doc != nil
		}
	}
	for pkg, ok := range said {
		if !ok {
			t.Errorf("%s has no package comment", pkg)
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	t.Parallel()
	for _, s := range load(t) {
		if s.isTest() {
			continue
		}
		for _, f := range functions(s) {
			if f.Name.IsExported() && f.Doc == nil && f.Recv == nil {
				t.Errorf("%s: %s is exported and has no comment", s.path, f.Name.Name)
			}
		}
		for _, name := range undocumentedTypes(s) {
			t.Errorf("%s: type %s is exported and has no comment", s.path, name)
		}
	}
}

func undocumentedTypes(s source) []string {
	var names []string
	for _, d := range s.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, spec := range g.Specs {
			if ts, ok := spec.(*ast.TypeSpec); ok && ts.Name.IsExported() && g.Doc == nil && ts.Doc == nil {
				names = append(names, ts.Name.Name)
			}
		}
	}
	return names
}

// effects are calls that end the program or run another one; each may stand in
// the named folders alone.
var effects = []struct {
	pkg, name string
	only      []string
	why       string
}{
	{"log", "Fatal", nil, "errors are returned"},
	{"log", "Fatalf", nil, "errors are returned"},
	{"os", "Exit", []string{"cmd"}, "only main ends the program"},
	{"exec", "Command", []string{"internal/testkit", "internal/forge/gitea/giteatest"}, "nothing of the reviewed repository is executed"},
	{"exec", "CommandContext", []string{"internal/testkit", "internal/repo/gitcli"}, "nothing of the reviewed repository is executed; only git, with fixed arguments, away from any repository"},
	{"time", "Sleep", []string{"internal/repo"}, "waiting goes through a clock; only a lock file of git's is waited for"},
}

func TestEffectsStayAtTheEdge(t *testing.T) {
	t.Parallel()
	for _, s := range load(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				checkEffect(t, s, sel)
			}
			return true
		})
	}
}

func checkEffect(t *testing.T, s source, sel *ast.SelectorExpr) {
	t.Helper()
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return
	}
	for _, e := range effects {
		allowed := slices.ContainsFunc(e.only, func(p string) bool { return within(s.pkg, p) })
		testMay := s.isTest() && (e.pkg == "exec" || e.pkg == "os")
		if x.Name == e.pkg && sel.Sel.Name == e.name && !allowed && !testMay {
			t.Errorf("%s: %s.%s: %s", s.fset.Position(sel.Pos()), e.pkg, e.name, e.why)
		}
	}
}
