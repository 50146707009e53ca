package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Limits of a request: the endpoints answer at once and take no body.
const (
	readTimeout  = 5 * time.Second
	writeTimeout = 15 * time.Second
	idleTimeout  = time.Minute
	maxHeader    = 16 << 10
	stopTimeout  = 5 * time.Second
)

func listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("listen on %s: the port is taken, perhaps by another retrosweep: name a free one with --listen HOST:PORT", addr)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("listen on %s: this user may not: name a port above 1023 with --listen HOST:PORT", addr)
	case err != nil:
		return nil, fmt.Errorf("listen on %s: %w: write --listen HOST:PORT, such as 127.0.0.1:8088", addr, err)
	}
	return l, nil
}

func loopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

func (d *Daemon) server() *http.Server {
	return &http.Server{
		Handler:     d.endpoints(),
		ReadTimeout: readTimeout, ReadHeaderTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader,
		ErrorLog:       slog.NewLogLogger(d.Log.Handler(), slog.LevelDebug),
	}
}

func shutdown(s *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("end the last requests: %w", err), s.Close())
	}
	return nil
}

func (d *Daemon) endpoints() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, "retrosweep "+d.Version+"\n/healthz\n/readyz\n/metrics")
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, "ok")
	})
	mux.HandleFunc("GET /readyz", d.readyz)
	mux.Handle("GET /metrics", promhttp.HandlerFor(d.metrics.Registry, promhttp.HandlerOpts{
		Timeout: writeTimeout / 2, MaxRequestsInFlight: 4,
	}))
	return mux
}

func (d *Daemon) readyz(w http.ResponseWriter, _ *http.Request) {
	ok, why := d.state.ready()
	if !ok {
		answer(w, http.StatusServiceUnavailable, "not ready: "+why)
		return
	}
	answer(w, http.StatusOK, fmt.Sprintf("ready: %s, next %s", why, d.next().UTC().Format(time.RFC3339)))
}

func answer(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, text+"\n") // a prober that left hears nothing
}
