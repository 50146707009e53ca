package anchor

import (
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/symbols"
)

// Form says how a path is written in the text. It decides how much else must
// agree before the spelling is believed.
type Form string

// Forms of spelling.
const (
	FormDeclared Form = "declared" // a lifecycle field of the fact
	FormField    Form = "field"    // a front-matter field that holds paths
	FormLink     Form = "link"     // [text](target), reference definitions, mdc: links
	FormWiki     Form = "wiki"     // [[name]]
	FormImport   Form = "import"   // @path/to/file.md
	FormSpan     Form = "span"     // a code span
	FormProse    Form = "prose"    // a word of running text
	FormTree     Form = "tree"     // a node of a tree drawn in a code fence
	FormCommand  Form = "command"  // an argument of a command line
	FormModule   Form = "module"   // python -m pkg.mod
)

// Candidate is one spelling that may name something of the repository.
type Candidate struct {
	Kind   knowledge.AnchorKind
	Form   Form
	Text   string   // the path part as it is spelled, without fragment and line number
	Path   string   // slash path or glob: no leading ./ or /, no trailing slash, maybe leading ../
	Rooted bool     // spelled with a leading slash
	Dirs   []string // directories that the context names, nearest first
	Others []string // further paths any one of which would do (a module's files)
	Line   int      // 1-based line of the document
	Tool   string   // of a target: make, just or npm; of a flag: the program, "" where it is not said
	Value  string   // what the text says of the value named by Path

	muted  string // settled already
	saying *saying
}

// saying is where a candidate stands in the text, to ask for its tone later:
// most candidates are never asked.
type saying struct {
	r     *Reader
	text  string
	at, n int
	line  int // index
}

// Mute says why the text makes no claim that the path is there: because it
// says that the path is gone, planned, optional. It is "" if it does claim so.
func (c *Candidate) Mute() string {
	if c.saying != nil {
		s := c.saying
		c.saying = nil
		if c.muted == "" {
			c.muted = mute(s.text, s.at, s.n, c.Kind != knowledge.AnchorSymbol)
		}
		if c.muted == "" && c.Bare() && c.Form != FormTree && s.n > 0 && exampleOf.MatchString(tail(s.text[:s.at], 90)) {
			c.muted = mutedExample
		}
		if c.muted == "" {
			c.muted = s.r.muteAbove(s.line, c.Kind != knowledge.AnchorSymbol)
		}
	}
	return c.muted
}

// Base returns the last element of the path.
func (c *Candidate) Base() string { return base(c.Path) }

// Bare reports whether the spelling is a mere file name.
func (c *Candidate) Bare() bool { return dir(c.Path) == "" }

// Paths returns the spellings any one of which satisfies the candidate.
func (c *Candidate) Paths() []string {
	return append([]string{c.Path}, c.Others...)
}

// Find returns what a fact may be naming, in reading order, each target once.
// It is pure: nothing is looked up.
func Find(doc *knowledge.Document, fact *knowledge.Fact) []Candidate {
	return NewReader(doc).Find(fact)
}

// Reader finds the candidates of one document's facts. It reads the layout of
// the document once.
type Reader struct {
	doc   *knowledge.Document
	lines []line
}

// NewReader lays out doc.
func NewReader(doc *knowledge.Document) *Reader {
	return &Reader{doc: doc, lines: layOut(doc.Source)}
}

// Find returns what a fact of the document may be naming, see [Find].
func (r *Reader) Find(fact *knowledge.Fact) []Candidate {
	var found []Candidate
	for _, p := range fact.Life.AnchorFiles {
		found = append(found, declared(p, fact.Line)...)
	}
	for _, s := range fact.Life.AnchorSymbols {
		if ref, ok := symbols.ParseRef(s); ok && ref.Path != "" {
			found = append(found, declared(ref.Path, fact.Line)...)
		}
	}
	if fact.Kind == knowledge.KindField {
		found = append(found, r.fields(fact)...)
	} else {
		for _, b := range r.blocks(fact) {
			found = append(found, r.block(b)...)
		}
	}
	if r.doc.Format == knowledge.Store { // of the line only what it says and declares
		found = slices.DeleteFunc(found, func(c Candidate) bool { return c.Form != FormDeclared && !strings.Contains(fact.Text, c.Text) })
	}
	return unique(found)
}

// unique keeps the first candidate of each target. A muted mention gives way
// to one that claims something.
func unique(found []Candidate) []Candidate {
	seen := map[string]int{}
	var out []Candidate
	for _, c := range found {
		key := c.Path
		if i, ok := seen[key]; ok {
			if out[i].Mute() != "" && c.Mute() == "" {
				out[i] = c
			}
			continue
		}
		seen[key] = len(out)
		out = append(out, c)
	}
	return slices.Clip(out)
}
