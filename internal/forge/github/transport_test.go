package github_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge/github"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/proposal"
)

// TestLimitsAreWaitedFor: whatever the host's way of saying so, the call is made
// again when it may be, and nothing is made twice.
func TestLimitsAreWaitedFor(t *testing.T) {
	t.Parallel()
	reset := githubfake.Fault{Status: 403, Header: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1796040200"}, Times: 1}
	for name, c := range map[string]struct {
		fault githubfake.Fault
		want  time.Duration
	}{
		"429 with Retry-After":   {githubfake.TooMany, 7 * time.Second},
		"secondary":              {githubfake.Secondary, 90 * time.Second},
		"429 without a word":     {githubfake.Fault{Status: 429, Times: 1}, time.Minute},
		"secondary, no header":   {githubfake.Fault{Status: 403, Body: `{"message":"You have exceeded a secondary rate limit"}`, Times: 1}, time.Minute},
		"primary, with a reset":  {reset, time.Unix(1796040200, 0).Sub(noon) + time.Second},
		"429 twice without word": {githubfake.Fault{Status: 429, Times: 2}, 2 * time.Minute},
	} {
		for _, method := range []string{"GET", "POST"} {
			w := newWorld(t)
			c.fault.Method, c.fault.Path = method, "/pulls$"
			w.fake.Inject(c.fault)
			w.open(w.draft("rules", "Seed the clock."))
			if len(w.fake.Pulls()) != 1 || !slices.ContainsFunc(w.clock.slept, func(d time.Duration) bool { return d.Round(2*time.Second) == c.want.Round(2*time.Second) }) {
				t.Errorf("%s, %s: slept %v, wanted %v", name, method, w.clock.slept, c.want)
			}
		}
	}
}

// TestLimitsAreCapped: a pause that is longer than a run waits ends it, with a
// word on when to come back.
func TestLimitsAreCapped(t *testing.T) {
	t.Parallel()
	for _, after := range []string{"3600", "99999999999", "Mon, 30 Nov 2026 13:00:00 GMT"} {
		w := newWorld(t)
		w.fake.Inject(githubfake.Fault{Status: 429, Header: map[string]string{"Retry-After": after}})
		_, err := w.Forge.List(t.Context(), w.Base)
		var limit *github.LimitError
		if !errors.As(err, &limit) || !strings.Contains(err.Error(), "no more before 202") || len(w.clock.slept) != 0 {
			t.Errorf("Retry-After %s: %v, slept %v", after, err, w.clock.slept)
		}
	}
}

// TestLastCallOfTheHour: what the host says about calls to come is no reason to
// make none: when one is refused it is waited for, by our clock.
func TestLastCallOfTheHour(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fake.Inject(githubfake.Fault{Header: map[string]string{"X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4102444800"}})
	w.open(w.draft("rules", "Seed the clock."))
	w.only()
}

// TestReadsAreRepeated: a read is tried again after a fault of the host, a write
// is not: it may have been done.
func TestReadsAreRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fake.Inject(githubfake.Unicorn)
	if _, err := w.Forge.List(t.Context(), w.Base); err != nil {
		t.Errorf("one overload ends a run: %v", err)
	}
	w.fake.Inject(githubfake.Fault{Method: "GET", Status: 503})
	if _, err := w.Forge.List(t.Context(), w.Base); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("a host that is down: %v", err)
	}
	w.fake.Heal()
	w.fake.Inject(githubfake.Fault{Method: "POST", Path: "/pulls$", Status: 502, Times: 1})
	n := len(w.fake.Writes())
	if _, err := w.Forge.Open(t.Context(), w.draft("rules", "Seed the clock.")); err == nil || len(w.fake.Writes()) != n+1 {
		t.Errorf("a write that failed: %v, %d writes", err, len(w.fake.Writes())-n)
	}
}

// TestLostAnswer: the host made the pull request and said 502.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lost := githubfake.Unicorn
	lost.Method, lost.Path, lost.After = "POST", "/pulls$", true
	w.fake.Inject(lost)
	if x := w.open(w.draft("rules", "Seed the clock.")); x.Number != 1 || len(w.fake.Pulls()) != 1 {
		t.Errorf("it is %+v of %d", x, len(w.fake.Pulls()))
	}
}

