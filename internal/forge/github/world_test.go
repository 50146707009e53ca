package github_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/forgetest"
	"github.com/retrosweep/retrosweep/internal/forge/github"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/knowledge"
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
	c.now = c.now.Add(d)
	c.slept = append(c.slept, d)
	return ctx.Err()
}

// world is the fake, a forge before it, and what a person does.
type world struct {
	forgetest.World
	t     *testing.T
	fake  *githubfake.GitHub
	api   string
	clock *clock
	warns []string

	byAPI  bool // the host makes the commits
	issues int  // made so far
}

// TestByAPI runs tests again where pushes of branches are refused, and the host
// makes the commits: newWorld sees in whose name it is called.
func TestByAPI(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"Suite":    TestGitHub,
		"OpenDies": TestOpenDies, "UpdateDies": TestUpdateDies, "OpenAndUpdateDie": TestOpenAndUpdateDie, "CloseDies": TestCloseDies,
		"Rule01": TestQueueRule01, "Rule02": TestQueueRule02, "Rule02Spoofed": TestQueueRule02Spoofed, "Rule04": TestQueueRule04, "Rule05": TestQueueRule05,
		"Rule06": TestQueueRule06, "Rule06Seen": TestQueueRule06Seen, "Rule06Copied": TestQueueRule06Copied, "Rule06Reopened": TestQueueRule06Reopened,
		"Rule07": TestQueueRule07, "Rule08": TestQueueRule08, "Rule09": TestQueueRule09, "Rule12": TestQueueRule12, "Rule12Merge": TestQueueRule12Merge,
		"Rule14": TestQueueRule14, "Rule15": TestQueueRule15, "Rule19": TestQueueRule19, "Upkeep": TestSameBranchesOfUpkeep, "PrefixTaken": TestPrefixTaken,
		"CreateRefused": TestCreateRefused, "CreateRace": TestCreateRace, "LostAnswer": TestLostAnswer, "StaleList": TestStaleList,
		"WithoutIssues": TestWithoutIssues, "LayersSurvive": TestLayersSurvive, "HostileAnswers": TestHostileAnswers,
	} {
		t.Run(name, test)
	}
}

// app is who the host makes commits for.
var app = githubfake.User{Login: "retrosweep[bot]", ID: 1001, App: true}

// newWorld is a world whose fake and forge are as the functions make them.
func newWorld(t *testing.T, change ...func(*githubfake.Options, *github.Options)) *world {
	t.Helper()
	r, err := testkit.Build(t.TempDir(), []byte(history))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	w := &world{t: t, clock: &clock{now: noon}}
	w.Repo = r
	fo, o := githubfake.Options{Repo: r}, github.Options{}
	if w.byAPI = strings.HasPrefix(t.Name(), "TestByAPI/"); w.byAPI {
		fo.NoPush, fo.Tokens = true, map[string]githubfake.User{githubfake.Token: app}
	}
	for _, f := range change {
		f(&fo, &o)
	}
	w.byAPI = w.byAPI || o.Commits
	w.fake = githubfake.New(fo)
	w.api = w.fake.Start(t)
	w.Forge = w.forge(o)
	w.Base = proposal.Base{Name: "main", Commit: w.ref("refs/heads/main")}
	w.Write, w.Delete, w.Merge, w.Squash, w.Snapshot = w.write, w.delete, w.merge, w.squash, w.snapshot
	w.Task, w.Author = w.task, w.author
	w.Tick = func(_ *testing.T, number int, login string) {
		w.fake.EditIssue(number, githubfake.User{Login: login, ID: 9}, func(body string) string { return strings.ReplaceAll(body, "- [ ]", "- [x]") })
	}
	return w
}

