package schedule_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/schedule"
)

// bench runs a runner in a bubble of testing/synctest, whose clock moves only
// while everything waits: years pass at once.
type bench struct {
	t       *testing.T
	opts    schedule.RunnerOptions
	job     func(ctx context.Context, n int) // n counts from 1
	log     bytes.Buffer
	mu      sync.Mutex
	ran     []string // slot and time of each run
	skipped []schedule.Reason
	cancel  context.CancelFunc
	ended   chan error
}

func newBench(t *testing.T, expr, zone string) *bench {
	b := &bench{t: t, job: func(context.Context, int) {}}
	b.opts = schedule.RunnerOptions{
		Schedule: parse(t, expr, zone), Key: "shop", Job: b.run,
		Log: slog.New(slog.NewTextHandler(&b.log, nil)),
		Skipped: func(_ schedule.Slot, why schedule.Reason) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.skipped = append(b.skipped, why)
		},
	}
	return b
}

func (b *bench) run(ctx context.Context, slot schedule.Slot) {
	b.mu.Lock()
	b.ran = append(b.ran, slot.Key()+" "+time.Now().UTC().Format("2006-01-02T15:04:05Z"))
	n := len(b.ran)
	b.mu.Unlock()
	b.job(ctx, n)
}

// start lets the clock reach from and starts the runner there.
func (b *bench) start(from string) {
	b.t.Helper()
	<-time.After(time.Until(at(b.t, from)))
	r, err := schedule.NewRunner(b.opts)
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.t.Context())
	b.cancel, b.ended = cancel, make(chan error, 1)
	go func() { b.ended <- r.Run(ctx) }()
}

// stopAt lets the clock reach to, stops the runner and waits for its end.
func (b *bench) stopAt(to string) error {
	b.t.Helper()
	<-time.After(time.Until(at(b.t, to)))
	b.cancel()
	return <-b.ended
}

func (b *bench) wantRuns(want ...string) {
	b.t.Helper()
	if diff := cmp.Diff(want, b.ran); diff != "" {
		b.t.Errorf("runs (-want +got):\n%s", diff)
	}
}

func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f) // it fails if a goroutine is left when f ends
}

func TestRunnerKeepsToTheSlots(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, "30 4 * * *", "UTC")
		b.start("2026-11-30T12:00:00Z")
		if err := b.stopAt("2026-12-03T04:29:59Z"); err != nil {
			t.Error(err)
		}
		b.wantRuns("2026-12-01T04:30 2026-12-01T04:30:00Z", "2026-12-02T04:30 2026-12-02T04:30:00Z")
	})
}

func TestRunnerRunsOnceOnDaysThatClocksAreTurned(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, "17 2 * * *", "Europe/Berlin")
		b.start("2026-10-24T12:00:00Z")
		_ = b.stopAt("2026-10-26T00:00:00Z")
		b.wantRuns("2026-10-25T02:17 2026-10-25T00:17:00Z")
		b.start("2027-03-27T12:00:00Z")
		_ = b.stopAt("2027-03-29T00:00:00Z")
		b.wantRuns("2026-10-25T02:17 2026-10-25T00:17:00Z", "2027-03-28T02:17 2027-03-28T01:00:00Z")
	})
}

func TestRunnerCatchesUpOnceAfterThreeDaysDown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, "30 4 * * *", "UTC")
		b.opts.Store = schedule.File(filepath.Join(t.TempDir(), "serve", "shop.json"))
		b.start("2026-11-30T04:00:00Z")
		_ = b.stopAt("2026-11-30T05:00:00Z")
		b.start("2026-12-03T12:00:00Z")
		_ = b.stopAt("2026-12-03T13:00:00Z")
		b.start("2026-12-03T14:00:00Z") // nothing was missed now
		_ = b.stopAt("2026-12-04T05:00:00Z")
		b.wantRuns("2026-11-30T04:30 2026-11-30T04:30:00Z", "2026-12-03T04:30 2026-12-03T12:00:00Z", "2026-12-04T04:30 2026-12-04T04:30:00Z")
	})
}

