package repo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// ErrHistoryCut says that a walk ended before history did: at its own limit, a
// shallow boundary or a missing object. What was not found may lie behind it.
var ErrHistoryCut = errors.New("history was not read to its end")

// HistoryOptions bound a walk back.
type HistoryOptions struct {
	MaxCommits int // 0: no limit
}

// Held says how a path that is not there any more went away.
type Held struct {
	Removed   Commit // the commit whose tree lacks the path while a parent has it
	Last      Commit // that parent
	Entry     Entry  // the path as it was last held, a file or a directory
	RenamedTo string // where Removed moved it, "" if it did not
}

// LastHeld finds, for paths that head does not have, the newest commit that
// removed each. Paths that never existed, and paths that head has, are not in
// the result. It is one walk back over all parents, newest first, that ends when
// every path is found or history ends. When it had to end before that, the error
// is an [ErrHistoryCut], and the result holds what was found.
//
// A merge that lacks the path counts as the removal only if no parent lacks it,
// or if no commit behind the parents that lack it removed the path (with an
// [ErrHistoryCut]: none that was read).
func (r *Repo) LastHeld(ctx context.Context, head Hash, paths []string, opt HistoryOptions) (map[string]Held, error) {
	start, err := r.Commit(head)
	if err != nil {
		return nil, fmt.Errorf("walk back from %s: %w", head, err)
	}
	w := newHistory(r, paths)
	cut, err := w.walk(ctx, start, opt)
	if err != nil {
		return nil, fmt.Errorf("walk back from %s: %w", head, err)
	}
	held, err := w.result(ctx)
	if err != nil {
		return nil, fmt.Errorf("walk back from %s: %w", head, err)
	}
	if cut != "" {
		return held, fmt.Errorf("walk back from %s: %w: %s", head, ErrHistoryCut, cut)
	}
	return held, nil
}

// history is one walk. The paths are numbered, and sets of them are bit sets.
type history struct {
	repo   *Repo
	paths  []string
	groups []*pathGroup
	queue  queue
	lacks  map[Hash]bits // commits in the queue: the paths that they lack and somebody newer lacks too
	states map[Hash]bits // commits in the queue: the paths that they have
	open   bits          // paths that are not found yet
	found  map[int]removal
	weak   map[int]removal // merges that dropped a path which one parent has
	broken bool            // something was missing
}

type removal struct{ removed, last Hash }

// pathGroup is the paths that begin with one directory or file of the root. Most
// commits leave it alone, so what a group holds is remembered by its id.
type pathGroup struct {
	first string
	rest  map[int]string // path number -> the path below first, "" for first itself
	known map[Hash]bits  // id of the entry first -> the paths that are there
}

func newHistory(r *Repo, paths []string) *history {
	w := &history{repo: r, lacks: map[Hash]bits{}, states: map[Hash]bits{}, found: map[int]removal{}, weak: map[int]removal{}}
	groups := map[string]*pathGroup{}
	for _, path := range paths {
		path = strings.Trim(path, "/")
		if path == "" || slices.Contains(w.paths, path) {
			continue
		}
		first, rest, _ := strings.Cut(path, "/")
		g := groups[first]
		if g == nil {
			g = &pathGroup{first: first, rest: map[int]string{}, known: map[Hash]bits{}}
			groups[first] = g
			w.groups = append(w.groups, g)
		}
		g.rest[len(w.paths)] = rest
		w.paths = append(w.paths, path)
	}
	w.open = newBits(len(w.paths))
	for i := range w.paths {
		w.open.set(i)
	}
	return w
}

// walk returns why it ended too early, if it did.
func (w *history) walk(ctx context.Context, start Commit, opt HistoryOptions) (cut string, err error) {
	have, err := w.holds(start)
	if err != nil {
		return "", err
	}
	w.open.minus(have)
	w.put(start, have, w.open)
	for n := 0; w.queue.len() > 0 && w.open.any(); n++ {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if opt.MaxCommits > 0 && n >= opt.MaxCommits {
			return fmt.Sprintf("the limit is %d commits", opt.MaxCommits), nil
		}
		c := w.queue.take()
		if err := w.visit(c); err != nil {
			return "", err
		}
	}
	if w.broken && w.open.any() {
		return "the clone is shallow or objects are missing", nil
	}
	return "", nil
}

func (w *history) put(c Commit, have, lacks bits) {
	w.states[c.Hash] = have
	w.lacks[c.Hash] = lacks.clone()
	w.queue.put(c)
}

// visit compares one commit with its parents for the paths it lacks.
func (w *history) visit(c Commit) error {
	lacks := w.lacks[c.Hash]
	delete(w.lacks, c.Hash)
	delete(w.states, c.Hash)
	lacks.and(w.open)
	if !lacks.any() {
		return nil
	}
	if w.repo.shallow[c.Hash] {
		w.broken = true
	}
	everywhere := lacks.clone() // paths that all parents have
	dropped := newBits(len(w.paths))
	from := map[int]Hash{}
	for _, h := range c.Parents {
		p, have, err := w.state(h)
		if errors.Is(err, ErrMissing) {
			w.broken = true
			everywhere.clear()
			continue
		}
		if err != nil {
			return err
		}
		gone := lacks.clone()
		gone.and(have)
		gone.each(func(i int) {
			if _, ok := from[i]; !ok {
				from[i] = h
			}
		})
		dropped.or(gone)
		everywhere.and(have)
		still := lacks.clone()
		still.minus(have)
		w.follow(p, have, still)
	}
	w.settle(c, dropped, everywhere, from)
	return nil
}