// forge is another forge on the same repository, as the next run has it.
func (w *world) forge(o github.Options) *github.Forge {
	w.t.Helper()
	c := w.dial(githubfake.Token)
	o.Commits = w.byAPI
	o.Client, o.Bot, o.Owner, o.Repo = c.Client, c.Bot, w.fake.Owner, w.fake.Name
	o.Store, o.Pusher = w.Repo, w.fake.Remote
	o.Warn = func(s string) { w.warns = append(w.warns, s) }
	f, err := github.New(o)
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

func (w *world) dial(token string) *github.Connection {
	w.t.Helper()
	c, err := github.Dial(w.t.Context(), github.DialOptions{APIURL: w.api, Clock: w.clock, Env: env{"RETROSWEEP_TOKEN": token}.get})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

type env map[string]string

func (e env) get(name string) string { return e[name] }

func (w *world) ref(name string) repo.Hash {
	w.t.Helper()
	h, _, err := w.Repo.Ref(name)
	if err != nil {
		w.t.Fatal(err)
	}
	return h
}

func (w *world) write(t *testing.T, branch string) {
	t.Helper()
	at := w.ref("refs/heads/" + branch)
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
	if err := w.Repo.DeleteRef("refs/heads/"+branch, w.ref("refs/heads/"+branch)); err != nil {
		t.Fatal(err)
	}
}

func (w *world) merge(t *testing.T, branch string) proposal.Base {
	t.Helper()
	return w.land(t, branch, githubfake.MergeCommit)
}

func (w *world) squash(t *testing.T, branch string) proposal.Base {
	t.Helper()
	base := w.land(t, branch, githubfake.Squash)
	w.delete(t, branch)
	return base
}

func (w *world) land(t *testing.T, branch string, by githubfake.Method) proposal.Base {
	t.Helper()
	h, err := w.fake.Merge(branch, by)
	if err != nil {
		t.Fatal(err)
	}
	return proposal.Base{Name: "main", Commit: h}
}

func (w *world) snapshot(t *testing.T) map[string]string {
	t.Helper()
	s, err := w.fake.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// draft is a proposal that adds rules, its commit written.
func (w *world) draft(kind string, rules ...string) proposal.Draft {
	w.t.Helper()
	slot := proposal.Slot("acme/shop", "main", kind, forgetest.File)
	d := proposal.Draft{
		Slot: slot, Kind: kind, Branch: proposal.Branch(kind, proposal.Slug(forgetest.File), slot), Base: w.Base, Title: "docs(agents): " + rules[0],
		Body: "Adds a rule.", Run: "r1", At: noon, Files: []string{forgetest.File}, Labels: []string{proposal.Prefix, kind},
	}
	if kind == proposal.KindUpkeep {
		d.Branch = proposal.UpkeepBranch
	}
	var edits []knowledge.Edit
	for _, rule := range rules {
		edits = append(edits, knowledge.Edit{Op: knowledge.OpAdd, Path: forgetest.File, Section: "Rules", Text: rule, Date: noon})
	}
	d.Content = proposal.Content(edits)
	trailers := proposal.Trailers{Run: "r1", Slot: slot, Content: d.Content}
	changes := knowledge.Changes{forgetest.File: []byte(forgetest.Content + "- " + strings.Join(rules, "\n- ") + "\n")}
	head, err := proposal.Commit(w.Repo, w.Base.Commit, changes, proposal.Message(d.Title, "", trailers), proposal.DefaultIdentity, noon)
	if err != nil {
		w.t.Fatal(err)
	}
	d.Head = head
	d.Layers = []proposal.Layer{{Run: "r1", Subject: d.Title, At: noon, Commit: head.String(), Edits: edits}}
	return d
}

// same reports whether one commit is the other, perhaps as the host made it.
func (w *world) same(a, b repo.Hash) bool {
	w.t.Helper()
	of := map[repo.Hash]repo.Commit{}
	for _, h := range []repo.Hash{a, b} {
		c, err := w.Repo.Commit(h)
		if err != nil {
			w.t.Fatal(err)
		}
		of[h] = c
	}
	if w.byAPI && a != b && !w.fake.Verified(a) {
		return false
	}
	return of[a].Tree == of[b].Tree && strings.TrimSpace(of[a].Message) == strings.TrimSpace(of[b].Message) && slices.Equal(of[a].Parents, of[b].Parents)
}

// as is what the draft has become: the host gave its commit another id.
func (w *world) as(d proposal.Draft, head repo.Hash) proposal.Draft {
	w.t.Helper()
	if w.same(head, d.Head) {
		for i, l := range d.Layers {
			if l.Commit == d.Head.String() {
				d.Layers[i].Commit = head.String()
			}
		}
		d.Head = head
	}
	return d
}

func (w *world) open(d proposal.Draft) proposal.Existing {
	w.t.Helper()
	x, err := w.Forge.Open(w.t.Context(), d)
	if err != nil {
		w.t.Fatal(err)
	}
	return x
}

func (w *world) list() []proposal.Existing {
	w.t.Helper()
	all, err := w.Forge.List(w.t.Context(), w.Base)
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// only returns the one proposal that is listed.
func (w *world) only() proposal.Existing {
	w.t.Helper()
	all := w.list()
	if len(all) != 1 {
		w.t.Fatalf("listed are %d proposals, not 1: %+v", len(all), all)
	}
	return all[0]
}

// pull returns the newest pull request.
func (w *world) pull() githubfake.Pull {
	w.t.Helper()
	all := w.fake.Pulls()
	if len(all) == 0 {
		w.t.Fatal("there is no pull request")
	}
	return all[len(all)-1]
}

// task files an issue that stands so.
func (w *world) task(_ *testing.T, state forge.TaskState, closed time.Time) forge.TaskRef {
	w.issues++
	i := githubfake.Issue{Number: 100 + w.issues, State: "closed", Reason: strings.ReplaceAll(string(state), " ", "_"), Closed: closed}
	switch state {
	case forge.TaskOpen:
		i.State, i.Reason, i.Closed = "open", "", time.Time{}
	case forge.TaskReopened:
		i.State, i.Closed = "open", time.Time{}
	}
	w.fake.AddIssue(i)
	return forge.TaskRef{Number: i.Number}
}
