package gitea_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/forgetest"
	"github.com/retrosweep/retrosweep/internal/forge/gitea"
	"github.com/retrosweep/retrosweep/internal/forge/gitea/giteatest"
	"github.com/retrosweep/retrosweep/internal/forge/pulls"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/repo/credentials"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

func TestMain(m *testing.M) {
	defer giteatest.Stop()
	m.Run()
}

func TestConformance(t *testing.T) {
	t.Parallel()
	giteatest.Shared(t)
	forgetest.Suite(t, func(t *testing.T) forgetest.World { return newWorld(t).World })
}

const history = `
-- commit --
author: Ada Byron <ada@acme.dev>
date: 2026-11-02T10:00:00Z

feat: begin
-- ` + forgetest.File + ` --
` + forgetest.Content

var (
	noon   = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	worlds atomic.Int32
)

// clock passes only while somebody sleeps.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	return ctx.Err()
}

// world is a repository on a real server, a forge before it, and what a person
// does.
type world struct {
	forgetest.World
	t      *testing.T
	server *giteatest.Server
	name   string
	dir    string
	auto   string
	warns  []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, server: giteatest.Shared(t), name: fmt.Sprintf("shop-%d", worlds.Add(1)), dir: filepath.Join(t.TempDir(), "mirror")}
	w.server.Repository(t, w.name)
	r, err := testkit.Build(t.TempDir(), []byte(history))
	if err != nil {
		t.Fatal(err)
	}
	head, _, err := r.Ref("refs/heads/main")
	if err == nil {
		err = r.Push(t.Context(), w.options(giteatest.Person), []repo.RefUpdate{{Name: "refs/heads/main", New: head}})
	}
	if err = errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	w.eventually(t, func() error {
		r, _, err := w.server.As(t, giteatest.Person).GetRepo(giteatest.Person, w.name)
		if err == nil && r.Empty {
			err = errors.New("the server has not seen the push")
		}
		return err
	})
	w.sync()
	w.Base = w.base()
	w.Forge = w.forge(w.server.Tokens[giteatest.Bot])
	w.Write, w.Delete, w.Merge, w.Squash, w.Snapshot, w.Task = w.write, w.delete, w.merge, w.squash, w.snapshot, w.task
	w.HostTime, w.Tick, w.Unsaid = true, w.tick, true
	return w
}

// tick ticks every box as the person.
func (w *world) tick(t *testing.T, number int, _ string) {
	t.Helper()
	ada := w.server.As(t, giteatest.Person)
	i, _, err := ada.GetIssue(giteatest.Person, w.name, int64(number))
	if err != nil {
		t.Fatal(err)
	}
	body := strings.ReplaceAll(i.Body, "- [ ]", "- [x]")
	if _, _, err := ada.EditIssue(giteatest.Person, w.name, int64(number), sdk.EditIssueOption{Body: &body}); err != nil {
		t.Fatal(err)
	}
}

