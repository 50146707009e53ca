package llm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Retry says how a failing endpoint is asked again. Zero fields take defaults.
type Retry struct {
	Tries   int           // attempts a call, 4
	MaxWait time.Duration // longest single wait, 60 s; an endpoint that asks for more is given up
	// Sleep waits, or returns early with the context's error. Tests put their
	// own here.
	Sleep func(ctx context.Context, d time.Duration) error
}

type retrier struct{ Retry }

func newRetrier(r Retry) retrier {
	if r.Tries <= 0 {
		r.Tries = 4
	}
	if r.MaxWait <= 0 {
		r.MaxWait = time.Minute
	}
	if r.Sleep == nil {
		r.Sleep = sleep
	}
	return retrier{r}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// do runs op until it works, fails for good or is out of tries. The library's
// own loop takes no clock from outside, so only its intervals are used.
func (r retrier) do(ctx context.Context, op func() error, again func()) error {
	intervals := backoff.NewExponentialBackOff()
	intervals.InitialInterval, intervals.Multiplier, intervals.MaxInterval = time.Second, 3, r.MaxWait
	for try := 1; ; try++ {
		err := op()
		var failed *CallError
		switch {
		case !errors.As(err, &failed) || !failed.Transient:
			return err
		case try == r.Tries:
			return fmt.Errorf("after %d tries: %w", try, err)
		}
		wait := min(intervals.NextBackOff(), r.MaxWait)
		if failed.RetryAfter > r.MaxWait {
			return fmt.Errorf("it asks to wait %s, at most %s is waited: %w", failed.RetryAfter.Round(time.Second), r.MaxWait, err)
		}
		if err := r.Sleep(ctx, max(wait, failed.RetryAfter)); err != nil {
			return fmt.Errorf("wait to ask again (%v): %w", failed, err) // ended from outside: not the endpoint's fault
		}
		again()
	}
}
