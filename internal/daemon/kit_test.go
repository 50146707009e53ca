package daemon

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/internal/schedule"
	"github.com/retrosweep/retrosweep/internal/telemetry"
)

// buffer is a log that is read while it is written.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func daily(t *testing.T) *schedule.Schedule {
	t.Helper()
	s, err := schedule.Parse("30 4 * * *", schedule.Options{Location: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func options(t *testing.T, out io.Writer) Options {
	t.Helper()
	return Options{
		Schedule: daily(t), Repo: "shop", Version: "test", Listen: "127.0.0.1:0",
		Log: telemetry.NewLog(out, telemetry.LogOptions{}),
		Night: func(context.Context, *slog.Logger) (*report.Receipt, error) {
			return good(), nil
		},
	}
}

func good() *report.Receipt {
	r := report.New()
	r.Run, r.Outcome = "20261130-abcd", report.Done
	r.Facts = report.FactCounts{Total: 3, Fresh: 1, Broken: 2}
	return r
}

// pipes is a listener without a network, for the bubbles of testing/synctest.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8088} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, errors.New("nobody listens")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// client asks one daemon.
type client struct {
	t    *testing.T
	http *http.Client
	base string
}

func newClient(t *testing.T, base string, dial func(context.Context, string, string) (net.Conn, error)) *client {
	return &client{t, &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}, base}
}

func (c *client) get(path string) (int, string) {
	c.t.Helper()
	res, err := c.http.Get(c.base + path)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func (c *client) wants(path string, code int, text string) {
	c.t.Helper()
	if got, body := c.get(path); got != code || !strings.Contains(body, text) {
		c.t.Errorf("%s answers %d %q, want %d with %q", path, got, body, code, text)
	}
}

// scrape reads the metrics as Prometheus does.
func (c *client) scrape() map[string]*dto.MetricFamily {
	c.t.Helper()
	code, body := c.get("/metrics")
	if code != http.StatusOK {
		c.t.Fatalf("/metrics answers %d", code)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(body))
	if err != nil {
		c.t.Fatalf("%v in\n%s", err, body)
	}
	return families
}

// value finds one series by a label besides repo.
func value(t *testing.T, all map[string]*dto.MetricFamily, name, label string) float64 {
	t.Helper()
	for _, m := range all[name].GetMetric() {
		for _, l := range m.GetLabel() {
			if l.GetValue() != label {
				continue
			}
			return m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	t.Errorf("no %s of %s", name, label)
	return 0
}