// sync makes the store hold what the server holds.
func (w *world) sync() {
	w.t.Helper()
	var err error
	if w.Repo != nil {
		_, err = w.Repo.Fetch(w.t.Context(), w.options(giteatest.Bot))
	} else if w.Repo, _, err = repo.Sync(w.t.Context(), w.dir, w.options(giteatest.Bot)); err == nil {
		w.t.Cleanup(func() { _ = w.Repo.Close() })
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) base() proposal.Base {
	return proposal.Base{Name: "main", Commit: w.ref("main")}
}

func (w *world) options(login string) repo.RemoteOptions {
	c := credentials.Credential{Username: login, Secret: credentials.NewSecret(w.server.Tokens[login]), Source: "the test"}
	return repo.RemoteOptions{
		URL:  w.server.URL + giteatest.Person + "/" + w.name + ".git",
		Auth: credentials.From(func(context.Context, *url.URL) (credentials.Credential, bool, error) { return c, true, nil }),
	}
}

func (w *world) forge(token string) *gitea.Forge {
	w.t.Helper()
	c, err := gitea.Dial(w.t.Context(), gitea.DialOptions{URL: w.server.URL, Clock: &clock{now: noon}, Env: env{"RETROSWEEP_TOKEN": token}.get})
	if err != nil {
		w.t.Fatal(err)
	}
	o := w.options(giteatest.Bot)
	o.Auth = c.Auth()
	f, err := gitea.New(gitea.Options{
		Connection: c, Owner: giteatest.Person, Repo: w.name,
		Options: pulls.Options{Auto: w.auto, Store: w.Repo, Pusher: pusher{w, o}, Warn: func(s string) { w.warns = append(w.warns, s) }},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

type env map[string]string

func (e env) get(name string) string { return e[name] }

// pusher is the remote as the forge sees it.
type pusher struct {
	w       *world
	options repo.RemoteOptions
}

func (p pusher) Push(ctx context.Context, updates []repo.RefUpdate) error {
	return p.w.Repo.Push(ctx, p.options, updates)
}

func (p pusher) Refs(ctx context.Context, prefix string) (map[string]repo.Hash, error) {
	return repo.RemoteRefs(ctx, p.options, prefix)
}

func (w *world) ref(branch string) repo.Hash {
	w.t.Helper()
	refs, err := repo.RemoteRefs(w.t.Context(), w.options(giteatest.Person), "refs/heads/")
	if err != nil {
		w.t.Fatal(err)
	}
	return refs["refs/heads/"+branch]
}

// move lets the person move a branch of the server.
func (w *world) move(branch string, old, head repo.Hash) {
	w.t.Helper()
	err := w.Repo.Push(w.t.Context(), w.options(giteatest.Person), []repo.RefUpdate{{Name: "refs/heads/" + branch, Old: old, New: head}})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(t *testing.T, branch string) {
	t.Helper()
	at := w.ref(branch)
	parent := at
	if at.IsZero() {
		parent = w.Base.Commit
	}
	c, err := w.Repo.Commit(parent)
	if err != nil {
		t.Fatal(err)
	}
	ada := repo.Signature{Name: "Ada Byron", Email: "ada@acme.dev", When: noon}
	tree, err := w.Repo.WriteTree(c.Tree, map[string][]byte{"mine.txt": []byte(branch + parent.String())})
	if err != nil {
		t.Fatal(err)
	}
	h, err := w.Repo.WriteCommit(repo.NewCommit{Tree: tree, Parents: []repo.Hash{parent}, Author: ada, Committer: ada, Message: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	w.move(branch, at, h)
}

// delete waits until the server has seen to the pull request of the branch.
func (w *world) delete(t *testing.T, branch string) {
	t.Helper()
	w.move(branch, w.ref(branch), repo.Hash{})
	w.eventually(t, func() error {
		if pr := w.on(branch); pr != nil && pr.State == sdk.StateOpen {
			return fmt.Errorf("pull request %d is open", pr.Index)
		}
		return nil
	})
}

func (w *world) eventually(t *testing.T, f func() error) {
	t.Helper()
	if err := giteatest.Eventually(f); err != nil {
		t.Fatal(err)
	}
}

// all are the pull requests of the repository, the newest first.
func (w *world) all() []*sdk.PullRequest {
	w.t.Helper()
	all, _, err := w.server.As(w.t, giteatest.Person).ListRepoPullRequests(giteatest.Person, w.name, sdk.ListPullRequestsOptions{State: sdk.StateAll})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// on is the newest pull request from a branch.
func (w *world) on(branch string) (newest *sdk.PullRequest) {
	for _, pr := range w.all() {
		if pr.Head.Name == branch && (newest == nil || pr.Index > newest.Index) {
			newest = pr
		}
	}
	return newest
}

func (w *world) merge(t *testing.T, branch string) proposal.Base {
	t.Helper()
	return w.land(t, branch, sdk.MergeStyleMerge)
}

func (w *world) squash(t *testing.T, branch string) proposal.Base {
	t.Helper()
	base := w.land(t, branch, sdk.MergeStyleSquash)
	w.delete(t, branch)
	return base
}

// land merges as the person, once the server has found out that it can.
func (w *world) land(t *testing.T, branch string, by sdk.MergeStyle) proposal.Base {
	t.Helper()
	ada, number, head := w.server.As(t, giteatest.Person), w.on(branch).Index, w.ref(branch)
	w.eventually(t, func() error {
		ok, resp, err := ada.MergePullRequest(giteatest.Person, w.name, number, sdk.MergePullRequestOption{Style: by, HeadCommitId: head.String()})
		if err == nil && !ok {
			err = fmt.Errorf("pull request %d is not merged: %s", number, resp.Status)
		}
		return err
	})
	w.sync()
	return w.base()
}

// snapshot is what a write changes: branches, records, and of pull requests all
// that we may set.
func (w *world) snapshot(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, prefix := range []string{"refs/heads/", "refs/retrosweep/"} {
		refs, err := repo.RemoteRefs(t.Context(), w.options(giteatest.Person), prefix)
		if err != nil {
			t.Fatal(err)
		}
		for name, h := range refs {
			out[name] = h.String()
		}
	}
	issues, _, err := w.server.As(t, giteatest.Person).ListRepoIssues(giteatest.Person, w.name, sdk.ListIssueOption{State: sdk.StateAll, Type: sdk.IssueTypeIssue})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range issues {
		out[fmt.Sprint("issue ", i.Index)] = i.Body
	}
	for _, pr := range w.all() {
		labels := []string{}
		for _, l := range pr.Labels {
			labels = append(labels, l.Name)
		}
		out[fmt.Sprint("pull ", pr.Index)] = strings.Join([]string{string(pr.State), pr.Title, pr.Base.Ref, fmt.Sprint(pr.Comments), fmt.Sprint(labels), pr.Body}, "\n")
	}
	return out
}

// task makes what the host can tell apart: it gives no reasons.
func (w *world) task(t *testing.T, state forge.TaskState, _ time.Time) forge.TaskRef {
	t.Helper()
	ada, closed := w.server.As(t, giteatest.Person), sdk.StateClosed
	switch state {
	case forge.TaskOpen, forge.TaskCompleted:
		i, _, err := ada.CreateIssue(giteatest.Person, w.name, sdk.CreateIssueOption{Title: string(state), Closed: state == forge.TaskCompleted})
		if err != nil {
			t.Fatal(err)
		}
		return forge.TaskRef{Number: int(i.Index)}
	case forge.TaskNotPlanned:
		w.write(t, "dropped")
		var pr *sdk.PullRequest
		w.eventually(t, func() (err error) {
			pr, _, err = ada.CreatePullRequest(giteatest.Person, w.name, sdk.CreatePullRequestOption{Title: "dropped", Head: "dropped", Base: "main"})
			return err
		})
		if _, _, err := ada.EditPullRequest(giteatest.Person, w.name, pr.Index, sdk.EditPullRequestOption{State: &closed}); err != nil {
			t.Fatal(err)
		}
		return forge.TaskRef{Number: int(pr.Index)}
	}
	return forge.TaskRef{}
}
