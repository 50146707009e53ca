package cli_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/retrosweep/retrosweep/internal/demo"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

// forward hands requests on to the server of an address.
func forward(address string) http.Handler {
	u, err := url.Parse(address)
	if err != nil {
		return http.NotFoundHandler()
	}
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: u.Scheme, Host: u.Host}) }}
}

// gallows stands before servers. It counts the requests that it looks at, and
// kills the process that made the n-th: before the server has it, or when it is
// done and nobody hears of it.
type gallows struct {
	at   int // counted from 1; 0: nobody dies
	late bool

	mu     sync.Mutex
	seen   []string
	victim *os.Process
}

// counts is whether a request is a point to die at.
func (g *gallows) before(server http.Handler, counts func(*http.Request) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !counts(r) || !g.next(r) {
			server.ServeHTTP(w, r)
			return
		}
		if g.late {
			server.ServeHTTP(httptest.NewRecorder(), r)
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		if err := g.victim.Kill(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		panic(http.ErrAbortHandler)
	})
}

func (g *gallows) next(r *http.Request) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/acme/shop.git"), "/repos/acme/shop")
	if service := r.URL.Query().Get("service"); service != "" {
		path += " " + service
	}
	g.seen = append(g.seen, r.Method+" "+path)
	return len(g.seen) == g.at
}

// every request is a point; writes are those that change anything.
func every(*http.Request) bool { return true }

func writes(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "/git-receive-pack") || r.Method != http.MethodGet && !strings.HasSuffix(r.URL.Path, "/git-upload-pack")
}

// scenario is a night that is to die.
type scenario struct {
	name   string
	hub    bool                     // GitHub; else only git
	api    bool                     // GitHub makes the commits, and takes no branch by a push
	second bool                     // a night went well before, and then files moved
	onto   bool                     // rules go onto the base branch: delivery.auto is commit, and a model answers
	closed bool                     // the base branch takes no commit of ours
	counts func(*http.Request) bool // the points to die at
}

// place is a host with gallows before it.
type place struct {
	*host
	gallows
	model []string           // flags; none: no model is asked
	hub   *githubfake.GitHub // nil: only git
}

// newPlace is a host as the night finds it.
func (s scenario) newPlace(t *testing.T) *place {
	t.Helper()
	p := s.connect(t)
	if !s.second {
		return p
	}
	if out, err := p.spawn(t.TempDir(), nights[0].Add(-2*time.Hour)); err != nil {
		t.Errorf("the night before: %v\n%s", err, out)
	}
	if err := filesMove(p.dir); err != nil {
		t.Errorf("what came after: %v", err)
	}
	p.seen = nil
	return p
}

// filesMove adds to the history what the second night has to do.
func filesMove(dir string) error {
	moves, err := os.ReadFile(filepath.Join("..", "night", "testdata", "moves.txtar"))
	if err != nil {
		return err
	}
	r, err := repo.Open(context.Background(), dir)
	if err != nil {
		return err
	}
	return errors.Join(testkit.Append(r, moves), r.Close())
}

func (s scenario) connect(t *testing.T) *place {
	t.Helper()
	p := &place{host: newHost(t, githubfake.Token)}
	if s.onto {
		p.model = []string{"--model", demo.Model, "--base-url", newSteady(t)}
		p.env["RETROSWEEP_DELIVERY_AUTO"] = "commit"
	}
	if s.closed {
		hook(t, p.dir, "[ \"$ref\" != refs/heads/main ] || { echo 'main is protected' >&2; exit 1; }")
	}
	front := httptest.NewServer(p.before(forward(p.url), s.counts))
	t.Cleanup(front.Close)
	p.url = front.URL + "/acme/shop.git"
	if !s.hub {
		return p
	}
	r, err := repo.Open(t.Context(), p.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	p.hub = githubfake.New(githubfake.Options{Repo: r})
	if s.api {
		p.commits(p.hub)
	}
	api := httptest.NewServer(p.before(p.hub, s.counts))
	t.Cleanup(api.Close)
	p.env["GH_HOST"] = strings.TrimPrefix(front.URL, "http://")
	p.env["RETROSWEEP_GITHUB_API"] = api.URL + "/"
	return p
}

// spawn runs a night as a process of its own, which may be killed.
func (p *place) spawn(disk string, now time.Time) ([]byte, error) {
	model := p.model
	if model == nil {
		model = []string{"--model", "none"}
	}
	c := exec.Command(os.Args[0], append([]string{"run", p.url, "--apply", "--push", "--format", "json", "--now", now.Format(time.RFC3339)}, model...)...)
	c.Args[0] = "retrosweep" // what TestMain knows the program by
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + disk, "RETROSWEEP_CACHE=" + disk, "TMPDIR=" + os.TempDir()}
	for name, value := range p.env {
		c.Env = append(c.Env, name+"="+value)
	}
	var out strings.Builder
	c.Stdout, c.Stderr = &out, &out
	p.gallows.mu.Lock()
	err := c.Start()
	p.victim = c.Process
	p.gallows.mu.Unlock()
	if err == nil {
		err = c.Wait()
	}
	return []byte(out.String()), err
}

