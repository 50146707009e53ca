package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/cli"
	"github.com/retrosweep/retrosweep/internal/demo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

// hardShop is a person's clone of the demo's shop with all in it that git takes
// and few programs expect.
func hardShop(t *testing.T) (h *host, dir string) {
	t.Helper()
	h = newHost(t, "")
	dir = filepath.Join(t.TempDir(), "shop")
	testkit.Git(t, t.TempDir(), "clone", "-q", h.url, dir)
	for _, name := range []string{"docs/tab\there.md", "docs/line\nbreak.md", "docs/\x1b[31mred.md", "docs/-rf.md", ".claude/memory/\xff\xfe.md"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("# A page\n\nSee `src/nowhere.go`.\n"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("CLAUDE.md", filepath.Join(dir, "AGENTS.md")), os.Symlink("/etc/passwd", filepath.Join(dir, ".claude/memory/outside.md"))); err != nil {
		t.Fatal(err)
	}
	testkit.Git(t, dir, "add", "-A")
	testkit.Git(t, dir, "update-index", "--add", "--cacheinfo", "160000,1111111111111111111111111111111111111111,vendor/lib")
	testkit.Git(t, dir, "-c", "user.name=Ada", "-c", "user.email=ada@shop.example", "commit", "-q", "-m", "what git takes")
	h.url = dir
	return h, dir
}

// A night says and writes the same wherever git keeps the repository.
func TestNightOverEveryLayout(t *testing.T) {
	t.Parallel()
	layouts := map[string]func(t *testing.T, dir string) string{
		"a clone": func(_ *testing.T, dir string) string { return dir },
		"bare": func(t *testing.T, dir string) string {
			testkit.Git(t, dir, "clone", "-q", "--bare", dir, "../bare/shop.git")
			return filepath.Join(dir, "../bare/shop.git")
		},
		"alternates": func(t *testing.T, dir string) string {
			testkit.Git(t, dir, "clone", "-q", "--shared", dir, "../shared/shop")
			return filepath.Join(dir, "../shared/shop")
		},
		"a linked worktree, worktreeConfig": func(t *testing.T, dir string) string {
			testkit.Git(t, dir, "config", "core.repositoryFormatVersion", "1")
			testkit.Git(t, dir, "config", "extensions.worktreeConfig", "true")
			testkit.Git(t, dir, "worktree", "add", "-q", "--detach", "../linked/shop")
			return filepath.Join(dir, "../linked/shop")
		},
	}
	for name, layout := range layouts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, dir := hardShop(t)
			h.url = layout(t, dir)
			r, code := h.work(demo.Now, "--apply", "--branch", "main")
			if code != cli.ExitDone || len(r.Findings) == 0 || r.Facts.Total == 0 {
				t.Fatalf("exit %d, %d findings, %v\n%s", code, len(r.Findings), r.Warnings, h.said.String())
			}
			if out := testkit.Git(t, h.url, "ls-tree", "-r", "--name-only", "retrosweep/upkeep", "vendor/lib", "AGENTS.md"); !strings.Contains(out, "vendor/lib") || !strings.Contains(out, "AGENTS.md") {
				t.Errorf("the branch lost the submodule or the link: %s", out)
			}
			if out := testkit.Git(t, h.url, "diff", "--name-only", "main...retrosweep/upkeep"); strings.Contains(out, "AGENTS.md") || out == "" {
				t.Errorf("the branch changes %s", out)
			}
			if strings.ContainsAny(h.said.String(), "\x1b\t") || strings.Contains(h.said.String(), "root:x:") {
				t.Errorf("a control character, or a file outside, is printed:\n%q", h.said.String())
			}
			testkit.Git(t, h.url, "fsck", "--strict", "--no-dangling")
		})
	}
}

// A clone that lacks objects is reviewed as far as it goes.
func TestNightOverAPartialClone(t *testing.T) {
	t.Parallel()
	h, dir := hardShop(t)
	testkit.Git(t, dir, "config", "uploadpack.allowFilter", "true")
	testkit.Git(t, dir, "clone", "-q", "--bare", "--filter=blob:limit=400", "file://"+dir, "../partial/shop.git")
	h.url = filepath.Join(dir, "../partial/shop.git")
	r, code := h.work(demo.Now)
	if code != cli.ExitDone || r.Facts.Total == 0 || !strings.Contains(strings.Join(r.Warnings, "\n"), "missing") {
		t.Errorf("exit %d, %+v, %v\n%s", code, r.Facts, r.Warnings, h.said.String())
	}
}

// What cannot be read is refused as a matter of configuration, with what to do.
func TestFormatsAreRefused(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{"extensions.objectFormat=sha256": "use a sha1 clone", "extensions.refStorage=reftable": "git refs migrate"} {
		h, dir := hardShop(t)
		key, value, _ := strings.Cut(setting, "=")
		testkit.Git(t, dir, "config", "core.repositoryFormatVersion", "1")
		testkit.Git(t, dir, "config", key, value)
		if _, code := h.work(demo.Now); code != cli.ExitUsage || !strings.Contains(h.said.String(), want) {
			t.Errorf("%s: exit %d, %s", setting, code, h.said.String())
		}
	}
}