// TestWritesKeepApart: at least a second lies between two writes.
func TestWritesKeepApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.open(w.draft("rules", "Seed the clock."))
	want := []time.Duration{time.Second, time.Second} // create, label, confirm
	if !slices.Equal(w.clock.slept, want) {
		t.Errorf("slept %v, wanted %v", w.clock.slept, want)
	}
}

// TestHostileAnswers: none of them hangs, panics or is believed.
func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault githubfake.Fault
		want  string
	}{
		"a page":          {githubfake.Fault{HTML: true, Body: "<html>Sign in</html>"}, "text/html, not JSON"},
		"a page as a 200": {githubfake.Fault{HTML: true, Status: 200, Body: "<html>Sign in</html>"}, "text/html, not JSON"},
		"endless pages":   {githubfake.Fault{Path: "/issues$", Loop: true}, "do not end"},
		"huge":            {githubfake.Fault{Status: 200, Body: strings.Repeat(" ", 33<<20)}, "larger than 32 MB"},
		"no JSON":         {githubfake.Fault{Status: 200, Body: "{"}, "unexpected EOF"},
		"another type":    {githubfake.Fault{Status: 200, Body: `{"number":"x"}`}, "cannot unmarshal"},
		"unauthorized":    {githubfake.Fault{Status: 401}, "401"},
	} {
		w := newWorld(t)
		w.open(w.draft("rules", "Seed the clock."))
		w.fake.Inject(c.fault)
		if all, err := w.Forge.List(t.Context(), w.Base); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d listed, %v", name, len(all), err)
		}
	}
}

// TestOtherNumber: an answer about another pull request is not believed.
func TestOtherNumber(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.open(w.draft("rules", "Seed the clock."))
	w.fake.Inject(githubfake.Fault{Path: "/pulls/1$", Status: 200, Body: `{"number":2}`})
	if _, err := w.Forge.Update(t.Context(), x, w.draft("rules", "Another.")); err == nil || !strings.Contains(err.Error(), "about number 2") {
		t.Errorf("update: %v", err)
	}
}

// TestSlowHost: who waits for a host that does not answer can be called off.
func TestSlowHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	w.fake.Inject(githubfake.Fault{Hang: true, Hook: cancel})
	if _, err := w.Forge.List(ctx, w.Base); !errors.Is(err, context.Canceled) {
		t.Errorf("list: %v", err)
	}
}

// TestRedirects: the token goes to one host, whatever that one says.
func TestRedirects(t *testing.T) {
	t.Parallel()
	var stolen []string
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen = append(stolen, r.Header.Get("Authorization"))
	}))
	t.Cleanup(thief.Close)
	for name, c := range map[string]struct {
		to, want string
		status   int
	}{
		"another host":            {thief.URL + "/repos/acme/shop/issues", "the redirect is refused", 301},
		"another host, for good":  {thief.URL, "the redirect is refused", 308},
		"the same, for ever":      {"/repos/acme/shop/issues", "it is the fourth", 301},
		"a write that turns read": {"/repos/acme/shop/pulls", "would turn POST into GET", 301},
	} {
		w := newWorld(t)
		w.fake.Inject(githubfake.Fault{Path: "/(issues|pulls)$", Method: map[bool]string{true: "POST"}[strings.Contains(c.want, "POST")], Status: c.status, Header: map[string]string{"Location": c.to}})
		_, err := w.Forge.List(t.Context(), w.Base)
		if err == nil {
			_, err = w.Forge.Open(t.Context(), w.draft("rules", "Seed the clock."))
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(stolen) > 0 {
		t.Errorf("the other host was called: %q", stolen)
	}
}

// TestRenamedRepository: a redirect on the same host is followed.
func TestRenamedRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.open(w.draft("rules", "Seed the clock."))
	w.fake.Inject(githubfake.Fault{Method: "GET", Path: "/pulls/1$", Status: 301, Header: map[string]string{"Location": "/repos/acme/shop/pulls/1"}, Times: 1})
	if got := w.only(); got.Number != x.Number || got.Status != proposal.Open {
		t.Errorf("it is %+v", got)
	}
}
