package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// A run keeps its journal and the records of its branches under refs/retrosweep/.
// Not every host takes references there: then they are branches, and where the
// host refuses those too, they stay in the clone of this machine.
const (
	asRefs     = "ref"
	asBranches = "branch"
	asLocal    = "dir"
)

const (
	ledgerRefs     = "refs/retrosweep/"
	ledgerBranches = "refs/heads/retrosweep-"
	ledgerLocal    = "refs/retrosweep-local/" // no fetch puts these back
)

// ledger says where the references of runs live on one remote.
type ledger struct {
	place string
	fixed bool // the operator says so: nothing else is tried
	known bool // the references of runs were found or taken there
	store *repo.Repo
	warn  func(string)
}

// newLedger looks where earlier runs found a place, and puts what stands there
// where a run looks for it.
func newLedger(store *repo.Repo, configured string, warn func(string)) (*ledger, error) {
	l := &ledger{place: configured, fixed: configured != "auto", store: store, warn: warn}
	for _, at := range []struct{ place, prefix string }{{asBranches, ledgerBranches}, {asLocal, ledgerLocal}} {
		found, err := l.adopt(at.prefix)
		if err != nil {
			return nil, err
		}
		if found && !l.fixed {
			l.place, l.known = at.place, true
		}
	}
	if l.place == "auto" {
		l.place = asRefs
	}
	refs, err := l.store.Refs(ledgerRefs)
	l.known = l.known || len(refs) > 0
	return l, err
}

// adopt copies what stands under a prefix to refs/retrosweep/, where nothing is
// there yet.
func (l *ledger) adopt(prefix string) (bool, error) {
	refs, err := l.store.Refs(prefix)
	if err != nil {
		return false, err
	}
	for name, at := range refs {
		to := ledgerRefs + strings.TrimPrefix(name, prefix)
		if err := l.store.UpdateRef(to, repo.Hash{}, at); err != nil && !errors.Is(err, repo.ErrRefMoved) {
			return false, err
		}
	}
	return len(refs) > 0, nil
}

// push sends updates, with those of runs where the host takes them. As long as
// it is not known where that is, the next place is tried whenever one of ours is
// among what is refused: a hook often does not say which reference it is about.
// What was found out is told once: the next run sees where the references are.
func (l *ledger) push(ctx context.Context, updates []repo.RefUpdate, send func(context.Context, []repo.RefUpdate) error) error {
	first := l.attempt(ctx, updates, send)
	ours := slices.ContainsFunc(updates, ledgers)
	if first == nil {
		l.known = l.known || ours
		return nil
	}
	var refused *repo.RefusedError
	if l.fixed || !ours || !errors.As(first, &refused) || l.known && !strings.HasPrefix(refused.Ref, ledgerRefs) {
		return first
	}
	was := l.place
	for _, place := range []string{asBranches, asLocal} {
		if place == was {
			continue
		}
		l.place = place
		if err := l.attempt(ctx, updates, send); err == nil {
			l.known = true
			l.warn(placeText[place])
			return nil
		}
	}
	l.place = was
	return first
}

func ledgers(u repo.RefUpdate) bool { return strings.HasPrefix(u.Name, ledgerRefs) }

var placeText = map[string]string{
	asBranches: "the host takes no references under " + ledgerRefs + ": the journal is the branch retrosweep-journal there",
	asLocal:    "the host takes no journal: it stays in the cache of this machine",
}

func (l *ledger) attempt(ctx context.Context, updates []repo.RefUpdate, send func(context.Context, []repo.RefUpdate) error) error {
	var out, kept []repo.RefUpdate
	for _, u := range updates {
		rest, ours := strings.CutPrefix(u.Name, ledgerRefs)
		switch {
		case ours && l.place == asBranches:
			u.Name = ledgerBranches + rest
		case ours && l.place == asLocal:
			kept = append(kept, repo.RefUpdate{Name: ledgerLocal + rest, New: u.New})
			continue
		}
		out = append(out, u)
	}
	if len(out) > 0 {
		if err := send(ctx, out); err != nil {
			return err
		}
	}
	return l.keep(kept)
}

// keep writes the references that stay on this machine.
func (l *ledger) keep(updates []repo.RefUpdate) error {
	for _, u := range updates {
		old, there, err := l.store.Ref(u.Name)
		switch {
		case err != nil:
			return err
		case u.New.IsZero() && there:
			err = l.store.DeleteRef(u.Name, old)
		case !u.New.IsZero() && old != u.New:
			err = l.store.UpdateRef(u.Name, old, u.New)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
