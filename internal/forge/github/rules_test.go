package github_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/github"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// TestQueueRule01: the marker is hidden, cannot be ended from inside, and text
// holds no second one.
func TestQueueRule01(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.draft("rules", "Seed --> the <!-- clock.")
	d.Title = "docs: --> <b>"
	d.Body = "One.\n\n<!-- retrosweep:begin -->\n<!-- retrosweep:v1 {\"version\":1,\"slot\":\"x\",\"branch\":\"retrosweep/x\"} -->"
	x := w.open(d)
	if diff := cmp.Diff(w.as(d, x.Head).Layers, x.Layers); diff != "" || x.Slot != d.Slot {
		t.Errorf("slot %s, edits:\n%s", x.Slot, diff)
	}
	body := w.pull().Body
	if n := strings.Count(body, "<!-- "); n != 2 || strings.Count(body, "-->") != 4 { // two of them in what was text
		t.Errorf("the body holds %d comments:\n%s", n, body)
	}
	if got := w.only(); got.Slot != d.Slot {
		t.Errorf("it is found as %s", got.Slot)
	}
}

// TestQueueRule02: a proposal is found by its marker, its author and its
// repository, in every state.
func TestQueueRule02(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.draft("rules", "Seed the clock.")
	w.open(d)
	genuine := w.pull()
	spoof := githubfake.Pull{Title: genuine.Title, Body: genuine.Body, Head: genuine.Head, Base: "main", Author: githubfake.Ada}
	fork := spoof
	fork.Author, fork.HeadOwner = githubfake.Bot, "mallory"
	lookalike := spoof
	lookalike.Author = githubfake.User{Login: githubfake.Bot.Login, ID: 666}
	for name, p := range map[string]githubfake.Pull{"another author": spoof, "a fork": fork, "an account of the same name": lookalike} {
		n := w.fake.Open(p)
		if x := w.only(); x.Number != genuine.Number || x.Status != proposal.Open {
			t.Errorf("%s: listed is number %d as %s", name, x.Number, x.Status)
		}
		w.fake.Close(n)
		if x := w.only(); x.Number != genuine.Number || x.Status != proposal.Open {
			t.Errorf("%s, closed: listed is number %d as %s", name, x.Number, x.Status)
		}
	}
	w.fake.Edit(genuine.Number, func(p *githubfake.Pull) { p.Title = "Another title" })
	if x := w.only(); x.Number != genuine.Number {
		t.Errorf("with another title, number %d is listed", x.Number)
	}
}

// TestQueueRule02Spoofed: what others offer under our marker is neither listed
// nor in the way of a slot of ours.
func TestQueueRule02Spoofed(t *testing.T) {
	t.Parallel()
	other := newWorld(t)
	other.open(other.draft("rules", "Seed the clock."))
	w := newWorld(t)
	w.write(t, "ada/x")
	w.fake.Open(githubfake.Pull{Title: "t", Body: other.pull().Body, Head: "ada/x", Base: "main", Author: githubfake.Ada})
	w.fake.Open(githubfake.Pull{Title: "t", Body: other.pull().Body, Head: other.pull().Head, Base: "main", Author: githubfake.Bot, HeadOwner: "mallory"})
	if all := w.list(); len(all) != 0 {
		t.Errorf("listed: %+v", all)
	}
	if x := w.open(w.draft("rules", "Seed the clock.")); x.Status != proposal.Open {
		t.Errorf("it is %s", x.Status)
	}
}

// TestQueueRule04: the same content is no call that writes; another one is.
func TestQueueRule04(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.draft("rules", "Seed the clock.")
	x := w.open(d)
	n, pushes := len(w.fake.Writes()), w.fake.Remote.Pushes()
	if _, err := w.Forge.Update(t.Context(), x, d); err != nil {
		t.Fatal(err)
	}
	w.open(d)
	if now := len(w.fake.Writes()); now != n || w.fake.Remote.Pushes() != pushes {
		t.Errorf("%d writes for nothing", now-n)
	}
	if _, err := w.Forge.Update(t.Context(), x, w.draft("rules", "Seed the clock.", "And the dice.")); err != nil {
		t.Fatal(err)
	}
	if now := len(w.fake.Writes()); now == n || !w.byAPI && w.fake.Remote.Pushes() == pushes {
		t.Error("new content is not written")
	}
}

