package audit

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/sweep/anchor"
)

// step is one commit of the walk, compared with its first parent.
type step struct {
	w              *walker
	ctx            context.Context
	commit, parent repo.Commit
	changes        []repo.Change
	renames        map[string]string // filled once it is asked for
	grew           []*docName        // documents that this commit added under their present name
}

// gone returns the files that the commit took away.
func (s *step) gone() []string {
	var out []string
	for _, c := range s.changes {
		if c.Kind == repo.Deleted {
			out = append(out, c.From.Path)
		}
	}
	return out
}

// follow records exact renames for later and goes back to the old names of
// documents that the commit renamed.
func (s *step) follow() {
	s.w.moved.add(s.changes)
	for _, c := range s.changes {
		if c.Kind == repo.Added {
			s.grew = append(s.grew, s.w.names[c.To.Path]...)
		}
	}
	for _, n := range s.grew {
		old := s.renamedFrom(n.name)
		if old == "" {
			old = s.aliasBefore(n)
		}
		if old == "" {
			n.born = true
			delete(s.w.names, n.name)
			continue
		}
		s.w.rename(n, old)
	}
}

// aliasBefore returns the name under which a document stood before it changed
// places with a symbolic link to it.
func (s *step) aliasBefore(n *docName) string {
	if len(n.aliases) == 0 {
		return ""
	}
	tree, err := s.w.repo.Tree(s.parent.Tree)
	if err != nil {
		return ""
	}
	for _, a := range n.aliases {
		if e, ok, err := tree.Entry(a); err == nil && ok && (e.Mode == repo.ModeFile || e.Mode == repo.ModeExec) {
			return a
		}
	}
	return ""
}

func (s *step) renamedFrom(name string) string {
	for from, to := range s.renamed() {
		if to == name {
			return from
		}
	}
	return ""
}

func (w *walker) rename(n *docName, name string) {
	kept := w.names[n.name][:0]
	for _, o := range w.names[n.name] {
		if o != n {
			kept = append(kept, o)
		}
	}
	w.names[n.name] = kept
	n.name = name
	w.names[name] = append(w.names[name], n)
}

// renamed returns what git takes for renames in this commit.
func (s *step) renamed() map[string]string {
	if s.renames != nil {
		return s.renames
	}
	s.renames = map[string]string{}
	found, err := s.w.repo.DetectRenames(s.ctx, s.changes)
	if err != nil {
		return s.renames // a missing blob: no rename can be shown
	}
	for _, c := range found {
		if c.Kind == repo.Renamed {
			s.renames[c.From.Path] = c.To.Path
		}
	}
	return s.renames
}

// remove settles the open claims that named something which this commit took
// away.
func (s *step) remove() error {
	files := s.gone()
	if len(files) == 0 {
		return nil
	}
	dirs, err := s.emptied(files)
	if err != nil {
		return err
	}
	all := append(append([]string(nil), files...), dirs...)
	hits := s.w.open.named(all)
	if len(hits) == 0 {
		return nil
	}
	idx := anchor.NewIndex(files, dirs, nil)
	tree, err := s.w.repo.Tree(s.parent.Tree)
	if err != nil {
		return fmt.Errorf("read the tree of %s: %w", s.parent.Hash, err)
	}
	clear(s.w.blobs) // other commits hold other versions
	for _, c := range hits {
		s.hit(c, idx, tree)
	}
	return nil
}

// emptied returns the directories that vanished with their last file, as far
// as an open claim could name them.
func (s *step) emptied(files []string) ([]string, error) {
	seen := map[string]bool{}
	var out []string
	var after *repo.Tree
	for _, f := range files {
		for d := path.Dir(f); d != "." && !seen[d]; d = path.Dir(d) {
			seen[d] = true
			if !s.w.open.wants(path.Base(d)) {
				continue
			}
			if after == nil {
				var err error
				if after, err = s.w.repo.Tree(s.commit.Tree); err != nil {
					return nil, fmt.Errorf("read the tree of %s: %w", s.commit.Hash, err)
				}
			}
			if _, ok, err := after.Entry(d); err == nil && !ok {
				out = append(out, d)
			}
		}
	}
	return out, nil
}

