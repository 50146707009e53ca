// Package local owns proposals that live as branches of a local repository,
// where there is no host to hold pull requests. What a host would remember (what
// was offered, by which edits, and how the branch was left) stands in a record
// beside each branch, under refs/retrosweep/proposals/: so a branch that a
// person changed or deleted is told from one that nobody touched. No working
// tree is read or written, and a branch that one has checked out is not moved.
//
// The record holds the edits, too: so a branch can be built again on a base that
// moved, without asking a model. It is text, but that of the branch itself; the
// journal holds none.
package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

const (
	heads   = "refs/heads/"
	records = "refs/retrosweep/proposals/"
)

// Forge keeps proposals in a repository.
type Forge struct {
	repo *repo.Repo
	id   proposal.Identity
}

// New returns the forge of r. Records are written under the identity id.
func New(r *repo.Repo, id proposal.Identity) *Forge { return &Forge{repo: r, id: id} }

var _ forge.Forge = (*Forge)(nil)

// List implements [forge.Forge]. Branches under our prefix without a record,
// as a clone has them, are listed as changed by somebody else.
func (f *Forge) List(ctx context.Context, base proposal.Base) ([]proposal.Existing, error) {
	branches, err := f.repo.Refs(heads + proposal.Prefix + "/")
	if err != nil {
		return nil, fmt.Errorf("list proposals: %w", err)
	}
	refs, err := f.repo.Refs(records)
	if err != nil {
		return nil, fmt.Errorf("list proposals: %w", err)
	}
	var out []proposal.Existing
	for name, at := range refs {
		rec, err := f.read(at)
		if err != nil || recordRef(rec.Branch) != name {
			continue // a damaged record: its branch counts as somebody else's
		}
		branch := heads + rec.Branch
		x, ok, err := f.existing(ctx, rec, branches[branch], base)
		if err != nil {
			return nil, fmt.Errorf("list proposals: %s: %w", rec.Branch, err)
		}
		delete(branches, branch)
		if ok {
			out = append(out, x)
		}
	}
	for name, head := range branches {
		if x, ok := f.foreign(strings.TrimPrefix(name, heads), head, base); ok {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b proposal.Existing) int { return strings.Compare(a.Branch, b.Branch) })
	return out, nil
}

// existing reads how a recorded proposal stands; ok is false for one that was
// never opened or is taken back.
func (f *Forge) existing(ctx context.Context, rec record, head repo.Hash, base proposal.Base) (proposal.Existing, bool, error) {
	x := rec.existing()
	x.Head = head
	switch {
	case head.IsZero() && (rec.Closing || rec.Pending && rec.Previous == ""):
		return x, false, nil
	case head.IsZero():
		return f.ended(ctx, x, rec, base)
	case head.String() != rec.Head && head.String() != rec.Previous:
		x.Status, x.Touched = proposal.Open, true
	case head.String() != rec.Head:
		x.Status, x.Content = proposal.Open, "" // an update that was cut short
	default:
		x.Status = proposal.Open
	}
	merged, err := f.merged(ctx, head, base)
	if merged {
		x.Status, x.Touched = proposal.Merged, false
	}
	return x, !merged || !rec.Closing, err
}

// ended tells a branch that was merged and then deleted from one that was only
// deleted.
func (f *Forge) ended(ctx context.Context, x proposal.Existing, rec record, base proposal.Base) (proposal.Existing, bool, error) {
	x.Status, x.ClosedBy = proposal.Closed, proposal.ByPerson
	merged, err := f.merged(ctx, hash(rec.Head), base)
	if err != nil {
		return x, false, err
	}
	if !merged {
		if merged, err = f.contained(x, base); err != nil {
			return x, false, err
		}
	}
	if merged {
		x.Status, x.ClosedBy = proposal.Merged, ""
	}
	return x, true, nil
}