// TestQueueRule05: closed by a person is a no that says when and to what; ours
// is none; merged is merged.
func TestQueueRule05(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.draft("rules", "Seed the clock.")
	x := w.open(d)
	w.fake.Close(x.Number)
	got := w.only()
	if got.Status != proposal.Closed || got.ClosedBy != proposal.ByPerson || got.Ended.IsZero() || got.Content != d.Content {
		t.Errorf("closed, it is %+v", got)
	}
	if diff := cmp.Diff(w.as(d, got.Head).Layers, got.Layers); diff != "" {
		t.Errorf("what was rejected is not known:\n%s", diff)
	}
	if err := w.Forge.Close(t.Context(), got, "obsolete"); err != nil {
		t.Error(err)
	}
	if again := w.only(); again.ClosedBy != proposal.ByPerson {
		t.Errorf("our own close hides a person's no: %+v", again)
	}
	w.fake.Edit(x.Number, func(p *githubfake.Pull) { p.Body = "nothing to see" })
	if bare := w.only(); bare.Status != proposal.Closed || bare.ClosedBy != proposal.ByPerson || bare.Slot != d.Slot {
		t.Errorf("without its marker the no is lost: %+v", bare)
	}
}

// TestQueueRule06: a branch that anybody else wrote to is theirs for ever.
func TestQueueRule06(t *testing.T) {
	t.Parallel()
	touch := map[string]func(w *world, x proposal.Existing){
		"pushed":   func(w *world, x proposal.Existing) { w.write(w.t, x.Branch) },
		"set back": func(w *world, x proposal.Existing) { w.set(x.Branch, x.Head, w.Base.Commit) },
		"marker gone": func(w *world, x proposal.Existing) {
			w.fake.Edit(x.Number, func(p *githubfake.Pull) { p.Body = "mine" })
		},
		"marker doubled": func(w *world, x proposal.Existing) {
			w.fake.Edit(x.Number, func(p *githubfake.Pull) { p.Body += p.Body })
		},
		"other edits":     func(w *world, x proposal.Existing) { w.fake.Edit(x.Number, w.otherEdits) },
		"branch renamed":  func(w *world, x proposal.Existing) { w.rename(x) },
		"edits exchanged": func(w *world, x proposal.Existing) { w.fake.Edit(x.Number, exchangeEdits) },
	}
	for name, f := range touch {
		w := newWorld(t)
		x := w.open(w.draft("rules", "Seed the clock."))
		f(w, x)
		now := w.only()
		if now.Status != proposal.Open || !now.Touched || now.Slot != x.Slot {
			t.Errorf("%s: it is %+v", name, now)
		}
		before := w.snapshot(t)
		for _, seen := range []proposal.Existing{x, now} {
			if _, err := w.Forge.Update(t.Context(), seen, w.draft("rules", "Another.")); !errors.Is(err, forge.ErrTouched) {
				t.Errorf("%s: update: %v", name, err)
			}
			if err := w.Forge.Close(t.Context(), seen, "obsolete"); !errors.Is(err, forge.ErrTouched) {
				t.Errorf("%s: close: %v", name, err)
			}
		}
		if name == "branch renamed" { // nothing is in the way of a new one
			continue
		}
		if _, err := w.Forge.Open(t.Context(), w.draft("rules", "Another.")); !errors.Is(err, forge.ErrTaken) {
			t.Errorf("%s: open: %v", name, err)
		}
		if diff := cmp.Diff(before, w.snapshot(t)); diff != "" {
			t.Errorf("%s: something was written:\n%s", name, diff)
		}
	}
}

