package lint

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/pair"
)

// Unread is a knowledge file that could not be read, and why.
type Unread struct{ Path, Why string }

// Lapsed is an ignore of the configuration whose day has passed.
type Lapsed struct {
	Path   string // its glob
	Until  time.Time
	Reason string
}

// Input is what is linted, and what may be asked about the tree around it.
// Every path is relative to the root of the tree.
type Input struct {
	Docs    []*knowledge.Document
	Unread  []Unread
	Lapsed  []Lapsed
	Exists  func(path string) bool            // a file or folder is there
	Named   func(base string) []string        // the files with a base name
	Ignored func(path string) bool            // git leaves the path untracked
	Read    func(path string) ([]byte, bool)  // a file's content
	Head    func(path string) ([]byte, bool)  // as the last commit holds it; nil: there is none
	Only    func(path string) bool            // what is reported on; nil: everything
	Route   func(path string) knowledge.Route // where an edit may go
	Now     time.Time                         // the day that dates are measured by
}

// Result is what was found.
type Result struct {
	Findings []knowledge.Finding // what every session loads first, then by harm
	Hidden   int                 // findings that an ignore comment took out
	Files    int
	Facts    int
	Logs     int // documents with a log that could not be compared, for want of a commit
}

// checker runs the rules over one input.
type checker struct {
	Input
	byPath map[string]*knowledge.Document // aliases too
	aside  map[*knowledge.Document]bool   // a template, a plan or generated: not kept true by people
	found  []knowledge.Finding
	where  []*knowledge.Document // of each finding; nil for a file that is no document
	twins  map[string]int
	named  map[string]bool // pages, as [[links]] compare them
}

// Check runs every rule. The result depends on the input alone.
func Check(in Input) Result {
	c := &checker{Input: in, byPath: make(map[string]*knowledge.Document, len(in.Docs)),
		aside: make(map[*knowledge.Document]bool, len(in.Docs)), twins: map[string]int{}}
	for _, d := range in.Docs {
		c.aside[d] = pair.Aside(d)
		c.byPath[d.Path] = d
		for _, a := range d.Aliases {
			c.byPath[a] = d
		}
	}
	twice := c.fork()
	done := make(chan struct{})
	go func() {
		defer close(done)
		twice.pairs()
	}()
	c.files()
	for _, d := range in.Docs {
		if d.Format != knowledge.Archive && !pair.Generated(d) {
			c.document(d)
		}
	}
	c.life()
	c.indexes()
	c.sizes()
	c.values()
	<-done
	c.found, c.where = append(c.found, twice.found...), append(c.where, twice.where...)
	var r Result
	r.Findings, r.Hidden = c.finish()
	for _, d := range in.Docs {
		if c.reported(d.Path) {
			r.Files++
			r.Facts += len(d.Facts)
			r.Logs += c.uncompared(d)
		}
	}
	return r
}

// fork returns a checker of the same input for rules that no other checker
// runs. It takes half of the time to compare texts with each other, and that
// waits for nothing.
func (c *checker) fork() *checker {
	return &checker{Input: c.Input, byPath: c.byPath, aside: c.aside, twins: map[string]int{}}
}

// document runs the rules that look at one document.
func (c *checker) document(d *knowledge.Document) {
	for _, f := range d.Faults {
		if f.Rule == "vault/no-id" || pair.Plan(d.Path) || d.Format == knowledge.Docs && strings.HasPrefix(f.Rule, "front-matter/") {
			continue // vault/key names all that is missing; nothing reads the fields of a plan, and a site those of its pages
		}
		c.line(f.Rule, d, f.Line, f.Rule, capital(f.Text)+".")
	}
	c.hidden(d)
	if pair.Template(d.Path) || pair.Plan(d.Path) {
		return
	}
	c.links(d)
	c.states(d)
	c.events(d)
	c.vault(d)
	c.skill(d)
}

func (c *checker) reported(path string) bool { return c.Only == nil || c.Only(path) }

// fact adds a finding about a fact. About tells findings of one rule about one
// fact apart, and stays the same while the text around it changes.
func (c *checker) fact(id string, d *knowledge.Document, f *knowledge.Fact, about, reason string) *knowledge.Finding {
	return c.add(id, d, f.Ref(), about, reason)
}

// line adds a finding about a line of a document.
func (c *checker) line(id string, d *knowledge.Document, line int, about, reason string) *knowledge.Finding {
	ref := knowledge.FactRef{ID: hashOf(d.Path, id, about), File: d.Path, Line: line, EndLine: line, Kind: knowledge.KindEntry}
	return c.add(id, d, ref, about, reason)
}

// file adds a finding about a file that is no document.
func (c *checker) file(id, path, about, reason string) *knowledge.Finding {
	return c.add(id, nil, knowledge.FactRef{ID: hashOf(path, id, about), File: path, Line: 1, EndLine: 1, Kind: knowledge.KindEntry}, about, reason)
}

// add records a finding. The result may be completed until the next one is
// added.
func (c *checker) add(id string, d *knowledge.Document, at knowledge.FactRef, about, reason string) *knowledge.Finding {
	r := rule(id)
	f := knowledge.Finding{Rule: id, Severity: r.Severity, Verdict: cmp.Or(r.Verdict, knowledge.Unknown), Reason: reason, Fact: at}
	if d != nil && d.Startup {
		f.Severity = cmp.Or(r.Startup, r.Severity)
	}
	key := hashOf(at.File, at.ID, id, about)
	c.twins[key]++
	if n := c.twins[key]; n > 1 {
		key = hashOf(at.File, at.ID, id, about, strconv.Itoa(n))
	}
	f.ID = key
	c.found, c.where = append(c.found, f), append(c.where, d)
	return &c.found[len(c.found)-1]
}

// finish takes out what is not asked for or ignored, and orders the rest.
func (c *checker) finish() (out []knowledge.Finding, hidden int) {
	kept, hidden := c.unignored()
	out = slices.DeleteFunc(kept, func(f knowledge.Finding) bool { return !c.reported(f.Fact.File) })
	slices.SortStableFunc(out, func(a, b knowledge.Finding) int {
		return cmp.Or(
			cmp.Compare(c.later(a.Fact.File), c.later(b.Fact.File)),
			cmp.Compare(rank[a.Severity], rank[b.Severity]),
			cmp.Compare(a.Fact.File, b.Fact.File), cmp.Compare(a.Fact.Line, b.Fact.Line),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.ID, b.ID))
	})
	return out, hidden
}

var rank = map[knowledge.Severity]int{knowledge.Error: 0, knowledge.Warning: 1, knowledge.Info: 2}

// later is 0 for what every session loads.
func (c *checker) later(path string) int {
	if d := c.byPath[path]; d != nil && d.Startup {
		return 0
	}
	return 1
}

func hashOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}