// merged reports whether the base has the commit itself.
func (f *Forge) merged(ctx context.Context, head repo.Hash, base proposal.Base) (bool, error) {
	if base.Commit.IsZero() || head.IsZero() {
		return false, nil
	}
	ok, err := f.repo.IsAncestor(ctx, head, base.Commit)
	if errors.Is(err, repo.ErrMissing) {
		return false, nil
	}
	return ok, err
}

// contained reports whether the base says all that the edits make it say, as
// after a squash.
func (f *Forge) contained(x proposal.Existing, base proposal.Base) (bool, error) {
	if base.Commit.IsZero() {
		return false, nil
	}
	reader, err := proposal.NewReader(f.repo, base.Commit)
	if err != nil {
		return false, err
	}
	holds := proposal.Standing(reader.Read, x.Layers)
	return holds == proposal.HoldsDone, reader.Err
}

// foreign describes a branch under our prefix that we have no record of. It is
// listed where its trailers name a slot, so that the slot is left alone.
func (f *Forge) foreign(branch string, head repo.Hash, base proposal.Base) (proposal.Existing, bool) {
	c, err := f.repo.Commit(head)
	if err != nil {
		return proposal.Existing{}, false
	}
	kind, _, _ := strings.Cut(strings.TrimPrefix(branch, proposal.Prefix+"/"), "/")
	if proposal.IsUpkeep(branch) {
		kind = proposal.KindUpkeep
	}
	t, _ := proposal.ParseTrailers(c.Message)
	if t.Slot == "" && kind != proposal.KindUpkeep {
		return proposal.Existing{}, false
	}
	return proposal.Existing{
		Slot: t.Slot, Content: t.Content, Run: t.Run, Kind: kind, Branch: branch, Base: base.Name, Head: head,
		Status: proposal.Open, Touched: true, At: c.Committer.When,
	}, true
}

// Open implements [forge.Forge]: a record, then the branch.
func (f *Forge) Open(ctx context.Context, d proposal.Draft) (proposal.Existing, error) {
	old, free, err := f.place(ctx, d)
	if err != nil {
		return proposal.Existing{}, fmt.Errorf("open %s: %w", d.Branch, err)
	}
	if !free {
		return f.get(ctx, d)
	}
	if err := f.move(d, old); err != nil {
		return proposal.Existing{}, fmt.Errorf("open %s: %w", d.Branch, err)
	}
	return f.get(ctx, d)
}

// place finds where the branch of a new proposal stands: nowhere, or where one
// of ours was merged. Free is false when it is there already as d wants it.
func (f *Forge) place(ctx context.Context, d proposal.Draft) (old repo.Hash, free bool, err error) {
	if _, taken, err := f.repo.Ref(heads + proposal.Prefix); err != nil {
		return old, false, err
	} else if taken {
		return old, false, fmt.Errorf("%w: a branch named %s leaves no room for %s/...: rename it", forge.ErrTaken, proposal.Prefix, proposal.Prefix)
	}
	head, exists, err := f.repo.Ref(heads + d.Branch)
	if err != nil || !exists {
		return old, err == nil, err
	}
	rec, known, err := f.record(d.Branch)
	if err != nil {
		return old, false, err
	}
	merged, err := f.merged(ctx, head, d.Base)
	if err != nil {
		return old, false, err
	}
	if !known || head.String() != rec.Head && !merged {
		return old, false, fmt.Errorf("%w: rename or delete it", forge.ErrTaken)
	}
	if head == d.Head && !rec.Pending {
		return head, false, nil
	}
	if !merged && head != d.Head {
		err = fmt.Errorf("%w: it is open", forge.ErrTaken)
	}
	return head, err == nil, err
}

