package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/repo/remote"
)

// Errors about clones that are kept.
var (
	ErrOtherRemote = errors.New("the directory holds a clone of another repository")
	ErrDamaged     = errors.New("damaged")
	ErrBusy        = errors.New("another run holds the clone")
)

// FetchResult is what a fetch did.
type FetchResult struct {
	HEADBranch string   // the branch that the remote's HEAD names, without refs/heads/; "" if none
	Changed    []string // references that are not what they were, sorted
	Cloned     bool     // there was no usable clone, and a new one was made
}

// Clone makes a bare mirror of the remote in dir, which must not exist: all
// branches and refs/retrosweep/*, under the names that they have there. It is
// made beside dir and renamed when it is complete; when it fails or is cancelled
// nothing is left.
func Clone(ctx context.Context, rawURL, dir string, o RemoteOptions) (*Repo, error) {
	o.URL = rawURL
	if _, err := os.Lstat(dir); err == nil {
		return nil, fmt.Errorf("clone: %s is there already", dir)
	}
	r, _, err := Sync(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	r.unlock()
	return r, nil
}

// Sync brings the clone in dir up to date, or makes it: where dir is empty or
// does not exist, and where the clone is damaged; then the new one is made
// beside and takes its place. A clone of another remote is an [ErrOtherRemote].
//
// The result is locked until it is closed: a fetch puts back what an unfinished
// run beside it has moved. Where another process has it, the error is [ErrBusy].
func Sync(ctx context.Context, dir string, o RemoteOptions) (_ *Repo, _ FetchResult, err error) {
	u, err := remote.ParseURL(o.URL)
	if err != nil {
		return nil, FetchResult{}, fmt.Errorf("fetch: %w", err)
	}
	dir = absolute(dir)
	release, err := lockMirror(dir)
	if err != nil {
		return nil, FetchResult{}, fmt.Errorf("fetch %s: %w", u, err)
	}
	defer func() {
		if err != nil {
			release()
		}
	}()
	removeUnfinished(dir)
	removeLocks(dir, u)
	r, res, err := update(ctx, u, dir, o)
	if errors.Is(err, ErrDamaged) {
		o.tell(err.Error() + ": cloning again")
	}
	if errors.Is(err, ErrDamaged) || errors.Is(err, ErrNotRepository) {
		r, res, err = replace(ctx, u, dir, o)
	}
	if err != nil {
		return nil, FetchResult{}, err
	}
	r.release = release
	return r, res, nil
}

// lockMirror locks a file beside the mirror, since there may be none yet.
func lockMirror(dir string) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	release, held, err := flockFile(dir + ".lock")
	if err == nil && !held {
		err = fmt.Errorf("%w: %s", ErrBusy, dir)
	}
	return release, err
}

func (r *Repo) unlock() {
	r.release()
	r.release = nil
}

// replace makes a clone beside dir and puts it there.
func replace(ctx context.Context, u remote.URL, dir string, o RemoteOptions) (*Repo, FetchResult, error) {
	made, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+besideMark)
	if err != nil {
		return nil, FetchResult{}, fmt.Errorf("clone %s: %w", u, err)
	}
	res, err := cloneInto(ctx, u, made, o)
	if err == nil {
		err = swap(made, dir)
	}
	if err != nil {
		return nil, FetchResult{}, fmt.Errorf("clone %s: %w", u, errors.Join(err, os.RemoveAll(made)))
	}
	res.Cloned = true
	r, err := Open(ctx, dir)
	return r, res, err
}

// update fetches into the clone that dir holds. Nothing usable there is an
// [ErrNotRepository] or [ErrDamaged].
func update(ctx context.Context, u remote.URL, dir string, o RemoteOptions) (*Repo, FetchResult, error) {
	if entries, err := os.ReadDir(dir); err != nil || len(entries) == 0 {
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, FetchResult{}, err
		}
		return nil, FetchResult{}, ErrNotRepository
	}
	r, err := openMirror(ctx, u, dir)
	if err != nil {
		return nil, FetchResult{}, err
	}
	res, err := r.Fetch(ctx, o)
	if err == nil {
		err = r.sound()
	}
	if err != nil {
		return nil, FetchResult{}, errors.Join(err, r.Close())
	}
	return r, res, nil
}

// openMirror opens a clone that this program made. What it did not make is not
// touched; what it made and cannot read is damaged.
func openMirror(ctx context.Context, u remote.URL, dir string) (*Repo, error) {
	if err := isMirrorOf(dir, u); err != nil {
		return nil, err
	}
	r, err := Open(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", dir, ErrDamaged, err)
	}
	return r, nil
}