// otherEdits puts the edits of another proposal into the marker.
func (w *world) otherEdits(p *githubfake.Pull) {
	other := newWorld(w.t)
	other.open(other.draft("rules", "Delete everything."))
	packed := func(body string) string {
		_, rest, _ := strings.Cut(body, `"layers":"`)
		layers, _, _ := strings.Cut(rest, `"`)
		return layers
	}
	p.Body = strings.Replace(p.Body, packed(p.Body), packed(other.pull().Body), 1)
}

// rename renames the branch; the host lets the pull request follow.
func (w *world) rename(x proposal.Existing) {
	renamed := x.Branch + "-of-ada"
	w.set(renamed, repo.Hash{}, x.Head)
	w.fake.Edit(x.Number, func(p *githubfake.Pull) { p.Head = renamed })
	w.delete(w.t, x.Branch)
}

func exchangeEdits(p *githubfake.Pull) {
	at := strings.Index(p.Body, `"layers":"`) + len(`"layers":"`)
	end := at + strings.IndexByte(p.Body[at:], '"')
	p.Body = p.Body[:at] + "H4sIAAAAAAAA/4qOBQQAAP//KbtMDQIAAAA=" + p.Body[end:]
}

func (w *world) set(branch string, old, to repo.Hash) {
	w.t.Helper()
	if err := w.Repo.UpdateRef("refs/heads/"+branch, old, to); err != nil {
		w.t.Fatal(err)
	}
}

// TestQueueRule06Race: somebody pushes between our look and our push; the push
// requires what we saw, and the text is put back.
func TestQueueRule06Race(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.open(w.draft("rules", "Seed the clock."))
	body := w.pull().Body
	w.fake.Remote.Before = func(int) error { w.write(t, x.Branch); return nil }
	_, err := w.Forge.Update(t.Context(), x, w.draft("rules", "Another."))
	if !errors.Is(err, forge.ErrTouched) {
		t.Errorf("update: %v", err)
	}
	if p := w.pull(); p.Body != body || p.Title != "docs(agents): Seed the clock." {
		t.Errorf("the text is left changed: %q\n%s", p.Title, cmp.Diff(body, p.Body))
	}
	if err := w.Forge.Close(t.Context(), x, "obsolete"); !errors.Is(err, forge.ErrTouched) || w.pull().State != "open" || w.pull().Body != body {
		t.Errorf("close: %v", err)
	}
}

// TestQueueRule06Seen: what is written must stand as the caller saw it.
func TestQueueRule06Seen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.open(w.draft("rules", "Seed the clock."))
	if _, err := w.Forge.Update(t.Context(), x, w.draft("rules", "Another.")); err != nil {
		t.Fatal(err)
	}
	if err := w.Forge.Close(t.Context(), x, "obsolete"); !errors.Is(err, forge.ErrTouched) || w.pull().State != "open" {
		t.Errorf("close of what was there before: %v", err)
	}
}

// TestQueueRule06Copied: a branch with our words in a person's commit is a
// person's.
func TestQueueRule06Copied(t *testing.T) {
	t.Parallel()
	ours := repo.Signature{Name: proposal.DefaultIdentity.Name, Email: proposal.DefaultIdentity.Email, When: noon}
	ada := repo.Signature{Name: "Ada Byron", Email: "ada@acme.dev", When: noon}
	for _, c := range []struct {
		author, committer repo.Signature
		want              error
	}{{ours, ours, nil}, {ada, ours, forge.ErrTaken}, {ours, ada, forge.ErrTaken}} {
		w := newWorld(t)
		d := w.draft("rules", "Seed the clock.")
		head, err := w.Repo.Commit(d.Head)
		if err != nil {
			t.Fatal(err)
		}
		copied, err := w.Repo.WriteCommit(repo.NewCommit{Tree: head.Tree, Parents: head.Parents, Author: c.author, Committer: c.committer, Message: "x\n\n" + head.Message})
		if err != nil {
			t.Fatal(err)
		}
		w.set(d.Branch, repo.Hash{}, copied)
		if got := len(w.list()) > 0; got != (c.want != nil) {
			t.Errorf("by %s and %s: listed %v", c.author.Name, c.committer.Name, got)
		}
		if _, err := w.Forge.Open(t.Context(), d); !errors.Is(err, c.want) {
			t.Errorf("by %s and %s: %v", c.author.Name, c.committer.Name, err)
		}
	}
}

