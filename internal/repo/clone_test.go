package repo_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/repo/credentials"
	"github.com/retrosweep/retrosweep/internal/repo/remote"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

const canary = "canary-4d1f0c7e-token"

// token is an Auth that knows one token.
func token(text string) credentials.Auth {
	return credentials.From(func(context.Context, *url.URL) (credentials.Credential, bool, error) {
		return credentials.Credential{Username: "x-access-token", Secret: credentials.NewSecret(text), Source: "the test"}, true, nil
	})
}

// origin is a bare repository behind a server that wants a token.
type origin struct {
	*repo.Repo
	server  *testkit.GitServer
	options repo.RemoteOptions
}

func serveOrigin(t *testing.T, history string) *origin {
	t.Helper()
	root := t.TempDir()
	r, err := testkit.Build(filepath.Join(root, "shop.git"), []byte(history))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	server := testkit.GitHTTP(t, root, canary)
	return &origin{r, server, repo.RemoteOptions{URL: server.URL + "/shop.git", Auth: token(canary)}}
}

func syncMirror(t *testing.T, dir string, o repo.RemoteOptions) (*repo.Repo, repo.FetchResult) {
	t.Helper()
	r, res, err := repo.Sync(context.Background(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, res
}

func refNames(t *testing.T, r *repo.Repo) string {
	t.Helper()
	refs, err := r.Refs("refs/")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range refs {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func setRef(t *testing.T, r *repo.Repo, name string, h repo.Hash) {
	t.Helper()
	old, _, err := r.Ref(name)
	if err == nil && h.IsZero() {
		err = r.DeleteRef(name, old)
	} else if err == nil {
		err = r.UpdateRef(name, old, h)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestCloneIsAMirror(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, forked)
	main := resolve(t, o.Repo, "main")
	setRef(t, o.Repo, "refs/retrosweep/journal", main)
	setRef(t, o.Repo, "refs/pull/1/head", main)
	dir := filepath.Join(t.TempDir(), "deep", "cache")
	var told []string
	o.options.Progress = func(s string) { told = append(told, s) }
	r, res := syncMirror(t, dir, o.options)
	if !res.Cloned || res.HEADBranch != "main" || refNames(t, r) != "refs/heads/lone refs/heads/main refs/heads/side refs/retrosweep/journal" {
		t.Errorf("clone: %+v, references %s", res, refNames(t, r))
	}
	if branch, h, err := r.Head(); branch != "main" || h != main || err != nil {
		t.Errorf("HEAD of the clone: %s %s %v", branch, h, err)
	}
	if got := len(ancestors(t, r, main)); got != 6 {
		t.Errorf("the clone has %d commits, want 6", got)
	}
	if r.RemoteURL() != o.options.URL || !r.Bare() || r.Shallow() {
		t.Errorf("remote %s, bare %v, shallow %v", r.RemoteURL(), r.Bare(), r.Shallow())
	}
	if len(told) == 0 || !strings.HasPrefix(told[0], "cloning http://127.0.0.1") {
		t.Errorf("progress: %q", told)
	}
	testkit.Git(t, dir, "fsck", "--strict")
}

// TestFetchFollowsTheRemote: what moved forward, was forced, deleted, made below
// a deleted name or changed here only is as on the remote afterwards.
func TestFetchFollowsTheRemote(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, forked)
	dir := filepath.Join(t.TempDir(), "cache")
	r, _ := syncMirror(t, dir, o.options)
	main, side := resolve(t, r, "main"), resolve(t, r, "side")

	forced := commitOn(t, o.Repo, resolve(t, o.Repo, "main~1"), "forced")
	setRef(t, o.Repo, "refs/heads/main", forced)
	setRef(t, o.Repo, "refs/heads/side", repo.Hash{})
	setRef(t, o.Repo, "refs/heads/side/below", side)
	setRef(t, o.Repo, "refs/retrosweep/journal", side)
	setRef(t, r, "refs/heads/retrosweep/unfinished", main)

	res, err := r.Fetch(context.Background(), o.options)
	if err != nil {
		t.Fatal(err)
	}
	want := "refs/heads/lone refs/heads/main refs/heads/side/below refs/retrosweep/journal"
	if got := refNames(t, r); got != want || resolve(t, r, "main") != forced {
		t.Errorf("references %s, want %s; main %s, want %s", got, want, resolve(t, r, "main"), forced)
	}
	changed := "refs/heads/main refs/heads/retrosweep/unfinished refs/heads/side refs/heads/side/below refs/retrosweep/journal"
	if got := strings.Join(res.Changed, " "); got != changed {
		t.Errorf("changed %s\nwant %s", got, changed)
	}
	before := len(o.server.Requests())
	if res, err := r.Fetch(context.Background(), o.options); err != nil || len(res.Changed) != 0 || res.HEADBranch != "main" {
		t.Errorf("fetch of nothing new: %+v, %v", res, err)
	}
	if n := len(o.server.Requests()) - before; n != 1 {
		t.Errorf("a fetch of nothing new made %d requests, want 1", n)
	}
	testkit.Git(t, dir, "fsck", "--strict")
}

func commitOn(t *testing.T, r *repo.Repo, parent repo.Hash, text string) repo.Hash {
	t.Helper()
	var base repo.Hash
	var parents []repo.Hash
	if !parent.IsZero() {
		c, err := r.Commit(parent)
		if err != nil {
			t.Fatal(err)
		}
		base, parents = c.Tree, []repo.Hash{parent}
	}
	tree, err := r.WriteTree(base, map[string][]byte{"docs/" + text + ".md": []byte(text + "\n")})
	if err != nil {
		t.Fatal(err)
	}
	s := repo.Signature{Name: "Ada Byron", Email: "ada@acme.dev", When: randomStart}
	h, err := r.WriteCommit(repo.NewCommit{Tree: tree, Parents: parents, Author: s, Committer: s, Message: text})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestSyncRefusesWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, three)
	dir := filepath.Join(t.TempDir(), "cache")
	r, _ := syncMirror(t, dir, o.options)
	if _, _, err := repo.Sync(context.Background(), dir, o.options); !errors.Is(err, repo.ErrBusy) {
		t.Errorf("a second run on a clone in use: %v", err)
	}
	r.Close()
	other := o.options
	other.URL = strings.Replace(other.URL, "shop", "other", 1)
	if _, _, err := repo.Sync(context.Background(), dir, other); !errors.Is(err, repo.ErrOtherRemote) {
		t.Errorf("a clone of another repository: %v", err)
	}
	theirs := filepath.Join(t.TempDir(), "theirs")
	writeFile(t, filepath.Join(theirs, "notes.txt"), "mine\n")
	writeFile(t, filepath.Join(theirs, "objects/x"), "mine\n")
	if _, _, err := repo.Sync(context.Background(), theirs, o.options); !errors.Is(err, repo.ErrOtherRemote) {
		t.Errorf("somebody's directory: %v", err)
	}
	if _, err := os.Stat(filepath.Join(theirs, "notes.txt")); err != nil {
		t.Error(err)
	}
	if _, err := repo.Clone(context.Background(), o.options.URL, theirs, o.options); err == nil {
		t.Error("Clone wrote into a directory that is there")
	}
}

// TestSyncMendsDamage: whatever is broken in a clone, a new one takes its place.
func TestSyncMendsDamage(t *testing.T) {
	t.Parallel()
	damages := map[string]func(t *testing.T, dir string){
		"pack cut off": func(t *testing.T, dir string) { eachPack(t, dir, func(f string) error { return os.Truncate(f, 20) }) },
		"index gone": func(t *testing.T, dir string) {
			eachPack(t, dir, func(f string) error { return os.Remove(strings.TrimSuffix(f, "pack") + "idx") })
		},
		"config garbage": func(t *testing.T, dir string) { writeFile(t, filepath.Join(dir, "config"), "[core\n") },
		"HEAD gone":      func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "HEAD")) },
		"refs gone":      func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "refs")) },
		"torn ref":       func(t *testing.T, dir string) { writeFile(t, filepath.Join(dir, "refs/heads/main"), "") },
		"unfinished":     func(t *testing.T, dir string) { writeFile(t, dir+".clone-123/retrosweep-mirror", "x") },
	}
	o := serveOrigin(t, three)
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "cache")
			r, _ := syncMirror(t, dir, o.options)
			r.Close()
			damage(t, dir)
			r, res := syncMirror(t, dir, o.options)
			if got := len(ancestors(t, r, resolve(t, r, "main"))); got != 3 {
				t.Errorf("%d commits after %+v", got, res)
			}
			entries, err := os.ReadDir(filepath.Dir(dir))
			if err != nil || len(entries) != 2 {
				t.Errorf("left beside the clone: %v, %v", entries, err)
			}
		})
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func eachPack(t *testing.T, dir string, f func(string) error) {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(dir, "objects/pack/*.pack"))
	if err != nil || len(packs) == 0 {
		t.Fatalf("packs: %v, %v", packs, err)
	}
	for _, p := range packs {
		if err := errors.Join(os.Chmod(p, 0o644), f(p)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCancelLeavesNothing: a clone that ends at any request leaves no directory.
func TestCancelLeavesNothing(t *testing.T) {
	t.Parallel()
	for n := range 2 {
		o := serveOrigin(t, three)
		ctx, cancel := context.WithCancel(context.Background())
		seen := 0
		o.server.Before(func(w http.ResponseWriter, r *http.Request) bool {
			if seen++; seen > n {
				cancel()
				<-r.Context().Done()
				return true
			}
			return false
		})
		parent := t.TempDir()
		_, _, err := repo.Sync(ctx, filepath.Join(parent, "cache"), o.options)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at request %d: %v", n, err)
		}
		entries, err := os.ReadDir(parent)
		if err != nil || len(entries) != 1 || entries[0].Name() != "cache.lock" {
			t.Errorf("cancelled at request %d, left: %v, %v", n, entries, err)
		}
		cancel()
	}
}

// TestBrokenAnswers: whatever a host answers, the error is of a kind that may
// pass and nothing is left.
func TestBrokenAnswers(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, three)
	for _, answer := range []string{"", "0000", "<html>sign in</html>", "001e# service=git-upload-pack\n0000", "ffff", "001e# service=git-upload-pack\n00000009ERR x"} {
		o.server.Before(func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
			io.WriteString(w, answer)
			return true
		})
		_, _, err := repo.Sync(context.Background(), filepath.Join(t.TempDir(), "cache"), o.options)
		if !errors.Is(err, remote.ErrUnreachable) && !errors.Is(err, remote.ErrEmpty) {
			t.Errorf("answer %q: %v", answer, err)
		}
	}
	o.server.Before(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == "POST" {
			io.WriteString(w, "0008NAK\nPACK\x00\x00\x00\x02\x00\x00\x00\x05garbage garbage garbage")
			return true
		}
		return false
	})
	dir := filepath.Join(t.TempDir(), "cache")
	if _, _, err := repo.Sync(context.Background(), dir, o.options); err == nil {
		t.Error("a pack of garbage was taken")
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after a pack of garbage: %v", err)
	}
}