// slots end the names of branches; they differ with the port of the host.
var slots = regexp.MustCompile(`(/[a-z]+)-[0-9a-f]{8}\b`)

// commitIDs are those of a watermark, which has the trees beside.
var commitIDs = regexp.MustCompile(`"commit": *"[0-9a-f]+"`)

// stands is what must not depend on how often a night died on the way: the
// trees of branches, the names of our references, what was reviewed, and the
// pull requests.
func (p *place) stands() map[string]string {
	out := map[string]string{}
	refs, err := testkit.TryGit(p.dir, "for-each-ref", "--format=%(refname) %(tree)")
	if err != nil {
		p.t.Errorf("git for-each-ref: %v", err)
	}
	for line := range strings.Lines(slots.ReplaceAllString(refs, "$1")) {
		name, tree, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(name, "refs/retrosweep/") {
			tree = "there"
		}
		out[name] = tree
	}
	out["commits on main"], _ = testkit.TryGit(p.dir, "rev-list", "--count", "main")
	out["commits"], _ = testkit.TryGit(p.dir, "rev-list", "--count", "main..retrosweep/upkeep") // words where there is none
	out["watermark"], _ = testkit.TryGit(p.dir, "show", "refs/retrosweep/journal:watermark.json")
	if p.model != nil { // our own commits have the dates of their nights
		out["watermark"] = commitIDs.ReplaceAllString(out["watermark"], "")
	}
	out["lines of ours"], _ = testkit.TryGit(p.dir, "ls-tree", "-r", "--name-only", "refs/retrosweep/journal", "keys/")
	if p.hub == nil {
		return out
	}
	for _, pr := range p.hub.Pulls() {
		out[fmt.Sprintf("pull request %d", pr.Number)] = fmt.Sprintf("%s %q %s %v half done %v",
			pr.State, pr.Title, slots.ReplaceAllString(pr.Head, "$1"), pr.Labels, strings.Contains(pr.Body, `"stage"`))
	}
	return out
}

// differences names what is not the same, for people.
func differences(before, after map[string]string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if was, known := before[name]; !known {
			out = append(out, "new "+name)
		} else if was != after[name] {
			out = append(out, "other "+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, there := after[name]; !there {
			out = append(out, "no "+name)
		}
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.NewReplacer("refs/heads/", "", "refs/", "").Replace(strings.Join(out, ", "))
}

// Nights on one day, each after the end of another one's lease.
var nights = []time.Time{demo.Now.Add(-6 * time.Hour), demo.Now.Add(-4 * time.Hour), demo.Now.Add(-2 * time.Hour)}

var everywhere = flag.Bool("everywhere", false, "let remote nights die in all combinations of when and where")

// A night that is killed at a request, before it arrives or after it was done,
// is made whole by the next one: on the same disk, as where the pod lives on,
// and on an empty one.
func TestRemoteNightDiesAtEveryRequest(t *testing.T) {
	t.Parallel()
	scenarios := []scenario{
		{name: "git over HTTP", counts: every},
		{name: "git over HTTP, onto the base", onto: true, counts: every},
		{name: "git over HTTP, onto a base that is closed", onto: true, closed: true, counts: every},
		{name: "GitHub", hub: true, counts: writes},
		{name: "GitHub, the second night", hub: true, second: true, counts: writes},
		{name: "GitHub's commits", hub: true, api: true, counts: writes},
		{name: "GitHub, onto the base", hub: true, onto: true, counts: writes},
	}
	if *everywhere {
		scenarios = append(scenarios,
			scenario{name: "GitHub, onto a base that is closed", hub: true, onto: true, closed: true, counts: writes},
			scenario{name: "GitHub's commits, the second night", hub: true, api: true, second: true, counts: writes})
	}
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			calm := s.newPlace(t)
			before := calm.stands()
			if out, err := calm.spawn(t.TempDir(), nights[0]); err != nil {
				t.Fatalf("the undisturbed night: %v\n%s", err, out)
			}
			points := s.falls(calm.seen)
			first := calm.stands()
			if err := calm.settle(calm.t.TempDir()); err != nil {
				t.Fatal(err)
			}
			want := calm.stands()
			var work errgroup.Group
			work.SetLimit(6) // most of the time they keep the gap between two writes
			for i := range points {
				work.Go(func() error {
					f := &points[i]
					f.left, f.err = f.happen(s.newPlace(t), before, first, want)
					return nil
				})
			}
			if err := work.Wait(); err != nil || len(points) < 8 {
				t.Errorf("%d points, %v", len(points), err)
			}
			for _, f := range points {
				t.Log(f)
				if f.err != nil {
					t.Errorf("%s: %v", f, f.err)
				}
			}
		})
	}
}

