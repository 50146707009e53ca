package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
)

func TestRetriesWaitAndHonourRetryAfter(t *testing.T) {
	t.Parallel()
	n := &naps{}
	c, _ := setup(t, llm.Options{Retry: llm.Retry{Sleep: n.sleep}},
		llmtest.Reply{Fault: llmtest.RateLimited, RetryAfter: 20 * time.Second},
		llmtest.Reply{Fault: llmtest.Overloaded}, llmtest.Reply{Fault: llmtest.NoChoices}, llmtest.Reply{Text: good})
	if _, err := ask(t, c, "?"); err != nil {
		t.Fatal(err)
	}
	if len(n.taken) != 3 || n.taken[0] != 20*time.Second {
		t.Fatalf("naps %v, want three, the first of 20s", n.taken)
	}
	for _, d := range n.taken {
		if d <= 0 || d > time.Minute {
			t.Errorf("a nap of %s, want more than none and at most a minute", d)
		}
	}
	if u := c.Usage()["triage"]; u.Calls != 4 || u.Retried != 3 {
		t.Errorf("usage %+v", u)
	}
}

// detector-fail: a storm ends in ErrUnavailable after a bounded number of
// tries, and the rest of the run does not knock again.
func TestAttack40StormEndsTheEndpoint(t *testing.T) {
	t.Parallel()
	for _, fault := range []llmtest.Fault{llmtest.RateLimited, llmtest.Overloaded, llmtest.NoChoices} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			fake := &llmtest.Fake{Answer: func(llm.Request) (llmtest.Reply, bool) { return llmtest.Reply{Fault: fault}, true }}
			c := newClient(t, llm.Options{}, fake)
			for range 100 {
				if _, err := ask(t, c, "?"); !errors.Is(err, llm.ErrUnavailable) || !strings.Contains(err.Error(), "after 4 tries") {
					t.Fatalf("got %v, want ErrUnavailable after 4 tries", err)
				}
			}
			if n := len(fake.Requests()); n != 4 {
				t.Errorf("%d requests, want 4", n)
			}
		})
	}
}

func TestPermanentFaultsAreNotRetried(t *testing.T) {
	t.Parallel()
	for _, fault := range []llmtest.Fault{llmtest.Unauthorized, llmtest.Missing, llmtest.Garbage} {
		n := &naps{}
		c, fake := setup(t, llm.Options{Retry: llm.Retry{Sleep: n.sleep}}, llmtest.Reply{Fault: fault}, llmtest.Reply{Text: good})
		if _, err := ask(t, c, "?"); !errors.Is(err, llm.ErrUnavailable) || !strings.Contains(err.Error(), "check") {
			t.Errorf("%s: got %v, want ErrUnavailable that says what to check", fault, err)
		}
		if len(n.taken) != 0 || len(fake.Requests()) != 1 {
			t.Errorf("%s: %d naps, %d requests", fault, len(n.taken), len(fake.Requests()))
		}
	}
}

func TestLongRetryAfterIsGivenUpNotCutShort(t *testing.T) {
	t.Parallel()
	n := &naps{}
	c, fake := setup(t, llm.Options{Retry: llm.Retry{Sleep: n.sleep}},
		llmtest.Reply{Fault: llmtest.RateLimited, RetryAfter: time.Hour}, llmtest.Reply{Text: good})
	if _, err := ask(t, c, "?"); !errors.Is(err, llm.ErrUnavailable) || !strings.Contains(err.Error(), "asks to wait 1h0m0s") {
		t.Errorf("got %v", err)
	}
	if len(n.taken) != 0 || len(fake.Requests()) != 1 {
		t.Errorf("naps %v, %d requests: an early knock is no help", n.taken, len(fake.Requests()))
	}
}

// A signal ends the wait at once and is not blamed on the endpoint.
func TestCancelWhileWaiting(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	sleep := func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	c, fake := setup(t, llm.Options{Retry: llm.Retry{Sleep: sleep}}, llmtest.Reply{Fault: llmtest.Overloaded}, llmtest.Reply{Text: good})
	err := c.Ask(ctx, "triage", question("?"), new(verdict))
	if !errors.Is(err, context.Canceled) || errors.Is(err, llm.ErrUnavailable) {
		t.Errorf("got %v, want context.Canceled alone", err)
	}
	if _, err := ask(t, c, "?"); err != nil {
		t.Errorf("the next question: %v", err)
	}
	if len(fake.Requests()) != 2 {
		t.Errorf("%d requests", len(fake.Requests()))
	}
}

func TestDefaultSleepEndsWithTheContext(t *testing.T) {
	t.Parallel()
	fake := &llmtest.Fake{Script: map[string][]llmtest.Reply{"triage": {{Fault: llmtest.RateLimited, RetryAfter: 50 * time.Second}}}}
	c, err := llm.New(llm.Options{Default: llm.Stage{Generator: fake}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := c.Ask(ctx, "triage", question("?"), new(verdict)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want context.DeadlineExceeded", err)
	}
}
