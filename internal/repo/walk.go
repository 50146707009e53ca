package repo

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// RangeResult is what [Repo.Range] found.
type RangeResult struct {
	Commits   []Commit // newest first
	Truncated bool     // there are more than were asked for
	Missing   []Hash   // commits that could not be read; what is behind them is not in Commits
	Cut       []Hash   // commits of the range whose parents a shallow clone left out
}

// Marks of commits in a walk.
const (
	markTo    uint8 = 1 << iota // reachable from the wanted end
	markFrom                    // reachable from the other end
	markStale                   // below a common ancestor
	markOpen                    // in the queue, and the walk must go on for it
	markSeen                    // already in the result
)

// Commit dates are trusted this far when a walk decides that nothing more can
// come: a parent may be newer than its child by the slop, in seconds, and a few
// more commits are looked at in any case. A walk that has met a larger step back
// in time trusts no date any more and ends at the roots.
const (
	dateSlop  = 24 * 3600
	extraPops = 16
)

// marker walks from several commits at once, newest first, and gives each commit
// the marks of all its descendants in the walk. A commit whose marks change
// after it was taken is put back.
type marker struct {
	repo    *Repo
	queue   queue
	closes  uint8 // commits with this mark do not keep the walk going
	marks   map[Hash]uint8
	open    int // commits in the queue with markOpen
	skewed  bool
	missing []Hash
}

func newMarker(r *Repo, closes uint8) *marker {
	return &marker{repo: r, closes: closes, marks: map[Hash]uint8{}}
}

// start puts the first commits in; one that is missing is an error.
func (m *marker) start(h Hash, mark uint8) error {
	c, err := m.repo.Commit(h)
	if err != nil {
		return err
	}
	m.mark(c, mark)
	return nil
}

func (m *marker) mark(c Commit, mark uint8) {
	old := m.marks[c.Hash]
	now := old | mark
	if now == old {
		return
	}
	switch {
	case now&m.closes != 0 && now&markOpen != 0:
		now &^= markOpen
		m.open--
	case now&m.closes == 0 && now&markOpen == 0:
		now |= markOpen
		m.open++
	}
	m.marks[c.Hash] = now
	m.queue.put(c)
}

// take returns the next commit and its marks.
func (m *marker) take() (Commit, uint8) {
	c := m.queue.take()
	marks := m.marks[c.Hash]
	if marks&markOpen != 0 {
		m.marks[c.Hash] = marks &^ markOpen
		m.open--
	}
	return c, marks &^ markOpen
}

// parents hands marks on.
func (m *marker) parents(c Commit, marks uint8) error {
	for _, h := range c.Parents {
		if m.marks[h]|marks == m.marks[h] {
			continue
		}
		p, err := m.repo.Commit(h)
		if errors.Is(err, ErrMissing) {
			if m.marks[h] == 0 {
				m.missing = append(m.missing, h)
			}
			m.marks[h] |= marks
			continue
		}
		if err != nil {
			return err
		}
		if p.Committer.When.Unix() > c.Committer.When.Unix()+dateSlop {
			m.skewed = true
		}
		m.mark(p, marks)
	}
	return nil
}

// Range returns the commits that can be reached from `to` and not from `from`,
// newest first by committer date, at most max of them (0: all). The zero from
// means the whole history of to. It visits the commits of the range and those
// of from's ancestors that are about as new, not all of them.
func (r *Repo) Range(ctx context.Context, from, to Hash, max int) (RangeResult, error) {
	m := newMarker(r, markFrom)
	if err := m.start(to, markTo); err != nil {
		return RangeResult{}, fmt.Errorf("list commits: %w", err)
	}
	if !from.IsZero() {
		if err := m.start(from, markFrom); err != nil {
			return RangeResult{}, fmt.Errorf("list commits since %s: %w", from, err)
		}
	}
	found, err := m.collect(ctx, from.IsZero(), max)
	if err != nil {
		return RangeResult{}, fmt.Errorf("list commits: %w", err)
	}
	res := RangeResult{Missing: m.missing}
	for _, c := range found {
		if m.marks[c.Hash]&markFrom != 0 {
			continue
		}
		if max > 0 && len(res.Commits) == max {
			res.Truncated = true
			break
		}
		res.Commits = append(res.Commits, c)
		if r.shallow[c.Hash] {
			res.Cut = append(res.Cut, c.Hash)
		}
	}
	return res, nil
}

