package schedule

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"
)

// Jitter returns how long the run of a slot waits, below most and in whole
// seconds, so that many repositories with one schedule do not begin at once.
// The same repository waits as long on the same date, wherever it runs.
func Jitter(key string, slot Slot, most time.Duration) time.Duration {
	if most < time.Second {
		return 0
	}
	sum := sha256.Sum256([]byte(key + "\x00" + slot.Local.Format(time.DateOnly)))
	return time.Duration(binary.BigEndian.Uint64(sum[:])%uint64(most/time.Second)) * time.Second
}

// maxJitter keeps a night a night.
const maxJitter = 6 * time.Hour

// CheckJitter refuses a jitter that the schedule has no room for: a run must
// begin before the next slot comes.
func (s *Schedule) CheckJitter(most time.Duration) error {
	if most < 0 || most > maxJitter {
		return fmt.Errorf("jitter %s: it takes 0 to %s", most, maxJitter)
	}
	if gap := s.shortestGap(); most > 0 && most >= gap {
		return fmt.Errorf("jitter %s: the schedule %q comes as often as every %s, write less than that", most, s.expr, gap)
	}
	return nil
}

// shortestGap looks through enough slots to see a field's list wrap around.
func (s *Schedule) shortestGap() time.Duration {
	gap := time.Duration(1<<63 - 1)
	at := s.wall.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))
	for range 200 {
		next := s.wall.Next(at)
		if next.IsZero() {
			break
		}
		gap, at = min(gap, next.Sub(at)), next
	}
	return gap
}
