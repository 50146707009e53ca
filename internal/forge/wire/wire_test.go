package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo/credentials"
)

// line records what is sent, and answers in JSON.
type line struct {
	sent  []*http.Request
	fault error
}

func (w *line) RoundTrip(req *http.Request) (*http.Response, error) {
	w.sent = append(w.sent, req)
	if w.fault != nil {
		return nil, w.fault
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader("{}"))}, nil
}

// still is a clock that notes how long it would have slept.
type still struct{ slept []time.Duration }

func (*still) Now() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

func (s *still) Sleep(_ context.Context, d time.Duration) error {
	s.slept = append(s.slept, d)
	return nil
}

func newWire() (*line, *still, *Transport) {
	w, c := &line{}, &still{}
	host := &url.URL{Scheme: "https", Host: "api.github.com"}
	return w, c, New(Options{Host: host, Credential: Token{credentials.NewSecret("x")}, Next: w, Clock: c, MaxPause: time.Minute})
}

func TestOneHostAlone(t *testing.T) {
	t.Parallel()
	w, _, tr := newWire()
	for _, at := range []string{"https://evil.dev/user", "http://api.github.com/user", "https://api.github.com.evil.dev/", "https://api.github.com:444/"} {
		if err := get(t, tr, at); err == nil || !strings.Contains(err.Error(), "is not the host of the token") {
			t.Errorf("%s: %v", at, err)
		}
	}
	if len(w.sent) != 0 {
		t.Errorf("%d requests were sent", len(w.sent))
	}
	if err := get(t, tr, "https://api.github.com/user"); err != nil || w.sent[0].Header.Get("Authorization") != "Bearer x" {
		t.Errorf("the host itself: %v", err)
	}
}

// TestEveryCallEnds: each attempt has a deadline.
func TestEveryCallEnds(t *testing.T) {
	t.Parallel()
	w, c, tr := newWire()
	w.fault = errors.New("connection reset")
	if err := get(t, tr, "https://api.github.com/user"); !errors.Is(err, w.fault) {
		t.Error(err)
	}
	if len(w.sent) != maxAttempts || len(c.slept) != maxAttempts-1 {
		t.Errorf("%d attempts, slept %v", len(w.sent), c.slept)
	}
	for _, req := range w.sent {
		if _, ok := req.Context().Deadline(); !ok {
			t.Error("a call without a deadline")
		}
	}
}

func get(t *testing.T, tr *Transport, at string) error {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func TestSystemClock(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	if err := (System{}).Sleep(ctx, 0); err != nil {
		t.Error(err)
	}
	cancel()
	if err := (System{}).Sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