// collect takes commits until the rest of the queue can change nothing.
func (m *marker) collect(ctx context.Context, whole bool, max int) ([]Commit, error) {
	var found []Commit
	oldest, extra := int64(0), 0
	for m.queue.len() > 0 {
		if whole && max > 0 && len(found) > max {
			break
		}
		if m.open == 0 && !m.skewed && (len(found) == 0 || m.queue.newest() < oldest-dateSlop) {
			if extra++; extra > extraPops {
				break
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, marks := m.take()
		if marks&(markFrom|markSeen) == 0 {
			m.marks[c.Hash] |= markSeen
			marks |= markSeen
			found = append(found, c)
			if when := c.Committer.When.Unix(); len(found) == 1 || when < oldest {
				oldest = when
			}
		}
		if err := m.parents(c, marks&(markTo|markFrom)); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// FirstParents walks back along first parents and gives each commit to yield,
// beginning with from, until yield returns false or history ends. A parent that
// is missing ends the walk with an [ErrMissing]; a shallow boundary just ends it.
func (r *Repo) FirstParents(ctx context.Context, from Hash, yield func(Commit) bool) error {
	for h := from; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, err := r.Commit(h)
		if err != nil {
			return fmt.Errorf("walk back from %s: %w", from, err)
		}
		if !yield(c) || len(c.Parents) == 0 {
			return nil
		}
		h = c.Parents[0]
	}
}

// IsAncestor reports whether a can be reached from b. A commit is an ancestor of
// itself. Where history was cut off or objects are missing, false means "not in
// what can be read".
func (r *Repo) IsAncestor(ctx context.Context, a, b Hash) (bool, error) {
	if a == b {
		return true, nil
	}
	m := newMarker(r, markFrom)
	if err := errors.Join(m.start(b, markTo), m.start(a, markFrom)); err != nil {
		return false, fmt.Errorf("look for %s before %s: %w", a, b, err)
	}
	// A commit on the way from b to a is never marked from a, or history would be
	// a circle: the way stays open until it gets there.
	for m.open > 0 {
		if m.marks[a]&markTo != 0 {
			return true, nil
		}
		if err := m.step(ctx); err != nil {
			return false, fmt.Errorf("look for %s before %s: %w", a, b, err)
		}
	}
	return m.marks[a]&markTo != 0, nil
}

// step takes one commit and hands its marks on.
func (m *marker) step(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c, marks := m.take()
	return m.parents(c, marks&^markSeen)
}

// MergeBase returns the best common ancestor of two commits; where there are
// several, the newest. ok is false for histories that have none.
func (r *Repo) MergeBase(ctx context.Context, a, b Hash) (base Hash, ok bool, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("merge base of %s and %s: %w", a, b, err)
		}
	}()
	candidates, err := r.commonAncestors(ctx, a, b)
	if err != nil {
		return Hash{}, false, err
	}
	for i, c := range candidates {
		redundant := false
		for j, other := range candidates {
			if i == j || redundant {
				continue
			}
			if redundant, err = r.IsAncestor(ctx, c, other); err != nil {
				return Hash{}, false, err
			}
		}
		if !redundant {
			return c, true, nil
		}
	}
	return Hash{}, false, nil
}

// commonAncestors returns the commits at which the two histories meet, newest
// first. With dates that run backwards some may be ancestors of others.
func (r *Repo) commonAncestors(ctx context.Context, a, b Hash) ([]Hash, error) {
	m := newMarker(r, markStale)
	if err := errors.Join(m.start(a, markTo), m.start(b, markFrom)); err != nil {
		return nil, err
	}
	var found []Hash
	for m.open > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, marks := m.take()
		if marks&^markSeen == markTo|markFrom {
			if marks&markSeen == 0 {
				m.marks[c.Hash] |= markSeen
				found = append(found, c.Hash)
			}
			marks |= markStale
		}
		if err := m.parents(c, marks&^markSeen); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(found, func(h Hash) bool { return m.marks[h]&markStale != 0 }), nil
}
