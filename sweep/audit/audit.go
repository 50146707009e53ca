package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/retrosweep/retrosweep/internal/gitignore"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/sweep/anchor"
)

// Input is what an audit looks at.
type Input struct {
	Repo   *repo.Repo
	From   repo.Hash   // start of the range; zero for all of history
	To     repo.Commit // the commit whose documents and tree are checked
	Docs   []*knowledge.Document
	Ignore func(path string) bool            // what the operator takes out; nil: nothing
	Route  func(path string) knowledge.Route // where an edit may go; nil: nowhere
	Now    time.Time                         // of the run, for how long things are gone
}

// Result is what an audit found.
type Result struct {
	Findings []knowledge.Finding // in no order, see [Sort]
	Lead     map[string]int      // path to how many documents name it
	Facts    map[*knowledge.Fact]State
	Warnings []string
}

// State is what is known of one fact after an audit.
type State struct {
	Verdict knowledge.Verdict
	Reason  string // of an unknown verdict
	Touched bool   // names something that the range changed
}

// auditor is one run.
type auditor struct {
	in      Input
	head    *anchor.Index
	entries []repo.Entry // of the tree at head
	ignored gitignore.Rules
	claims  []*claim
	changes []repo.Change            // of the range
	changed map[string]bool          // paths that the range changed, with their directories
	length  int                      // commits in the range
	words   []*claim                 // about identifiers and targets that the code has no longer
	missing []*claim                 // about those that head has not, earned or not
	values  []*claim                 // about values that no manifest at head has
	counts  []tally                  // of what directories hold, that do not fit head
	lines   []aLine                  // that files have not, or that are declared
	held    map[string][]held        // what the manifests at head hold, by key
	news    map[*claim]news          // what became of them
	symbols map[*knowledge.Fact]bool // facts with declared symbols, and whether all are defined at head
	places  map[string][]home        // that define declared symbols which left, nil: not looked for yet
	losses  map[*claim]loss          // where it is known already
	texts   map[string]bool          // paths of the documents, nil: not asked yet
	tools   map[string]bool          // programs of the repository, nil: not asked yet
	runtime map[string]bool          // missing files that code at head spells out
	walk    *walker
	res     Result
}

// Run checks every claim of the documents at two points: where the text was
// written, and at head.
func Run(ctx context.Context, in Input) (Result, error) {
	a := &auditor{in: in, changed: map[string]bool{}, losses: map[*claim]loss{}, news: map[*claim]news{}, symbols: map[*knowledge.Fact]bool{}}
	steps := []func(context.Context) error{a.readHead, a.readRange, a.readClaims, a.readMissing, a.readValues, a.goBack, a.readPast, a.readWords, a.outdated, a.readRuntime}
	for _, f := range steps {
		if err := f(ctx); err != nil {
			return Result{}, err
		}
	}
	a.report(ctx)
	return a.res, nil
}

// readHead indexes the tree at head and its ignore files.
func (a *auditor) readHead(ctx context.Context) error {
	tree, err := a.in.Repo.Tree(a.in.To.Tree)
	if err != nil {
		return fmt.Errorf("read the tree of %s: %w", a.in.To.Hash, err)
	}
	entries, err := tree.Files(ctx)
	if err != nil {
		return fmt.Errorf("list the tree of %s: %w", a.in.To.Hash, err)
	}
	var files, behind []string
	for _, e := range entries {
		switch e.Mode {
		case repo.ModeSubmodule:
			behind = append(behind, e.Path)
		case repo.ModeSymlink:
			behind, files = append(behind, e.Path), append(files, e.Path)
		default:
			files = append(files, e.Path)
		}
	}
	a.head, a.entries = anchor.NewTreeIndex(files, behind), entries
	a.readIgnores()
	return nil
}