func TestStalledHost(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, three)
	o.options.Stall = 50 * time.Millisecond
	o.server.Before(func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true })
	_, _, err := repo.Sync(context.Background(), filepath.Join(t.TempDir(), "cache"), o.options)
	if !errors.Is(err, remote.ErrStalled) {
		t.Errorf("a host that says nothing: %v", err)
	}
}

func TestCloneOfAnEmptyRepository(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, "")
	_, _, err := repo.Sync(context.Background(), filepath.Join(t.TempDir(), "cache"), o.options)
	if !errors.Is(err, remote.ErrEmpty) {
		t.Errorf("clone of an empty repository: %v", err)
	}
}

// TestShallowClone clones two commits, deepens as far as a commit and then wholly.
func TestShallowClone(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, "")
	all := chain(t, o.Repo, 120)
	setRef(t, o.Repo, "refs/heads/main", all[119])
	o.options.Depth = repo.Depth{Commits: 2}
	dir := filepath.Join(t.TempDir(), "cache")
	r, _ := syncMirror(t, dir, o.options)
	if short := len(ancestors(t, r, all[119])); !r.Shallow() || short != 2 {
		t.Errorf("shallow %v, %d commits", r.Shallow(), short)
	}
	if _, err := r.Range(context.Background(), all[100], all[119], 0); !errors.Is(err, repo.ErrMissing) {
		t.Errorf("a range from behind the boundary: %v", err)
	}
	newer := commitOn(t, o.Repo, all[119], "newer")
	setRef(t, o.Repo, "refs/heads/main", newer)
	if _, err := r.Fetch(context.Background(), o.options); err != nil || !r.Shallow() {
		t.Errorf("fetch into a shallow clone: %v, shallow %v", err, r.Shallow())
	}
	testkit.Git(t, dir, "fsck", "--strict")

	there := repo.Until{Enough: func() bool {
		ok, err := r.IsAncestor(context.Background(), all[80], newer)
		return ok && err == nil
	}}
	if err := r.Deepen(context.Background(), o.options, there); err != nil {
		t.Fatal(err)
	}
	got, err := r.Range(context.Background(), all[80], newer, 0)
	if err != nil || len(got.Commits) != 40 || !r.Shallow() {
		t.Errorf("after deepening the range has %d commits, want 40; %v; shallow %v", len(got.Commits), err, r.Shallow())
	}
	before := len(o.server.Requests())
	if err := r.Deepen(context.Background(), o.options, there); err != nil || len(o.server.Requests()) != before {
		t.Errorf("deepening to what is here: %v, %d requests", err, len(o.server.Requests())-before)
	}
	if err := r.Deepen(context.Background(), o.options, repo.Until{}); err != nil || r.Shallow() {
		t.Errorf("deepen wholly: %v, shallow %v", err, r.Shallow())
	}
	if n := len(ancestors(t, r, newer)); n != 121 {
		t.Errorf("the complete clone has %d commits, want 121", n)
	}
	testkit.Git(t, dir, "fsck", "--strict")
}

