package cli_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/cli"
	"github.com/retrosweep/retrosweep/internal/demo"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

// shallow is a person's own clone that was reviewed once and then fetched anew
// at depth 1: 200 commits lie between the last reviewed one and what it holds.
func shallow(t *testing.T) (h *host, dir, reviewed string) {
	t.Helper()
	h = newHost(t, "")
	remote := h.url
	grown(t, h.dir, 250) // older than the last reviewed commit
	dir = filepath.Join(t.TempDir(), "shop")
	testkit.Git(t, t.TempDir(), "clone", "-q", "--depth", "30", remote, dir)
	h.url = dir
	if r, code := h.work(demo.Now, "--apply"); code != cli.ExitDone {
		t.Fatalf("the first night: exit %d, %v", code, r.Warnings)
	}
	reviewed = strings.TrimSpace(testkit.Git(t, dir, "rev-parse", "HEAD"))
	grown(t, h.dir, 198)
	if err := filesMove(h.dir); err != nil {
		t.Fatal(err)
	}
	testkit.Git(t, dir, "fetch", "-q", "--depth", "1", "origin")
	testkit.Git(t, dir, "reset", "-q", "--hard", "origin/main")
	return h, dir, reviewed
}

// grown adds n commits that change a file nobody writes of.
func grown(t *testing.T, dir string, n int) {
	t.Helper()
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "-- commit --\nauthor: Ada Byron <ada@shop.example>\n\nchore: count to %d of %d\n-- counter --\n%d of %d\n", i, n, i, n)
	}
	r, err := repo.Open(context.Background(), dir)
	if err == nil {
		err = testkit.Append(r, []byte(text.String()))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// A night over a shallow clone begins at the last reviewed commit: an apply
// fetches what lies between into the clone, a dry run into the cache.
func TestNightDeepensAShallowClone(t *testing.T) {
	t.Parallel()
	h, dir, reviewed := shallow(t)
	disk := t.TempDir()
	before := contents(t, dir)
	dry, code := h.workIn(disk, demo.Now.Add(24*time.Hour))
	if code != cli.ExitDone || dry.Range.From != reviewed || dry.Range.Commits != 200 || dry.Bare {
		t.Fatalf("a dry run: exit %d, %+v, %v", code, dry.Range, dry.Warnings)
	}
	if after := contents(t, dir); after != before {
		t.Errorf("a dry run writes into the clone:\n%s\n%s", before, after)
	}
	if left, err := filepath.Glob(filepath.Join(disk, "borrowed", "*")); err != nil || len(left) > 0 {
		t.Errorf("a dry run leaves %v, %v", left, err)
	}
	applied, code := h.workIn(disk, demo.Now.Add(24*time.Hour), "--apply")
	if code != cli.ExitDone || applied.Range != dry.Range || applied.Diff != dry.Diff || applied.Diff == "" {
		t.Errorf("the apply: exit %d, %+v, %v", code, applied.Range, applied.Warnings)
	}
	// No further than it must: of the history before the mark some is still not here.
	all := strings.TrimSpace(testkit.Git(t, h.dir, "rev-list", "--count", "main"))
	here := strings.TrimSpace(testkit.Git(t, dir, "rev-list", "--count", "HEAD"))
	if is := testkit.Git(t, dir, "rev-parse", "--is-shallow-repository"); strings.TrimSpace(is) != "true" || here == all {
		t.Errorf("%s of %s commits were fetched, shallow: %s", here, all, is)
	}
	testkit.Git(t, dir, "fsck", "--strict")
	testkit.Git(t, dir, "merge-base", "--is-ancestor", reviewed, "HEAD")
	if r, code := h.workIn(disk, demo.Now.Add(25*time.Hour), "--from", reviewed); code != cli.ExitDone || r.Range.Commits != 200 {
		t.Errorf("--from: exit %d, %+v", code, r.Range)
	}
}

// contents lists what a clone consists of.
func contents(t *testing.T, dir string) string {
	t.Helper()
	return testkit.Git(t, dir, "for-each-ref") + testkit.Git(t, dir, "count-objects", "-v") + testkit.Git(t, dir, "rev-list", "--count", "HEAD")
}

// The same over SSH, for --from a commit that was never here.
func TestNightDeepensOverSSH(t *testing.T) {
	t.Parallel()
	h, dir, _ := shallow(t)
	server := testkit.SSHD(t)
	testkit.Git(t, dir, "remote", "set-url", "origin", server.URL+h.dir)
	h.env["RETROSWEEP_SSH_KEY"], h.env["RETROSWEEP_KNOWN_HOSTS"] = server.Key, server.KnownHosts
	if r, code := h.work(demo.Now, "--from", "HEAD~100"); code != cli.ExitDone || r.Range.Basis != report.BasisExplicit || r.Range.Commits != 100 {
		t.Errorf("--from HEAD~100 over SSH: exit %d, %+v, %v", code, r.Range, r.Warnings)
	}
}

// Where the remote does not answer, or there is none, a night says what is
// missing and what to do, and moves nothing.
func TestNightOnAShallowCloneWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	h, dir, _ := shallow(t)
	for url, want := range map[string]string{
		"http://127.0.0.1:1/shop.git": "try again when the remote answers",
		"/nowhere":                    "git fetch --unshallow",
	} {
		testkit.Git(t, dir, "remote", "set-url", "origin", url)
		refs := contents(t, dir)
		r, code := h.work(demo.Now.Add(time.Hour), "--apply")
		said := strings.Join(r.Warnings, "\n")
		if code != cli.ExitPassing || !strings.Contains(said, want) || !strings.Contains(said, "the last reviewed commit") {
			t.Errorf("%s: exit %d, %s", url, code, said)
		}
		if after := contents(t, dir); after != refs {
			t.Errorf("%s: a night that cannot begin writes:\n%s\n%s", url, refs, after)
		}
	}
}

// A first run takes a shallow clone as it is: what stands at its end is not new.
func TestFirstNightOnAShallowClone(t *testing.T) {
	t.Parallel()
	h := newHost(t, "")
	dir := filepath.Join(t.TempDir(), "shop")
	testkit.Git(t, t.TempDir(), "clone", "-q", "--depth", "1", h.url, dir)
	front := h.url
	h.url = dir
	testkit.Git(t, dir, "remote", "set-url", "origin", front)
	r, code := h.work(demo.Now)
	if code != cli.ExitDone || r.Signals == nil || r.Signals.Found != 0 || !strings.Contains(strings.Join(r.Warnings, "\n"), "the clone is shallow") {
		t.Errorf("exit %d, %+v, %v", code, r.Signals, r.Warnings)
	}
}
