package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/symbols"
	"github.com/retrosweep/retrosweep/sweep/anchor"
)

// Change is what lies between an earlier tree and the code as it is now.
type Change struct {
	*Reader
	before   *repo.Tree
	modified map[string]repo.Change // modified files, by path
	defs     map[string][]place     // definitions that differ, by their last name
}

// place is where a definition stands, and the lines that it lost.
type place struct {
	path, name string
	lost       []string
}

// Since compares an earlier tree with now. It is cheap for a tree that was
// asked for before.
func (r *Reader) Since(ctx context.Context, tree repo.Hash) (*Change, error) {
	if c := r.since[tree]; c != nil {
		return c, nil
	}
	before, err := r.repo.Tree(tree)
	if err != nil {
		return nil, fmt.Errorf("read the tree %s: %w", tree, err)
	}
	changes, err := r.repo.Diff(ctx, tree, r.after.Hash())
	if err != nil {
		return nil, fmt.Errorf("compare %s with now: %w", tree, err)
	}
	c := &Change{Reader: r, before: before, modified: map[string]repo.Change{}}
	for _, ch := range changes {
		if ch.Kind == repo.Modified && r.code(ch.To.Path) {
			c.modified[ch.To.Path] = ch
		}
	}
	r.since[tree] = c
	return c, nil
}

// Target is one thing that a claim names and that has changed.
type Target struct {
	Kind   knowledge.AnchorKind // AnchorSymbol or AnchorFile
	Text   string               // as the claim has it
	Path   string               // the file
	Symbol string               // of a symbol, as its file nests it
}

// maxTargets is how many changed things a claim may name: of more it would be a
// summary, and no one question.
const maxTargets = 4

// Concerns reports whether a fact may have targets. It is cheap; touched says
// that a path that the fact names has changed.
func (c *Change) Concerns(f *knowledge.Fact, touched bool) bool {
	if touched || len(f.Life.AnchorSymbols) > 0 {
		return true
	}
	found, defs := false, c.definitions()
	eachWord(f.Text, func(w string) bool {
		found = len(w) >= shortestName && len(defs[w]) > 0
		return !found
	})
	return found
}

// Targets returns what a fact names and the change has touched: definitions
// that differ, and files of which a line that changed names what the fact
// names. Either must have lost a line that has to do with what the fact says;
// else there is nothing to ask.
func (c *Change) Targets(d *knowledge.Document, f *knowledge.Fact) []Target {
	if f.Kind == knowledge.KindHeading || f.Kind == knowledge.KindIndex || f.Kind == knowledge.KindField {
		return nil // a title, a link: they claim nothing
	}
	names, files := c.names(d, f), c.files(d, f)
	var out []Target
	covered := map[string]bool{}
	for _, n := range names {
		for _, p := range c.defined(&n, files) {
			covered[p.path] = true
			if n.Form == anchor.FormDeclared || p.bears(said(d, f), last(&n)) {
				out = append(out, Target{Kind: knowledge.AnchorSymbol, Text: n.Text, Path: p.path, Symbol: p.name})
			}
		}
	}
	for _, at := range files {
		if !covered[at.Path] && c.near(at.Path, names) {
			out = append(out, Target{Kind: knowledge.AnchorFile, Text: at.Path, Path: at.Path})
		}
	}
	return out[:min(len(out), maxTargets)]
}

// How many words of a fact the lines that a definition lost must have, for the
// change to have to do with what the fact says: long texts share words with
// anything.
const (
	sharedIdeas = 2
	oneMoreFor  = 300 // runes of a fact
)

// bears reports whether the lines that a definition lost have to do with what a
// claim says of it, beyond its name.
func (p place) bears(said, name string) bool {
	claim, own := ideas(said), ideas(name)
	n := 0
	for w := range ideas(strings.Join(p.lost, "\n")) {
		if claim[w] && !own[w] {
			n++
		}
	}
	return n >= sharedIdeas+len([]rune(said))/oneMoreFor
}