// TestQueueRule06Reopened: what we took back and a person opened again is
// theirs.
func TestQueueRule06Reopened(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.open(w.draft("rules", "Seed the clock."))
	if err := w.Forge.Close(t.Context(), x, "the rule is in main"); err != nil {
		t.Fatal(err)
	}
	w.set(x.Branch, repo.Hash{}, x.Head)
	w.fake.Edit(x.Number, func(p *githubfake.Pull) { p.State = "open" })
	if now := w.only(); !now.Touched || now.Status != proposal.Open {
		t.Errorf("it is %+v", now)
	}
}

// TestQueueRule07: what people changed stays as they want it; the rest of the
// body is left alone.
func TestQueueRule07(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.open(w.draft("rules", "Seed the clock."))
	w.fake.Edit(x.Number, func(p *githubfake.Pull) {
		p.Title, p.Labels, p.Draft, p.Reviewers = "Mine", []string{"later"}, true, []string{"ada"}
		p.Body = "Above.\r\n\r\n" + p.Body + "\r\n\r\nBelow."
	})
	x = w.only()
	d := w.draft("rules", "Seed the clock.", "And the dice.")
	d.Body = "Adds two rules."
	got, err := w.Forge.Update(t.Context(), x, d)
	if err != nil {
		t.Fatal(err)
	}
	p := w.pull()
	if p.Title != "Mine" || !p.Draft || !slices.Equal(p.Labels, []string{"later"}) || !slices.Equal(p.Reviewers, []string{"ada"}) || got.Title != "Mine" {
		t.Errorf("a person's choice is undone: %+v", p)
	}
	if !strings.HasPrefix(p.Body, "Above.\r\n\r\n<!-- retrosweep:begin -->\nAdds two rules.\n\n<!-- retrosweep:v1 {") || !strings.HasSuffix(p.Body, " -->\r\n\r\nBelow.") {
		t.Errorf("the body is\n%s", p.Body)
	}
	if !w.same(p.HeadHash, d.Head) {
		t.Errorf("the branch is at %s", p.HeadHash)
	}
}

// TestQueueRule08: the base of an open proposal is never changed: where a person
// retargets it, it is listed against that.
func TestQueueRule08(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "next")
	d := w.draft("rules", "Seed the clock.")
	x := w.open(d)
	w.fake.Edit(x.Number, func(p *githubfake.Pull) { p.Base = "next" })
	if now := w.only(); now.Base != "next" {
		t.Errorf("it is listed against %s", now.Base)
	}
	if _, err := w.Forge.Update(t.Context(), x, w.draft("rules", "Another.")); !errors.Is(err, forge.ErrTouched) {
		t.Errorf("update: %v", err)
	}
}

// TestQueueRule09: what is obsolete is taken back with one sentence, and its
// branch goes.
func TestQueueRule09(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.open(w.draft("rules", "Seed the clock."))
	for range 2 {
		if err := w.Forge.Close(t.Context(), x, "what it changes is in main already"); err != nil {
			t.Fatal(err)
		}
	}
	p := w.pull()
	if p.State != "closed" || strings.Count(p.Body, "what it changes is in main already") != 1 {
		t.Errorf("it is %s:\n%s", p.State, p.Body)
	}
	if h := w.ref("refs/heads/" + x.Branch); !h.IsZero() {
		t.Errorf("its branch is left at %s", h)
	}
	if all := w.list(); len(all) != 0 {
		t.Errorf("listed: %+v", all)
	}
}

