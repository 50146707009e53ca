package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// Without a range, a word must be shown to have been in the code while the text
// named it. Head is read once for the words that the documents name. For those
// that it has no longer, the code is read as it stood when the line came; only
// files that differ from head's can hold them.

const (
	pastCode     = 128 << 20 // the most of earlier code that is read
	pastText     = 48 << 20  // and of earlier versions of the documents
	pastVersions = 400       // of one document
	hops         = 16        // files that a word is followed through
)

// loss is the commit that took a word out of a file.
type loss struct {
	by, parent repo.Commit
	file       string
}

// past is the search for missing words in earlier code.
type past struct {
	a    *auditor
	ctx  context.Context
	log  *ledger
	read map[repo.Hash][]string // the keys that a blob introduces
	open vocabulary             // what is looked for
	left int                    // bytes that may still be read
	anew map[*claim]int         // the step that wrote a claim's line as it stands
}

// readPast settles the missing words.
func (a *auditor) readPast(ctx context.Context) error {
	if len(a.missing) == 0 || a.walk.log == nil {
		return nil
	}
	p := &past{a: a, ctx: ctx, log: a.walk.log, read: map[repo.Hash][]string{}, left: pastCode, anew: map[*claim]int{}}
	born := p.origins()
	keys := map[string]bool{}
	for _, c := range a.missing {
		keys[key(&c.cand)] = true
	}
	p.open = newVocabulary(slices.Collect(maps.Keys(keys)))
	for _, n := range slices.Sorted(maps.Keys(born)) {
		if err := p.look(n, born); err != nil {
			return err
		}
	}
	sortClaims(a.words)
	return nil
}

// origins groups the missing claims by the step whose text came to name them.
func (p *past) origins() map[int][]*claim {
	byDoc := map[string][]*claim{}
	for _, c := range p.a.missing {
		byDoc[c.doc.Path] = append(byDoc[c.doc.Path], c)
	}
	out, left := map[int][]*claim{}, pastText
	for _, name := range slices.Sorted(maps.Keys(byDoc)) {
		p.origin(p.a.walk.docs[name], byDoc[name], &left, out)
	}
	return out
}

// origin goes back through the versions of one document while they name the
// open claims. What the oldest names is as old as the walk goes.
func (p *past) origin(d *docName, open []*claim, left *int, out map[int][]*claim) {
	if d == nil {
		return
	}
	for i, v := range d.versions {
		if len(open) == 0 {
			return
		}
		if !v.named && i+1 < len(d.versions) {
			continue // the document was renamed here
		}
		var before []byte
		if v.named && i < pastVersions && *left > 0 {
			before, _ = p.a.in.Repo.Blob(v.from, maxDoc)
			*left -= len(before)
		}
		p.written(open, before, v.n)
		open = came(open, before, v.n, out)
	}
	if len(p.log.steps) > 0 {
		came(open, nil, len(p.log.steps)-1, out)
	}
}

// written notes the claims whose line was not yet written as it stands in an
// earlier text.
func (p *past) written(open []*claim, before []byte, n int) {
	for _, c := range open {
		if _, known := p.anew[c]; !known && !bytes.Contains(before, c.lineText()) {
			p.anew[c] = n
		}
	}
}

// came puts under n the claims that a text does not make yet, and returns the
// others.
func came(open []*claim, before []byte, n int, out map[int][]*claim) []*claim {
	return slices.DeleteFunc(open, func(c *claim) bool {
		fresh := !c.said(before)
		if fresh {
			out[n] = append(out[n], c)
		}
		return fresh
	})
}

// look reads the code after step n for the words that the documents named then.
func (p *past) look(n int, born map[int][]*claim) error {
	tree, err := p.treeAfter(n)
	if err != nil {
		return err
	}
	changes, err := p.a.in.Repo.Diff(p.ctx, tree, p.a.in.To.Tree)
	if errors.Is(err, repo.ErrMissing) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("compare step %d with head: %w", n, err)
	}
	if targetsOnly(born[n]) {
		changes = slices.DeleteFunc(changes, func(c repo.Change) bool { return runFiles[path.Base(c.From.Path)] == nil })
	}
	files := p.introducers(changes)
	for at, claims := range born {
		if at >= n {
			born[at] = slices.DeleteFunc(claims, func(c *claim) bool { return p.settle(c, n, files[key(&c.cand)]) })
		}
	}
	return nil
}

