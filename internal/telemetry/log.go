package telemetry

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lmittmann/tint"

	"github.com/retrosweep/retrosweep/internal/guard"
)

// LogOptions set how log lines look.
type LogOptions struct {
	Level    slog.Level
	Terminal bool     // for a person: one short line; else JSON
	Color    bool     // on a terminal
	Secrets  []string // values that no line may hold, beside all that look like one
}

// NewLog makes the log of a daemon. No line of it holds a secret or a control
// character, whatever an error message quotes.
func NewLog(w io.Writer, o LogOptions) *slog.Logger {
	var h slog.Handler
	if o.Terminal {
		h = tint.NewTextHandler(w, &tint.Options{Level: o.Level, NoColor: !o.Color, TimeFormat: time.TimeOnly})
	} else {
		h = slog.NewJSONHandler(w, &slog.HandlerOptions{Level: o.Level})
	}
	return slog.New(&cleanHandler{Handler: h, clean: cleaner(o.Secrets)})
}

// minSecret keeps an empty or tiny variable from blanking out whole lines.
const minSecret = 6

func cleaner(secrets []string) func(string) string {
	var pairs []string
	for _, s := range secrets {
		if len(s) >= minSecret {
			pairs = append(pairs, s, "‹redacted›")
		}
	}
	named := strings.NewReplacer(pairs...)
	return func(s string) string {
		s, _ = guard.Redact(named.Replace(s))
		return guard.Terminal(s)
	}
}

// cleanHandler takes secrets out of every message and value.
type cleanHandler struct {
	slog.Handler
	clean func(string) string
}

// Handle passes a cleaned copy of the record on.
func (h *cleanHandler) Handle(ctx context.Context, r slog.Record) error {
	c := slog.NewRecord(r.Time, r.Level, h.clean(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		c.AddAttrs(h.attr(a))
		return true
	})
	return h.Handler.Handle(ctx, c)
}

// WithAttrs cleans what every later line is to hold.
func (h *cleanHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &cleanHandler{h.Handler.WithAttrs(h.attrs(attrs)), h.clean}
}

// WithGroup opens a group.
func (h *cleanHandler) WithGroup(name string) slog.Handler {
	return &cleanHandler{h.Handler.WithGroup(name), h.clean}
}

func (h *cleanHandler) attrs(attrs []slog.Attr) []slog.Attr {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = h.attr(a)
	}
	return out
}

func (h *cleanHandler) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindGroup:
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(h.attrs(v.Group())...)}
	case slog.KindString:
		return slog.String(a.Key, h.clean(v.String()))
	case slog.KindDuration:
		return slog.String(a.Key, v.Duration().String()) // JSON would have nanoseconds
	case slog.KindAny:
		// An error, a struct: printed here, so that no encoder reaches a field
		// that was not looked at.
		return slog.String(a.Key, h.clean(fmt.Sprint(v.Any())))
	}
	return a
}

// ForNight returns a log whose lines all name the night, and the run from the
// first line on that says its id: the id is derived from what the run looks at
// and not known before.
func ForNight(log *slog.Logger, night string) (*slog.Logger, *RunID) {
	id := new(RunID)
	return slog.New(&nightHandler{log.With("night", night).Handler(), id}), id
}

// RunID is the id of the run under way, empty until it is known. It is safe for
// concurrent use.
type RunID struct{ v atomic.Value }

// Set makes the id known.
func (r *RunID) Set(id string) {
	if id != "" {
		r.v.Store(id)
	}
}

// String returns the id.
func (r *RunID) String() string {
	id, _ := r.v.Load().(string)
	return id
}

const runKey = "run"

type nightHandler struct {
	slog.Handler
	id *RunID
}

// Enabled lets every line come: one that is not written may be the one that
// says the run's id.
func (h *nightHandler) Enabled(context.Context, slog.Level) bool { return true }

// Handle adds the run's id, or learns it.
func (h *nightHandler) Handle(ctx context.Context, r slog.Record) error {
	says := false
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == runKey {
			says = true
			h.id.Set(a.Value.String())
		}
		return !says
	})
	if !h.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	if id := h.id.String(); id != "" && !says {
		r = r.Clone()
		r.AddAttrs(slog.String(runKey, id))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs keeps the night.
func (h *nightHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &nightHandler{h.Handler.WithAttrs(attrs), h.id}
}

// WithGroup keeps the night.
func (h *nightHandler) WithGroup(name string) slog.Handler {
	return &nightHandler{h.Handler.WithGroup(name), h.id}
}