// fall is one way for a night to die.
type fall struct {
	at        int
	request   string
	late      bool // it was done, and nobody heard of it
	emptyDisk bool // the next night finds no clone
	left      string
	err       error
}

// String is a row of the table of falls.
func (f fall) String() string {
	return fmt.Sprintf("%2d %-34s | done %-5v | empty disk %-5v | %s", f.at, f.request, f.late, f.emptyDisk, f.left)
}

// falls are the ways to die at requests; by default not all of them.
func (s scenario) falls(requests []string) []fall {
	var out []fall
	for i, request := range requests {
		for _, late := range []bool{false, true} {
			for _, empty := range []bool{false, true} {
				if *everywhere || empty == (late == (i%2 == 0)) {
					out = append(out, fall{at: i + 1, request: request, late: late, emptyDisk: empty})
				}
			}
		}
	}
	return out
}

// happen lets a night die and two more follow; it says what the dead one left.
func (f fall) happen(p *place, before, first, want map[string]string) (left string, err error) {
	p.at, p.late = f.at, f.late
	disk := p.t.TempDir()
	var exit *exec.ExitError
	if out, err := p.spawn(disk, nights[0]); !errors.As(err, &exit) || exit.Exited() {
		return "", fmt.Errorf("it does not die: %w\n%s", err, out)
	}
	p.at = 0
	at := p.stands()
	left = differences(before, at)
	if at["watermark"] == first["watermark"] && !maps.Equal(at, first) {
		err = errors.Join(err, fmt.Errorf("the watermark moved without its outputs: %s", differences(first, at)))
	}
	if f.emptyDisk {
		disk = p.t.TempDir()
	}
	out, failed := p.spawn(disk, nights[1])
	if failed != nil {
		err = errors.Join(err, fmt.Errorf("the next night: %w\n%s", failed, out))
	}
	err = errors.Join(err, p.settle(disk))
	after := p.stands()
	if !maps.Equal(after, want) {
		err = errors.Join(err, fmt.Errorf("after the next night it differs from an undisturbed one by %s:\n%q\n%q", differences(want, after), after, want))
	}
	return left, errors.Join(err, p.quiet(disk))
}

// settle runs the night that reviews our own commit on the base branch, where
// there is one.
func (p *place) settle(disk string) error {
	if p.model == nil {
		return nil
	}
	if out, err := p.spawn(disk, nights[1].Add(time.Hour)); err != nil {
		return fmt.Errorf("the night over our own commit: %w\n%s", err, out)
	}
	return nil
}

// quiet runs a night that has nothing to do.
func (p *place) quiet(disk string) error {
	refs := p.refs()
	calls := 0
	if p.hub != nil {
		calls = len(p.hub.Writes())
	}
	out, err := p.spawn(disk, nights[2])
	if err != nil {
		err = fmt.Errorf("the third night: %w\n%s", err, out)
	}
	if !maps.Equal(refs, p.refs()) {
		err = errors.Join(err, fmt.Errorf("the third night moves references\n%s", out))
	}
	if p.hub != nil && len(p.hub.Writes()) != calls {
		err = errors.Join(err, fmt.Errorf("the third night writes %d times to the API", len(p.hub.Writes())-calls))
	}
	if p.hub != nil {
		for _, v := range p.hub.Violations() {
			err = errors.Join(err, fmt.Errorf("GitHub's description of its API: %s", v))
		}
	}
	if said, failed := testkit.TryGit(p.dir, "fsck", "--strict", "--no-dangling"); failed != nil {
		err = errors.Join(err, fmt.Errorf("git fsck: %w\n%s", failed, said))
	}
	return err
}