// isMirrorOf looks at the mark that initMirror left.
func isMirrorOf(dir string, u remote.URL) error {
	b, err := readSmall(filepath.Join(dir, mirrorMark))
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %s was not made by retrosweep clone or fetch", ErrOtherRemote, dir)
	}
	if err != nil {
		return fmt.Errorf("read the mark of %s: %w", dir, err)
	}
	own, err := remote.ParseURL(strings.TrimSpace(string(b)))
	if err != nil || !own.Same(u) {
		return fmt.Errorf("%w: %s is of %q", ErrOtherRemote, dir, own.String())
	}
	return nil
}

// sound looks at what a run reads first: every reference names a commit that is
// here with its files, and every pack can be opened.
func (r *Repo) sound() error {
	if err := r.objects.check(); err != nil {
		return fmt.Errorf("%s: %w: %w", r.path, ErrDamaged, err)
	}
	refs, err := r.Refs("refs/")
	for name, h := range refs {
		if err == nil {
			var c Commit
			if c, err = r.Commit(h); err == nil && !r.objects.has(c.Tree) {
				err = fmt.Errorf("%s: tree %s: %w", name, c.Tree, ErrMissing)
			}
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %w", r.path, ErrDamaged, err)
	}
	return nil
}

// Names of what is made beside a mirror.
const (
	besideMark = ".clone-"
	oldMark    = "-old"
)

func cloneInto(ctx context.Context, u remote.URL, dir string, o RemoteOptions) (_ FetchResult, err error) {
	if err := initMirror(dir, u); err != nil {
		return FetchResult{}, err
	}
	r, err := Open(ctx, dir)
	if err != nil {
		return FetchResult{}, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return r.clone(ctx, u, o)
}

func (r *Repo) clone(ctx context.Context, u remote.URL, o RemoteOptions) (FetchResult, error) {
	o.tell("cloning " + u.String())
	f, err := remote.OpenFetch(ctx, u, o.reach())
	if err != nil {
		return FetchResult{}, err
	}
	defer f.Close()
	refs := wanted(f.Refs())
	if len(refs) > 0 {
		w := o.want(refs)
		if err := r.download(ctx, f, w); err != nil {
			return FetchResult{}, err
		}
		if err := r.packRefs(refs); err != nil {
			return FetchResult{}, err
		}
	}
	return r.fetched(f, slices.Sorted(maps.Keys(refs)))
}

// want asks for whole references.
func (o RemoteOptions) want(refs map[string]Hash) remote.Want {
	w := remote.Want{Commits: o.Depth.Commits, Since: o.Depth.Since, Progress: o.Progress}
	tips := map[Hash]bool{}
	for _, h := range refs {
		tips[h] = true
	}
	w.Tips = sortedHashes(tips)
	return w
}

// packRefs writes all references of a new clone at once.
func (r *Repo) packRefs(refs map[string]Hash) error {
	var text strings.Builder
	text.WriteString("# pack-refs with: sorted \n")
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		fmt.Fprintf(&text, "%s %s\n", refs[name], name)
	}
	return r.replaceFile(filepath.Join(r.common, "packed-refs"), []byte(text.String()))
}

// swap puts the clone that was made where dir is.
func swap(made, dir string) error {
	old := made + oldMark
	err := os.Rename(dir, old)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(made, dir); err != nil {
		return errors.Join(err, skipAbsent(os.Rename(old, dir)))
	}
	return os.RemoveAll(old)
}

// removeUnfinished removes clones beside dir that a run before did not finish.
// Who calls it has the lock, so nobody is at work on them.
func removeUnfinished(dir string) {
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), filepath.Base(dir)+besideMark) {
			os.RemoveAll(filepath.Join(filepath.Dir(dir), e.Name())) // else the next run tries again
		}
	}
}

// removeLocks removes the locks of references in the mirror of u that a killed
// run left, and that would keep out every later one. Who calls it has the lock
// of the whole mirror, so nobody holds them.
func removeLocks(dir string, u remote.URL) {
	if isMirrorOf(dir, u) != nil {
		return
	}
	for _, name := range []string{"HEAD", "packed-refs", "shallow"} {
		os.Remove(filepath.Join(dir, name+".lock")) // seldom there
	}
	_ = filepath.WalkDir(filepath.Join(dir, "refs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".lock") {
			os.Remove(path) // else the update of the reference says so
		}
		return nil
	})
}