// Update implements [forge.Forge].
func (f *Forge) Update(ctx context.Context, x proposal.Existing, d proposal.Draft) (proposal.Existing, error) {
	rec, known, err := f.record(x.Branch)
	if err != nil {
		return x, fmt.Errorf("update %s: %w", x.Branch, err)
	}
	head, _, err := f.repo.Ref(heads + x.Branch)
	if err != nil {
		return x, fmt.Errorf("update %s: %w", x.Branch, err)
	}
	ours := known && head == x.Head && (head.String() == rec.Head || head.String() == rec.Previous)
	if !ours || head.IsZero() || d.Branch != x.Branch {
		return x, fmt.Errorf("update %s: %w", x.Branch, forge.ErrTouched)
	}
	if err := f.move(d, head); err != nil {
		return x, fmt.Errorf("update %s: %w", x.Branch, err)
	}
	return f.get(ctx, d)
}

// move writes what will be, moves the branch and confirms it. Wherever it is cut
// short, List can tell what happened.
func (f *Forge) move(d proposal.Draft, old repo.Hash) error {
	rec := newRecord(d)
	before, at, err := f.current(d.Branch)
	if err != nil {
		return err
	}
	if before.same(rec) && old == d.Head {
		return nil
	}
	rec.Pending = true
	if !old.IsZero() {
		rec.Previous = old.String()
	}
	pending, err := f.write(rec, at)
	if err != nil {
		return err
	}
	if old != d.Head {
		if err := f.repo.UpdateRef(heads+d.Branch, old, d.Head); err != nil {
			return errors.Join(explain(err), f.undo(d.Branch, pending, at))
		}
	}
	rec.Pending, rec.Previous = false, ""
	_, err = f.write(rec, pending)
	return err
}

// undo puts the record back that stood before a move that failed.
func (f *Forge) undo(branch string, pending, before repo.Hash) error {
	if before.IsZero() {
		return f.repo.DeleteRef(recordRef(branch), pending)
	}
	return f.repo.UpdateRef(recordRef(branch), pending, before)
}

// explain says what to do about a reference that could not be moved.
func explain(err error) error {
	switch {
	case errors.Is(err, repo.ErrCheckedOut):
		return fmt.Errorf("%w: switch that working tree to another branch and run again", err)
	case errors.Is(err, repo.ErrRefMoved):
		return fmt.Errorf("%w: %w", forge.ErrTouched, err)
	}
	return err
}

// Close implements [forge.Forge]. The reason is kept in no place: the receipt
// has it.
func (f *Forge) Close(_ context.Context, x proposal.Existing, _ string) error {
	err := f.close(x)
	if err != nil {
		return fmt.Errorf("close %s: %w", x.Branch, err)
	}
	return nil
}

func (f *Forge) close(x proposal.Existing) error {
	rec, at, err := f.current(x.Branch)
	if err != nil {
		return err
	}
	head, exists, err := f.repo.Ref(heads + x.Branch)
	if err != nil {
		return err
	}
	if at.IsZero() && !exists {
		return nil // closed before
	}
	if at.IsZero() || exists && (head.String() != rec.Head || head != x.Head) {
		if x.Status == proposal.Merged && !at.IsZero() { // with somebody else's commits: that branch is theirs, and listed no more
			rec.Closing = true
			_, err := f.write(rec, at)
			return err
		}
		return forge.ErrTouched
	}
	rec.Closing = true
	closing, err := f.write(rec, at)
	if err != nil {
		return err
	}
	if exists {
		if err := f.repo.DeleteRef(heads+x.Branch, head); err != nil {
			return errors.Join(explain(err), f.undo(x.Branch, closing, at))
		}
	}
	return f.repo.DeleteRef(recordRef(x.Branch), closing)
}

// get lists the one proposal that was just written.
func (f *Forge) get(ctx context.Context, d proposal.Draft) (proposal.Existing, error) {
	rec, known, err := f.record(d.Branch)
	if err == nil && !known {
		err = errors.New("its record is gone")
	}
	if err != nil {
		return proposal.Existing{}, fmt.Errorf("read %s back: %w", d.Branch, err)
	}
	x, _, err := f.existing(ctx, rec, d.Head, d.Base)
	return x, err
}
