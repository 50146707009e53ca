package proposal

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/retrosweep/retrosweep/internal/proposal/gitdiff"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// Relate looks at how open proposals of ours stand to the base and fills in
// Holds and Conflict, which decisions are made from. It writes nothing.
func Relate(r *repo.Repo, base Base, existing []Existing) error {
	for i := range existing {
		x := &existing[i]
		if x.Status != Open || x.Touched || x.Base != base.Name {
			continue
		}
		if err := relate(r, base, x); err != nil {
			return fmt.Errorf("hold %s against %s: %w", x.Branch, base.Name, err)
		}
	}
	return nil
}

func relate(r *repo.Repo, base Base, x *Existing) error {
	now, err := NewReader(r, base.Commit)
	if err != nil {
		return err
	}
	x.Holds = Standing(now.Read, x.Layers)
	if now.Err != nil || x.Fork == base.Commit {
		return now.Err
	}
	fork, err := NewReader(r, x.Fork)
	if errors.Is(err, repo.ErrMissing) {
		return nil // rewritten history: what it was built on is gone
	}
	if err != nil {
		return err
	}
	ours, err := NewReader(r, x.Head)
	if err != nil {
		return err
	}
	for _, path := range x.Files {
		was, hadIt := fork.Read(path)
		mine, haveIt := ours.Read(path)
		theirs, hasIt := now.Read(path)
		if conflict(hadIt, haveIt, hasIt, was, mine, theirs) {
			x.Conflict = true
		}
	}
	return errors.Join(fork.Err, ours.Err, now.Err)
}

// conflict reports whether a merge by lines of two versions of a file would
// stop: both sides changed the same or neighbouring lines, or one of them has
// no such file any more.
func conflict(hadIt, haveIt, hasIt bool, was, mine, theirs []byte) bool {
	switch {
	case haveIt == hasIt && bytes.Equal(mine, theirs), hadIt == hasIt && bytes.Equal(was, theirs), hadIt == haveIt && bytes.Equal(was, mine):
		return false // both the same, or only one side changed it
	case !hadIt || !haveIt || !hasIt:
		return true
	}
	for _, a := range gitdiff.Lines(was, mine) {
		for _, b := range gitdiff.Lines(was, theirs) {
			if a.A0 <= b.A1 && b.A0 <= a.A1 {
				return true
			}
		}
	}
	return false
}