// readIgnores reads the .gitignore files from the root downwards.
func (a *auditor) readIgnores() {
	var files []repo.Entry
	for _, e := range a.entries {
		if e.Path == ".gitignore" || len(e.Path) > 11 && e.Path[len(e.Path)-11:] == "/.gitignore" {
			files = append(files, e)
		}
	}
	slices.SortStableFunc(files, func(x, y repo.Entry) int { return depth(x.Path) - depth(y.Path) })
	for _, e := range files {
		src, err := a.in.Repo.Blob(e.Hash, 1<<20)
		if err != nil {
			a.res.Warnings = append(a.res.Warnings, fmt.Sprintf("%s cannot be read: %v", e.Path, err))
			continue
		}
		a.ignored.Add(e.Path, src)
	}
}

func (a *auditor) ranged() bool { return a.in.From != repo.Hash{} }

// readRange notes what the range changed.
func (a *auditor) readRange(ctx context.Context) error {
	if !a.ranged() {
		return nil
	}
	from, err := a.in.Repo.Commit(a.in.From)
	if err != nil {
		return fmt.Errorf("read the start of the range %s: %w", a.in.From, err)
	}
	changes, err := a.in.Repo.Diff(ctx, from.Tree, a.in.To.Tree)
	if err != nil {
		return fmt.Errorf("compare %s with %s: %w", a.in.From, a.in.To.Hash, err)
	}
	a.changes = changes
	for _, c := range changes {
		for _, e := range []repo.Entry{c.From, c.To} {
			for p := e.Path; p != "" && !a.changed[p]; p = parentOf(p) {
				a.changed[p] = true
			}
		}
	}
	return nil
}

// readClaims finds what the documents name and where it leads at head.
func (a *auditor) readClaims(context.Context) error {
	a.claims = collect(a.in.Docs)
	for _, c := range a.claims {
		c.at = a.head.Resolve(&c.cand, c.doc.Path)
	}
	return nil
}

// goBack looks for what removed the anchors that lead nowhere now.
func (a *auditor) goBack(ctx context.Context) error {
	var open []*claim
	for _, c := range a.claims {
		if (c.missing() || c.guessed()) && !c.doc.Event && !record(c.doc) && c.cand.Mute() == "" {
			open = append(open, c)
		}
	}
	a.walk = newWalker(a.in.Repo, a.in.To, open, a.head)
	a.walk.keep(a.dated()...)
	if !a.ranged() {
		_, err := a.walk.back(ctx, a.in.To, repo.Hash{}, 0)
		return err
	}
	span, err := a.in.Repo.Range(ctx, a.in.From, a.in.To.Hash, 0)
	if err != nil {
		return fmt.Errorf("list the range %s..%s: %w", a.in.From, a.in.To.Hash, err)
	}
	a.length = len(span.Commits)
	met, err := a.walk.back(ctx, a.in.To, a.in.From, len(span.Commits)+1)
	if err != nil || met {
		return err
	}
	return a.leap(ctx, open)
}

// dated are the claims that are told by what the walk saw change.
func (a *auditor) dated() [][]*claim {
	of := make([]*claim, 0, len(a.lines)+len(a.counts))
	for _, l := range a.lines {
		of = append(of, l.claim)
	}
	for _, t := range a.counts {
		of = append(of, t.claim)
	}
	return [][]*claim{a.missing, a.values, of}
}

// leap compares the ends of a range whose start does not lie on head's line of
// first parents.
func (a *auditor) leap(ctx context.Context, open []*claim) error {
	from, err := a.in.Repo.Commit(a.in.From)
	if err != nil {
		return fmt.Errorf("read the start of the range %s: %w", a.in.From, err)
	}
	a.walk = newWalker(a.in.Repo, a.in.To, open, a.head)
	a.walk.keep(a.dated()...)
	return a.walk.step(ctx, a.in.To, from)
}

func parentOf(p string) string {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i] == '/' {
			return p[:i]
		}
	}
	return ""
}

func depth(p string) int {
	n := 0
	for i := range len(p) {
		if p[i] == '/' {
			n++
		}
	}
	return n
}
