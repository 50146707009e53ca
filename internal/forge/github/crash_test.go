package github_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge/github"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/forge/pulls"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

var errDead = errors.New("the process is dead")

// mortal counts effects on the world, and dies at one of them: before it, or
// when it is done and nobody hears of it. Dead, it does nothing any more.
type mortal struct {
	left int  // effects before the last
	late bool // the last one is done
	dead bool
}

// effect reports whether the next one may be made, and be heard of.
func (m *mortal) effect() (do, hear bool) {
	if m.dead {
		return false, false
	}
	m.left--
	m.dead = m.left < 0
	return !m.dead || m.late, !m.dead
}

// mortalTransport dies at calls that write.
type mortalTransport struct{ *mortal }

func (m mortalTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	do, hear := !m.dead, !m.dead
	if req.Method != http.MethodGet && !asks(req) {
		do, hear = m.effect()
	}
	if !do {
		return nil, errDead
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if !hear {
		if err == nil {
			err = errors.Join(errDead, resp.Body.Close())
		}
		return nil, err
	}
	return resp, err
}

// asks reports whether a request is a query of GraphQL, which changes nothing.
func asks(req *http.Request) bool {
	if req.GetBody == nil || !strings.HasSuffix(req.URL.Path, "/graphql") {
		return false
	}
	b, err := req.GetBody()
	if err != nil {
		return false
	}
	text, err := io.ReadAll(b)
	return err == nil && !strings.HasPrefix(string(text), `{"query":"mutation`)
}

// mortalPusher dies at pushes.
type mortalPusher struct {
	*mortal
	pulls.Pusher
}

func (m mortalPusher) Push(ctx context.Context, updates []repo.RefUpdate) error {
	do, hear := m.effect()
	if !do {
		return errDead
	}
	if err := m.Pusher.Push(ctx, updates); err != nil || hear {
		return err
	}
	return errDead
}

func (m mortalPusher) Refs(ctx context.Context, prefix string) (map[string]repo.Hash, error) {
	if m.dead {
		return nil, errDead
	}
	return m.Pusher.Refs(ctx, prefix)
}

// mortalForge is a forge that dies.
func (w *world) mortalForge(m *mortal) *github.Forge {
	w.t.Helper()
	c, err := github.Dial(w.t.Context(), github.DialOptions{
		APIURL: w.api, Clock: w.clock, Env: env{"RETROSWEEP_TOKEN": githubfake.Token}.get, Transport: mortalTransport{m},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	f, err := github.New(github.Options{
		Client: c.Client, Owner: w.fake.Owner, Repo: w.fake.Name, Commits: w.byAPI,
		Options: pulls.Options{Bot: c.Bot, Store: w.Repo, Pusher: mortalPusher{m, w.fake.Remote}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

// everywhere runs f once for each effect that it can die at, before and after
// it, and once to its end.
func everywhere(t *testing.T, f func(t *testing.T, m *mortal)) {
	t.Helper()
	points := 0
	for _, late := range []bool{false, true} {
		for n := 0; ; n++ {
			m := &mortal{left: n, late: late}
			if !t.Run(fmt.Sprintf("effect %d done %v", n, late), func(t *testing.T) { f(t, m) }) {
				return
			}
			if !m.dead {
				break
			}
			points++
		}
	}
	if points < 4 {
		t.Errorf("it can die at %d points only", points)
	}
}

// reach brings the draft about as the next night does.
func (w *world) reach(d proposal.Draft) {
	w.t.Helper()
	for _, x := range w.list() {
		if x.Slot != d.Slot || x.Status != proposal.Open {
			continue
		}
		if x.Touched {
			w.t.Fatalf("what is ours reads as somebody else's: %+v", x)
		}
		if x.Content != d.Content {
			if _, err := w.Forge.Update(w.t.Context(), x, d); err != nil {
				w.t.Fatal(err)
			}
		}
		return
	}
	w.open(d)
}

// reached fails the test when anything is not as it is after an undisturbed run.
func (w *world) reached(d proposal.Draft) {
	w.t.Helper()
	x := w.only()
	if x.Status != proposal.Open || x.Touched || !w.same(x.Head, d.Head) || x.Content != d.Content || len(x.Layers) != len(d.Layers) {
		w.t.Errorf("in the end it is %+v", x)
	}
	p := w.pull()
	if n := len(w.fake.Pulls()); n != 1 {
		w.t.Errorf("there are %d pull requests", n)
	}
	if strings.Join(p.Labels, " ") != "retrosweep rules" || p.Title != d.Title || !strings.Contains(p.Body, d.Body) || strings.Contains(p.Body, `"stage"`) || strings.Contains(p.Body, `"was"`) {
		w.t.Errorf("labels %v, title %q, body\n%.300s", p.Labels, p.Title, p.Body)
	}
}

func TestOpenDies(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, m *mortal) {
		w := newWorld(t)
		d := w.draft("rules", "Seed the clock.")
		_, err := w.mortalForge(m).Open(t.Context(), d)
		if m.dead && err == nil {
			t.Error("it dies without an error")
		}
		w.reach(d)
		w.reached(d)
	})
}

func TestUpdateDies(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, m *mortal) {
		w := newWorld(t)
		f := w.mortalForge(m)
		x := w.open(w.draft("rules", "Seed the clock."))
		d := w.draft("rules", "Seed the clock.", "And the dice.")
		d.Title, d.Body = "docs(agents): two rules", "Adds two rules."
		_, err := f.Update(t.Context(), x, d)
		if m.dead && err == nil {
			t.Error("it dies without an error")
		}
		w.reach(d)
		w.reached(d)
	})
}

// TestOpenAndUpdateDie: a run that dies while it completes others that died.
func TestOpenAndUpdateDie(t *testing.T) {
	t.Parallel()
	t.Run("once", func(t *testing.T) { t.Parallel(); completionDies(t, false) })
	t.Run("twice", func(t *testing.T) { t.Parallel(); completionDies(t, true) })
}

func completionDies(t *testing.T, twice bool) {
	t.Helper()
	everywhere(t, func(t *testing.T, m *mortal) {
		w := newWorld(t)
		more := 0
		if w.byAPI {
			more = 2 // the tree and the commit
		}
		first := &mortal{left: 2 + more} // branch and pull request, no labels
		d := w.draft("rules", "Seed the clock.")
		if _, err := w.mortalForge(first).Open(t.Context(), d); err == nil {
			t.Fatal("the first does not die")
		}
		x := w.only()
		if x.Content != "" || x.Touched {
			t.Fatalf("half opened it is %+v", x)
		}
		if twice {
			second := &mortal{left: 2 + more} // text and branch
			if _, err := w.mortalForge(second).Update(t.Context(), x, w.draft("rules", "Seed the clock.", "And the table.")); err == nil {
				t.Fatal("the second does not die")
			}
			x = w.only()
		}
		next := w.draft("rules", "Seed the clock.", "And the dice.")
		if _, err := w.mortalForge(m).Update(t.Context(), x, next); m.dead && err == nil {
			t.Error("it dies without an error")
		}
		w.reach(next)
		w.reached(next)
	})
}

func TestCloseDies(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, m *mortal) {
		w := newWorld(t)
		f := w.mortalForge(m)
		x := w.open(w.draft("rules", "Seed the clock."))
		if err := f.Close(t.Context(), x, "the rule is in main"); m.dead && err == nil {
			t.Error("it dies without an error")
		}
		for _, x := range w.list() {
			if x.Status != proposal.Open || x.Touched {
				t.Fatalf("half closed it is %+v", x)
			}
			if err := w.Forge.Close(t.Context(), x, "the rule is in main"); err != nil {
				t.Fatal(err)
			}
		}
		if all := w.list(); len(all) != 0 {
			t.Errorf("in the end it is listed: %+v", all)
		}
		if p := w.pull(); p.State != "closed" || !w.ref("refs/heads/"+x.Branch).IsZero() || strings.Count(p.Body, "Taken back") != 1 {
			t.Errorf("in the end it is %s:\n%.300s", p.State, p.Body)
		}
	})
}