// defined returns the changed definition of a name: in a file that the fact
// names, else the only one there is.
func (c *Change) defined(n *anchor.Candidate, files []anchor.Place) []place {
	ref, ok := symbols.ParseRef(n.Path)
	if !ok || n.Kind != knowledge.AnchorSymbol || ref.Last() == "" {
		return nil
	}
	var out []place
	for _, p := range c.definitions()[ref.Last()] {
		named := slices.ContainsFunc(files, func(at anchor.Place) bool { return at.Path == p.path })
		if (len(files) == 0 || named) && nested(p.name, ref.Names) && (ref.Path == "" || strings.HasSuffix("/"+p.path, "/"+ref.Path)) {
			out = append(out, p)
		}
	}
	if len(out) != 1 {
		return nil // of several of one name the text does not say which
	}
	return out
}

// nested reports whether a definition may be what the names mean: what is more
// than its own nesting may be a package.
func nested(def string, names []string) bool {
	own := strings.Split(def, ".")
	n := min(len(own), len(names))
	return slices.Equal(own[len(own)-n:], names[len(names)-n:])
}

// near reports whether a line that a file lost has one of the names.
func (c *Change) near(file string, names []anchor.Candidate) bool {
	ch, ok := c.modified[file]
	if !ok || len(names) == 0 {
		return false
	}
	hunks, err := c.repo.Hunks(ch, maxFile)
	if err != nil {
		return false // what cannot be read cannot be shown
	}
	for _, h := range hunks {
		for _, line := range h.Removed {
			if slices.ContainsFunc(names, func(n anchor.Candidate) bool { return hasWord(line, last(&n)) }) {
				return true
			}
		}
	}
	return false
}

// definitions are those of named things that differ between the trees.
func (c *Change) definitions() map[string][]place {
	if c.defs != nil {
		return c.defs
	}
	c.defs = map[string][]place{}
	for file, ch := range c.modified {
		if symbols.Parsed(file) && !tests.MatchString(file) {
			c.compare(file, ch)
		}
	}
	return c.defs
}

// compare adds the named definitions of one file that differ.
func (c *Change) compare(file string, ch repo.Change) {
	old, errOld := c.repo.Blob(ch.From.Hash, maxFile)
	src, errNew := c.repo.Blob(ch.To.Hash, maxFile)
	if errOld != nil || errNew != nil || !c.mentions(old) && !c.mentions(src) {
		return
	}
	was, errOld := symbols.Read(file, old)
	is, errNew := symbols.Read(file, src)
	if errOld != nil || errNew != nil {
		return
	}
	hunks, err := c.repo.Hunks(ch, maxFile)
	if err != nil {
		return
	}
	before, after := prints(was), prints(is)
	for name, print := range after {
		end := name[strings.LastIndexByte(name, '.')+1:]
		if old, ok := before[name]; ok && old != print && c.vocabulary()[end] {
			c.defs[end] = append(c.defs[end], place{file, name, lostBy(was, name, hunks)})
		}
	}
}

// prints are the fingerprints of the definitions of a file by name; of several
// of one name, all of them.
func prints(f symbols.File) map[string]string {
	out := map[string]string{}
	for _, d := range f.Defs {
		out[d.Name] += d.Fingerprint + "\n"
	}
	return out
}

// lostBy are the lines that were taken out of a definition or put after others.
func lostBy(f symbols.File, name string, hunks []repo.Hunk) []string {
	var out []string
	for _, d := range f.Defs {
		if d.Name != name {
			continue
		}
		for _, h := range hunks {
			for i, line := range h.Removed {
				if n := h.OldLine + i; d.Line <= n && n <= d.End {
					out = append(out, line)
				}
			}
		}
	}
	return out
}

// mentions reports whether a file has a word that may be a name in some fact.
func (c *Change) mentions(src []byte) bool {
	found, words := false, c.vocabulary()
	eachWord(src, func(w []byte) bool {
		found = words[string(w)]
		return !found
	})
	return found
}

// Print is the fingerprint of a target as it is now: that of the definition
// where one can be read, else that of the file; "" where it is not there.
func (r *Reader) Print(t Target) string { return r.print(r.after, t) }

func (r *Reader) print(tree *repo.Tree, t Target) string {
	e, ok, err := tree.Entry(t.Path)
	if err != nil || !ok {
		return ""
	}
	if src, err := r.repo.Blob(e.Hash, maxFile); err == nil && t.Symbol != "" {
		if print, err := symbols.Fingerprint(t.Path, src, t.Symbol); err == nil {
			return print
		}
	}
	return "blob@1:" + e.Hash.String()
}
