package schedule

import (
	"sort"
	"time"
)

// Slot is one date and time that a schedule names.
type Slot struct {
	Local time.Time // the date and time on the wall, written as if it were UTC
	At    time.Time // when it comes: the first time of two, or the end of the jump that leaves it out
}

// IsZero reports whether there is no such slot.
func (s Slot) IsZero() bool { return s.At.IsZero() }

// Key names the slot by its local date and time.
func (s Slot) Key() string { return s.Local.Format("2006-01-02T15:04") }

// Next returns when the first slot after t comes. It makes Schedule a schedule
// of github.com/robfig/cron.
func (s *Schedule) Next(t time.Time) time.Time { return s.NextSlot(t).At }

// NextSlot returns the first slot that comes after t; of slots that come at
// once, because the clock jumped over them, the last.
func (s *Schedule) NextSlot(t time.Time) Slot {
	// A slot after t has a later wall time, because laying slots on the zone
	// keeps their order; the reverse does not hold while an hour comes twice.
	for local := s.wall.Next(s.onWall(t)); !local.IsZero(); local = s.wall.Next(local) {
		if slot := s.lay(local); slot.At.After(t) {
			return s.lastAt(slot)
		}
	}
	return Slot{}
}

// lastAt goes on to the last of the slots that come at the same time.
func (s *Schedule) lastAt(slot Slot) Slot {
	for {
		next := s.wall.Next(slot.Local)
		if next.IsZero() || !s.lay(next).At.Equal(slot.At) {
			return slot
		}
		slot = s.lay(next)
	}
}

// lookBack is how far a slot is looked for: leap days are eight years apart
// at most, and the library looks ahead five.
const lookBack = 5 * 366 * 24 * time.Hour

// SlotAt returns the last slot that has come at t; the zero slot where there
// was none in five years.
func (s *Schedule) SlotAt(t time.Time) Slot {
	from := s.onWall(t).Add(-lookBack).Truncate(time.Minute)
	came := func(minutes int) (Slot, bool) {
		local := s.wall.Next(from.Add(time.Duration(minutes) * time.Minute))
		if local.IsZero() {
			return Slot{}, false
		}
		slot := s.lay(local)
		return slot, !slot.At.After(t)
	}
	// The wall may show a slot that came already for up to a day after t, when
	// a zone turns its clocks back.
	span := int((lookBack + 25*time.Hour) / time.Minute)
	first := sort.Search(span, func(i int) bool { _, ok := came(i); return !ok })
	if first == 0 {
		return Slot{}
	}
	slot, _ := came(first - 1)
	return slot
}

// onWall returns what the wall shows at t, written as if it were UTC.
func (s *Schedule) onWall(t time.Time) time.Time {
	t = t.In(s.loc)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// lay finds the instant of a wall time. time.Date would choose either side of
// a jump.
func (s *Schedule) lay(local time.Time) Slot {
	// Offsets are 14 hours at most, so these two lie on either side of a jump.
	before := offset(local.Add(-24*time.Hour), s.loc)
	after := offset(local.Add(24*time.Hour), s.loc)
	early, late := local.Add(-before), local.Add(-after)
	if late.Before(early) {
		early, late = late, early
	}
	for _, at := range []time.Time{early, late} {
		if s.onWall(at).Equal(local) {
			return Slot{Local: local, At: at.In(s.loc)}
		}
	}
	// Neither side shows it: the clock jumped over it, and late lies behind.
	jump, _ := late.In(s.loc).ZoneBounds()
	return Slot{Local: local, At: jump}
}

func offset(t time.Time, loc *time.Location) time.Duration {
	_, seconds := t.In(loc).Zone()
	return time.Duration(seconds) * time.Second
}
