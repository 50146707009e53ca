package schedule

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/robfig/cron/v3"
)

// Reason says why a slot had no run.
type Reason string

// Reasons for a slot without a run.
const (
	StillRunning Reason = "still_running" // the run before it had not ended
	AlreadyRan   Reason = "already_ran"   // the store knows a run of this slot, or a later one
	Crashed      Reason = "crashed"       // it was begun and never ended, maxAttempts times
)

// maxAttempts is how often one slot is begun whose run ends the process: a run
// that cannot be survived must not keep the daemon from ever being up.
const maxAttempts = 2

// RunnerOptions are what a runner needs. Schedule and Job must be given.
type RunnerOptions struct {
	Schedule *Schedule
	// Job does the work of a slot. Its context ends when the grace of a stop
	// is over.
	Job func(ctx context.Context, slot Slot)
	Key string // the repository, for the jitter

	Jitter time.Duration // at most this long after a slot; 0: on time
	Grace  time.Duration // how long a run may go on after a stop
	Once   bool          // run once at the start, whatever the schedule says

	Store   Store              // nil: nothing is known of earlier processes
	Log     *slog.Logger       // nil: nothing is logged
	Skipped func(Slot, Reason) // nil: not told
	Clock   func() time.Time   // nil: time.Now
}

// Runner runs a job at the slots of a schedule until it is stopped.
type Runner struct {
	RunnerOptions
	cron  *cron.Cron
	entry cron.EntryID

	stop context.Context    // ends when no run may begin any more
	jobs context.Context    // ends when the grace is over
	kill context.CancelFunc // ends jobs
	own  sync.WaitGroup     // runs that cron did not start

	mu     sync.Mutex
	last   Mark
	passed Slot // the last that was run or skipped
	once   bool // the run at the start has not begun yet
}

// NewRunner makes a runner. It refuses a jitter that the schedule has no room
// for.
func NewRunner(o RunnerOptions) (*Runner, error) {
	if err := o.Schedule.CheckJitter(o.Jitter); err != nil {
		return nil, err
	}
	if o.Store == nil {
		o.Store = new(Memory)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Skipped == nil {
		o.Skipped = func(Slot, Reason) {}
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &Runner{RunnerOptions: o}, nil
}

// Run keeps to the schedule until ctx ends. Then no further run begins, and a
// run under way may go on for the grace before its context is ended too. It
// returns when nothing of it runs any more, with an error where a run does not
// heed its context. It may be called once.
func (r *Runner) Run(ctx context.Context) error {
	r.stop = ctx
	r.jobs, r.kill = context.WithCancel(context.WithoutCancel(ctx))
	defer r.kill()
	r.cron = cron.New(
		cron.WithLocation(r.Schedule.Location()),
		cron.WithLogger(quiet{}),
		// Skip stands before Recover, which is innermost: a panic that passed
		// through Skip would keep its token, and no run would begin again.
		cron.WithChain(r.gate, cron.SkipIfStillRunning(onSkip(r.overlapped)), cron.Recover(onPanic(r.panicked))),
	)
	r.entry = r.cron.Schedule(waking{r.Schedule}, cron.FuncJob(r.due))
	r.remember(ctx)
	r.cron.Start()
	r.catchUp()
	<-ctx.Done()
	return r.wind()
}

// remember reads what earlier processes did. A store that cannot be read is no
// reason not to run: the nights bear being repeated.
func (r *Runner) remember(ctx context.Context) {
	last, err := r.Store.Last(ctx)
	if err != nil {
		r.Log.Warn("the last run is not known for sure", "error", err)
	}
	r.last, r.once = last, r.Once
}

// catchUp begins one run now if one is asked for or if slots went by while no
// process was there. Where no run is known nothing was missed.
func (r *Runner) catchUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	slot := r.Schedule.SlotAt(r.Clock())
	missed := !r.last.At.IsZero() && r.missed(slot)
	if !missed && !r.once {
		r.passed = slot
		return
	}
	if missed {
		r.Log.Info("catching up on what was missed", "night", slot.Key(), "last", r.last.At)
	}
	job := r.cron.Entry(r.entry).WrappedJob
	r.own.Go(job.Run)
}

// missed reports whether the slot has had no whole run.
func (r *Runner) missed(slot Slot) bool {
	ran := r.Schedule.SlotAt(r.last.At)
	return !slot.IsZero() && (slot.At.After(ran.At) || slot.At.Equal(ran.At) && !r.last.Done)
}

// patience is how long a run may take to heed that its context ended.
const patience = 10 * time.Second

// breath is the least a stop waits, so that a runner without a run is not
// taken for one whose run goes on.
const breath = 100 * time.Millisecond

// wind stops cron, waits for the run under way, and ends it after the grace.
func (r *Runner) wind() error {
	byCron := r.cron.Stop()
	ended := make(chan struct{})
	go func() {
		<-byCron.Done()
		r.own.Wait()
		close(ended)
	}()
	if within(ended, max(r.Grace, breath)) {
		return nil
	}
	r.Log.Warn("the run under way did not end in time and is broken off", "grace", r.Grace)
	r.kill()
	if within(ended, patience) {
		return nil
	}
	return fmt.Errorf("stop the run under way: it does not end %s after it was told to", patience)
}

func within(ended <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ended:
		return true
	case <-timer.C:
		return false
	}
}

// due is what cron runs, already alone and with panics caught.
func (r *Runner) due() {
	slot, mark, begin := r.claim(r.Clock())
	if !begin || !r.wait(slot) {
		return
	}
	before := r.note(mark)
	defer func() {
		if r.jobs.Err() != nil {
			r.note(before) // broken off by the stop: the next process catches up
			return
		}
		mark.Done = true
		r.note(mark)
	}()
	r.Job(r.jobs, slot)
}

// claim decides whether a run begins now, and for which slot.
func (r *Runner) claim(now time.Time) (Slot, Mark, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	slot := r.Schedule.SlotAt(now)
	if r.once {
		r.once = false
		at := cmp.Or(slot, Slot{Local: r.Schedule.onWall(now), At: now})
		return at, Mark{At: now, Attempts: 1}, true
	}
	if !r.last.At.IsZero() && !r.missed(slot) {
		r.Skipped(slot, AlreadyRan)
		return slot, Mark{}, false
	}
	attempts := 1
	if !r.last.Done && r.Schedule.SlotAt(r.last.At).At.Equal(slot.At) {
		attempts = r.last.Attempts + 1
	}
	if attempts > maxAttempts {
		r.Log.Error("a run of this slot ended the process more than once: it waits for the next slot", "night", slot.Key())
		r.Skipped(slot, Crashed)
		return slot, Mark{}, false
	}
	return slot, Mark{At: slot.At, Attempts: attempts}, true
}

// wait lets the jitter pass; false when a stop came first.
func (r *Runner) wait(slot Slot) bool {
	if r.stop.Err() != nil {
		return false
	}
	jitter := Jitter(r.Key, slot, r.Jitter)
	if jitter == 0 {
		return true
	}
	r.Log.Info("waiting for the jitter to pass", "night", slot.Key(), "jitter", jitter)
	timer := time.NewTimer(jitter)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.stop.Done():
		return false
	}
}

// note saves a mark and returns the one before. It is saved while stopping too.
func (r *Runner) note(m Mark) (before Mark) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, r.last = r.last, m
	if err := r.Store.Save(context.WithoutCancel(r.stop), m); err != nil {
		r.Log.Warn("the run is not remembered: a restart may repeat it", "error", err)
	}
	return before
}
