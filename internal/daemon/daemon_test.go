package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/report"
)

// started is a daemon in a bubble, at 2026-11-30 04:00.
func started(t *testing.T, o Options) (*client, func() error) {
	t.Helper()
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	_ = d.listener.Close() // a network's sockets would keep the clock from moving
	p := newPipes()
	d.listener = p
	sleepTo(t, "2026-11-30T04:00:00Z")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	synctest.Wait()
	return newClient(t, "http://daemon", p.dial), func() error { cancel(); return <-ended }
}

func sleepTo(t *testing.T, when string) {
	t.Helper()
	at, err := time.Parse(time.RFC3339, when)
	if err != nil {
		t.Fatal(err)
	}
	<-time.After(time.Until(at))
	synctest.Wait()
}

// A week of nights: good, failing, failing, panicking, good; the probes and the
// numbers after each.
func TestAWeekOfNights(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out buffer
		o := options(t, &out)
		n := 0
		o.Night = func(context.Context, *slog.Logger) (*report.Receipt, error) {
			switch n++; n {
			case 2, 3:
				return nil, errors.New("the remote hung up on token ghp_16C7e42F292c6912E7710c838347Ae178B4a")
			case 4:
				panic("a fault of ours")
			}
			return good(), nil
		}
		c, stop := started(t, o)
		c.wants("/healthz", 200, "ok")
		c.wants("/readyz", 200, "no night yet, next 2026-11-30T04:30:00Z")
		for _, day := range []struct {
			at   string
			code int
			text string
		}{
			{"2026-11-30T05:00:00Z", 200, "last night done at 2026-11-30T04:30:00Z"},
			{"2026-12-01T05:00:00Z", 200, "last night failed"},
			{"2026-12-02T05:00:00Z", 503, "not ready: 2 nights failed in a row"},
			{"2026-12-03T05:00:00Z", 503, "not ready: 3 nights failed in a row, see the log; last night panicked"},
			{"2026-12-04T05:00:00Z", 200, "ready: last night done at 2026-12-04T04:30:00Z, next 2026-12-05T04:30:00Z"},
		} {
			sleepTo(t, day.at)
			c.wants("/readyz", day.code, day.text)
			c.wants("/healthz", 200, "ok")
		}
		all := c.scrape()
		for label, want := range map[string]float64{"done": 2, "failed": 2, "panicked": 1, "partial": 0} {
			if got := value(t, all, "retrosweep_runs_total", label); got != want {
				t.Errorf("%v runs %s, want %v", got, label, want)
			}
		}
		if err := stop(); err != nil {
			t.Errorf("the stop: %v", err)
		}
		if strings.Contains(out.String(), "ghp_16C7") {
			t.Errorf("the log holds a token:\n%s", out.String())
		}
	})
}

func TestANightThatGoesOnIsNotBegunAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out buffer
		o := options(t, &out)
		o.Night = func(ctx context.Context, _ *slog.Logger) (*report.Receipt, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		c, stop := started(t, o)
		sleepTo(t, "2026-12-02T05:00:00Z")
		all := c.scrape()
		if got := value(t, all, "retrosweep_runs_skipped_total", "still_running"); got != 2 {
			t.Errorf("%v slots are counted as skipped", got)
		}
		if got := value(t, all, "retrosweep_run_in_progress", "shop"); got != 1 {
			t.Errorf("%v runs are under way", got)
		}
		if err := stop(); err != nil {
			t.Errorf("the stop: %v", err)
		}
		if !strings.Contains(out.String(), `"outcome":"interrupted","seconds":174600.1`) {
			t.Errorf("the log does not tell of the night that was broken off:\n%s", out.String())
		}
	})
}