// targetsOnly reports whether the runners' files can settle the claims: most
// commands name what was never in them, and code is dear to read.
func targetsOnly(claims []*claim) bool {
	return !slices.ContainsFunc(claims, func(c *claim) bool { return !strings.HasPrefix(key(&c.cand), "target ") })
}

// introducers returns the files of the past that introduce each key, among those
// that differ from head's.
func (p *past) introducers(changes []repo.Change) map[string][]string {
	files := map[string][]string{}
	for _, c := range changes {
		if c.Kind != repo.Added && !p.a.isText(c.From.Path) && p.left > 0 {
			for _, k := range p.introduced(c.From) {
				files[k] = append(files[k], c.From.Path)
			}
		}
	}
	return files
}

// treeAfter is the tree of the commit of a step.
func (p *past) treeAfter(n int) (repo.Hash, error) {
	c, err := p.a.in.Repo.Commit(p.log.steps[n])
	if err != nil {
		return repo.Hash{}, fmt.Errorf("read step %d: %w", n, err)
	}
	return c.Tree, nil
}

// introduced returns the open keys that a file of the past introduces.
func (p *past) introduced(e repo.Entry) []string {
	if ks, ok := p.read[e.Hash]; ok {
		return ks
	}
	src := p.a.code(e)
	p.left -= len(src)
	seen := map[string]bool{}
	p.open.shows(src, func(k string) { seen[k] = true })
	if runFiles[path.Base(e.Path)] != nil {
		for _, c := range p.a.missing {
			seen[key(&c.cand)] = seen[key(&c.cand)] || c.cand.Kind == knowledge.AnchorCommand
		}
	}
	var out []string
	for k, is := range seen {
		if is && introduces(e.Path, src, k) {
			out = append(out, k)
		}
	}
	p.read[e.Hash] = out
	return out
}

// settle finds the commit that took a word out of the files that had it after
// step n.
func (p *past) settle(c *claim, n int, files []string) bool {
	last, from := p.chase(key(&c.cand), n, files)
	if from == "" {
		return false
	}
	// Whoever wrote the line again after the code had lost the word may mean
	// something that is not this code: a dependency reads the variable now.
	if n, known := p.anew[c]; known && n < last {
		return false
	}
	by, parent, ok := p.a.pair(p.log.steps[last])
	if ok {
		p.a.losses[c] = loss{by, parent, from}
		p.a.words = append(p.a.words, c)
	}
	return ok
}

// chase follows a word from file to file to the step that lost it.
func (p *past) chase(k string, n int, files []string) (last int, from string) {
	last = n
	for range hops {
		at, f := p.lastLoss(files, k, last)
		if f == "" {
			break
		}
		last, from = at, f
		files = p.gained(last, k)
	}
	return last, from
}

// pair reads a commit and its first parent.
func (a *auditor) pair(h repo.Hash) (by, parent repo.Commit, ok bool) {
	by, err := a.in.Repo.Commit(h)
	if err != nil || len(by.Parents) == 0 {
		return by, parent, false
	}
	parent, err = a.in.Repo.Commit(by.Parents[0])
	return by, parent, err == nil
}

// lastLoss returns the newest step before n in which one of the files lost the
// word.
func (p *past) lastLoss(files []string, k string, n int) (last int, from string) {
	for _, f := range files {
		if at := p.lost(f, k, n); at >= 0 && (from == "" || at < last) {
			last, from = at, f
		}
	}
	return last, from
}

// gained returns the files to which a step may have moved the word.
func (p *past) gained(n int, k string) []string {
	by, up, ok := p.a.pair(p.log.steps[n])
	if !ok {
		return nil
	}
	changes, err := p.a.in.Repo.Diff(p.ctx, up.Tree, by.Tree)
	if err != nil {
		return nil
	}
	var out []string
	for _, c := range changes {
		if c.Kind != repo.Deleted && !p.a.isText(c.To.Path) && slices.Contains(p.introduced(c.To), k) {
			out = append(out, c.To.Path)
		}
	}
	return out
}

// lost returns the newest step before n in which a file had the word, or -1.
func (p *past) lost(file, k string, n int) int {
	for _, e := range p.log.files[file] {
		if e.n >= n {
			break
		}
		src := p.a.code(repo.Entry{Path: file, Mode: repo.ModeFile, Hash: e.from})
		if e.from != (repo.Hash{}) && has(file, src, k) {
			return e.n
		}
	}
	return -1
}
