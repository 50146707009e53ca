package night_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/github"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/forge/local"
	"github.com/retrosweep/retrosweep/internal/forge/pulls"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
)

// world is a repository that nights tend and people work on: on the fake GitHub,
// or without a host. Its memory files each name a script; when a script moves,
// a night has an edit to offer, for a branch of its own.
type world struct {
	t       *testing.T
	repo    *repo.Repo
	fake    *githubfake.GitHub // nil: there is no host
	api     string
	now     time.Time
	config  config.Operator
	at      []string // where each script is
	file    []string // each memory file
	warned  []string
	slept   []time.Duration
	account string // whose token it is; "": the bot's
	bot     githubfake.User
	way     http.RoundTripper // to the host; nil: the usual one
	moves   int
}

const scripts = 6

// both runs a test on the fake GitHub, pushed to or left to make the commits
// itself, and without a host.
func both(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	for name, world := range map[string]func(*testing.T) *world{
		"GitHub": func(t *testing.T) *world { return newWorld(t, true) }, "GitHub's commits": newAPIWorld,
		"local": func(t *testing.T) *world { return newWorld(t, false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, world(t))
		})
	}
}

// app is who GitHub makes and signs commits for.
var app = githubfake.User{Login: "retrosweep[bot]", ID: 1002, App: true}

// newAPIWorld is a world on the fake GitHub where no branch can be pushed.
func newAPIWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, true)
	w.config.Delivery.Commits, w.bot = "api", app
	w.fake.NoPush, w.fake.Tokens[githubfake.Token] = true, app
	return w
}

// personToken is what Ada signs in with.
const personToken = "ghp_" + "adaadaadaadaadaadaadaadaadaadaadaada"

func newWorld(t *testing.T, hosted bool) *world {
	t.Helper()
	return worldOf(t, hosted, scripts)
}

// worldOf is a world of so many scripts.
func worldOf(t *testing.T, hosted bool, scripts int) *world {
	t.Helper()
	var history strings.Builder
	history.WriteString("-- commit --\nauthor: Ada Byron <ada@kitchen.example>\ndate: 2026-01-01T08:00:00Z\n\nstart\n\n")
	w := &world{t: t, now: time.Date(2026, 1, 2, 4, 30, 0, 0, time.UTC), config: config.DefaultOperator(), bot: githubfake.Bot}
	for i := range scripts {
		w.at = append(w.at, fmt.Sprintf("scripts/bake%d.sh", i))
		w.file = append(w.file, fmt.Sprintf(".claude/memory/reference_bake%d.md", i))
		fmt.Fprintf(&history, "-- %s --\n#!/bin/sh\n# %s\necho loaf number %d, forty minutes\n", w.at[i], strings.Repeat(fmt.Sprintf("dough %d ", i), 9), i)
		fmt.Fprintf(&history, "-- %s --\n---\nname: reference_bake%d\ndescription: \"how bread %d is baked\"\ntype: reference\n---\n\nBake number %d with `%s`.\n", w.file[i], i, i, i, w.at[i])
	}
	w.repo = build(t, history.String())
	w.config.Routes.Queue = []string{".claude/memory/**"}
	w.config.Limits.NewPerRun, w.config.Limits.Open = 1, 3
	if hosted {
		w.fake = githubfake.New(githubfake.Options{
			Repo: w.repo, Now: func() time.Time { return w.now },
			Tokens: map[string]githubfake.User{githubfake.Token: githubfake.Bot, personToken: githubfake.Ada},
		})
		w.api = w.fake.Start(t)
	}
	return w
}

// Now and Sleep make the world a clock that passes only while somebody sleeps.
func (w *world) Now() time.Time { return w.now }

func (w *world) Sleep(ctx context.Context, d time.Duration) error {
	w.slept = append(w.slept, d)
	return ctx.Err()
}

// remote is the world's GitHub, as a run sees it. Its clone and the remote are one
// repository, so a push has nothing left to do but to look.
type remote struct{ *world }

func (r remote) Host() proposal.Host { return github.Host("github.com", "acme", "shop") }

func (r remote) Push(_ context.Context, updates []repo.RefUpdate) error {
	for _, u := range updates {
		if err := r.fake.Remote.Refuses(u); err != nil && u.Name == "refs/heads/main" {
			return err
		}
		at, _, err := r.repo.Ref(u.Name)
		if err != nil || at != u.New && at != u.Old {
			return errors.Join(repo.ErrRefMoved, err)
		}
	}
	return nil
}

func (r remote) Forge(ctx context.Context, store *repo.Repo) (forge.Forge, error) {
	token := githubfake.Token
	if r.account != "" {
		token = r.account
	}
	c, err := github.Dial(ctx, github.DialOptions{APIURL: r.api, Clock: r.world, Transport: r.way, Env: func(name string) string {
		return map[string]string{"RETROSWEEP_TOKEN": token}[name]
	}})
	if err != nil {
		return nil, err
	}
	c = c.Of(r.bot.Login)
	return github.New(github.Options{
		Client: c.Client, Owner: "acme", Repo: "shop", Commits: r.config.Delivery.Commits == "api",
		Options: pulls.Options{
			Auto: r.config.Delivery.AutoMerge, Bot: c.Bot, Account: c.Account, Store: store, Pusher: r.fake.Remote, Warn: func(s string) { r.warned = append(r.warned, s) },
		},
	})
}

func (w *world) options() night.Options {
	o := options(w.repo)
	o.Now, o.Config, o.Name, o.Branch = w.now, w.config, "github.com/acme/shop", "main"
	if w.fake != nil {
		o.Remote = remote{w}
	}
	return o
}

