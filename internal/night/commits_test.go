package night_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
)

// noPush fails the test where a branch was pushed.
func (w *world) noPush() {
	w.t.Helper()
	for _, name := range w.fake.Remote.Pushed() {
		if strings.HasPrefix(name, "refs/heads/") {
			w.t.Errorf("%s was pushed", name)
		}
	}
}

// TestCommitsOfTheHost: a night whose commits the host makes pushes no branch;
// the receipt and the journal know the commit by the host's id; the next night
// has nothing to do, and where the base moved the branch is built on it again.
func TestCommitsOfTheHost(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	w.moveScript(0)
	dry := w.options()
	dry.Apply = false
	w.quiet("a dry run", func() { run(t, dry) })
	r := w.night()
	x := w.one()
	opened := byState(r, report.ProposalOpened)
	if len(opened) != 1 || opened[0].Commit != x.Head.String() || !w.fake.Verified(x.Head) || x.Touched {
		t.Fatalf("it is %+v, the receipt says %+v", x, opened)
	}
	state, _, err := journal.Load(t.Context(), w.repo)
	if err != nil || !slices.Equal(state.Commits, []string{x.Head.String()}) {
		t.Errorf("the journal knows %v, %v", state.Commits, err)
	}
	w.quiet("the next night", func() { w.all() })
	w.moveScript(0)
	w.all()
	y := w.one()
	if c := w.commitOf(y.Branch); y.Head == x.Head || !w.fake.Verified(y.Head) || !slices.Equal(c.Parents, []repo.Hash{w.ref("refs/heads/main")}) {
		t.Errorf("it is %+v on %v", y, c.Parents)
	}
	w.commit(y.Branch, map[string][]byte{"mine.txt": []byte("mine\n")})
	w.moveScript(0)
	w.quiet("a branch that Ada edited", func() { w.all() })
	w.noPush()
}

// TestCommitsOfTheHostStack: what goes onto the upkeep branch in one night, and
// what the base did not take joins in the same night, are commits of the host.
func TestCommitsOfTheHostStack(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	w.config.Routes.Queue, w.config.Routes.Auto, w.config.Routes.Upkeep = nil, []string{w.file[0]}, []string{w.file[1]}
	w.config.Delivery.Auto = "commit"
	w.fake.Rules = append(w.fake.Rules, githubfake.ByPull)
	w.moveScript(0)
	w.moveScript(1)
	r := w.night()
	x := w.one()
	if !strings.Contains(w.read(x.Branch, w.file[0]), w.at[0]) || !strings.Contains(w.read(x.Branch, w.file[1]), w.at[1]) || r.Outcome != report.Done {
		t.Fatalf("the night is %s: %v", r.Outcome, r.Warnings)
	}
	main := w.ref("refs/heads/main")
	for h := x.Head; h != main; {
		c, err := w.repo.Commit(h)
		if err != nil || len(c.Parents) != 1 || !w.fake.Verified(h) {
			t.Fatalf("%s is %+v, %v", h, c, err)
		}
		h = c.Parents[0]
	}
	w.quiet("the next night", func() { w.all() })
	w.noPush()
}

var errDead = errors.New("the process is dead")

// mortal dies at a call that writes, before it is made or before it is answered.
type mortal struct {
	left int
	late bool
	dead bool
}

func (m *mortal) RoundTrip(req *http.Request) (*http.Response, error) {
	if m.dead {
		return nil, errDead
	}
	if !writes(req) {
		return http.DefaultTransport.RoundTrip(req)
	}
	m.left--
	if m.dead = m.left < 0; m.dead && !m.late {
		return nil, errDead
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if m.dead && err == nil {
		return nil, errors.Join(errDead, resp.Body.Close())
	}
	return resp, err
}

func writes(req *http.Request) bool {
	if req.Method == http.MethodGet || !strings.HasSuffix(req.URL.Path, "/graphql") {
		return req.Method != http.MethodGet
	}
	b, err := req.GetBody()
	if err != nil {
		return true
	}
	text, err := io.ReadAll(b)
	return err != nil || strings.Contains(string(text), "mutation")
}

// TestCommitsOfTheHostDie: whatever call a night dies at, the next one makes one
// proposal of it, and the one after that has nothing to do.
func TestCommitsOfTheHostDie(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		for n := 0; ; n++ {
			m := &mortal{left: n, late: late}
			if !t.Run(fmt.Sprintf("call %d done %v", n, late), func(t *testing.T) { m.nights(t) }) {
				return
			}
			if !m.dead {
				if n < 5 {
					t.Errorf("it can die at %d calls only", n)
				}
				break
			}
		}
	}
}

func (m *mortal) nights(t *testing.T) {
	w := newAPIWorld(t)
	w.moveScript(0)
	w.way = m
	_, err := night.Run(t.Context(), w.options())
	if m.dead != (err != nil) {
		t.Fatalf("dead %v: %v", m.dead, err)
	}
	w.way, w.now = nil, w.now.AddDate(0, 0, 1)
	w.all()
	x := w.one()
	state, _, err := journal.Load(t.Context(), w.repo)
	if err != nil || !slices.Contains(state.Commits, x.Head.String()) {
		t.Errorf("the journal knows %v, %v", state.Commits, err)
	}
	if x.Touched || !w.fake.Verified(x.Head) || len(w.fake.Pulls()) != 1 || !strings.Contains(w.read(x.Branch, w.file[0]), w.at[0]) {
		t.Errorf("it is %+v of %d", x, len(w.fake.Pulls()))
	}
	w.quiet("a third night", func() { w.all() })
	w.noPush()
}

// TestQueueRule17: who commits is as configured, trailers are ours alone, a
// sign-off stands there only as configured, and the signature holds.
func TestQueueRule17(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.config.Delivery.Name, w.config.Delivery.Email = "gardener", "bot@acme.dev"
		w.config.Delivery.SignOff = "Gardener <bot@acme.dev>"
		w.moveScript(0)
		w.night()
		c := w.commitOf(w.one().Branch)
		tr, ok := proposal.ParseTrailers(c.Message)
		if !ok || tr.Run == "" || tr.Range == "" || tr.SignedOffBy != "Gardener <bot@acme.dev>" {
			t.Errorf("the trailers are %+v", tr)
		}
		if w.bot == app { // who else commits is not signed by the host
			if c.Author.Name != app.Login || c.Committer.Name != "GitHub" || !w.fake.Verified(c.Hash) {
				t.Errorf("by %+v and %+v", c.Author, c.Committer)
			}
			return
		}
		if c.Author.Name != "gardener" || c.Committer.Email != "bot@acme.dev" || strings.Contains(c.Message, "Co-authored-by") {
			t.Errorf("by %+v:\n%s", c.Author, c.Message)
		}
	})
}
