package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/retrosweep/retrosweep/internal/cli"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// patience is how long a script waits for a process that it started.
const patience = 3 * time.Minute

// await waits until a file, which another process writes, holds a text.
func await(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: await FILE TEXT")
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for {
		b, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && strings.Contains(string(b), args[1]) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			ts.Fatalf("%s does not come to hold %q:\n%s", args[0], args[1], b)
		}
	}
}

// scrape asks the daemon whose log is given, and prints what it answers.
func scrape(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: scrape LOG PATH FILE")
	}
	client := http.Client{Timeout: patience}
	res, err := client.Get("http://" + listening(ts, ts.ReadFile(args[0])) + args[1])
	ts.Check(err)
	body, err := io.ReadAll(res.Body)
	ts.Check(err)
	ts.Check(res.Body.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), append([]byte(res.Status+"\n"), body...), 0o644))
}

// listening finds the address in a daemon's log.
func listening(ts *testscript.TestScript, log string) string {
	for line := range strings.Lines(log) {
		var l struct{ Msg, Addr string }
		if json.Unmarshal([]byte(line), &l) == nil && l.Msg == "listening" {
			return l.Addr
		}
	}
	ts.Fatalf("the log names no address:\n%s", log)
	return ""
}

// watched is a log that tells when a text has come.
type watched struct {
	mu   sync.Mutex
	b    bytes.Buffer
	text string
	came chan struct{}
	once sync.Once
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.b.Write(p)
	if strings.Contains(w.b.String(), w.text) {
		w.once.Do(func() { close(w.came) })
	}
	return n, err
}

// serve runs a daemon with a disk of its own until its log holds a text, stops
// it, and returns the log.
func (h *host) serve(now time.Time, until string, args ...string) string {
	h.t.Helper()
	disk := h.t.TempDir()
	log := &watched{text: until, came: make(chan struct{})}
	m := &cli.Main{
		Version: "test", Stdout: io.Discard, Stderr: log,
		Getenv: func(name string) string {
			if name == "RETROSWEEP_CACHE" || name == "HOME" {
				return disk
			}
			return h.env[name]
		},
		Clock: func() time.Time { return now }, IsTerm: func(io.Writer) bool { return false },
	}
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	ended := make(chan int, 1)
	go func() {
		ended <- m.Run(ctx, append([]string{
			"serve", "--repo", h.url, "--schedule", "30 4 * * *", "--timezone", "UTC",
			"--apply", "--push", "--model", "none", "--listen", "127.0.0.1:0", "-v",
		}, args...))
	}()
	select {
	case <-log.came:
	case <-ctx.Done():
		h.t.Errorf("the log never holds %q", until)
	}
	cancel()
	if code := <-ended; code != cli.ExitDone {
		h.t.Errorf("the daemon ends with %d", code)
	}
	if strings.Contains(log.b.String(), hostToken) {
		h.t.Error("the log holds the token")
	}
	return log.b.String()
}

// A daemon on a URL pushes what it writes; the next one, on an empty disk,
// finds in the remote's journal when the last night was.
func TestServeOnARemote(t *testing.T) {
	t.Parallel()
	h := newHost(t, hostToken)
	morning := time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC)
	first := h.serve(morning, "night ended", "--once-now")
	for _, want := range []string{`"outcome":"done"`, `"push":true`, `"mode":"apply"`} {
		if !strings.Contains(first, want) {
			t.Errorf("the log lacks %s:\n%s", want, first)
		}
	}
	r, err := repo.Open(t.Context(), h.dir)
	if err != nil {
		t.Fatal(err)
	}
	refs, err := r.Refs("refs/heads/retrosweep/")
	if err != nil || len(refs) == 0 {
		t.Errorf("pushed: %v, %v", refs, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if again := h.serve(morning.Add(time.Hour), `"listening"`); strings.Contains(again, "catching up") || strings.Contains(again, "night begins") {
		t.Errorf("a night of the same day is run again:\n%s", again)
	}
	later := h.serve(morning.AddDate(0, 0, 3), "night ended")
	if strings.Count(later, "catching up") != 1 || strings.Count(later, "night begins") != 1 {
		t.Errorf("after three days:\n%s", later)
	}
}
