package repo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo/remote"
)

// Until says how far back a shallow clone must reach. What is not set is not
// asked for; the zero value asks for the whole history.
type Until struct {
	Enough func() bool // asked after each step, of the repository as it is then
	Since  time.Time   // and everything committed since then is here
}

// Depths, in commits behind the branches. git takes the last for "everything".
const (
	firstDepth = 64
	maxDepth   = 1 << 16
	wholeDepth = 0x7fffffff
)

// Deepen fetches older history into a shallow clone until it reaches as far as
// asked, in growing steps, and no further than it must. A complete clone is left
// alone. When the remote's history ends first, there is no error: then it is
// complete. It works on mirrors and on a person's clone of that remote, whose
// branches and remote branches it leaves where they are.
func (r *Repo) Deepen(ctx context.Context, o RemoteOptions, until Until) error {
	u, err := remote.ParseURL(o.URL)
	if err != nil {
		return fmt.Errorf("deepen: %w", err)
	}
	if err := r.isCloneOf(u); err != nil {
		return fmt.Errorf("deepen %s: %w", u, err)
	}
	if !until.Since.IsZero() {
		o.Depth = Depth{Since: until.Since}
		if err := r.deepenBy(ctx, u, o); err != nil {
			return err
		}
	}
	switch {
	case until.Enough != nil:
		return r.deepenUntil(ctx, u, o, until.Enough)
	case until.Since.IsZero():
		o.Depth = Depth{Commits: wholeDepth}
		return r.deepenBy(ctx, u, o)
	}
	return nil
}

func (r *Repo) deepenUntil(ctx context.Context, u remote.URL, o RemoteOptions, enough func() bool) error {
	for step := firstDepth; r.Shallow() && !enough(); step *= 2 {
		o.Depth = Depth{Commits: wholeDepth}
		if step <= maxDepth {
			depth, err := r.depth(ctx)
			if err != nil {
				return fmt.Errorf("deepen %s: %w", u, err)
			}
			o.Depth.Commits = depth + step
		}
		if err := r.deepenBy(ctx, u, o); err != nil {
			return err
		}
		if o.Depth.Commits == wholeDepth {
			return nil
		}
	}
	return nil
}

func (r *Repo) isCloneOf(u remote.URL) error {
	err := isMirrorOf(r.common, u)
	if own, urlErr := remote.ParseURL(r.RemoteURL()); urlErr == nil && own.Same(u) {
		return nil
	}
	return err
}

// depth is how many commits a branch goes back, the longest way of all.
func (r *Repo) depth(ctx context.Context) (int, error) {
	refs, err := r.Refs("refs/")
	if err != nil {
		return 0, err
	}
	seen := map[Hash]bool{}
	var level []Hash
	for _, h := range refs {
		level = append(level, h)
	}
	n := 0
	for ; len(level) > 0; n++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		var next []Hash
		for _, h := range level {
			if c, err := r.Commit(h); err == nil && !seen[h] { // else a tag of a tree, or damage
				seen[h] = true
				next = append(next, c.Parents...)
			}
		}
		level = next
	}
	return n, nil
}

func (r *Repo) deepenBy(ctx context.Context, u remote.URL, o RemoteOptions) error {
	if !r.Shallow() {
		return nil
	}
	o.tell("fetching older history from " + u.String())
	f, err := remote.OpenFetch(ctx, u, o.reach())
	if err != nil {
		return err
	}
	defer f.Close()
	ours, err := r.Refs("refs/")
	if err != nil {
		return fmt.Errorf("deepen %s: %w", u, err)
	}
	// Only what the remote still has can be asked for.
	w := o.want(followed(ours, wanted(f.Refs())))
	w.Have, w.Shallow = r.haves(ours), sortedHashes(r.shallow)
	if err := r.download(ctx, f, w); err != nil {
		return fmt.Errorf("deepen %s: %w", u, err)
	}
	return nil
}

// followed are the branches of a remote that are here, too: as they are there, or
// as a remote branch. Where there is none, all of them have to do.
func followed(ours, theirs map[string]Hash) map[string]Hash {
	out := map[string]Hash{}
	for name, h := range theirs {
		short := strings.TrimPrefix(name, branchPrefix)
		_, same := ours[name]
		_, tracked := ours["refs/remotes/origin/"+short]
		if same || tracked {
			out[name] = h
		}
	}
	if len(out) == 0 {
		return theirs
	}
	return out
}

// Borrow makes a bare repository in a new directory below parent that has the
// references of this one and reads its objects, and returns it open. What is
// fetched into it stays there; closing it removes it.
func (r *Repo) Borrow(ctx context.Context, parent string) (_ *Repo, err error) {
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, fmt.Errorf("borrow %s: %w", r.path, err)
	}
	dir, err := os.MkdirTemp(parent, "borrowed-*")
	if err != nil {
		return nil, fmt.Errorf("borrow %s: %w", r.path, err)
	}
	remove := func() { os.RemoveAll(dir) } // a cache, of which nothing depends on a rest
	defer func() {
		if err != nil {
			remove()
		}
	}()
	u, err := remote.ParseURL(r.RemoteURL())
	if err == nil {
		err = initMirror(dir, u)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "objects", "info", "alternates"), []byte(absolute(filepath.Join(r.common, "objects"))+"\n"), 0o600)
	}
	var b *Repo
	if err == nil {
		b, err = Open(ctx, dir)
	}
	if err == nil {
		err = b.takeOver(r)
	}
	if err != nil {
		return nil, fmt.Errorf("borrow %s: %w", r.path, err)
	}
	b.release = remove
	return b, nil
}

// takeOver copies references, HEAD and boundaries.
func (r *Repo) takeOver(from *Repo) error {
	refs, err := from.Refs("refs/")
	if err != nil {
		return err
	}
	head, err := readSmall(filepath.Join(from.gitDir, "HEAD"))
	if err != nil {
		return err
	}
	return errors.Join(r.packRefs(refs), r.replaceFile(filepath.Join(r.gitDir, "HEAD"), head), r.setShallow(from.shallow))
}
