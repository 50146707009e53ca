package github_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge/github"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
)

// TestQueueRule18Conditional: what was read before is asked for by its tag, and
// what a person changed in between is seen.
func TestQueueRule18Conditional(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.open(w.draft("rules", "Seed the clock."))
	w.only()
	w.only()
	same := 0
	for _, r := range w.fake.Requests() {
		if r.Method == http.MethodGet && r.Header.Get("If-None-Match") != "" {
			same++
		}
	}
	if same == 0 {
		t.Error("nothing is asked for by its tag")
	}
	w.fake.Close(x.Number)
	if now := w.only(); now.Status == x.Status {
		t.Errorf("a changed answer is not seen: %+v", now)
	}
}

// TestQueueRule18Budget: writes end at their budget, whatever else goes on.
func TestQueueRule18Budget(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fake.Inject(githubfake.Fault{Method: http.MethodPost, Status: http.StatusNotFound})
	c := w.dial(githubfake.Token)
	var err error
	n := 0
	for ; n < 300 && err == nil; n++ {
		_, _, err = c.Client.Issues.AddLabelsToIssue(t.Context(), "acme", "shop", 99, nil)
		if !errors.Is(err, github.ErrBudget) {
			err = nil
		}
	}
	if !errors.Is(err, github.ErrBudget) || n != 201 {
		t.Errorf("after %d writes: %v", n, err)
	}
	if took := w.clock.now.Sub(noon); took < 199*time.Second {
		t.Errorf("200 writes take %s", took)
	}
}
