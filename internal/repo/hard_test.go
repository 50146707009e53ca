package repo_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

// worked makes a repository with a working tree by git itself.
func worked(t *testing.T) (dir string, tip repo.Hash) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "shop")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	testkit.Git(t, dir, "init", "-q", "-b", "main", ".")
	writeFile(t, filepath.Join(dir, "docs/a.md"), "a\n")
	testkit.Git(t, dir, "add", ".")
	testkit.Git(t, dir, "commit", "-q", "-m", "one")
	writeFile(t, filepath.Join(dir, "docs/a.md"), "b\n")
	testkit.Git(t, dir, "commit", "-q", "-am", "two")
	return dir, resolve(t, open(t, dir), "main")
}

// TestLayoutsOfGit opens what git makes beside plain clones, and reads a whole
// commit through each.
func TestLayoutsOfGit(t *testing.T) {
	t.Parallel()
	layouts := map[string]struct {
		make   func(t *testing.T, dir string) string
		branch string
	}{
		"linked worktree": {func(t *testing.T, dir string) string {
			testkit.Git(t, dir, "worktree", "add", "-q", "-b", "side", "../linked")
			return filepath.Join(dir, "../linked")
		}, "side"},
		"detached worktree": {func(t *testing.T, dir string) string {
			testkit.Git(t, dir, "worktree", "add", "-q", "--detach", "../linked")
			return filepath.Join(dir, "../linked")
		}, ""},
		"worktree config": {func(t *testing.T, dir string) string {
			testkit.Git(t, dir, "config", "core.repositoryFormatVersion", "1")
			testkit.Git(t, dir, "config", "extensions.worktreeConfig", "true")
			testkit.Git(t, dir, "sparse-checkout", "set", "docs")
			testkit.Git(t, dir, "worktree", "add", "-q", "-b", "side", "../linked")
			return filepath.Join(dir, "../linked")
		}, "side"},
		"worktree of a bare repository": {func(t *testing.T, dir string) string {
			testkit.Git(t, dir, "clone", "-q", "--bare", ".", "../bare")
			testkit.Git(t, filepath.Join(dir, "../bare"), "worktree", "add", "-q", "-b", "side", "../linked")
			return filepath.Join(dir, "../linked")
		}, "side"},
		"shared clone": {func(t *testing.T, dir string) string {
			testkit.Git(t, dir, "clone", "-q", "--shared", ".", "../shared")
			return filepath.Join(dir, "../shared")
		}, "main"},
		"relative alternate": {func(t *testing.T, dir string) string {
			testkit.Git(t, dir, "clone", "-q", "--shared", ".", "../shared")
			writeFile(t, filepath.Join(dir, "../shared/.git/objects/info/alternates"), "../../../shop/.git/objects\n")
			return filepath.Join(dir, "../shared")
		}, "main"},
		"separate git directory": {func(t *testing.T, dir string) string {
			testkit.Git(t, dir, "init", "-q", "--separate-git-dir", "../elsewhere")
			return dir
		}, "main"},
		"packed, with a bitmap and a commit graph": {func(t *testing.T, dir string) string {
			testkit.Git(t, dir, "repack", "-adqb", "--write-midx")
			testkit.Git(t, dir, "commit-graph", "write", "--reachable")
			testkit.Git(t, dir, "pack-refs", "--all")
			return dir
		}, "main"},
		"split index and untracked cache": {func(t *testing.T, dir string) string {
			testkit.Git(t, dir, "update-index", "--split-index", "--untracked-cache")
			return dir
		}, "main"},
	}
	for name, layout := range layouts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, tip := worked(t)
			r := open(t, layout.make(t, dir))
			branch, h, err := r.Head()
			if branch != layout.branch || h != tip || err != nil {
				t.Errorf("HEAD: %q %s, %v; want %q %s", branch, h, err, layout.branch, tip)
			}
			res, err := r.Range(context.Background(), repo.Hash{}, h, 0)
			if err != nil || subjects(res.Commits) != "two one" {
				t.Errorf("history: %q, %v", subjects(res.Commits), err)
			}
			e, ok, err := mustTree(t, r, "HEAD").Entry("docs/a.md")
			if err != nil || !ok {
				t.Fatalf("docs/a.md: %v, %v", ok, err)
			}
			if b, err := r.Blob(e.Hash, 100); string(b) != "b\n" || err != nil {
				t.Errorf("docs/a.md holds %q, %v", b, err)
			}
		})
	}
}

// TestCheckedOutAnywhere: a branch that a linked worktree stands on is not moved.
func TestCheckedOutAnywhere(t *testing.T) {
	t.Parallel()
	dir, tip := worked(t)
	testkit.Git(t, dir, "branch", "free")
	testkit.Git(t, dir, "worktree", "add", "-q", "-b", "side", "../linked")
	for _, path := range []string{dir, filepath.Join(dir, "../linked")} {
		r := open(t, path)
		older := resolve(t, r, "main~1")
		for _, branch := range []string{"main", "side"} {
			if err := r.UpdateRef("refs/heads/"+branch, tip, older); !errors.Is(err, repo.ErrCheckedOut) {
				t.Errorf("%s moved from %s: %v", branch, path, err)
			}
		}
	}
	r := open(t, dir)
	setRef(t, r, "refs/heads/free", resolve(t, r, "main~1"))
}

