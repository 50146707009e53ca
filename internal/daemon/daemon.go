// Package daemon owns the process that runs nights by a schedule: it listens
// for the probes and the scraper, gives each night its log and its numbers, and
// stops without leaving anything behind.
//
// What a night is, the daemon does not know: it calls a function and reads the
// receipt. A night that fails, or panics, is told in log and metrics, and the
// next one runs all the same.
//
// Endpoints, all without a login and without text of the repository:
//
//	/healthz  200 while the process serves. A failing night is no reason to
//	          restart it: the next process would fail the same way.
//	/readyz   200 from when the schedule is kept to; 503 when the last two
//	          nights failed, one after the other, and while stopping. One
//	          failure may be a network's; two are for a person.
//	/metrics  Prometheus.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/internal/schedule"
	"github.com/retrosweep/retrosweep/internal/telemetry"
)

// Options are what a daemon needs. Schedule, Night and Log must be given.
type Options struct {
	Schedule *schedule.Schedule
	// Night runs one night over the repository, opened anew each time.
	Night func(ctx context.Context, log *slog.Logger) (*report.Receipt, error)

	Repo    string // the repository's identity, for labels and the jitter
	Version string
	Apply   bool // nights write; for the log, Night decides
	Push    bool // nights push; for the log, Night decides

	Listen string        // host:port; port 0 takes a free one
	Jitter time.Duration // at most this long after a slot
	Grace  time.Duration // how long a night may go on after a stop
	Once   bool          // run one night at the start
	Store  schedule.Store

	Log   *slog.Logger
	Clock func() time.Time // nil: time.Now
}

// Daemon is a process that listens already and has run no night yet.
type Daemon struct {
	Options
	listener net.Listener
	metrics  *telemetry.Metrics
	runner   *schedule.Runner
	state    state
}

// New takes the address and makes everything ready. Its errors are for the
// person at the command line.
func New(o Options) (*Daemon, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	d := &Daemon{Options: o}
	d.metrics = telemetry.NewMetrics(o.Repo, o.Version, d.next)
	var err error
	d.runner, err = schedule.NewRunner(schedule.RunnerOptions{
		Schedule: o.Schedule, Job: d.job, Key: o.Repo,
		Jitter: o.Jitter, Grace: o.Grace, Once: o.Once,
		Store: o.Store, Log: o.Log, Clock: o.Clock,
		Skipped: func(_ schedule.Slot, why schedule.Reason) { d.metrics.Skip(why) },
	})
	if err != nil {
		return nil, err
	}
	d.listener, err = listen(o.Listen)
	return d, err
}

// Addr is where the daemon listens.
func (d *Daemon) Addr() net.Addr { return d.listener.Addr() }

func (d *Daemon) next() time.Time { return d.Schedule.Next(d.Clock()) }

// Run serves and runs nights until ctx ends, which is no error. It returns when
// neither a night nor a request is under way any more.
func (d *Daemon) Run(ctx context.Context) error {
	d.announce()
	server := d.server()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var work errgroup.Group
	work.Go(func() error {
		defer cancel() // without probes and metrics nobody would see the nights fail
		if err := server.Serve(d.listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve on %s: %w", d.Addr(), err)
		}
		return nil
	})
	work.Go(func() error {
		d.state.start()
		defer context.AfterFunc(ctx, d.state.stop)()
		err := d.runner.Run(ctx)
		d.Log.Info("stopped")
		return errors.Join(err, shutdown(server))
	})
	return work.Wait()
}

func (d *Daemon) announce() {
	d.Log.Info("nights by schedule", "repo", d.Repo, "schedule", d.Schedule.String(), "zone", d.Schedule.Location().String(),
		"next", d.next().Format(time.RFC3339), "jitter", d.Jitter, "version", d.Version, "apply", d.Apply, "push", d.Push)
	if !d.Apply {
		d.Log.Info("dry run: nights write nothing but a private cache; --apply lets them write")
	}
	d.Log.Info("listening", "addr", d.Addr().String())
	if !loopback(d.Addr()) {
		d.Log.Warn("listening beyond this machine, without a login: whoever reaches the address reads the metrics", "addr", d.Addr().String())
	}
}

// job runs the night of a slot and gives the memory it took back at once: a
// daemon idles nearly all its life, and the runtime would keep a night's peak
// for minutes.
func (d *Daemon) job(ctx context.Context, slot schedule.Slot) {
	defer debug.FreeOSMemory()
	d.night(ctx, slot)
}

// night runs one night and tells how it ended. A panic passes through, to be
// caught by the runner.
func (d *Daemon) night(ctx context.Context, slot schedule.Slot) {
	log, id := telemetry.ForNight(d.Log, slot.Key())
	began, how := d.Clock(), telemetry.Panicked
	var receipt *report.Receipt
	var err error
	defer func() {
		ended := d.Clock()
		d.metrics.End(how, began, ended, receipt)
		d.state.note(how, ended)
		tell(log, how, ended.Sub(began), receipt, err)
	}()
	d.metrics.Begin()
	log.Info("night begins")
	receipt, err = d.Night(ctx, log)
	how = outcome(ctx, receipt, err)
	if receipt != nil {
		id.Set(receipt.Run)
	}
}

func outcome(ctx context.Context, r *report.Receipt, err error) telemetry.Outcome {
	switch {
	case err != nil && ctx.Err() != nil:
		return telemetry.Interrupted
	case err != nil || r == nil:
		return telemetry.Failed
	case r.Outcome == report.Partial:
		return telemetry.Partial
	case r.Outcome == report.Skipped:
		return telemetry.Held
	}
	return telemetry.Done
}
