package judge

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/symbols"
)

// Sizes of what a question shows, in lines and runes.
const (
	linesOfFile = 44 // of one side of one file
	linesOfSide = 90 // of one side
	maxSeeds    = 14 // places in a file that are worth showing
	around      = 2  // lines around such a place
	lineRunes   = 220
	claimRunes  = 1200
)

// Line is one line that a question shows. Number 0 is a note of ours.
type Line struct {
	No   int
	Sign byte // '-', '+' or ' '
	Text string
}

// Piece is what a question shows of one file.
type Piece struct {
	Path  string
	Lines []Line
}

// View is the code that a question shows.
type View struct {
	Before, After []Piece
}

// Show chooses the lines of both sides that a question about a fact needs: the
// definitions that its targets name, else the lines near what it names.
func (c *Change) Show(d *knowledge.Document, f *knowledge.Fact, targets []Target) (View, error) {
	var v View
	terms := c.terms(d, f, targets)
	for _, file := range paths(targets) {
		if err := c.showFile(&v, file, symbolsIn(targets, file), terms); err != nil {
			return View{}, err
		}
	}
	v.Before, v.After = bound(v.Before), bound(v.After)
	return v, nil
}

func paths(targets []Target) []string {
	var out []string
	for _, t := range targets {
		if !slices.Contains(out, t.Path) {
			out = append(out, t.Path)
		}
	}
	return out
}

func symbolsIn(targets []Target, file string) []string {
	var out []string
	for _, t := range targets {
		if t.Path == file && t.Symbol != "" {
			out = append(out, t.Symbol)
		}
	}
	return out
}