// night runs one and goes on to the next day.
func (w *world) night() *report.Receipt {
	w.t.Helper()
	receipt := run(w.t, w.options())
	w.now = w.now.AddDate(0, 0, 1)
	return receipt
}

// commit lets Ada commit to a branch.
func (w *world) commit(branch string, files map[string][]byte) repo.Hash {
	w.t.Helper()
	return w.write(branch, files, "work", w.ref("refs/heads/"+branch))
}

func (w *world) write(branch string, files map[string][]byte, message string, parents ...repo.Hash) repo.Hash {
	w.t.Helper()
	name := "refs/heads/" + branch
	at := w.ref(name)
	tree, err := w.repo.WriteTree(parents[0], files)
	if err != nil {
		w.t.Fatal(err)
	}
	ada := repo.Signature{Name: "Ada Byron", Email: "ada@kitchen.example", When: w.now}
	h, err := w.repo.WriteCommit(repo.NewCommit{Tree: tree, Parents: parents, Author: ada, Committer: ada, Message: message})
	if err == nil {
		err = w.repo.UpdateRef(name, at, h)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return h
}

func (w *world) ref(name string) repo.Hash {
	w.t.Helper()
	h, _, err := w.repo.Ref(name)
	if err != nil {
		w.t.Fatal(err)
	}
	return h
}

// read returns a file of a branch, "" where there is none.
func (w *world) read(branch, file string) string {
	w.t.Helper()
	reader, err := proposal.NewReader(w.repo, w.ref("refs/heads/"+branch))
	if err != nil {
		w.t.Fatal(err)
	}
	content, _ := reader.Read(file)
	return string(content)
}

// moveScript makes work for the next night.
func (w *world) moveScript(i int) {
	w.t.Helper()
	w.moves++
	from := w.at[i]
	w.at[i] = fmt.Sprintf("oven%d/%s", w.moves, path.Base(from))
	w.commit("main", map[string][]byte{from: nil, w.at[i]: []byte(w.read("main", from))})
}

// list is what the forge lists.
func (w *world) list() []proposal.Existing {
	w.t.Helper()
	all, err := w.forge().List(w.t.Context(), proposal.Base{Name: "main", Commit: w.ref("refs/heads/main")})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func (w *world) forge() forge.Forge {
	w.t.Helper()
	if w.fake == nil {
		return local.New(w.repo, proposal.DefaultIdentity)
	}
	f, err := remote{w}.Forge(w.t.Context(), w.repo)
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

// open are the proposals that a person sees as open.
func (w *world) open() []proposal.Existing {
	return slices.DeleteFunc(w.list(), func(x proposal.Existing) bool { return x.Status != proposal.Open })
}

// one is the only open proposal.
func (w *world) one() proposal.Existing {
	w.t.Helper()
	all := w.open()
	if len(all) != 1 {
		w.t.Fatalf("%d proposals are open, not one: %+v", len(all), all)
	}
	return all[0]
}

// merge lets a person merge a branch; squash leaves no parent.
func (w *world) merge(x proposal.Existing, squash bool) {
	w.t.Helper()
	if w.fake != nil {
		method := githubfake.MergeCommit
		if squash {
			method = githubfake.Squash
		}
		if _, err := w.fake.Merge(x.Branch, method); err != nil {
			w.t.Fatal(err)
		}
		return
	}
	base := w.ref("refs/heads/main")
	fork, _, err := w.repo.MergeBase(w.t.Context(), base, x.Head)
	if err != nil {
		w.t.Fatal(err)
	}
	diff, err := proposal.DiffTrees(w.t.Context(), w.repo, fork, w.ref("refs/heads/"+x.Branch))
	if err != nil {
		w.t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, p := range diff.Parts {
		files[p.Path] = p.New
	}
	parents := []repo.Hash{base, w.ref("refs/heads/" + x.Branch)}
	if squash {
		parents = parents[:1]
	}
	w.write("main", files, "merge", parents...)
}

// no lets a person say no: close the pull request, or delete the branch.
func (w *world) no(x proposal.Existing) {
	w.t.Helper()
	if w.fake != nil {
		w.fake.Close(x.Number)
		return
	}
	if err := w.repo.DeleteRef("refs/heads/"+x.Branch, w.ref("refs/heads/"+x.Branch)); err != nil {
		w.t.Fatal(err)
	}
}

// snapshot is everything that a write would change.
func (w *world) snapshot() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	refs, err := w.repo.Refs("refs/")
	if err != nil {
		w.t.Fatal(err)
	}
	for name, h := range refs {
		out[name] = h.String()
	}
	if w.fake != nil {
		if out, err = w.fake.Snapshot(); err != nil {
			w.t.Fatal(err)
		}
	}
	return out
}

// quiet fails the test when f writes anything but the journal.
func (w *world) quiet(what string, f func()) {
	w.t.Helper()
	before := w.snapshot()
	f()
	after := w.snapshot()
	delete(before, "refs/retrosweep/journal")
	delete(after, "refs/retrosweep/journal")
	if diff := cmp.Diff(before, after); diff != "" {
		w.t.Errorf("%s: something was written:\n%s", what, diff)
	}
}

// stateOf is what a receipt says of a slot.
func stateOf(r *report.Receipt, slot string) (report.ProposalState, string) {
	for _, p := range r.Proposals {
		if p.Slot == slot {
			return p.State, p.Reason
		}
	}
	return "", ""
}
