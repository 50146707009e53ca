// Package symbols finds what source files define, and whether a name that a
// fact declares is one of those things.
//
// It owns names of code: how a reference to one is spelled, which definitions a
// file has, how they nest, and their fingerprints, which are blind to formatting
// and comments. Go is read by its own parser, other languages by tree-sitter
// where the build has it, Swift and Dart by outlines of their tokens; of the
// rest it is only known which words a file has.
// The package is pure, and no input makes it fail, hang or grow without bound.
//
// # Why queries of our own
//
// tree-sitter is used through cgo, with queries that are written here: the tag
// queries that come with the grammars know neither fields nor nesting. A build
// without a C compiler, or with -tags nogrammars, parses Go, outlines Swift and
// Dart, and says of every other language that a name was looked for as a word.
//
// # Why outlines for Swift and Dart
//
// No Go module with a parser of either could be had, so outline.go reads them by
// a lexer of ours, which is linear. chroma's lexers were tried: they take
// comments for code where they nest, end texts inside their interpolations, take
// seconds for hostile kilobytes, and 13 ms to start. Held against tree-sitter's
// grammars over 3,236 public files, 9,999 of 10,000 names with their nesting
// agree where those parse.
package symbols

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// What Read and Fingerprint may answer instead.
var (
	// ErrNoParser: this build cannot parse the language, or it is none that is known.
	ErrNoParser = errors.New("no parser")
	// ErrTooLarge: the file is more than is parsed of one.
	ErrTooLarge = errors.New("too large or too deep to parse")
	// ErrUndefined: the file does not define what is asked for.
	ErrUndefined = errors.New("not defined there")
)

const (
	maxBytes  = 2 << 20   // of a file that is parsed
	maxParsed = 512 << 10 // of one that is not Go: no person wrote a larger file
	maxDepth  = 64        // of definitions in definitions: what lies deeper is left out
	maxDefs   = 50_000    // of one file
	maxName   = 1 << 10   // bytes of a name with those that it lies in: what is longer is left out
)

// Def is one definition. The name of what stands inside another definition has
// that one's before it: Cart.Total.
type Def struct {
	Name      string
	Line, End int // 1-based, both inclusive
	// Fingerprint is engine@version:hash of the tokens, without comments and
	// formatting. Those of different engines cannot be compared.
	Fingerprint string
}

// File is what one source file defines.
type File struct {
	Engine string   // what read it, with its version
	Scope  []string // what the whole file lies in, outermost first: packages, modules
	Defs   []Def    // in their order; what a broken file still defines is there
}

// Read parses a file of a repository. Its errors are ErrNoParser and
// ErrTooLarge.
func Read(file string, src []byte) (File, error) {
	return read(file, src, true)
}

// read parses a file; the fingerprints take longer than the rest.
func read(file string, src []byte, marks bool) (File, error) {
	e := engineFor(file)
	if e == nil {
		return File{}, fmt.Errorf("read the definitions of %s: %w for %s in this build", file, ErrNoParser, cmp.Or(Language(file), "such files"))
	}
	if len(src) > maxBytes {
		return File{}, fmt.Errorf("read the definitions of %s: %w: %d bytes, at most %d", file, ErrTooLarge, len(src), maxBytes)
	}
	f, err := e.read(file, src, marks)
	if err != nil {
		return File{}, fmt.Errorf("read the definitions of %s: %w", file, err)
	}
	f.Engine = e.name()
	return f, nil
}

// engine reads the definitions of one language.
type engine interface {
	name() string // with its version
	read(file string, src []byte, marks bool) (File, error)
}

// engineFor returns what reads a file in this build, nil if nothing does.
func engineFor(file string) engine {
	switch l := Language(file); l {
	case "Go":
		return goEngine{}
	case "Swift", "Dart":
		return outlines[l]
	default:
		return grammarFor(l)
	}
}

// Parsed reports whether the definitions of a file can be read exactly in this
// build.
func Parsed(file string) bool { return engineFor(file) != nil }

// Means says for people how a name is looked for in a file.
func Means(file string) string {
	if e := engineFor(file); e != nil {
		return "among definitions, by " + e.name()
	}
	return "as a word: no parser for " + cmp.Or(Language(file), "such files")
}

// Find returns the definitions that r names, whatever path it has; for a line
// the innermost one that spans it.
func (f File) Find(r Ref) []Def {
	if r.Line > 0 {
		return f.at(r.Line)
	}
	var out []Def
	for _, d := range f.Defs {
		if r.is(f.Scope, d.Name) {
			out = append(out, d)
		}
	}
	return out
}

// at returns the innermost definition that spans a line.
func (f File) at(line int) []Def {
	var out []Def
	for _, d := range f.Defs {
		if d.Line <= line && line <= d.End && (out == nil || d.End-d.Line <= out[0].End-out[0].Line) {
			out = []Def{d}
		}
	}
	return out
}

// In reports whether a file defines what r names. Where the file cannot be
// parsed, it must have each of the names as a word.
func (r Ref) In(file string, src []byte) bool {
	if !r.leadsTo(file) || !bytes.Contains(src, []byte(r.Last())) {
		return false
	}
	f, err := recent.read(file, src)
	if err != nil {
		return hasWords(src, r.Names)
	}
	return len(f.Find(r)) > 0
}

// Fingerprint returns the fingerprint of what an anchor names in a file. Where
// there are several, as there are of overloads, it is one for all of them in
// any order. Its errors are those of Read, and ErrUndefined.
func Fingerprint(file string, src []byte, anchor string) (string, error) {
	r, ok := ParseRef(anchor)
	if !ok || !r.leadsTo(file) {
		return "", fmt.Errorf("look up %s in %s: %w", anchor, file, ErrUndefined)
	}
	f, err := Read(file, src)
	if err != nil {
		return "", err
	}
	switch defs := f.Find(r); len(defs) {
	case 0:
		return "", fmt.Errorf("look up %s in %s: %w", anchor, file, ErrUndefined)
	case 1:
		return defs[0].Fingerprint, nil
	default:
		return f.Engine + ":" + together(defs), nil
	}
}

// together hashes the fingerprints of several definitions.
func together(defs []Def) string {
	var all []string
	for _, d := range defs {
		all = append(all, d.Fingerprint)
	}
	slices.Sort(all)
	return hashOf(func(yield func(string) bool) {
		for _, s := range all {
			if !yield(s) {
				return
			}
		}
	})
}

// hashOf is the hash of a list of tokens.
func hashOf(tokens func(func(string) bool)) string {
	h := sha256.New()
	var buf []byte
	for t := range tokens {
		buf = append(append(strconv.AppendInt(buf[:0], int64(len(t)), 10), ':'), t...)
		h.Write(buf)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