// terms are what is looked for in the lines of a file: first the names of the
// fact, then what else of its text may stand in code.
func (c *Change) terms(d *knowledge.Document, f *knowledge.Fact, targets []Target) []string {
	var out []string
	add := func(s string) {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, t := range targets {
		add(t.Symbol[strings.LastIndexByte(t.Symbol, '.')+1:])
	}
	for _, n := range c.names(d, f) {
		add(last(&n))
	}
	for _, s := range hint.FindAllString(said(d, f), 24) {
		add(s)
	}
	return out
}

// showFile adds one file to both sides.
func (c *Change) showFile(v *View, file string, defs, terms []string) error {
	was, from, err := open(c.repo, c.before, file)
	if err != nil {
		return err
	}
	is, to, err := open(c.repo, c.after, file)
	if err != nil {
		return err
	}
	hunks, err := c.repo.Hunks(repo.Change{From: from, To: to}, maxFile)
	if err != nil {
		return fmt.Errorf("show %s: %w", file, err)
	}
	for _, h := range hunks {
		telling := slices.ContainsFunc(slices.Concat(h.Removed, h.Added), func(l string) bool { return hasAny(l, terms) })
		was.mark(h.OldLine, len(h.Removed), telling)
		is.mark(h.NewLine, len(h.Added), telling)
	}
	was.find(defs)
	is.find(defs)
	v.Before = append(v.Before, was.piece('-', terms, nil))
	v.After = append(v.After, is.piece('+', terms, lost(was, is, defs, terms)))
	return nil
}

// sheet is one side of one file.
type sheet struct {
	path    string
	there   bool
	raw     []byte
	lines   []string     // without secrets and what hides
	changed map[int]bool // lines that the other side has not
	edges   []int        // where the other side has lines that this one has not
	telling []int        // first lines of the changes that name what is looked for, on either side
	spans   [][2]int     // of the definitions that are asked for
}

// open reads one side of a file. A file that is not there is an empty sheet.
func open(r *repo.Repo, t *repo.Tree, file string) (*sheet, repo.Entry, error) {
	s := &sheet{path: file, changed: map[int]bool{}}
	e, ok, err := t.Entry(file)
	if err != nil || !ok || e.Mode != repo.ModeFile && e.Mode != repo.ModeExec {
		if errors.Is(err, repo.ErrMissing) {
			return nil, e, fmt.Errorf("show %s: %w", file, err)
		}
		return s, repo.Entry{}, nil
	}
	e.Path = file
	if s.raw, err = r.Blob(e.Hash, maxFile); err != nil {
		return nil, e, fmt.Errorf("show %s: %w", file, err)
	}
	s.there, s.lines = true, cleanLines(string(s.raw))
	return s, e, nil
}

// cleanLines takes secrets out of a file as it stands: a few lines of it would
// not show the shapes they are known by.
func cleanLines(text string) []string {
	n := strings.Count(text, "\n")
	out := strings.Split(clean(text), "\n")
	if len(out) != n+1 { // the guard keeps lines; where it should not, say nothing
		return make([]string, n+1)
	}
	return out
}

func clean(text string) string {
	text, _ = guard.Scrub(text)
	text, _ = guard.Redact(text)
	return text
}

// mark notes a change of n lines.
func (s *sheet) mark(first, n int, telling bool) {
	if telling {
		s.telling = append(s.telling, first)
	}
	for i := range n {
		s.changed[first+i] = true
	}
	if n == 0 {
		s.edges = append(s.edges, first)
	}
}

// find notes where the definitions stand.
func (s *sheet) find(defs []string) {
	if len(defs) == 0 || !s.there {
		return
	}
	f, err := symbols.Read(s.path, s.raw)
	if err != nil {
		return
	}
	for _, d := range f.Defs {
		if slices.Contains(defs, d.Name) {
			s.spans = append(s.spans, [2]int{d.Line, d.End})
		}
	}
}

// lost are the notes about what was there and is not any more.
func lost(was, is *sheet, defs, terms []string) []string {
	switch {
	case !is.there:
		return []string{"there is no file " + is.path}
	case !was.there:
		return nil
	case len(was.spans) > 0 && len(is.spans) == 0:
		return []string{"the file does not define " + strings.Join(defs, ", ") + " any more"}
	}
	var out []string
	for _, t := range terms {
		if len(out) < 3 && was.has(t) && !is.has(t) {
			out = append(out, "no line of the file has "+t+" any more")
		}
	}
	return out
}

func (s *sheet) has(term string) bool {
	return slices.ContainsFunc(s.lines, func(l string) bool { return hasWord(l, term) })
}

// piece writes down the lines that are worth showing, after the notes.
func (s *sheet) piece(sign byte, terms, notes []string) Piece {
	p := Piece{Path: clean(s.path)}
	if !s.there && len(notes) == 0 {
		notes = []string{"there is no file " + s.path}
	}
	for _, n := range notes {
		p.Lines = append(p.Lines, Line{Sign: ' ', Text: clean(n)})
	}
	for _, n := range s.choose(terms) {
		l := Line{No: n, Sign: ' ', Text: clip(s.lines[n-1])}
		if s.changed[n] {
			l.Sign = sign
		}
		p.Lines = append(p.Lines, l)
	}
	return p
}

// bound keeps a side within its size; the first files are those named first.
func bound(all []Piece) []Piece {
	left := linesOfSide
	for i := range all {
		all[i].Lines = all[i].Lines[:min(len(all[i].Lines), left)]
		left -= len(all[i].Lines)
	}
	return slices.DeleteFunc(all, func(p Piece) bool { return len(p.Lines) == 0 })
}

// clip keeps a line on one line and of a bearable length.
func clip(line string) string {
	line = strings.TrimRight(strings.ReplaceAll(line, "\r", ""), " \t")
	if runes := []rune(line); len(runes) > lineRunes {
		return string(runes[:lineRunes]) + " …"
	}
	return line
}

// text is a side as a model reads it.
func text(side []Piece) string {
	var b strings.Builder
	for i, p := range side {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "path: %s\n", p.Path)
		at := 0
		for _, l := range p.Lines {
			if l.No > at+1 && at > 0 {
				b.WriteString("...\n")
			}
			fmt.Fprintf(&b, "%c%4d %s\n", l.Sign, l.No, l.Text)
			at = l.No
		}
	}
	return b.String()
}
