package daemon

import (
	"fmt"
	"sync"
	"time"

	"github.com/retrosweep/retrosweep/internal/telemetry"
)

// unready is how many nights must fail in a row before a person is called.
const unready = 2

// state is what the probes ask for.
type state struct {
	mu       sync.Mutex
	started  bool
	stopping bool
	failed   int // nights in a row
	last     telemetry.Outcome
	ended    time.Time
}

func (s *state) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started = true
}

func (s *state) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping = true
}

// note counts failures in a row. A night that another process held, or that a
// stop broke off, says nothing about the next one.
func (s *state) note(how telemetry.Outcome, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last, s.ended = how, at
	switch how {
	case telemetry.Failed, telemetry.Panicked:
		s.failed++
	case telemetry.Done, telemetry.Partial:
		s.failed = 0
	}
}

// ready says why or why not.
func (s *state) ready() (ok bool, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := "no night yet"
	if s.last != "" {
		last = fmt.Sprintf("last night %s at %s", s.last, s.ended.UTC().Format(time.RFC3339))
	}
	switch {
	case s.stopping:
		return false, "stopping; " + last
	case !s.started:
		return false, "starting"
	case s.failed >= unready:
		return false, fmt.Sprintf("%d nights failed in a row, see the log; %s", s.failed, last)
	}
	return true, last
}
