//go:build cgo && !nogrammars

package symbols

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"unsafe"

	kotlin "github.com/tree-sitter-grammars/tree-sitter-kotlin/bindings/go"
	sitter "github.com/tree-sitter/go-tree-sitter"
	bash "github.com/tree-sitter/tree-sitter-bash/bindings/go"
	csharp "github.com/tree-sitter/tree-sitter-c-sharp/bindings/go"
	c "github.com/tree-sitter/tree-sitter-c/bindings/go"
	cpp "github.com/tree-sitter/tree-sitter-cpp/bindings/go"
	java "github.com/tree-sitter/tree-sitter-java/bindings/go"
	javascript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
	php "github.com/tree-sitter/tree-sitter-php/bindings/go"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
	ruby "github.com/tree-sitter/tree-sitter-ruby/bindings/go"
	rust "github.com/tree-sitter/tree-sitter-rust/bindings/go"
	typescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"
)

// Each language has two queries of ours. The captures of queries/names:
//
//	@name     what a definition is called
//	@of       what it belongs to, where that is said outside of its nesting
//	@def      the definition, the whole of it
//	@var      the same, unless it stands in a body
//	@scope    no definition, but those inside have its name before theirs
//	@local    a body
//	@package  what the whole file lies in
//
// and those of queries/tokens, for fingerprints:
//
//	@ignore   no token of it counts: comments
//	@text     one token as it is written: strings
//	@spaced   one token, whatever space is in it
//	@block    where it begins and ends counts, though no token says so
//
//go:embed queries/*/*.scm
var queries embed.FS

// revision is that of the queries and of our normalization: what changes the
// fingerprints of a language raises it.
const revision = 1

// grammar reads one language by tree-sitter.
type grammar struct {
	id       string // grammar@version, as in go.mod
	language func() unsafe.Pointer
	queries  string // files, joined by +
	drops    string // a token that a formatter adds where a line ends
	quotes   bool   // either quote makes the same string

	once     sync.Once
	compiled *compiled
	fault    error
}

var grammars = map[string]*grammar{
	"Python":     {id: "tree-sitter-python@0.23.6", language: python.Language, queries: "python", drops: ";", quotes: true},
	"JavaScript": {id: "tree-sitter-javascript@0.23.1", language: javascript.Language, queries: "ecma+jsx+javascript", drops: ";", quotes: true},
	"TypeScript": {id: "tree-sitter-typescript@0.23.2", language: typescript.LanguageTypescript, queries: "ecma+typescript", drops: ";", quotes: true},
	"TSX":        {id: "tree-sitter-tsx@0.23.2", language: typescript.LanguageTSX, queries: "ecma+jsx+typescript", drops: ";", quotes: true},
	"Rust":       {id: "tree-sitter-rust@0.23.2", language: rust.Language, queries: "rust"},
	"Java":       {id: "tree-sitter-java@0.23.5", language: java.Language, queries: "java"},
	"Kotlin":     {id: "tree-sitter-kotlin@1.1.0", language: kotlin.Language, queries: "kotlin", drops: ";"},
	"C":          {id: "tree-sitter-c@0.23.4", language: c.Language, queries: "c"},
	"C++":        {id: "tree-sitter-cpp@0.23.4", language: cpp.Language, queries: "c+cpp"},
	"C#":         {id: "tree-sitter-c-sharp@0.23.1", language: csharp.Language, queries: "csharp"},
	"Ruby":       {id: "tree-sitter-ruby@0.23.1", language: ruby.Language, queries: "ruby", drops: ";"},
	"PHP":        {id: "tree-sitter-php@0.23.11", language: php.LanguagePHP, queries: "php"},
	"shell":      {id: "tree-sitter-bash@0.23.3", language: bash.Language, queries: "bash", drops: ";"},
}

// grammarFor returns what reads a language by its grammar, nil if nothing does.
func grammarFor(language string) engine {
	if g := grammars[language]; g != nil {
		return g
	}
	return nil
}

// Engine says what this build reads of code, for people.
const Engine = "Go by its own parser; Python, JavaScript, TypeScript, Rust, Java, Kotlin, C, C++, C#, Ruby, PHP and shell by tree-sitter; Swift and Dart by outlines of their tokens; other languages by whole words"

func (g *grammar) name() string { return fmt.Sprintf("%s+%d", g.id, revision) }

// compiled is a grammar with its queries, for any number of readers at once.
type compiled struct {
	language      *sitter.Language
	names, tokens *query
}

// query is one with the names of its captures.
type query struct {
	*sitter.Query
	captures []string
}

// load compiles a grammar's queries when it is first asked for.
func (g *grammar) load() (*compiled, error) {
	g.once.Do(func() { g.compiled, g.fault = g.compile() })
	return g.compiled, g.fault
}

func (g *grammar) compile() (*compiled, error) {
	c := &compiled{language: sitter.NewLanguage(g.language())}
	for dir, q := range map[string]**query{"names": &c.names, "tokens": &c.tokens} {
		text, err := g.queryText(dir)
		if err != nil {
			return nil, err
		}
		compiled, fault := sitter.NewQuery(c.language, text)
		if fault != nil {
			return nil, fmt.Errorf("compile the %s of %s: %w", dir, g.id, fault)
		}
		*q = &query{compiled, compiled.CaptureNames()}
	}
	return c, nil
}

// queryText joins the files of a query; a language need not have all of them.
func (g *grammar) queryText(dir string) (string, error) {
	var text strings.Builder
	for f := range strings.SplitSeq(g.queries, "+") {
		b, err := queries.ReadFile("queries/" + dir + "/" + f + ".scm")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("read the %s of %s: %w", dir, g.id, err)
		}
		text.Write(b)
	}
	return text.String(), nil
}