// TestQueueRule12: ready for review; as drafts if configured, and where there
// are none, ready all the same. Nobody is asked who is not in the configuration.
func TestQueueRule12(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		draft, none, want bool
		warns             int
	}{{false, false, false, 0}, {true, false, true, 0}, {true, true, false, 1}} {
		w := newWorld(t, func(f *githubfake.Options, o *github.Options) { f.NoDrafts, o.Policy.Draft = c.none, c.draft })
		x := w.open(w.draft("rules", "Seed the clock."))
		if p := w.pull(); p.Draft != c.want || len(w.warns) != c.warns || p.Number != x.Number || len(p.Reviewers) != 0 {
			t.Errorf("draft %v, without drafts %v: %+v, %q", c.draft, c.none, p, w.warns)
		}
	}
}

// TestQueueRule12Merge: only upkeep may merge by itself, if configured; the
// configured people are asked for a review.
func TestQueueRule12Merge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *githubfake.Options, o *github.Options) {
		o.Auto, o.Policy = "squash", github.Policy{Reviewers: []string{"ada"}, Teams: []string{"docs"}}
	})
	for kind, want := range map[string]string{"rules": "", proposal.KindUpkeep: "SQUASH"} {
		w.open(w.draft(kind, "Seed the clock."))
		if p := w.pull(); p.AutoMerge != want || !slices.Equal(p.Reviewers, []string{"ada"}) || !slices.Equal(p.Teams, []string{"docs"}) {
			t.Errorf("%s: it is %+v", kind, p)
		}
	}
	for _, r := range w.fake.Writes() {
		if strings.Contains(r.Path, "/merge") || strings.Contains(r.Path, "/reviews") {
			t.Errorf("we merge or approve: %s %s", r.Method, r.Path)
		}
	}
}

// TestQueueRule14: the labels are ours and the kind's.
func TestQueueRule14(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.open(w.draft("rules", "Seed the clock."))
	if p := w.pull(); !slices.Equal(p.Labels, []string{"retrosweep", "rules"}) || p.Title != "docs(agents): Seed the clock." {
		t.Errorf("it is %+v", p)
	}
}

// TestQueueRule15: the body stays under what the host takes, cut at the end of a
// line; edits that are too large for it lie in a record beside the branch.
func TestQueueRule15(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.draft("rules", noise(1, 60000), noise(2, 60000))
	d.Title, d.Layers[0].Subject = "docs: much", "much"
	d.Body = strings.Repeat("A line of text.\n", 9000)
	x := w.open(d)
	p := w.pull()
	if len(p.Body) > 65536 || !strings.Contains(p.Body, "A line of text.\n\n(The rest is in the receipt of the run.)\n") {
		t.Errorf("the body has %d bytes, and ends %q", len(p.Body), p.Body[len(p.Body)-300:])
	}
	record := "refs/retrosweep/layers/" + strings.TrimPrefix(x.Branch, "retrosweep/")
	if diff := cmp.Diff(w.as(d, w.only().Head).Layers, w.only().Layers); diff != "" || w.ref(record).IsZero() {
		t.Errorf("the edits cannot be recovered:\n%.500s", diff)
	}
	small := w.draft("rules", "Seed the clock.")
	x, err := w.Forge.Update(t.Context(), x, small)
	if err != nil || !w.ref(record).IsZero() || len(x.Layers) != 1 {
		t.Errorf("after a small update: %v, record %s", err, w.ref(record))
	}
	if x, err = w.Forge.Update(t.Context(), x, d); err != nil || w.ref(record).IsZero() {
		t.Fatalf("after a large update: %v", err)
	}
	if err := w.Forge.Close(t.Context(), x, "obsolete"); err != nil || !w.ref(record).IsZero() {
		t.Errorf("closed, its record is left: %v", err)
	}
}

// noise is text that does not compress.
func noise(seed uint64, n int) string {
	var b strings.Builder
	for b.Len() < n {
		seed = seed*6364136223846793005 + 1442695040888963407
		b.WriteByte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[seed>>40%62])
	}
	return b.String()
}