func TestNotReadyWhileStopping(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := options(t, new(buffer))
		o.Once, o.Grace = true, time.Minute
		o.Night = func(ctx context.Context, _ *slog.Logger) (*report.Receipt, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		c, stop := started(t, o)
		c.wants("/readyz", 200, "no night yet")
		ended := make(chan error, 1)
		go func() { ended <- stop() }()
		synctest.Wait()
		c.wants("/readyz", 503, "not ready: stopping")
		c.wants("/healthz", 200, "ok")
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestOverARealNetwork: a night at the start, a scrape, a stop, and nothing is
// left running.
func TestOverARealNetwork(t *testing.T) {
	var out buffer
	o := options(t, &out)
	o.Once, o.Grace = true, time.Minute
	over := make(chan struct{})
	o.Night = func(_ context.Context, log *slog.Logger) (*report.Receipt, error) {
		log.Info("step", "run", good().Run)
		return good(), nil
	}
	o.Log = slog.New(onEnd{o.Log.Handler(), over})
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	<-over
	c := newClient(t, "http://"+d.Addr().String(), nil)
	all := c.scrape()
	if got := value(t, all, "retrosweep_runs_total", "done"); got != 1 {
		t.Errorf("%v runs are done", got)
	}
	if got := value(t, all, "retrosweep_facts", "broken"); got != 2 {
		t.Errorf("%v facts are broken", got)
	}
	if got := value(t, all, "retrosweep_build_info", "test"); got != 1 {
		t.Errorf("build info is %v", got)
	}
	if all["go_goroutines"] == nil || all["process_resident_memory_bytes"] == nil && runtime.GOOS == "linux" {
		t.Error("nothing of the process itself")
	}
	c.wants("/", 200, "/metrics")
	c.wants("/secrets", 404, "")
	if res, err := c.http.Post(c.base+"/healthz", "", nil); err != nil || res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a POST: %v %v", res, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the stop: %v", err)
	}
	if _, err := net.Dial("tcp", d.Addr().String()); err == nil {
		t.Error("it listens still")
	}
	noneLeft(t)
	checkLines(t, out.String())
}

// onEnd closes a channel when a night has ended.
type onEnd struct {
	slog.Handler
	over chan struct{}
}

func (h onEnd) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "night ended" {
		close(h.over)
	}
	return h.Handler.Handle(ctx, r)
}

func (h onEnd) WithAttrs(a []slog.Attr) slog.Handler { return onEnd{h.Handler.WithAttrs(a), h.over} }

// noneLeft looks for goroutines that run code of a daemon or its schedule.
func noneLeft(t *testing.T) {
	t.Helper()
	buf := make([]byte, 1<<20)
	for range 100 { // one that has told of its end may not be gone yet
		buf = buf[:runtime.Stack(buf[:cap(buf)], true)]
		left := 0
		for _, g := range strings.Split(string(buf), "\n\n") {
			if strings.Contains(g, "synctest") || strings.Contains(g, "testing.tRunner") {
				continue // other tests
			}
			if strings.Contains(g, "internal/daemon.(") || strings.Contains(g, "internal/schedule.(") || strings.Contains(g, "robfig/cron") {
				left++
			}
		}
		if left == 0 {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("goroutines are left:\n%s", buf)
}

func checkLines(t *testing.T, out string) {
	t.Helper()
	var messages []string
	for line := range strings.Lines(out) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		msg, _ := m["msg"].(string)
		messages = append(messages, msg)
		if msg == "night ended" && (m["run"] != "20261130-abcd" || m["night"] == nil || m["outcome"] != "done") {
			t.Errorf("the end of a night: %s", line)
		}
	}
	want := []string{"nights by schedule", "dry run: nights write nothing but a private cache; --apply lets them write", "listening", "night begins", "step", "night ended", "stopped"}
	if diff := cmp.Diff(want, messages); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}
}

func TestListening(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	for _, c := range []struct{ addr, want string }{
		{taken.Addr().String(), "name a free one with --listen HOST:PORT"},
		{"8088", "write --listen HOST:PORT"},
		{"127.0.0.1:no-port-of-that-name", "write --listen HOST:PORT"},
	} {
		o := options(t, new(buffer))
		o.Listen = c.addr
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.addr, err, c.want)
		}
	}
}

func TestAJitterWithoutRoomIsRefusedBeforeListening(t *testing.T) {
	t.Parallel()
	o := options(t, new(buffer))
	o.Jitter = 48 * time.Hour
	if _, err := New(o); err == nil || !strings.Contains(err.Error(), "jitter") {
		t.Errorf("got %v", err)
	}
}

func TestListeningBeyondTheMachineIsSaid(t *testing.T) {
	t.Parallel()
	for addr, warned := range map[string]bool{"127.0.0.1:0": false, "[::1]:0": false, "localhost:0": false, "0.0.0.0:0": true, ":0": true} {
		var out buffer
		o := options(t, &out)
		o.Listen, o.Apply = addr, true
		d, err := New(o)
		if err != nil {
			t.Logf("%s: %v", addr, err) // a machine without IPv6
			continue
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := d.Run(ctx); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
		if got := strings.Contains(out.String(), "beyond this machine"); got != warned {
			t.Errorf("%s: warned %v:\n%s", addr, got, out.String())
		}
		if strings.Contains(out.String(), "dry run") {
			t.Errorf("an apply is called a dry run:\n%s", out.String())
		}
	}
}

func TestAListenerThatDiesEndsTheDaemon(t *testing.T) {
	t.Parallel()
	d, err := New(options(t, new(buffer)))
	if err != nil {
		t.Fatal(err)
	}
	_ = d.listener.Close()
	if err := d.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "serve on") {
		t.Errorf("got %v", err)
	}
}
