package repo

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// maxOriginBytes bounds the versions of a document that are searched.
const maxOriginBytes = 4 << 20

// LineOrigin is [Repo.LineOrigins] for one line. ok is false when head does not
// have the line, or history ends before its origin.
func (r *Repo) LineOrigin(ctx context.Context, head Hash, path, text string) (first Commit, ok bool, err error) {
	found, err := r.LineOrigins(ctx, head, path, []string{text})
	first, ok = found[text]
	return first, ok, err
}

// LineOrigins is [Repo.Origins] for one document.
func (r *Repo) LineOrigins(ctx context.Context, head Hash, path string, texts []string) (map[string]Commit, error) {
	found, err := r.Origins(ctx, head, map[string][]string{path: texts})
	return found[path], err
}

// Origins finds, for lines of documents at head, the oldest commit since which
// the document has held the line without a gap, going back along first parents
// and through renames of the document. Lines are compared without the white
// space around them; a text of several lines must stand as one block. Texts that
// head does not have are not in the result, and neither are those whose origin
// lies behind a shallow boundary or a missing object: then the error is an
// [ErrHistoryCut], and the result holds the rest.
//
// All documents share one walk, which reads a document only at the commits that
// changed it.
func (r *Repo) Origins(ctx context.Context, head Hash, want map[string][]string) (map[string]map[string]Commit, error) {
	w := origins{repo: r, ctx: ctx, found: map[string]map[string]Commit{}}
	start, err := r.Commit(head)
	if err == nil {
		err = w.begin(start, want)
	}
	if err != nil {
		return nil, fmt.Errorf("look for the origin of lines at %s: %w", head, err)
	}
	if err := w.walk(start); err != nil {
		return w.found, fmt.Errorf("look for the origin of lines at %s: %w", head, err)
	}
	return w.found, nil
}

type origins struct {
	repo  *Repo
	ctx   context.Context
	docs  []*document
	found map[string]map[string]Commit
}

// document is one document on its way back.
type document struct {
	name string   // its path at head
	path string   // its path at the commit that the walk is at
	blob Hash     // its content there
	open []string // texts that it holds there and whose origin is not found
}

func (w *origins) begin(head Commit, want map[string][]string) error {
	for path, texts := range want {
		w.found[path] = map[string]Commit{}
		e, ok, err := w.repo.lookup(head.Tree, path)
		if err != nil {
			return err
		}
		d := &document{name: path, path: path, blob: e.Hash, open: texts}
		if !ok || e.Mode == ModeDir || e.Mode == ModeSubmodule {
			continue
		}
		d.open, _, err = w.split(d.open, e.Hash)
		if err != nil {
			return err
		}
		if len(d.open) > 0 {
			w.docs = append(w.docs, d)
		}
	}
	return nil
}

func (w *origins) walk(head Commit) error {
	for c := head; len(w.docs) > 0; {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if len(c.Parents) == 0 {
			if w.repo.shallow[c.Hash] {
				return fmt.Errorf("%w: the clone is shallow", ErrHistoryCut)
			}
			w.settleAll(c)
			return nil
		}
		p, err := w.repo.Commit(c.Parents[0])
		if err == nil {
			err = w.step(p, c)
		}
		if errors.Is(err, ErrMissing) {
			return fmt.Errorf("%w: %v", ErrHistoryCut, err)
		}
		if err != nil {
			return err
		}
		c = p
	}
	return nil
}

// step moves every document from a commit to its first parent.
func (w *origins) step(parent, c Commit) error {
	if parent.Tree == c.Tree {
		return nil
	}
	same, err := w.unchanged(parent, c)
	if err != nil {
		return err
	}
	var renamed []Change // the commit's changes, read at the first document that needs them
	kept := w.docs[:0]
	for _, d := range w.docs {
		if same(d.path) {
			kept = append(kept, d)
			continue
		}
		e, ok, err := w.repo.lookup(parent.Tree, d.path)
		if err == nil && (!ok || e.Mode == ModeDir) {
			if renamed == nil {
				renamed, err = w.repo.moves(w.ctx, removal{c.Hash, parent.Hash})
			}
			e, ok = cameFrom(renamed, d.path)
		}
		if err != nil {
			return err
		}
		if err := w.back(d, c, e, ok); err != nil {
			return err
		}
		if len(d.open) > 0 {
			kept = append(kept, d)
		}
	}
	w.docs = kept
	return nil
}

// unchanged tells for a path whether the file or directory of the root that it
// begins with is the same in both commits: most are, and no other tree is read.
func (w *origins) unchanged(parent, c Commit) (func(path string) bool, error) {
	before, err := w.repo.node(parent.Tree)
	if err != nil {
		return nil, err
	}
	after, err := w.repo.node(c.Tree)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	return func(path string) bool {
		first, _, _ := strings.Cut(path, "/")
		same, ok := known[first]
		if !ok {
			a, okA := before.find(first)
			b, okB := after.find(first)
			same = okA && okB && a == b
			known[first] = same
		}
		return same
	}, nil
}

// back moves one document; e is its entry in the parent, if it has one.
func (w *origins) back(d *document, c Commit, e Entry, ok bool) error {
	if !ok {
		w.settle(d, c, d.open)
		d.open = nil
		return nil
	}
	d.path = e.Path
	if e.Hash == d.blob {
		return nil
	}
	d.blob = e.Hash
	still, gone, err := w.split(d.open, e.Hash)
	if err != nil {
		return err
	}
	w.settle(d, c, gone)
	d.open = still
	return nil
}

func (w *origins) settle(d *document, c Commit, texts []string) {
	for _, text := range texts {
		w.found[d.name][text] = c
	}
}

func (w *origins) settleAll(c Commit) {
	for _, d := range w.docs {
		w.settle(d, c, d.open)
	}
}

// split divides texts into those that a version of the document holds and the
// rest. A version that is too large to read holds none.
func (w *origins) split(texts []string, blob Hash) (held, gone []string, err error) {
	b, err := w.repo.Blob(blob, maxOriginBytes)
	if errors.Is(err, ErrTooLarge) {
		return nil, texts, nil
	}
	if err != nil {
		return nil, nil, err
	}
	whole := trimLines(string(b))
	lines := map[string]bool{}
	for line := range strings.SplitSeq(whole, "\n") {
		lines[line] = true
	}
	for _, text := range texts {
		t := strings.Trim(trimLines(text), "\n")
		if lines[t] || strings.Contains(t, "\n") && strings.Contains("\n"+whole+"\n", "\n"+t+"\n") {
			held = append(held, text)
		} else {
			gone = append(gone, text)
		}
	}
	return held, gone, nil
}

// trimLines takes the white space off both ends of each line.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}

// cameFrom returns the file that the changes renamed to path.
func cameFrom(changes []Change, path string) (Entry, bool) {
	for _, c := range changes {
		if c.Kind == Renamed && c.To.Path == path {
			return c.From, true
		}
	}
	return Entry{}, false
}
