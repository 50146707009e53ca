package audit

import (
	"context"
	"errors"
	"fmt"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/sweep/anchor"
)

// removal is the commit that took away what a claim named.
type removal struct {
	was    anchor.Place // as it stood at the parent
	by     repo.Commit
	parent repo.Commit
	named  bool   // the document at the parent already said so
	now    string // where it is at head, "" if nowhere
}

// walker goes back through history once for all open claims.
type walker struct {
	repo  *repo.Repo
	open  *openClaims
	names map[string][]*docName // by the name they have at the commit in hand
	docs  map[string]*docName   // by the name they have at head
	found map[*claim]*removal
	moved trail
	blobs map[repo.Hash][]byte
	head  *anchor.Index
	to    repo.Commit
	log   *ledger // nil: nothing is asked of the past
}

// docName follows a document back through its renames.
type docName struct {
	head, name string
	aliases    []string // symbolic links to it at head
	born       bool     // the walk has gone back beyond the commit that added it
	versions   []version
}

func newWalker(r *repo.Repo, to repo.Commit, claims []*claim, head *anchor.Index) *walker {
	w := &walker{
		repo: r, open: newOpen(claims), names: map[string][]*docName{}, docs: map[string]*docName{}, found: map[*claim]*removal{},
		moved: trail{}, blobs: map[repo.Hash][]byte{}, head: head, to: to,
	}
	w.follow(claims)
	return w
}

// follow has the walk follow the documents of claims through their renames.
func (w *walker) follow(claims []*claim) {
	for _, c := range claims {
		if w.docs[c.doc.Path] == nil {
			n := &docName{head: c.doc.Path, name: c.doc.Path, aliases: c.doc.Aliases}
			w.docs[n.head] = n
			w.names[n.name] = append(w.names[n.name], n)
		}
	}
}

// keep has the walk go on to its end and remember what it sees, if there are
// claims that ask for it.
func (w *walker) keep(lists ...[]*claim) {
	for _, claims := range lists {
		if len(claims) > 0 {
			w.log = newLedger()
			w.follow(claims)
		}
	}
}

// back walks the first parents of to until until, the beginning, or the last
// open claim. It returns whether until was met.
func (w *walker) back(ctx context.Context, to repo.Commit, until repo.Hash, limit int) (met bool, err error) {
	for n, c := 0, to; w.open.len() > 0 || w.log != nil; n++ {
		if c.Hash == until {
			return true, nil
		}
		if len(c.Parents) == 0 || limit > 0 && n >= limit {
			w.end(c)
			return false, nil
		}
		parent, err := w.repo.Commit(c.Parents[0])
		if errors.Is(err, repo.ErrMissing) {
			w.end(c)
			return false, nil // a shallow boundary
		}
		if err != nil {
			return false, fmt.Errorf("walk back from %s: %w", c.Hash, err)
		}
		if err := w.step(ctx, c, parent); err != nil {
			return false, err
		}
		c = parent
	}
	return true, nil
}

// end remembers the oldest commit that the walk met.
func (w *walker) end(c repo.Commit) {
	if w.log != nil {
		w.log.add(c.Hash, nil)
	}
}

// step compares one commit with its parent.
func (w *walker) step(ctx context.Context, c, parent repo.Commit) error {
	if c.Tree == parent.Tree {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("walk back at %s: %w", c.Hash, err)
	}
	changes, err := w.repo.Diff(ctx, parent.Tree, c.Tree)
	if errors.Is(err, repo.ErrMissing) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("compare %s with its parent: %w", c.Hash, err)
	}
	if w.log != nil {
		w.log.add(c.Hash, changes)
		w.log.write(w.names, changes)
	}
	s := &step{w: w, ctx: ctx, commit: c, parent: parent, changes: changes}
	s.follow()
	return s.remove()
}

// says reports whether the document, as it stood in a tree, holds the spelling.
func (w *walker) says(t *repo.Tree, name string, c *claim) bool {
	e, ok, err := t.Entry(name)
	if err != nil || !ok || e.Mode == repo.ModeDir {
		return false
	}
	src, ok := w.blobs[e.Hash]
	if !ok {
		if src, err = w.repo.Blob(e.Hash, maxDoc); err != nil {
			src = nil
		}
		w.blobs[e.Hash] = src
	}
	return c.said(src)
}

// read returns a file of a tree, nil where it cannot be read.
func (w *walker) read(tree repo.Hash, name string) []byte {
	t, err := w.repo.Tree(tree)
	if err != nil {
		return nil
	}
	e, ok, err := t.Entry(name)
	if err != nil || !ok || e.Mode == repo.ModeDir {
		return nil
	}
	src, err := w.repo.Blob(e.Hash, maxDoc)
	if err != nil {
		return nil
	}
	return src
}

// maxDoc is the largest knowledge file that is read from history.
const maxDoc = 2 << 20

// kindAt returns the kind of anchor that a claim turned out to be.
func kindAt(c *claim, p anchor.Place) knowledge.AnchorKind {
	switch {
	case c.cand.Kind == knowledge.AnchorLink || c.cand.Kind == knowledge.AnchorGlob:
		return c.cand.Kind
	case p.Dir || c.cand.Kind == knowledge.AnchorDir:
		return knowledge.AnchorDir
	}
	return knowledge.AnchorFile
}
