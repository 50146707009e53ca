package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

var _ forge.Reviewer = (*Forge)(nil)

// Accept implements [forge.Reviewer] by a merge commit on the base, from where
// it was read: its edits are applied to the base as it is. A base that somebody
// has checked out is theirs to move.
func (f *Forge) Accept(_ context.Context, x proposal.Existing, base proposal.Base, now time.Time) (proposal.Existing, error) {
	line := "git merge " + x.Branch
	switch {
	case x.Status != proposal.Open:
		return x, fmt.Errorf("accept %s: %w: %s", x.Branch, forge.ErrNotOpen, x.Status)
	case x.Touched:
		return x, &forge.ByHandError{Why: "somebody else's commits are on " + x.Branch + ", merge it yourself", Line: line}
	case x.Base != base.Name:
		return x, fmt.Errorf("accept %s: it is for %s, not for %s", x.Branch, x.Base, base.Name)
	}
	merge, err := f.merge(x, base, now)
	if err == nil {
		err = f.repo.UpdateRef(heads+base.Name, base.Commit, merge)
	}
	if errors.Is(err, repo.ErrCheckedOut) {
		return x, &forge.ByHandError{Why: base.Name + " is checked out, and no checked-out branch is moved", Line: line}
	}
	if err != nil {
		return x, fmt.Errorf("accept %s: %w", x.Branch, explain(err))
	}
	x.Status, x.Ended = proposal.Merged, now.UTC()
	return x, nil
}

// merge writes the merge commit. An edit that no longer fits is no reason to
// merge the rest: a person agreed to the whole.
func (f *Forge) merge(x proposal.Existing, base proposal.Base, now time.Time) (repo.Hash, error) {
	reader, err := proposal.NewReader(f.repo, base.Commit)
	if err != nil {
		return repo.Hash{}, err
	}
	steps, dropped := proposal.Replay(reader.Read, x.Layers)
	if reader.Err != nil {
		return repo.Hash{}, reader.Err
	}
	for _, d := range dropped {
		if !d.Done {
			return repo.Hash{}, fmt.Errorf("%s changed what it would change (%s): the next night builds it again", base.Name, d.Reason)
		}
	}
	message := fmt.Sprintf("Merge branch '%s'\n\n%s\n\n%s", x.Branch, x.Title, proposal.Trailers{Run: x.Run, Slot: x.Slot, Content: x.Content})
	tree, err := f.repo.WriteTree(base.Commit, proposal.Total(steps))
	if err != nil {
		return repo.Hash{}, err
	}
	sig := repo.Signature{Name: f.id.Name, Email: f.id.Email, When: now.UTC().Truncate(time.Second)}
	return f.repo.WriteCommit(repo.NewCommit{Tree: tree, Parents: []repo.Hash{base.Commit, x.Head}, Author: sig, Committer: sig, Message: message})
}

// Reject implements [forge.Reviewer]: the branch goes and its record stays, as
// when a person deletes the branch.
func (f *Forge) Reject(_ context.Context, x proposal.Existing, _ string) error {
	rec, known, err := f.record(x.Branch)
	if err != nil {
		return fmt.Errorf("reject %s: %w", x.Branch, err)
	}
	head, exists, err := f.repo.Ref(heads + x.Branch)
	switch {
	case err != nil:
		return fmt.Errorf("reject %s: %w", x.Branch, err)
	case !exists:
		return nil // a person deleted it before
	case x.Status != proposal.Open:
		return fmt.Errorf("reject %s: %w: %s", x.Branch, forge.ErrNotOpen, x.Status)
	case !known || head.String() != rec.Head || head != x.Head:
		return fmt.Errorf("reject %s: %w", x.Branch, forge.ErrTouched)
	}
	if err := f.repo.DeleteRef(heads+x.Branch, head); err != nil {
		return fmt.Errorf("reject %s: %w", x.Branch, explain(err))
	}
	return nil
}
