package repo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo/remote"
)

// How many commits behind each branch a fetch tells the remote about, so that a
// forced push does not make it send everything again.
const (
	maxHaves       = 512
	havesPerBranch = 32
)

// Fetch makes the references of a mirror what they are on the remote, forced
// pushes and deleted branches included. Nobody may read the repository
// meanwhile when it is shallow: its boundaries move.
func (r *Repo) Fetch(ctx context.Context, o RemoteOptions) (FetchResult, error) {
	u, err := remote.ParseURL(o.URL)
	if err != nil {
		return FetchResult{}, fmt.Errorf("fetch: %w", err)
	}
	if err := isMirrorOf(r.common, u); err != nil {
		return FetchResult{}, fmt.Errorf("fetch %s: %w", u, err)
	}
	o.tell("fetching " + u.String())
	f, err := remote.OpenFetch(ctx, u, o.reach())
	if err != nil && !remote.IsEmpty(err) {
		return FetchResult{}, err
	}
	theirs := map[string]Hash{}
	if err == nil {
		defer f.Close()
		theirs = wanted(f.Refs())
	}
	ours, err := r.Refs("refs/")
	if err != nil {
		return FetchResult{}, fmt.Errorf("fetch %s: %w: %w", u, ErrDamaged, err)
	}
	if err := r.fetchObjects(ctx, f, o, ours, theirs); err != nil {
		return FetchResult{}, fmt.Errorf("fetch %s: %w", u, err)
	}
	changed, err := r.follow(ours, theirs)
	if err != nil {
		return FetchResult{}, fmt.Errorf("fetch %s: %w", u, err)
	}
	return r.fetched(f, changed)
}

// fetched records what the remote's HEAD is.
func (r *Repo) fetched(f *remote.Fetching, changed []string) (FetchResult, error) {
	res := FetchResult{Changed: changed}
	if f == nil {
		return res, nil
	}
	branch, ok := strings.CutPrefix(f.Head(), branchPrefix)
	if !ok || !isMirrored(f.Head()) {
		return res, nil
	}
	res.HEADBranch = branch
	return res, r.setHead(f.Head())
}

func (r *Repo) fetchObjects(ctx context.Context, f *remote.Fetching, o RemoteOptions, ours, theirs map[string]Hash) error {
	missing := map[string]Hash{}
	for name, h := range theirs {
		if !r.objects.has(h) {
			missing[name] = h
		}
	}
	if len(missing) == 0 {
		return nil
	}
	w := o.want(missing)
	w.Have = r.haves(ours)
	w.Shallow = sortedHashes(r.shallow)
	if len(w.Shallow) == 0 {
		// A complete clone stays complete.
		w.Commits, w.Since = 0, time.Time{}
	}
	return r.download(ctx, f, w)
}

// haves are the tips of references that are here and some commits behind them.
func (r *Repo) haves(refs map[string]Hash) []Hash {
	seen := map[Hash]bool{}
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		h, step := refs[name], 1
		for n := 0; n < havesPerBranch && len(seen) < maxHaves; n++ {
			c, err := r.Commit(h)
			if err != nil {
				break // a tag of a tree, or damage, which the remote need not know
			}
			seen[h] = true
			if h = r.back(c, step); h.IsZero() {
				break
			}
			if n >= havesPerBranch/2 {
				step *= 2
			}
		}
	}
	return sortedHashes(seen)
}

// back goes along first parents as far as they go, at most n; zero at a root.
func (r *Repo) back(c Commit, n int) (h Hash) {
	for range n {
		if len(c.Parents) == 0 {
			return h
		}
		h = c.Parents[0]
		var err error
		if c, err = r.Commit(h); err != nil {
			return Hash{}
		}
	}
	return h
}

// follow moves our references to theirs: first what goes away, since a new
// branch may be named below a deleted one.
func (r *Repo) follow(ours, theirs map[string]Hash) ([]string, error) {
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if _, ok := theirs[name]; ok || !isMirrored(name) {
			continue
		}
		if err := r.DeleteRef(name, ours[name]); err != nil {
			return nil, err
		}
		changed = append(changed, name)
	}
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		if ours[name] == theirs[name] {
			continue
		}
		if err := r.UpdateRef(name, ours[name], theirs[name]); err != nil {
			return nil, err
		}
		changed = append(changed, name)
	}
	slices.Sort(changed)
	return changed, nil
}
