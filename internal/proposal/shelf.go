package proposal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// ShelfRef is the reference that holds what found no room. It stands beside the
// journal, as records of branches do: the journal holds no text.
const ShelfRef = "refs/retrosweep/waiting"

// maxShelf bounds one file of the shelf, in bytes.
const maxShelf = 4 << 20

// Shelf is what a model found and no branch holds yet, by slot: with it, a night
// with nothing new asks no model again.
type Shelf map[string]Layer

// ReadShelf reads the shelf and where its reference stands. What cannot be read
// is left out: who put it there knows from where it can be found again.
func ReadShelf(ctx context.Context, r *repo.Repo) (Shelf, repo.Hash, error) {
	at, there, err := r.Ref(ShelfRef)
	if err != nil || !there {
		return Shelf{}, repo.Hash{}, err
	}
	tree, err := r.Tree(at)
	if err != nil {
		return Shelf{}, at, nil //nolint:nilerr // a damaged shelf is an empty one
	}
	files, err := tree.Files(ctx)
	if err != nil && !errors.Is(err, repo.ErrMissing) {
		return nil, at, fmt.Errorf("read what waits: %w", err)
	}
	s := Shelf{}
	for _, f := range files {
		slot, named := strings.CutSuffix(f.Path, ".json")
		b, err := r.Blob(f.Hash, maxShelf)
		var l Layer
		if named && err == nil && json.Unmarshal(b, &l) == nil {
			s[slot] = l
		}
	}
	return s, at, nil
}

// Write makes the shelf stand as s says, from where it stood; an empty one has
// no reference. What did not change is not written.
func (s Shelf) Write(r *repo.Repo, old repo.Hash, by Identity, at time.Time) error {
	if len(s) == 0 {
		if old.IsZero() {
			return nil
		}
		return r.DeleteRef(ShelfRef, old)
	}
	files := map[string][]byte{}
	for slot, l := range s {
		b, err := json.MarshalIndent(l, "", " ")
		if err != nil {
			return fmt.Errorf("write what waits: %w", err)
		}
		files[slot+".json"] = append(b, '\n')
	}
	tree, err := r.WriteTree(repo.Hash{}, files)
	if err != nil {
		return fmt.Errorf("write what waits: %w", err)
	}
	if c, err := r.Commit(old); err == nil && !old.IsZero() && c.Tree == tree {
		return nil
	}
	sig := repo.Signature{Name: by.Name, Email: by.Email, When: at.UTC().Truncate(time.Second)}
	h, err := r.WriteCommit(repo.NewCommit{Tree: tree, Author: sig, Committer: sig, Message: "what waits"})
	if err == nil {
		err = r.UpdateRef(ShelfRef, old, h)
	}
	if err != nil {
		return fmt.Errorf("write what waits: %w", err)
	}
	return nil
}

// Shelve is the layer in which edits wait, with what explains each: without
// quotes, as beside a branch.
func Shelve(l Layer, reasons map[string]Reason) Layer {
	l.Why = nil
	for _, e := range l.Edits {
		why, known := reasons[EditKey(e)]
		if !known {
			why = Reason{What: string(e.Op) + " in " + e.Path, Why: e.Reason}
		}
		l.Why = append(l.Why, why.bare())
	}
	return l
}