func TestDeepenSince(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, "")
	all := chain(t, o.Repo, 40)
	setRef(t, o.Repo, "refs/heads/main", all[39])
	mid, err := o.Commit(all[25])
	if err != nil {
		t.Fatal(err)
	}
	o.options.Depth = repo.Depth{Commits: 1}
	r, _ := syncMirror(t, filepath.Join(t.TempDir(), "cache"), o.options)
	if err := r.Deepen(context.Background(), o.options, repo.Until{Since: mid.Committer.When}); err != nil {
		t.Fatal(err)
	}
	if got := len(ancestors(t, r, all[39])); got != 15 || !r.Shallow() {
		t.Errorf("deepened to %d commits, want 15; shallow %v", got, r.Shallow())
	}
}

// chain writes n commits in a row, an hour apart.
func chain(t *testing.T, r *repo.Repo, n int) []repo.Hash {
	t.Helper()
	var history strings.Builder
	for i := range n {
		fmt.Fprintf(&history, "-- commit --\nlabel: c%d\n\nc%d\n-- f --\n%d\n", i, i, i)
	}
	kit := build(t, history.String())
	testkit.Git(t, r.Path(), "fetch", "-q", kit.Path(), "refs/heads/main:refs/heads/main")
	tip := resolve(t, r, "main")
	setRef(t, r, "refs/heads/main", repo.Hash{})
	var all []repo.Hash
	if err := r.FirstParents(context.Background(), tip, func(c repo.Commit) bool { all = append(all, c.Hash); return true }); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(all)
	return all
}