// A machine that sleeps stops the timers and not the clock on the wall.
func TestRunnerCatchesUpOnceAfterTheMachineSlept(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, "30 4 * * *", "UTC")
		var slept atomic.Int64
		b.opts.Clock = func() time.Time { return time.Now().Add(time.Duration(slept.Load())) }
		b.start("2026-11-30T03:05:00Z")
		<-time.After(time.Minute)
		slept.Store(int64(50 * time.Hour)) // it is 05:06 two days later
		_ = b.stopAt("2026-11-30T03:55:00Z")
		b.wantRuns("2026-12-02T04:30 2026-11-30T03:15:00Z")
		if len(b.skipped) != 0 {
			t.Errorf("looks at the clock are counted as skipped: %v", b.skipped)
		}
	})
}

func TestAFirstStartMissedNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, "30 4 * * *", "UTC")
		b.start("2026-11-30T12:00:00Z")
		_ = b.stopAt("2026-11-30T13:00:00Z")
		b.wantRuns()
	})
}

func TestOnceRunsAtTheStartAndTheScheduleGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, "30 4 * * *", "UTC")
		b.opts.Once = true
		b.start("2026-11-30T12:00:00Z")
		_ = b.stopAt("2026-12-01T05:00:00Z")
		b.wantRuns("2026-11-30T04:30 2026-11-30T12:00:00Z", "2026-12-01T04:30 2026-12-01T04:30:00Z")
	})
}

func TestASlotThatComesDuringARunIsSkippedAndCounted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, "0 * * * *", "UTC")
		b.job = func(_ context.Context, n int) {
			if n == 1 {
				<-time.After(150 * time.Minute)
			}
		}
		b.start("2026-11-30T12:30:00Z")
		_ = b.stopAt("2026-11-30T16:30:00Z")
		b.wantRuns("2026-11-30T13:00 2026-11-30T13:00:00Z", "2026-11-30T16:00 2026-11-30T16:00:00Z")
		if want := []schedule.Reason{schedule.StillRunning, schedule.StillRunning}; !slices.Equal(b.skipped, want) {
			t.Errorf("skipped: %v", b.skipped)
		}
	})
}

func TestAPanicDoesNotStopLaterRuns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, "0 * * * *", "UTC")
		b.job = func(_ context.Context, n int) {
			if n < 3 {
				panic("at the worst time")
			}
		}
		b.start("2026-11-30T12:30:00Z")
		_ = b.stopAt("2026-11-30T15:30:00Z")
		b.wantRuns("2026-11-30T13:00 2026-11-30T13:00:00Z", "2026-11-30T14:00 2026-11-30T14:00:00Z", "2026-11-30T15:00 2026-11-30T15:00:00Z")
		if n := strings.Count(b.log.String(), "at the worst time"); n < 2 {
			t.Errorf("the log tells of %d panics:\n%s", n, &b.log)
		}
		if !strings.Contains(b.log.String(), "night=2026-11-30T14:00 panic=") {
			t.Errorf("the log does not say which run it was:\n%s", &b.log)
		}
	})
}

func TestAStopEndsTheJitterAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, "0 4 * * *", "UTC")
		b.opts.Jitter = 6 * time.Hour
		b.start("2026-11-30T03:59:00Z")
		_ = b.stopAt("2026-11-30T04:00:01Z")
		if took := time.Since(at(t, "2026-11-30T04:00:01Z")); took != 0 {
			t.Errorf("the stop took %s", took)
		}
		b.wantRuns()
	})
}

func TestTheJitterPassesBeforeARun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, "0 4 * * *", "UTC")
		b.opts.Jitter = time.Hour
		b.start("2026-11-30T03:59:00Z")
		_ = b.stopAt("2026-11-30T06:00:00Z")
		slot := b.opts.Schedule.SlotAt(time.Now())
		wait := schedule.Jitter("shop", slot, time.Hour)
		b.wantRuns(slot.Key() + " " + slot.At.Add(wait).Format("2006-01-02T15:04:05Z"))
	})
}

func TestAStopLetsARunEndWithinTheGrace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, "0 4 * * *", "UTC")
		b.opts.Grace = time.Minute
		var broken error
		b.job = func(ctx context.Context, _ int) {
			select {
			case <-time.After(30 * time.Second):
			case <-ctx.Done():
				broken = ctx.Err()
			}
		}
		b.start("2026-11-30T03:59:00Z")
		if err := b.stopAt("2026-11-30T04:00:01Z"); err != nil || broken != nil {
			t.Errorf("the runner ended with %v, the job with %v", err, broken)
		}
		if now := time.Now().UTC(); !now.Equal(at(t, "2026-11-30T04:00:30Z")) {
			t.Errorf("it ended at %s", now)
		}
	})
}

