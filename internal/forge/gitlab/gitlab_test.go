package gitlab_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/forgetest"
	"github.com/retrosweep/retrosweep/internal/forge/gitlab"
	"github.com/retrosweep/retrosweep/internal/forge/gitlab/gitlabfake"
	"github.com/retrosweep/retrosweep/internal/forge/pulls"
	"github.com/retrosweep/retrosweep/internal/forge/wire"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

const history = `
-- commit --
author: Ada Byron <ada@acme.dev>
date: 2026-11-02T10:00:00Z

feat: begin
-- ` + forgetest.File + ` --
` + forgetest.Content

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// clock passes only while somebody sleeps.
type clock struct {
	now   time.Time
	slept []time.Duration
}

func (c *clock) Now() time.Time { return c.now }

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.now, c.slept = c.now.Add(d), append(c.slept, d)
	return ctx.Err()
}

type env map[string]string

func (e env) get(name string) string { return e[name] }

type world struct {
	forgetest.World
	t     *testing.T
	fake  *gitlabfake.GitLab
	url   string
	clock *clock
	auto  string
	warns []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	r, err := testkit.Build(t.TempDir(), []byte(history))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	w := &world{t: t, fake: gitlabfake.New(r), clock: &clock{now: noon}}
	w.fake.PageSize = 2
	w.url = w.fake.Start(t)
	w.Repo, w.Base = r, proposal.Base{Name: "main", Commit: ref(t, r, "main")}
	w.Forge = w.forge()
	w.Write, w.Delete, w.Task, w.HostTime = w.write, w.delete, w.task, true
	w.Tick, w.Unsaid = func(_ *testing.T, number int, _ string) { w.fake.EditIssue(number, tick) }, true
	w.Merge = func(t *testing.T, branch string) proposal.Base { return w.land(t, branch, false) }
	w.Squash = func(t *testing.T, branch string) proposal.Base {
		defer w.delete(t, branch)
		return w.land(t, branch, true)
	}
	w.Snapshot = func(t *testing.T) map[string]string {
		s, err := w.fake.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	return w
}

func tick(body string) string { return strings.ReplaceAll(body, "- [ ]", "- [x]") }

func (w *world) dial() *gitlab.Connection {
	w.t.Helper()
	c, err := gitlab.Dial(w.t.Context(), gitlab.DialOptions{URL: w.url, Clock: w.clock, Env: env{gitlab.EnvToken: gitlabfake.Token}.get})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) forge() *gitlab.Forge {
	w.t.Helper()
	f, err := gitlab.New(gitlab.Options{
		Connection: w.dial(), Owner: "acme/team", Repo: "shop", Options: pulls.Options{
			Store: w.Repo, Pusher: w.fake, Auto: w.auto, Warn: func(s string) { w.warns = append(w.warns, s) },
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

func ref(t *testing.T, r *repo.Repo, branch string) repo.Hash {
	t.Helper()
	h, _, err := r.Ref("refs/heads/" + branch)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (w *world) write(t *testing.T, branch string) {
	t.Helper()
	at := ref(t, w.Repo, branch)
	parent := at
	if at.IsZero() {
		parent = w.Base.Commit
	}
	c, err := w.Repo.Commit(parent)
	if err != nil {
		t.Fatal(err)
	}
	ada := repo.Signature{Name: "Ada Byron", Email: "ada@acme.dev", When: noon}
	h, err := w.Repo.WriteCommit(repo.NewCommit{Tree: c.Tree, Parents: []repo.Hash{parent}, Author: ada, Committer: ada, Message: "mine"})
	if err == nil {
		err = w.Repo.UpdateRef("refs/heads/"+branch, at, h)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) delete(t *testing.T, branch string) {
	t.Helper()
	if err := w.Repo.DeleteRef("refs/heads/"+branch, ref(t, w.Repo, branch)); err != nil {
		t.Fatal(err)
	}
}

func (w *world) land(t *testing.T, branch string, squash bool) proposal.Base {
	t.Helper()
	h, err := w.fake.Merge(branch, squash)
	if err != nil {
		t.Fatal(err)
	}
	return proposal.Base{Name: "main", Commit: h}
}

// task makes what the host can tell apart.
func (w *world) task(_ *testing.T, state forge.TaskState, closed time.Time) forge.TaskRef {
	switch state {
	case forge.TaskOpen:
		return forge.TaskRef{Number: w.fake.Add(gitlabfake.Issue{State: "opened"})}
	case forge.TaskCompleted:
		return forge.TaskRef{Number: w.fake.Add(gitlabfake.Issue{State: "closed", ClosedAt: &closed})}
	case forge.TaskDuplicate:
		other := "https://gitlab.example/api/v4/projects/1/issues/75"
		return forge.TaskRef{Number: w.fake.Add(gitlabfake.Issue{State: "closed", ClosedAt: &closed, Links: gitlabfake.Links{Duplicate: &other}})}
	}
	return forge.TaskRef{}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	forgetest.Suite(t, func(t *testing.T) forgetest.World { return newWorld(t).World })
}

// TestTokenStaysInItsHeader: a host that sends back what it gets puts the token
// into no error; limits are waited for.
func TestTokenStaysInItsHeader(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	echo := `{"message":"bad header Bearer ` + gitlabfake.Token + `"}`
	var said strings.Builder
	for _, f := range []gitlabfake.Fault{{Status: 400, Body: echo}, {Status: 401, Body: echo}, {Status: 404, Body: echo}, {Status: 409, Body: echo}, {Status: 422, Body: "<p>" + gitlabfake.Token}} {
		w.fake.Inject(f)
		_, err := w.Forge.List(t.Context(), w.Base)
		if err == nil {
			t.Errorf("status %d is no error", f.Status)
		}
		fmt.Fprintf(&said, "%v %+v %#v\n", err, err, err)
	}
	w.fake.Inject(gitlabfake.Fault{Status: 429, Header: map[string]string{"RateLimit-Remaining": "0", "RateLimit-Reset": fmt.Sprint(noon.Add(30 * time.Second).Unix())}, Body: echo})
	if _, err := w.Forge.List(t.Context(), w.Base); err != nil || len(w.clock.slept) != 1 || w.clock.slept[0] != 31*time.Second {
		t.Errorf("a limit: %v, slept %v", err, w.clock.slept)
	}
	c := w.dial()
	fmt.Fprintf(&said, "%v %+v %#v", c, *c.Login, *c.Login)
	if strings.Contains(said.String(), gitlabfake.Token) {
		t.Errorf("the token shows:\n%s", said.String())
	}
	for _, r := range w.fake.Seen() {
		if r.Header.Get("Authorization") != "Bearer "+gitlabfake.Token || strings.Contains(r.URL.String(), gitlabfake.Token) || r.Header.Get("Private-Token") != "" {
			t.Errorf("%s %s is signed otherwise", r.Method, r.URL)
		}
	}
}

// TestOddAnswers: what is JSON and no answer is an error or nothing, and no panic.
func TestOddAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x, f := proposal.Existing{Number: 1, Branch: "retrosweep/rules/x"}, w.forge()
	for _, body := range []string{"{}", "[]", "null", "[null]", "[{}]", `{"id":"x"}`, `{"author":null,"labels":[null]}`, `{"iid":1,"id":null}`, "0", `"x"`} {
		for _, method := range []string{"GET", "PUT", "POST"} {
			w.fake.Inject(gitlabfake.Fault{Method: method, Status: 200, Body: body})
		}
		_, listErr := f.List(t.Context(), w.Base)
		_, taskErr := f.Task(t.Context(), forge.TaskRef{Number: 1})
		w.fake.Inject(gitlabfake.Fault{Method: "GET", Status: 200, Body: body})
		closeErr := f.Close(t.Context(), x, "obsolete")
		if taskErr == nil || closeErr == nil {
			t.Errorf("%s is believed: %v, %v, %v", body, listErr, taskErr, closeErr)
		}
	}
}

func TestWhichTokenGoesWhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, e := range []env{{}, {gitlab.EnvToken: gitlabfake.Token, "GITLAB_CI": "true", "CI_SERVER_URL": "https://git.acme.dev"}} {
		if _, err := gitlab.Dial(t.Context(), gitlab.DialOptions{URL: w.url, Env: e.get}); !errors.Is(err, wire.ErrNoCredential) {
			t.Errorf("%v: %v", len(e), err)
		}
	}
	if a, err := w.dial().Check(t.Context(), "acme/team", "shop"); err != nil || !a.Push || !a.Pulls || a.Default != "main" {
		t.Errorf("access is %+v, %v", a, err)
	}
}

func TestParseRemote(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string][3]string{
		"https://gitlab.com/acme/shop.git":               {"acme", "shop", "gitlab.com"},
		"https://ada:x@GitLab.com/acme/team/a/shop":      {"acme/team/a", "shop", "gitlab.com"},
		"git@gitlab.com:acme/team/shop.git":              {"acme/team", "shop", "gitlab.com"},
		"ssh://git@git.acme.dev:2222/acme/team/shop.git": {"acme/team", "shop", "git.acme.dev"},
		"http://127.0.0.1:80/acme/shop":                  {"acme", "shop", "127.0.0.1:80"},
		"https://gitlab.com/shop":                        {},
		"https://gitlab.com/acme/../shop":                {},
		"https://gitlab.com/acme/shop?x=y":               {},
		"/srv/acme/shop":                                 {},
		"file:///srv/acme/shop":                          {},
	} {
		owner, name, host, ok := gitlab.ParseRemote(raw)
		if got := [3]string{owner, name, host}; got != want || ok != (want[1] != "") {
			t.Errorf("%s is %q, %v", raw, got, ok)
		}
	}
}

// TestAcceptIsNotOurs: the account that made a request never merges it, and a
// person may.
func TestAcceptIsNotOurs(t *testing.T) {
	t.Parallel()
	f := newWorld(t).forge()
	var byHand *forge.ByHandError
	if _, err := f.Accept(t.Context(), proposal.Existing{Status: proposal.Open, Number: 1}, proposal.Base{}, noon); !errors.As(err, &byHand) {
		t.Errorf("it merges its own: %v", err)
	}
}

// TestNoOrders: a line of a text that the host would carry out as an order is none
// any more.
func TestNoOrders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.forge().Post(t.Context(), 0, "Title", "<!-- m -->\n/close\n \t/approve\na /b\n"); err != nil {
		t.Fatal(err)
	}
	n, err := w.forge().Notice(t.Context(), "<!-- m -->")
	if want := "<!-- m -->\n\\/close\n \t\\/approve\na /b\n"; err != nil || n.Body != want {
		t.Errorf("it is %q, %v", n.Body, err)
	}
}

// TestMergeLater: the upkeep request merges by itself where a pipeline has to
// succeed, and never at once.
func TestMergeLater(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, way string
		must      bool
		auto      bool
		warns     int
	}{
		{proposal.KindUpkeep, "squash", true, true, 0}, {proposal.KindUpkeep, "merge", true, true, 0}, {proposal.KindUpkeep, "rebase", true, false, 1},
		{proposal.KindUpkeep, "squash", false, false, 1}, {proposal.KindUpkeep, "", true, false, 0}, {"rules", "squash", true, false, 0},
	} {
		w := newWorld(t)
		w.fake.MustPass, w.auto = c.must, c.way
		d := w.draft(c.kind)
		x, err := w.forge().Open(t.Context(), d)
		if err != nil || x.Status != proposal.Open {
			t.Fatalf("%+v: %+v, %v", c, x, err)
		}
		auto := false
		w.fake.Edit(x.Number, func(m *gitlabfake.Request) { auto = m.Auto && m.State == "opened" })
		if auto != c.auto || len(w.warns) != c.warns {
			t.Errorf("%+v: by itself %v, warned %q", c, auto, w.warns)
		}
	}
}

// draft is an empty proposal of a kind.
func (w *world) draft(kind string) proposal.Draft {
	w.t.Helper()
	slot := proposal.Slot("acme/shop", "main", kind, forgetest.File)
	d := proposal.Draft{
		Slot: slot, Kind: kind, Branch: proposal.Branch(kind, "x", slot), Base: w.Base, Title: "docs: x", Body: "body", Run: "r1", At: noon,
		Content: proposal.Content(nil), Files: []string{forgetest.File},
	}
	message := proposal.Message(d.Title, "", proposal.Trailers{Run: "r1", Slot: slot, Content: d.Content})
	var err error
	if d.Head, err = proposal.Commit(w.Repo, w.Base.Commit, map[string][]byte{forgetest.File: []byte("# x\n")}, message, proposal.DefaultIdentity, noon); err != nil {
		w.t.Fatal(err)
	}
	return d
}
