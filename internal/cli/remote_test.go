package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/retrosweep/retrosweep/internal/cli"
	"github.com/retrosweep/retrosweep/internal/demo"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/llm/replay"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

// host is a git server that asks for a token, with the demo's shop on it.
type host struct {
	t       *testing.T
	dir     string // of the bare repository
	url     string
	env     map[string]string
	answers bool         // recorded answers are played, else no model is asked
	said    bytes.Buffer // everything that any run printed
	mu      sync.Mutex
}

// hostToken is assembled, lest somebody takes it for a real one.
var hostToken = "tok" + "en-that-must-not-show-9f8e7d"

func newHost(t *testing.T, token string) *host {
	t.Helper()
	root := t.TempDir()
	h := &host{t: t, dir: filepath.Join(root, "acme", "shop.git"), env: map[string]string{"RETROSWEEP_TOKEN": token}}
	if err := os.MkdirAll(filepath.Dir(h.dir), 0o755); err != nil {
		t.Fatal(err)
	}
	r, err := demo.Build(h.dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	h.url = testkit.GitHTTP(t, root, token).URL + "/acme/shop.git"
	return h
}

// work runs one night of a worker with a disk of its own.
func (h *host) work(now time.Time, args ...string) (*report.Receipt, int) {
	h.t.Helper()
	return h.workIn(h.t.TempDir(), now, args...)
}

func (h *host) workIn(disk string, now time.Time, args ...string) (*report.Receipt, int) {
	h.t.Helper()
	var out, errs bytes.Buffer
	m := &cli.Main{
		Version: "test", Stdout: &out, Stderr: &errs,
		Getenv: func(name string) string {
			if v, ok := map[string]string{"RETROSWEEP_CACHE": disk, "HOME": disk}[name]; ok {
				return v
			}
			return h.env[name]
		},
		Clock: func() time.Time { return now }, IsTerm: func(io.Writer) bool { return false },
	}
	all := append([]string{"run", h.url, "--format", "json"}, args...)
	if h.answers {
		all = append(all, "--model", demo.Model, "--base-url", playback(h.t))
	} else {
		all = append(all, "--model", "none")
	}
	code := m.Run(context.Background(), all)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said.Write(out.Bytes())
	h.said.Write(errs.Bytes())
	receipt := report.New()
	if out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), receipt); err != nil {
			h.t.Errorf("%v prints no receipt: %v", all, err)
		}
	} else {
		receipt.Outcome = report.Skipped
		receipt.Warnings = []string{errs.String()}
	}
	return receipt, code
}