// settle records what a commit removed.
func (w *history) settle(c Commit, dropped, everywhere bits, from map[int]Hash) {
	dropped.each(func(i int) {
		switch _, seen := w.weak[i]; {
		case everywhere.has(i):
			w.found[i] = removal{c.Hash, from[i]}
			w.open.unset(i)
		case !seen:
			w.weak[i] = removal{c.Hash, from[i]}
		}
	})
}

// state returns a parent and the paths that it has.
func (w *history) state(h Hash) (Commit, bits, error) {
	c, err := w.repo.Commit(h)
	if err != nil {
		return Commit{}, nil, err
	}
	if have, ok := w.states[h]; ok {
		return c, have, nil
	}
	have, err := w.holds(c)
	return c, have, err
}

// follow goes on behind a parent for the paths it lacks.
func (w *history) follow(p Commit, have, lacks bits) {
	if !lacks.any() {
		return
	}
	if known, ok := w.lacks[p.Hash]; ok {
		known.or(lacks)
		return
	}
	w.put(p, have, lacks)
}

// holds returns the paths that are in the tree of a commit.
func (w *history) holds(c Commit) (bits, error) {
	root, err := w.repo.node(c.Tree)
	if err != nil {
		return nil, err
	}
	have := newBits(len(w.paths))
	for _, g := range w.groups {
		e, ok := root.find(g.first)
		if !ok {
			continue
		}
		// A directory's id says all that is below it; a file has nothing there.
		known, ok := g.known[e.hash]
		if !ok {
			if known, err = w.look(g, e); err != nil {
				return nil, err
			}
			g.known[e.hash] = known
		}
		have.or(known)
	}
	return have, nil
}

func (w *history) look(g *pathGroup, e nodeEntry) (bits, error) {
	have := newBits(len(w.paths))
	for i, rest := range g.rest {
		if rest == "" {
			have.set(i)
			continue
		}
		if e.mode != filemode.Dir {
			continue
		}
		_, ok, err := w.repo.lookup(e.hash, rest)
		if err != nil {
			return nil, err
		}
		if ok {
			have.set(i)
		}
	}
	return have, nil
}

// result reads what the walk found, and looks for where things were moved.
func (w *history) result(ctx context.Context) (map[string]Held, error) {
	held := map[string]Held{}
	moves := map[removal][]Change{}
	for i, path := range w.paths {
		rm, ok := w.found[i]
		if !ok {
			if rm, ok = w.weak[i]; !ok {
				continue
			}
		}
		h, err := w.held(path, rm)
		if err != nil {
			return nil, err
		}
		if _, ok := moves[rm]; !ok {
			if moves[rm], err = w.repo.moves(ctx, rm); err != nil {
				return nil, err
			}
		}
		h.RenamedTo = movedTo(moves[rm], h.Entry)
		held[path] = h
	}
	return held, nil
}

func (w *history) held(path string, rm removal) (h Held, err error) {
	if h.Removed, err = w.repo.Commit(rm.removed); err != nil {
		return h, err
	}
	if h.Last, err = w.repo.Commit(rm.last); err != nil {
		return h, err
	}
	h.Entry, _, err = w.repo.lookup(h.Last.Tree, path)
	return h, err
}

// moves returns the changes of one removal with renames.
func (r *Repo) moves(ctx context.Context, rm removal) ([]Change, error) {
	changes, err := r.Diff(ctx, rm.last, rm.removed)
	if err != nil && !errors.Is(err, ErrMissing) {
		return nil, err
	}
	return r.DetectRenames(ctx, changes)
}

// movedTo returns where the changes put a file, or most files of a directory.
func movedTo(changes []Change, e Entry) string {
	if e.Mode != ModeDir {
		for _, c := range changes {
			if c.Kind == Renamed && c.From.Path == e.Path {
				return c.To.Path
			}
		}
		return ""
	}
	votes := map[string]int{}
	total := 0
	for _, c := range changes {
		rest, below := strings.CutPrefix(c.From.Path, e.Path+"/")
		if !below {
			continue
		}
		total++
		if c.Kind == Renamed {
			votes[directoryOf(c.To.Path, rest)]++
		}
	}
	for dir, n := range votes {
		if dir != "" && n*2 > total {
			return dir
		}
	}
	return ""
}

// directoryOf takes from a new path what the file was called below its old
// directory: "lib/x/a.go" and "x/a.go" is a move of the directory to "lib".
func directoryOf(path, rest string) string {
	if dir, ok := strings.CutSuffix(path, "/"+rest); ok {
		return dir
	}
	if i := strings.LastIndexByte(path, '/'); i >= 0 && !strings.Contains(rest, "/") {
		return path[:i]
	}
	return ""
}
