package daemon

import (
	"context"
	"log/slog"
	"time"

	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/internal/telemetry"
)

// maxWarnings bounds the lines one night may write; the journal has them all.
const maxWarnings = 20

// tell writes what a night came to.
func tell(log *slog.Logger, how telemetry.Outcome, took time.Duration, r *report.Receipt, err error) {
	attrs := []slog.Attr{slog.String("outcome", string(how)), slog.Float64("seconds", took.Seconds())}
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
	}
	if r != nil {
		attrs = append(attrs, numbers(r)...)
		for _, w := range r.Warnings[:min(len(r.Warnings), maxWarnings)] {
			log.Warn(w)
		}
	}
	log.LogAttrs(context.Background(), level(how), "night ended", attrs...)
}

func level(how telemetry.Outcome) slog.Level {
	switch how {
	case telemetry.Failed, telemetry.Panicked:
		return slog.LevelError
	case telemetry.Partial, telemetry.Interrupted:
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// numbers counts what the receipt lists; its texts stay out of the log.
func numbers(r *report.Receipt) []slog.Attr {
	usd, written := 0.0, 0
	for _, u := range r.Usage {
		usd += u.USD
	}
	for _, p := range r.Proposals {
		if p.State == report.ProposalOpened || p.State == report.ProposalUpdated {
			written++
		}
	}
	return []slog.Attr{
		slog.String("mode", string(r.Mode)), slog.String("branch", r.Branch),
		slog.Int("commits", r.Range.Commits), slog.Int("facts", r.Facts.Total), slog.Int("broken", r.Facts.Broken),
		slog.Int("findings", len(r.Findings)), slog.Int("lessons", len(r.Lessons)),
		slog.Int("proposals", len(r.Proposals)), slog.Int("written", written), slog.Float64("usd", usd),
	}
}
