package github_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/forgetest"
	"github.com/retrosweep/retrosweep/internal/forge/github"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/forge/marker"
	"github.com/retrosweep/retrosweep/internal/forge/pulls"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

// apiWorld is a world where GitHub makes the commits and no branch can be pushed.
func apiWorld(t *testing.T, change ...func(*githubfake.Options, *github.Options)) *world {
	t.Helper()
	w := newWorld(t, append([]func(*githubfake.Options, *github.Options){func(f *githubfake.Options, o *github.Options) {
		f.NoPush, f.Tokens, o.Commits = true, map[string]githubfake.User{githubfake.Token: app}, true
	}}, change...)...)
	return w
}

// TestCommitsByAPI: of a store that the host does not share, all goes through the
// API: text, other bytes, modes, links, and what is removed. The store has the
// commit afterwards, under the id and with the signature that the host gave it.
func TestCommitsByAPI(t *testing.T) {
	t.Parallel()
	w := apiWorld(t)
	store, err := testkit.Build(t.TempDir(), []byte(history))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	c := w.dial(githubfake.Token)
	f, err := github.New(github.Options{
		Client: c.Client, Owner: w.fake.Owner, Repo: w.fake.Name, Commits: true, Options: pulls.Options{Bot: c.Bot, Store: store, Pusher: w.fake.Remote},
	})
	if err != nil {
		t.Fatal(err)
	}
	host := w.Repo
	w.Repo = store
	d := w.draft("rules", "Seed the clock.")
	d.Head = odd(t, store, d.Head)
	d.Layers[0].Commit = d.Head.String()
	x, err := f.Open(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	draft, err := store.Commit(d.Head)
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*repo.Repo{"host": host, "store": store} {
		made, err := r.Commit(x.Head)
		if err != nil || made.Tree != draft.Tree || made.Author.Name != app.Login || made.Committer.Name != "GitHub" || !strings.Contains(made.Message, "Retrosweep-Run: r1") {
			t.Errorf("%s: it is %+v, %v", name, made, err)
		}
	}
	if !w.fake.Verified(x.Head) || x.Layers[0].Commit != x.Head.String() || len(w.fake.Remote.Pushed()) != 0 {
		t.Errorf("it is %+v, pushed %v", x, w.fake.Remote.Pushed())
	}
	all, err := f.List(t.Context(), d.Base)
	if diff := cmp.Diff([]proposal.Existing{x}, all); diff != "" || err != nil {
		t.Errorf("listed is another: %v\n%s", err, diff)
	}
	n := len(w.fake.Writes())
	if _, err := f.Update(t.Context(), x, d); err != nil || len(w.fake.Writes()) != n {
		t.Errorf("the same again: %v, %d writes", err, len(w.fake.Writes())-n)
	}
}

// odd puts beside a commit's change what text alone could not say.
func odd(t *testing.T, r *repo.Repo, at repo.Hash) repo.Hash {
	t.Helper()
	c, err := r.Commit(at)
	if err != nil {
		t.Fatal(err)
	}
	var entries []repo.Entry
	for path, of := range map[string]struct {
		mode repo.Mode
		text string
	}{"a/run.sh": {repo.ModeExec, "#!/bin/sh\n"}, "a/link": {repo.ModeSymlink, "run.sh"}, "a/latin.md": {repo.ModeFile, "Gr\xfc\xdfe\n"}, "a/empty": {repo.ModeFile, ""}} {
		h, err := r.WriteBlob([]byte(of.text))
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, repo.Entry{Path: path, Mode: of.mode, Hash: h})
	}
	tree, err := r.WriteEntries(c.Tree, entries)
	if err == nil {
		tree, err = r.WriteTree(tree, map[string][]byte{forgetest.File: nil})
	}
	if err != nil {
		t.Fatal(err)
	}
	h, err := r.WriteCommit(repo.NewCommit{Tree: tree, Parents: c.Parents, Author: c.Author, Committer: c.Committer, Message: c.Message})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestCommitsByAPIRace: somebody pushes between our look and our move; the move
// requires what we saw, and the text is put back.
func TestCommitsByAPIRace(t *testing.T) {
	t.Parallel()
	w := apiWorld(t)
	x := w.open(w.draft("rules", "Seed the clock."))
	body := w.pull().Body
	w.fake.Inject(githubfake.Fault{Path: "/graphql$", Times: 1, Hook: func() { w.write(t, x.Branch) }})
	_, err := w.Forge.Update(t.Context(), x, w.draft("rules", "Another."))
	if !errors.Is(err, forge.ErrTouched) || w.pull().Body != body || w.ref("refs/heads/"+x.Branch) == x.Head {
		t.Errorf("update: %v\n%s", err, cmp.Diff(body, w.pull().Body))
	}
	d := w.draft("skill", "Seed the clock.")
	w.fake.Inject(githubfake.Fault{Path: "/graphql$", Times: 1, Hook: func() { w.write(t, d.Branch) }})
	if _, err := w.Forge.Open(t.Context(), d); !errors.Is(err, forge.ErrTouched) || len(w.fake.Pulls()) != 1 {
		t.Errorf("open: %v", err)
	}
}

// TestCommitsByAPILostAnswer: the branch moved, and the host said 502.
func TestCommitsByAPILostAnswer(t *testing.T) {
	t.Parallel()
	w := apiWorld(t)
	x := w.open(w.draft("rules", "Seed the clock."))
	lost := githubfake.Unicorn
	lost.Path, lost.After = "/graphql$", true
	w.fake.Inject(lost)
	y, err := w.Forge.Update(t.Context(), x, w.draft("rules", "Another."))
	if err != nil || y.Touched || y.Head == x.Head {
		t.Errorf("it is %+v, %v", y, err)
	}
}

// TestCommitsByAPIWrong: what the host makes other than it was asked is not used.
func TestCommitsByAPIWrong(t *testing.T) {
	t.Parallel()
	for path, body := range map[string]string{
		"/git/trees$": `{"sha":"` + strings.Repeat("1", 40) + `"}`, "/git/commits$": `{"sha":"` + strings.Repeat("1", 40) + `","tree":{"sha":"x"}}`,
	} {
		w := apiWorld(t)
		w.fake.Inject(githubfake.Fault{Path: path, Status: http.StatusCreated, Body: body})
		d := w.draft("rules", "Seed the clock.")
		if _, err := w.Forge.Open(t.Context(), d); err == nil || !strings.Contains(err.Error(), "the host made") || !w.ref("refs/heads/"+d.Branch).IsZero() {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestCommitsByAPISigned: where signatures are wanted, an app's commits are taken,
// and of a person's token it is said why they are not.
func TestCommitsByAPISigned(t *testing.T) {
	t.Parallel()
	for _, who := range []githubfake.User{app, githubfake.Bot} {
		w := apiWorld(t, func(f *githubfake.Options, _ *github.Options) {
			f.Tokens[githubfake.Token], f.Rules, f.NoPush = who, []githubfake.Rule{githubfake.Signed}, false
		})
		_, err := w.Forge.Open(t.Context(), w.draft("rules", "Seed the clock."))
		if who == app && (err != nil || len(w.warns) > 0) {
			t.Errorf("an app: %v, %q", err, w.warns)
		}
		var refused *repo.RefusedError
		if who == app {
			continue
		}
		if !errors.As(err, &refused) || !strings.Contains(refused.Remedy(), "delivery.commits") || len(w.warns) != 1 || !strings.Contains(w.warns[0], "a GitHub App commits") {
			t.Errorf("a person: %v, %q", err, w.warns)
		}
	}
}

// TestCommitsByAPIForged: a branch in our name that the host did not sign is
// somebody else's.
func TestCommitsByAPIForged(t *testing.T) {
	t.Parallel()
	w := apiWorld(t)
	d := w.draft("rules", "Seed the clock.")
	c, err := w.Repo.Commit(d.Head)
	if err != nil {
		t.Fatal(err)
	}
	bot := repo.Signature{Name: app.Login, Email: fmt.Sprintf("%d+%s@users.noreply.github.com", app.ID, app.Login), When: noon}
	h, err := w.Repo.WriteCommit(repo.NewCommit{Tree: c.Tree, Parents: c.Parents, Author: bot, Committer: bot, Message: c.Message})
	if err != nil {
		t.Fatal(err)
	}
	w.set(d.Branch, repo.Hash{}, h)
	if x := w.only(); !x.Touched {
		t.Errorf("it is %+v", x)
	}
	if _, err := w.Forge.Open(t.Context(), d); !errors.Is(err, forge.ErrTaken) {
		t.Errorf("open: %v", err)
	}
}

// TestCommitsByAPIMany: of a long chain the older commits go into one, so that a
// night has calls enough; nothing of it is lost, and the same again is no write.
func TestCommitsByAPIMany(t *testing.T) {
	t.Parallel()
	w := apiWorld(t)
	d := w.draft(proposal.KindUpkeep, "Seed the clock.")
	for n := range 40 {
		c, err := w.Repo.Commit(d.Head)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := w.Repo.WriteTree(c.Tree, map[string][]byte{fmt.Sprintf("a/%d.md", n): []byte("# A\n")})
		if err == nil {
			d.Head, err = w.Repo.WriteCommit(repo.NewCommit{Tree: tree, Parents: []repo.Hash{d.Head}, Author: c.Author, Committer: c.Committer, Message: fmt.Sprintf("%d\n\n%s", n, c.Message)})
		}
		if err != nil {
			t.Fatal(err)
		}
		d.Layers = append(d.Layers, proposal.Layer{Run: "r1", Subject: "s", At: noon, Commit: d.Head.String()})
	}
	x := w.open(d)
	made, err := w.Repo.Range(t.Context(), w.Base.Commit, x.Head, 0)
	if err != nil || len(made.Commits) != 20 || len(w.fake.Writes()) > 50 {
		t.Fatalf("%d commits by %d writes: %v", len(made.Commits), len(w.fake.Writes()), err)
	}
	known := map[string]bool{}
	for _, c := range made.Commits {
		known[c.Hash.String()] = w.fake.Verified(c.Hash)
	}
	for _, l := range x.Layers {
		if !known[l.Commit] {
			t.Errorf("%s is on no commit of the branch that the host signed", l.Subject)
		}
	}
	ours, err := w.Repo.Commit(d.Head)
	if err != nil || made.Commits[0].Tree != ours.Tree {
		t.Errorf("the tree is %s, not %s: %v", made.Commits[0].Tree, ours.Tree, err)
	}
	n := len(w.fake.Writes())
	if _, err := w.Forge.Update(t.Context(), x, d); err != nil || len(w.fake.Writes()) != n {
		t.Errorf("the same again: %v, %d writes", err, len(w.fake.Writes())-n)
	}
}

// TestRecordsDie: branch and record do not move together through the API; whatever
// a run dies at, the record of what the branch holds hangs on a reference.
func TestRecordsDie(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, m *mortal) {
		w := apiWorld(t)
		f := w.mortalForge(m)
		x := w.open(w.large(1))
		_, err := f.Update(t.Context(), x, w.large(5))
		if m.dead && err == nil {
			t.Error("it dies without an error")
		}
		now := w.only()
		if now.Touched || len(now.Layers) != 1 || !w.held(now) {
			t.Fatalf("the record is lost: %+v", now.Layers)
		}
		small := w.draft("rules", "Seed the clock.")
		if now, err = w.Forge.Update(t.Context(), now, small); err != nil || now.Touched {
			t.Fatalf("the next run: %+v, %v", now, err)
		}
		if refs, err := w.Repo.Refs("refs/retrosweep/layers/"); err != nil || len(refs) != 0 {
			t.Errorf("left are %v, %v", refs, err)
		}
		if slices.ContainsFunc(w.fake.Remote.Pushed(), func(name string) bool { return strings.HasPrefix(name, "refs/heads/") }) {
			t.Errorf("pushed were %v", w.fake.Remote.Pushed())
		}
	})
}

// large is a draft whose edits do not fit into a body.
func (w *world) large(seed uint64) proposal.Draft {
	w.t.Helper()
	d := w.draft("rules", noise(seed, 60000), noise(seed+1, 60000))
	d.Title, d.Layers[0].Subject = "docs: much", "much"
	return d
}

// held reports whether the record of what a branch holds can be reached.
func (w *world) held(x proposal.Existing) bool {
	w.t.Helper()
	m, err := marker.Parse(w.pull().Body)
	if err != nil {
		w.t.Fatal(err)
	}
	ok, err := w.Repo.IsAncestor(w.t.Context(), marker.Hash(m.For(x.Head).Record), w.ref(marker.RecordRef(x.Branch)))
	return ok && err == nil
}