// hit looks whether what the commit removed is what the claim names.
func (s *step) hit(c *claim, idx *anchor.Index, tree *repo.Tree) {
	n := s.w.docs[c.doc.Path]
	if n == nil {
		return
	}
	was := idx.Resolve(&c.cand, n.name)
	if was.How == anchor.Nowhere || !earned(c, was) {
		return
	}
	s.w.open.close(c)
	rm := &removal{was: was, by: s.commit, parent: s.parent}
	rm.named = !n.born && s.w.says(tree, n.name, c)
	if !rm.named && !was.How.Exact() {
		return // too weak a tie to say that it was there before the text was
	}
	if rm.named && c.cand.Kind != knowledge.AnchorGlob {
		rm.now = s.whither(was)
	}
	s.w.found[c] = rm
}

// earned reports whether a resolution is sure enough to speak of a removal.
func earned(c *claim, was anchor.Place) bool {
	switch {
	case was.How == anchor.Ambiguous || was.How == anchor.Behind:
		return false
	case c.guessed() || c.cand.Form == anchor.FormLink || c.cand.Form == anchor.FormImport:
		return was.How.Exact() // a link leads to one place
	case c.cand.Everyday() || onTop(c, was):
		return was.How != anchor.Suffix
	}
	return true
}

// onTop reports whether a drawing has a directory at its top: another of that
// name, somewhere below, is none of it.
func onTop(c *claim, was anchor.Place) bool {
	if c.cand.Form != anchor.FormTree || !was.Dir || !c.cand.Bare() && strings.HasSuffix("/"+was.Path, "/"+c.cand.Path) {
		return false
	}
	return c.cand.Bare() || slices.ContainsFunc(c.cand.Others, func(p string) bool { return !strings.Contains(p, "/") })
}

// whither says where a removed path is at head, "" if it is nowhere or git
// cannot tell.
func (s *step) whither(was anchor.Place) string {
	if was.Dir {
		return s.whitherDir(was.Path)
	}
	if to := s.renamed()[was.Path]; to != "" {
		return s.w.moved.follow(to, s.w.head)
	}
	return s.twin(was.Path)
}

// twin returns the one file of the same name at head, if it has most of the
// lines of the one that was removed: a move that took more than one commit.
func (s *step) twin(old string) string {
	found := s.w.head.WithBase(path.Base(old))
	if len(found) != 1 {
		return ""
	}
	before, after := s.w.read(s.parent.Tree, old), s.w.read(s.w.to.Tree, found[0])
	if !alike(before, after) {
		return ""
	}
	return found[0]
}

// alike reports whether most lines of both texts are the same.
func alike(a, b []byte) bool {
	lines := map[string]int{}
	n := 0
	for l := range bytes.Lines(a) {
		lines[string(l)]++
		n++
	}
	shared, m := 0, 0
	for l := range bytes.Lines(b) {
		m++
		if lines[string(l)] > 0 {
			lines[string(l)]--
			shared++
		}
	}
	return n > 0 && m > 0 && 10*shared >= 6*max(n, m)
}

// whitherDir says where a directory's files went together, nearly all of them:
// one that was split among several places is in none of them.
func (s *step) whitherDir(d string) string {
	to, total := map[string]int{}, 0
	for _, f := range s.gone() {
		if len(f) <= len(d) || f[:len(d)+1] != d+"/" {
			continue
		}
		total++
		tail := f[len(d):]
		if t := s.renamed()[f]; len(t) > len(tail) && t[len(t)-len(tail):] == tail {
			to[t[:len(t)-len(tail)]]++
		}
	}
	for t, n := range to {
		if 5*n >= 4*total && s.w.head.HasDir(t) {
			return t
		}
	}
	return ""
}
