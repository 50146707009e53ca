package schedule

import (
	"time"

	"github.com/robfig/cron/v3"
)

// wake is how often a runner looks at the clock between slots. Timers stand
// still while a machine sleeps; the clock on the wall does not.
const wake = 10 * time.Minute

// waking makes cron look at the clock between the slots.
type waking struct{ *Schedule }

// Next returns the next slot, or the next look at the clock if that is sooner.
func (w waking) Next(t time.Time) time.Time {
	next, look := w.Schedule.Next(t), t.Add(wake)
	if next.IsZero() || look.Before(next) {
		return look
	}
	return next
}

// gate lets each slot pass once, and nothing between the slots.
func (r *Runner) gate(j cron.Job) cron.Job {
	return cron.FuncJob(func() {
		if r.pass() {
			j.Run()
		}
	})
}

func (r *Runner) pass() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	slot := r.Schedule.SlotAt(r.Clock())
	if !r.once && !slot.At.After(r.passed.At) {
		return false
	}
	r.passed = slot
	return true
}

func (r *Runner) overlapped() {
	slot := r.Schedule.SlotAt(r.Clock())
	r.Log.Warn("the run before is still under way: this slot is skipped", "night", slot.Key())
	r.Skipped(slot, StillRunning)
}

// quiet keeps cron's own chatter out of the log.
type quiet struct{}

func (quiet) Info(string, ...any)         {}
func (quiet) Error(error, string, ...any) {}

// onSkip is told by cron's SkipIfStillRunning, which has a logger and no hook.
type onSkip func()

// Info is called for a skip, and for nothing else.
func (f onSkip) Info(string, ...any) { f() }

// Error is not called by SkipIfStillRunning.
func (onSkip) Error(error, string, ...any) {}

func (r *Runner) panicked(err error, stack []any) {
	r.mu.Lock()
	slot := r.passed
	r.mu.Unlock()
	r.Log.Error("the run ended in a panic; later ones go on", append([]any{"night", slot.Key(), "panic", err.Error()}, stack...)...)
}

// onPanic is told by cron's Recover.
type onPanic func(err error, stack []any)

// Info is not called by Recover.
func (onPanic) Info(string, ...any) {}

// Error is called for a panic, with its stack.
func (f onPanic) Error(err error, _ string, stack ...any) { f(err, stack) }