// A run that is broken off is caught up by the next process, however often that
// happens: its slot is neither taken for done nor for one that ends processes.
func TestARunBrokenOffByAStopIsCaughtUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, "0 4 * * *", "UTC")
		b.opts.Grace, b.opts.Store = time.Minute, new(schedule.Memory)
		b.job = func(ctx context.Context, n int) {
			if n > 1 && n < 5 {
				<-ctx.Done()
			}
		}
		b.start("2026-11-29T03:59:00Z")
		if err := b.stopAt("2026-11-30T04:00:01Z"); err != nil {
			t.Error(err)
		}
		if now := time.Now().UTC(); !now.Equal(at(t, "2026-11-30T04:01:01Z")) {
			t.Errorf("the stop was over at %s", now)
		}
		for _, hour := range []string{"06", "07", "08", "09"} {
			b.start("2026-11-30T" + hour + ":00:00Z")
			_ = b.stopAt("2026-11-30T" + hour + ":00:01Z")
		}
		b.wantRuns("2026-11-29T04:00 2026-11-29T04:00:00Z", "2026-11-30T04:00 2026-11-30T04:00:00Z",
			"2026-11-30T04:00 2026-11-30T06:00:00Z", "2026-11-30T04:00 2026-11-30T07:00:00Z", "2026-11-30T04:00 2026-11-30T08:00:00Z")
	})
}

func TestARunThatHeedsNothingIsAnError(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, "0 4 * * *", "UTC")
		deaf := make(chan struct{})
		b.job = func(context.Context, int) { <-deaf }
		b.start("2026-11-30T03:59:00Z")
		if err := b.stopAt("2026-11-30T04:00:01Z"); err == nil {
			t.Error("nobody hears of a run that does not end")
		}
		close(deaf)
	})
}

// A run that ends the process is tried once more, then its slot is given up and
// the next one comes as ever.
func TestASlotThatEndsTheProcessIsGivenUp(t *testing.T) {
	for attempts, want := range map[int][]string{
		1: {"2026-11-30T04:00 2026-11-30T05:00:00Z", "2026-12-01T04:00 2026-12-01T04:00:00Z"},
		2: {"2026-12-01T04:00 2026-12-01T04:00:00Z"},
	} {
		t.Run(fmt.Sprint(attempts), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				b := newBench(t, "0 4 * * *", "UTC")
				b.opts.Store = new(schedule.Memory)
				// What such a process leaves behind.
				_ = b.opts.Store.Save(t.Context(), schedule.Mark{At: at(t, "2026-11-30T04:00:00Z"), Attempts: attempts})
				b.start("2026-11-30T05:00:00Z")
				_ = b.stopAt("2026-12-01T05:00:00Z")
				b.wantRuns(want...)
				if gaveUp := slices.Contains(b.skipped, schedule.Crashed); gaveUp != (attempts == 2) {
					t.Errorf("skipped: %v", b.skipped)
				}
			})
		})
	}
}

// broken is a store that works for nobody.
type broken struct{}

func (broken) Last(context.Context) (schedule.Mark, error) {
	return schedule.Mark{}, errors.New("no such disk")
}
func (broken) Save(context.Context, schedule.Mark) error { return errors.New("no such disk") }

func TestRunsGoOnWithoutAStore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, "0 4 * * *", "UTC")
		b.opts.Store = broken{}
		b.start("2026-11-30T03:59:00Z")
		_ = b.stopAt("2026-12-01T04:00:01Z")
		b.wantRuns("2026-11-30T04:00 2026-11-30T04:00:00Z", "2026-12-01T04:00 2026-12-01T04:00:00Z")
		if !strings.Contains(b.log.String(), "no such disk") {
			t.Errorf("the log does not tell:\n%s", &b.log)
		}
	})
}

func TestARunnerRefusesAJitterWithoutRoom(t *testing.T) {
	t.Parallel()
	_, err := schedule.NewRunner(schedule.RunnerOptions{Schedule: parse(t, "* * * * *", "UTC"), Jitter: time.Hour})
	if err == nil || !strings.Contains(err.Error(), "write less than that") {
		t.Errorf("got %v", err)
	}
}