// playback serves the demo's recorded answers.
func playback(t *testing.T) string {
	t.Helper()
	handler, err := replay.New(recordings(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func (h *host) refs() map[string]repo.Hash {
	h.t.Helper()
	r, err := repo.Open(context.Background(), h.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	refs, err := r.Refs("refs/")
	if err != nil {
		h.t.Fatal(err)
	}
	return refs
}

func state(r *report.Receipt, kind string) report.ProposalState {
	for _, p := range r.Proposals {
		if p.Kind == kind {
			return p.State
		}
	}
	return ""
}

func TestNightOverHTTP(t *testing.T) {
	t.Parallel()
	h := newHost(t, hostToken)
	before := h.refs()
	if r, code := h.work(demo.Now); code != cli.ExitDone || state(r, "upkeep") != report.ProposalOpened || len(h.refs()) != len(before) {
		t.Fatalf("a dry run: exit %d, %s, %v", code, state(r, "upkeep"), r.Warnings)
	}
	r, code := h.work(demo.Now, "--apply", "--push")
	if code != cli.ExitDone || state(r, "upkeep") != report.ProposalOpened {
		t.Fatalf("the night: exit %d, %s, %v", code, state(r, "upkeep"), r.Warnings)
	}
	after := h.refs()
	for _, name := range []string{"refs/heads/retrosweep/upkeep", "refs/retrosweep/journal"} {
		if after[name].IsZero() {
			t.Errorf("%s is not on the remote: %v", name, after)
		}
	}
	if after["refs/heads/main"] != before["refs/heads/main"] {
		t.Error("main moved")
	}
	// A fresh pod with an empty disk goes on where the last one stopped.
	r, _ = h.work(demo.Now.Add(time.Hour), "--apply", "--push")
	if r.Range.Basis != report.BasisWatermark || state(r, "upkeep") != report.ProposalUnchanged {
		t.Errorf("the next night begins by %s and leaves the branch %s", r.Range.Basis, state(r, "upkeep"))
	}
	for name, at := range h.refs() {
		if after[name] != at {
			t.Errorf("a night with nothing new moves %s", name)
		}
	}
	if strings.Contains(h.said.String(), hostToken) {
		t.Error("the token is printed")
	}
}

// With delivery.auto: commit a rule goes onto the base branch; where a rule of
// the host refuses, it waits on the upkeep branch, and the receipt says why.
func TestAutoCommitsOntoTheBaseUnlessTheHostRefuses(t *testing.T) {
	t.Parallel()
	for _, protected := range []bool{false, true} {
		h := newHost(t, hostToken)
		h.answers = true
		h.env["RETROSWEEP_DELIVERY_AUTO"] = "commit"
		if protected {
			hook(t, h.dir, "[ \"$ref\" != refs/heads/main ] || { echo 'main is protected' >&2; exit 1; }")
		}
		before := h.refs()["refs/heads/main"]
		r, code := h.work(demo.Now, "--apply", "--push")
		moved := h.refs()["refs/heads/main"] != before
		if code != cli.ExitDone || moved == protected {
			t.Errorf("protected: %t, main moved: %t, exit %d, %v", protected, moved, code, r.Warnings)
		}
		where := "main"
		if protected {
			where = "retrosweep/upkeep"
			if !strings.Contains(strings.Join(r.Warnings, "\n"), "main is protected") {
				t.Errorf("the receipt does not say which rule refused: %v", r.Warnings)
			}
		}
		if out := testkit.Git(t, h.dir, "ls-tree", "-r", "--name-only", where, "knowledge/playbooks"); strings.Count(out, ".md") != 3 {
			t.Errorf("protected: %t: the playbooks on %s are\n%s", protected, where, out)
		}
		after := h.refs()
		h.work(demo.Now.Add(time.Hour), "--apply", "--push")
		if again := h.refs(); again["refs/heads/main"] != after["refs/heads/main"] || again["refs/heads/retrosweep/upkeep"] != after["refs/heads/retrosweep/upkeep"] {
			t.Errorf("protected: %t: the next night writes the same again", protected)
		}
	}
}

// The same night over SSH, against Debian's own server.
func TestNightOverSSH(t *testing.T) {
	t.Parallel()
	h := newHost(t, hostToken)
	server := testkit.SSHD(t)
	h.url = server.URL + h.dir
	h.env = map[string]string{"RETROSWEEP_SSH_KEY": server.Key, "RETROSWEEP_KNOWN_HOSTS": server.KnownHosts}
	r, code := h.work(demo.Now, "--apply", "--push")
	if code != cli.ExitDone || h.refs()["refs/heads/retrosweep/upkeep"].IsZero() {
		t.Fatalf("the night: exit %d, %v", code, r.Warnings)
	}
	if r, _ = h.work(demo.Now.Add(time.Hour), "--apply", "--push"); r.Range.Basis != report.BasisWatermark {
		t.Errorf("the next night begins by %s", r.Range.Basis)
	}
	h.env["RETROSWEEP_KNOWN_HOSTS"] = filepath.Join(t.TempDir(), "empty")
	if _, code := h.work(demo.Now); code != cli.ExitUsage || !strings.Contains(h.said.String(), "add this line") {
		t.Errorf("a host whose key nobody knows: exit %d", code)
	}
}

// A host that takes no references of ours gets the journal as a branch; one
// that takes no such branch either, not at all: then it stays with the worker.
func TestHostsThatRefuseTheJournal(t *testing.T) {
	t.Parallel()
	const hidden = "hidden" // git takes the rest of an atomic push then
	for refused, want := range map[string]string{
		"refs/retrosweep/*": "refs/heads/retrosweep-journal", "refs/retrosweep/*|refs/heads/retrosweep-*": "", hidden: "refs/heads/retrosweep-journal",
	} {
		h := newHost(t, hostToken)
		if refused == hidden {
			testkit.Git(t, h.dir, "config", "receive.hideRefs", "refs/retrosweep")
		} else {
			hook(t, h.dir, "case \"$ref\" in "+refused+") echo 'not here' >&2; exit 1;; esac")
		}
		disk := t.TempDir()
		r, code := h.workIn(disk, demo.Now, "--apply", "--push")
		after := h.refs()
		if code != cli.ExitDone || after["refs/heads/retrosweep/upkeep"].IsZero() || want != "" && after[want].IsZero() {
			t.Fatalf("%s refused: exit %d, %v, %v", refused, code, r.Warnings, after)
		}
		told := strings.Count(h.said.String(), "the host takes no")
		r, _ = h.workIn(disk, demo.Now.Add(time.Hour), "--apply", "--push")
		if r.Range.Basis != report.BasisWatermark || state(r, "upkeep") != report.ProposalUnchanged {
			t.Errorf("%s refused: the next night begins by %s and leaves the branch %s", refused, r.Range.Basis, state(r, "upkeep"))
		}
		for name, at := range h.refs() {
			if after[name] != at {
				t.Errorf("%s refused: a night with nothing new moves %s", refused, name)
			}
		}
		if again := strings.Count(h.said.String(), "the host takes no"); told == 0 || again != told {
			t.Errorf("%s refused: it is said %d times, then %d", refused, told, again)
		}
	}
}

// hook makes the server run a script for each reference of a push.
func hook(t *testing.T, dir, script string) {
	t.Helper()
	hooks := filepath.Join(dir, "hooks")
	text := "#!/bin/sh\nwhile read old new ref; do " + script + "; done\n"
	if err := errors.Join(os.MkdirAll(hooks, 0o755), os.WriteFile(filepath.Join(hooks, "pre-receive"), []byte(text), 0o755)); err != nil {
		t.Fatal(err)
	}
}

func TestURLWithoutPushOrCredential(t *testing.T) {
	t.Parallel()
	h := newHost(t, hostToken)
	if _, code := h.work(demo.Now, "--apply"); code != cli.ExitUsage || !strings.Contains(h.said.String(), "--push") {
		t.Errorf("an apply that is not pushed: exit %d: %s", code, h.said.String())
	}
	h.env["RETROSWEEP_TOKEN"] = "wrong"
	if _, code := h.work(demo.Now); code != cli.ExitUsage {
		t.Errorf("a wrong token: exit %d: %s", code, h.said.String())
	}
}

// Of two workers that begin at once, one applies; nothing is lost or doubled.
// On GitHub one has pull requests, and a commit of its own on the base branch.
func TestTwoWorkersAtOnce(t *testing.T) {
	t.Parallel()
	for name, round := range map[string]func(*testing.T){"git": twoWorkers, "GitHub": twoWorkersOnGitHub} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var work errgroup.Group
			work.SetLimit(4)
			for range *rounds {
				work.Go(func() error { round(t); return nil })
			}
			if err := work.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// rounds of two workers: a few in each test run, a hundred by hand.
var rounds = flag.Int("rounds", 3, "rounds of two workers at once")

func twoWorkers(t *testing.T) {
	h := newHost(t, hostToken)
	h.race(2)
	if out := testkit.Git(t, h.dir, "rev-list", "--count", "main..retrosweep/upkeep"); strings.TrimSpace(out) != "1" {
		t.Errorf("the branch holds %s commits, one night made them", strings.TrimSpace(out))
	}
	testkit.Git(t, h.dir, "fsck", "--strict")
}

func twoWorkersOnGitHub(t *testing.T) {
	h := newHost(t, githubfake.Token)
	h.answers = true
	h.env["RETROSWEEP_DELIVERY_AUTO"] = "commit"
	hub := h.github()
	before := strings.TrimSpace(testkit.Git(t, h.dir, "rev-list", "--count", "main"))
	h.race(2)
	if pulls := hub.Pulls(); len(pulls) != 2 || pulls[0].Head == pulls[1].Head {
		t.Errorf("%d pull requests, one night opens two: %+v", len(pulls), pulls)
	}
	upkeep := strings.TrimSpace(testkit.Git(t, h.dir, "rev-list", "--count", "main~1..retrosweep/upkeep"))
	main := strings.TrimSpace(testkit.Git(t, h.dir, "rev-list", "--count", "main~1"))
	if upkeep != "1" || main != before {
		t.Errorf("the branch holds %s commits, and main before the last one %s of %s", upkeep, main, before)
	}
	if out := testkit.Git(t, h.dir, "ls-tree", "-r", "--name-only", "main", "knowledge/playbooks"); strings.Count(out, ".md") != 3 {
		t.Errorf("the playbooks on main are\n%s", out)
	}
	for _, v := range hub.Violations() {
		t.Errorf("GitHub's description of its API: %s", v)
	}
	// Nobody holds it any more, and there is nothing left to do but to review our own commit.
	writes := len(hub.Writes())
	if r, code := h.work(demo.Now.Add(time.Hour), "--apply", "--push"); code != cli.ExitDone || r.Outcome != report.Done || len(hub.Writes()) != writes {
		t.Errorf("the next night: exit %d, %s, %d writes to the API, %v", code, r.Outcome, len(hub.Writes())-writes, r.Warnings)
	}
	testkit.Git(t, h.dir, "fsck", "--strict")
}

// race lets workers begin at once, each with a disk of its own; one applies.
func (h *host) race(workers int) {
	h.t.Helper()
	var wg sync.WaitGroup
	receipts := make([]*report.Receipt, workers)
	for i := range receipts {
		disk := h.t.TempDir()
		wg.Go(func() {
			var code int
			if receipts[i], code = h.workIn(disk, demo.Now, "--apply", "--push"); code != cli.ExitDone {
				h.t.Errorf("a worker exits with %d: %v", code, receipts[i].Warnings)
			}
		})
	}
	wg.Wait()
	opened := 0
	for _, r := range receipts {
		if r.Outcome == report.Done && state(r, "upkeep") == report.ProposalOpened {
			opened++
		}
	}
	if opened != 1 {
		h.t.Errorf("%d workers opened the branch: %s and %s", opened, receipts[0].Outcome, receipts[1].Outcome)
	}
}

// github makes the host a GitHub with an API.
func (h *host) github() *githubfake.GitHub {
	h.t.Helper()
	r, err := repo.Open(h.t.Context(), h.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = r.Close() })
	hub := githubfake.New(githubfake.Options{Repo: r})
	api := httptest.NewServer(hub)
	h.t.Cleanup(api.Close)
	h.env["GH_HOST"] = strings.TrimPrefix(strings.TrimSuffix(h.url, "/acme/shop.git"), "http://")
	h.env["RETROSWEEP_GITHUB_API"] = api.URL + "/"
	return hub
}

// commits lets the host make commits for an app, and take no branch by a push.
func (h *host) commits(hub *githubfake.GitHub) {
	h.t.Helper()
	hub.Tokens[githubfake.Token] = githubfake.User{Login: "retrosweep[bot]", ID: 1003, App: true}
	h.env["RETROSWEEP_COMMITS"] = "api"
	hook(h.t, h.dir, `case "$ref" in refs/heads/*) echo 'GH013: Commits must have verified signatures.' >&2; exit 1;; esac`)
}

func TestPullRequests(t *testing.T) {
	t.Parallel()
	for _, api := range []bool{false, true} {
		t.Run(fmt.Sprintf("commits by the host %v", api), func(t *testing.T) {
			t.Parallel()
			pullRequests(t, api)
		})
	}
}

func pullRequests(t *testing.T, api bool) {
	h := newHost(t, githubfake.Token)
	h.answers = true
	hub := h.github()
	if api {
		h.commits(hub)
	}
	r := hub.Options.Repo
	if _, code := h.work(demo.Now); code != cli.ExitDone || len(hub.Writes()) > 0 {
		t.Fatalf("a dry run: exit %d, %d writes, %s", code, len(hub.Writes()), h.said.String())
	}
	receipt, code := h.work(demo.Now, "--apply", "--push")
	if code != cli.ExitDone || state(receipt, "upkeep") != report.ProposalOpened {
		t.Fatalf("the night: exit %d, %v\n%s", code, receipt.Warnings, h.said.String())
	}
	if pulls := hub.Pulls(); len(pulls) != 2 || state(receipt, "rules") != report.ProposalOpened {
		t.Fatalf("%d pull requests for upkeep and a change of CLAUDE.md: %s", len(pulls), h.said.String())
	}
	for _, p := range receipt.Proposals {
		if head := h.refs()["refs/heads/"+p.Branch]; p.Branch != "" && head.String() != p.Commit || api != hub.Verified(head) {
			t.Errorf("%s is at %s, the receipt says %s", p.Branch, head, p.Commit)
		}
	}
	writes := len(hub.Writes())
	h.work(demo.Now.Add(time.Hour), "--apply", "--push")
	if now := len(hub.Writes()); now != writes || len(hub.Pulls()) != 2 {
		t.Errorf("a night with nothing new writes %d times to the API", now-writes)
	}
	// A branch that a person commits to is theirs; a pull request that a person
	// closes does not come back.
	theirs := byHand(t, r, branchOf(receipt, "rules"))
	hub.Close(numberOf(hub, branchOf(receipt, "upkeep")))
	h.work(demo.Now.Add(48*time.Hour), "--apply", "--push")
	if pulls := hub.Pulls(); len(pulls) != 2 {
		t.Errorf("a pull request that a person closed came back: %d of them", len(pulls))
	}
	if h.refs()["refs/heads/"+branchOf(receipt, "rules")] != theirs {
		t.Error("a branch that a person committed to was moved")
	}
	for _, v := range hub.Violations() {
		t.Errorf("GitHub's description of its API: %s", v)
	}
	if strings.Contains(h.said.String(), githubfake.Token) {
		t.Error("the token is printed")
	}
}

func branchOf(r *report.Receipt, kind string) string {
	for _, p := range r.Proposals {
		if p.Kind == kind {
			return p.Branch
		}
	}
	return ""
}

func numberOf(hub *githubfake.GitHub, branch string) int {
	for _, p := range hub.Pulls() {
		if p.Head == branch {
			return p.Number
		}
	}
	return 0
}

// byHand puts a person's commit on a branch.
func byHand(t *testing.T, r *repo.Repo, branch string) repo.Hash {
	t.Helper()
	name := "refs/heads/" + branch
	old, ok, err := r.Ref(name)
	if err != nil || !ok {
		t.Fatalf("%s: %v", name, err)
	}
	tree, err := r.WriteTree(old, map[string][]byte{"CLAUDE.md": []byte("# Mine\n")})
	if err != nil {
		t.Fatal(err)
	}
	who := repo.Signature{Name: "Grace Hopper", Email: "grace@shop.example", When: demo.Now.Add(time.Hour)}
	h, err := r.WriteCommit(repo.NewCommit{Tree: tree, Parents: []repo.Hash{old}, Author: who, Committer: who, Message: "in my words"})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.UpdateRef(name, old, h); err != nil {
		t.Fatal(err)
	}
	return h
}