// TestHardEntries: gitlinks, names with control characters and objects that a
// partial clone left out are told apart and survived.
func TestHardEntries(t *testing.T) {
	t.Parallel()
	dir, _ := worked(t)
	names := []string{"docs/tab\there.md", "docs/line\nbreak.md", "docs/\x1b[31mred.md", "docs/-rf.md", "docs/--upload-pack=x", `docs/"quoted".md`, "docs/\xff\xfe.md"}
	for _, name := range names {
		writeFile(t, filepath.Join(dir, name), "content\n")
	}
	testkit.Git(t, dir, "add", ".")
	testkit.Git(t, dir, "update-index", "--add", "--cacheinfo", "160000,1111111111111111111111111111111111111111,vendor/lib")
	testkit.Git(t, dir, "commit", "-q", "-m", "three")
	testkit.Git(t, dir, "config", "uploadpack.allowFilter", "true")
	partial := filepath.Join(dir, "../partial")
	testkit.Git(t, dir, "clone", "-q", "--bare", "--filter=blob:none", "file://"+dir, partial)

	full, cut := open(t, dir), open(t, partial)
	for _, r := range []*repo.Repo{full, cut} {
		changes, err := r.Diff(context.Background(), resolve(t, r, "main~1"), resolve(t, r, "main"))
		if err != nil || len(changes) != len(names)+1 {
			t.Fatalf("%d changes, %v", len(changes), err)
		}
		if _, err := r.DetectRenames(context.Background(), changes); err != nil {
			t.Errorf("renames: %v", err)
		}
		for _, c := range changes {
			hunks, err := r.Hunks(c, 1000)
			switch {
			case c.To.Mode == repo.ModeSubmodule:
			case r == full && (err != nil || len(hunks) != 1):
				t.Errorf("%q: %v, %v", c.To.Path, hunks, err)
			case r == cut && !errors.Is(err, repo.ErrMissing):
				t.Errorf("%q in a partial clone: %v", c.To.Path, err)
			}
		}
	}
	e, ok, err := mustTree(t, full, "main").Entry("vendor/lib")
	if err != nil || !ok || e.Mode != repo.ModeSubmodule {
		t.Errorf("gitlink: %+v, %v, %v", e, ok, err)
	}
}

// TestShallowByPath: a clone that somebody else made shallow says where it ends.
func TestShallowByPath(t *testing.T) {
	t.Parallel()
	dir, tip := worked(t)
	testkit.Git(t, dir, "clone", "-q", "--depth", "1", "file://"+dir, "../shallow")
	r := open(t, filepath.Join(dir, "../shallow"))
	res, err := r.Range(context.Background(), repo.Hash{}, tip, 0)
	if err != nil || !r.Shallow() || !r.Boundary(tip) || len(res.Commits) != 1 || len(res.Cut) != 1 || res.Cut[0] != tip {
		t.Errorf("shallow %v, boundary %v, %+v, %v", r.Shallow(), r.Boundary(tip), res, err)
	}
	if got := r.RemoteURL(); got != "file://"+dir {
		t.Errorf("remote %q", got)
	}
	testkit.Git(t, r.Path(), "config", "remote.origin.url", "https://ada:hunter2@git.acme.dev/shop.git")
	if got := r.RemoteURL(); got != "https://git.acme.dev/shop.git" {
		t.Errorf("remote %q", got)
	}
}

// TestFormatsRefused are made by git, where this git can make them.
func TestFormatsRefused(t *testing.T) {
	t.Parallel()
	for flag, want := range map[string]string{"--object-format=sha256": "use a sha1 clone", "--ref-format=reftable": "git refs migrate"} {
		dir := t.TempDir()
		testkit.NeedGit(t)
		if out, err := testkit.TryGit(dir, "init", "-q", flag, "."); err != nil {
			t.Logf("git init %s: %s", flag, out)
			continue
		}
		if _, err := repo.Open(context.Background(), dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", flag, err)
		}
	}
}

// TestWithoutGit clones, fetches and pushes where no git binary is: our own side
// needs none.
func TestWithoutGit(t *testing.T) {
	o := serveOrigin(t, forked)
	main := resolve(t, o.Repo, "main")
	t.Setenv("PATH", t.TempDir())
	dir := filepath.Join(t.TempDir(), "cache")
	r, _ := syncMirror(t, dir, o.options)
	work := commitOn(t, r, main, "work")
	if err := r.Push(context.Background(), o.options, []repo.RefUpdate{{Name: "refs/heads/main", Old: main, New: work}}); err != nil {
		t.Fatal(err)
	}
	newer := commitOn(t, o.Repo, work, "newer")
	setRef(t, o.Repo, "refs/heads/main", newer)
	if _, err := r.Fetch(context.Background(), o.options); err != nil || len(ancestors(t, r, newer)) != 8 {
		t.Errorf("fetch without git: %v, %d commits", err, len(ancestors(t, r, newer)))
	}
}
