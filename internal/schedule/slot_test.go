package schedule_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/schedule"
)

func parse(t *testing.T, expr, zone string) *schedule.Schedule {
	t.Helper()
	loc, err := schedule.Zone(zone)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Parse(expr, schedule.Options{Location: loc})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	x, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// turned lists, for a schedule and a stretch of time, every slot and when it
// comes.
var turned = []struct {
	name, zone, expr, from, to string
	want                       []string
}{
	{
		"in spring the hour that is left out is caught up when it is jumped over",
		"Europe/Berlin", "17 2 * * *", "2027-03-27T00:00:00Z", "2027-03-30T00:00:00Z",
		[]string{"2027-03-27T02:17 2027-03-27T01:17Z", "2027-03-28T02:17 2027-03-28T01:00Z", "2027-03-29T02:17 2027-03-29T00:17Z"},
	},
	{
		"in autumn the hour that comes twice runs once",
		"Europe/Berlin", "17 2 * * *", "2026-10-24T00:00:00Z", "2026-10-27T00:00:00Z",
		[]string{"2026-10-24T02:17 2026-10-24T00:17Z", "2026-10-25T02:17 2026-10-25T00:17Z", "2026-10-26T02:17 2026-10-26T01:17Z"},
	},
	{
		"an hour after the jump is on time",
		"Europe/Berlin", "30 4 * * *", "2027-03-27T12:00:00Z", "2027-03-29T12:00:00Z",
		[]string{"2027-03-28T04:30 2027-03-28T02:30Z", "2027-03-29T04:30 2027-03-29T02:30Z"},
	},
	{
		"several slots in the hour left out are one run, and the slot right behind it is another of the same time",
		"Europe/Berlin", "*/30 1-3 * * *", "2027-03-28T00:00:00Z", "2027-03-28T03:00:00Z",
		[]string{"2027-03-28T01:30 2027-03-28T00:30Z", "2027-03-28T03:00 2027-03-28T01:00Z", "2027-03-28T03:30 2027-03-28T01:30Z"},
	},
	{
		"every half hour through the hour that comes twice",
		"Europe/Berlin", "*/30 1-3 * * *", "2026-10-24T22:59:00Z", "2026-10-25T03:00:00Z",
		[]string{
			"2026-10-25T01:00 2026-10-24T23:00Z", "2026-10-25T01:30 2026-10-24T23:30Z",
			"2026-10-25T02:00 2026-10-25T00:00Z", "2026-10-25T02:30 2026-10-25T00:30Z",
			"2026-10-25T03:00 2026-10-25T02:00Z", "2026-10-25T03:30 2026-10-25T02:30Z",
		},
	},
	{
		"New York in spring",
		"America/New_York", "30 2 * * *", "2027-03-13T00:00:00Z", "2027-03-16T00:00:00Z",
		[]string{"2027-03-13T02:30 2027-03-13T07:30Z", "2027-03-14T02:30 2027-03-14T07:00Z", "2027-03-15T02:30 2027-03-15T06:30Z"},
	},
	{
		"New York in autumn",
		"America/New_York", "30 1 * * *", "2026-10-31T00:00:00Z", "2026-11-03T00:00:00Z",
		[]string{"2026-10-31T01:30 2026-10-31T05:30Z", "2026-11-01T01:30 2026-11-01T05:30Z", "2026-11-02T01:30 2026-11-02T06:30Z"},
	},
	{
		"New York, hours after either jump",
		"America/New_York", "30 4 14,1 3,11 *", "2026-10-31T00:00:00Z", "2027-03-31T00:00:00Z",
		[]string{"2026-11-01T04:30 2026-11-01T09:30Z", "2026-11-14T04:30 2026-11-14T09:30Z", "2027-03-01T04:30 2027-03-01T09:30Z", "2027-03-14T04:30 2027-03-14T08:30Z"},
	},
	{
		"Auckland, hours before and after a jump",
		"Pacific/Auckland", "0 1,4 27 9 *", "2026-09-26T00:00:00Z", "2026-09-28T00:00:00Z",
		[]string{"2026-09-27T01:00 2026-09-26T13:00Z", "2026-09-27T04:00 2026-09-26T15:00Z"},
	},
	{
		"UTC knows no such days",
		"UTC", "17 2 * * *", "2027-03-28T00:00:00Z", "2027-03-30T00:00:00Z",
		[]string{"2027-03-28T02:17 2027-03-28T02:17Z", "2027-03-29T02:17 2027-03-29T02:17Z"},
	},
	{
		"a zone of half an hour",
		"Asia/Kolkata", "0 0 * * *", "2027-03-28T00:00:00Z", "2027-03-30T00:00:00Z",
		[]string{"2027-03-29T00:00 2027-03-28T18:30Z", "2027-03-30T00:00 2027-03-29T18:30Z"},
	},
	{
		"a jump of half an hour leaves later hours of that day alone (the library loses them)",
		"Australia/Lord_Howe", "5 4 * * *", "2026-10-03T00:00:00Z", "2026-10-05T00:00:00Z",
		[]string{"2026-10-04T04:05 2026-10-03T17:05Z", "2026-10-05T04:05 2026-10-04T17:05Z"},
	},
	{
		"a slot in the half hour left out",
		"Australia/Lord_Howe", "15 2 * * *", "2026-10-02T17:00:00Z", "2026-10-04T10:00:00Z",
		[]string{"2026-10-04T02:15 2026-10-03T15:30Z"},
	},
	{
		"a slot in the half hour that comes twice",
		"Australia/Lord_Howe", "45 1 * * *", "2027-04-03T00:00:00Z", "2027-04-05T00:00:00Z",
		[]string{"2027-04-04T01:45 2027-04-03T14:45Z", "2027-04-05T01:45 2027-04-04T15:15Z"},
	},
	{
		"midnight that is left out",
		"America/Santiago", "0 0 * * *", "2026-09-05T12:00:00Z", "2026-09-07T12:00:00Z",
		[]string{"2026-09-06T00:00 2026-09-06T04:00Z", "2026-09-07T00:00 2026-09-07T03:00Z"},
	},
	{
		"a whole day that a zone never had",
		"Pacific/Apia", "30 4 * * *", "2011-12-29T00:00:00Z", "2012-01-01T00:00:00Z",
		[]string{"2011-12-29T04:30 2011-12-29T14:30Z", "2011-12-30T04:30 2011-12-30T10:00Z", "2011-12-31T04:30 2011-12-30T14:30Z", "2012-01-01T04:30 2011-12-31T14:30Z"},
	},
}

func TestSlotsOnDaysThatClocksAreTurned(t *testing.T) {
	t.Parallel()
	for _, c := range turned {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := parse(t, c.expr, c.zone)
			var got []string
			for slot := s.NextSlot(at(t, c.from)); slot.At.Before(at(t, c.to)); slot = s.NextSlot(slot.At) {
				got = append(got, slot.Key()+" "+slot.At.UTC().Format("2006-01-02T15:04Z"))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestEveryDateHasItsSlot walks two years of every zone: a daily schedule names
// each local date once, in order, and looking back finds what looking ahead
// found.
func TestEveryDateHasItsSlot(t *testing.T) {
	t.Parallel()
	zones := []string{"Europe/Berlin", "America/New_York", "UTC", "Asia/Kolkata", "Australia/Lord_Howe", "America/Santiago", "Africa/Casablanca", "Pacific/Chatham"}
	for _, zone := range zones {
		for _, expr := range []string{"17 2 * * *", "0 0 * * *", "45 1 * * *", "5 4 * * *", "59 23 * * *"} {
			t.Run(zone+" "+expr, func(t *testing.T) {
				t.Parallel()
				s := parse(t, expr, zone)
				before := s.NextSlot(at(t, "2026-01-01T12:00:00Z"))
				for i := range 2 * 365 {
					slot := s.NextSlot(before.At)
					if want := before.Local.AddDate(0, 0, 1); !slot.Local.Equal(want) {
						t.Fatalf("after %s comes %s", before.Key(), slot.Key())
					}
					if i%29 == 0 || slot.At.Sub(before.At) != 24*time.Hour {
						looksBack(t, s, before, slot)
					}
					before = slot
				}
			})
		}
	}
}

func looksBack(t *testing.T, s *schedule.Schedule, before, slot schedule.Slot) {
	t.Helper()
	if got := s.SlotAt(slot.At); got.Key() != slot.Key() {
		t.Fatalf("at %s the slot is %s, want %s", slot.At, got.Key(), slot.Key())
	}
	if got := s.SlotAt(slot.At.Add(-time.Nanosecond)); got.Key() != before.Key() {
		t.Fatalf("before %s the slot is %s, want %s", slot.At, got.Key(), before.Key())
	}
}

func TestSlotAtWhileAnHourComesAgain(t *testing.T) {
	t.Parallel()
	s := parse(t, "*/15 * * * *", "Europe/Berlin")
	// 02:20 for the second time: all slots of that hour have come already.
	second := at(t, "2026-10-25T01:20:00Z")
	if got := s.SlotAt(second).Key(); got != "2026-10-25T02:45" {
		t.Errorf("the last slot is %s", got)
	}
	if got := s.NextSlot(second); got.Key() != "2026-10-25T03:00" || !got.At.Equal(at(t, "2026-10-25T02:00:00Z")) {
		t.Errorf("the next slot is %s at %s", got.Key(), got.At)
	}
}

func TestSlotsThatAreRare(t *testing.T) {
	t.Parallel()
	leap := parse(t, "0 4 29 2 *", "Europe/Berlin")
	now := at(t, "2026-11-30T12:00:00Z")
	if got := leap.SlotAt(now).Key(); got != "2024-02-29T04:00" {
		t.Errorf("the last leap day: %s", got)
	}
	if got := leap.NextSlot(now).Key(); got != "2028-02-29T04:00" {
		t.Errorf("the next leap day: %s", got)
	}
	if got := leap.SlotAt(at(t, "1910-01-01T00:00:00Z")); got.Key() != "1908-02-29T04:00" {
		t.Errorf("long ago: %s", got.Key())
	}
	if got := leap.SlotAt(at(t, "1903-01-01T00:00:00Z")); !got.IsZero() {
		t.Errorf("a slot within five years of 1903: %s", got.Key())
	}
}

func TestJitterIsTheSameForADateAndStaysBelowItsBound(t *testing.T) {
	t.Parallel()
	s := parse(t, "30 4 * * *", "UTC")
	slot := s.NextSlot(at(t, "2026-11-30T00:00:00Z"))
	seen := map[time.Duration]bool{}
	for range 60 {
		j := schedule.Jitter("shop", slot, 10*time.Minute)
		if j < 0 || j >= 10*time.Minute || j%time.Second != 0 {
			t.Fatalf("jitter %s", j)
		}
		if again := schedule.Jitter("shop", slot, 10*time.Minute); again != j {
			t.Fatalf("%s, then %s", j, again)
		}
		seen[j] = true
		slot = s.NextSlot(slot.At)
	}
	if len(seen) < 30 {
		t.Errorf("60 dates share %d values", len(seen))
	}
	if a, b := schedule.Jitter("shop", slot, time.Hour), schedule.Jitter("desk", slot, time.Hour); a == b {
		t.Errorf("two repositories both wait %s", a)
	}
	if j := schedule.Jitter("shop", slot, 0); j != 0 {
		t.Errorf("no jitter waits %s", j)
	}
}

func TestJitterMustFitTheSchedule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expr string
		most time.Duration
		ok   bool
	}{
		{"30 4 * * *", 0, true},
		{"30 4 * * *", 6 * time.Hour, true},
		{"30 4 * * *", 7 * time.Hour, false},
		{"30 4 * * *", -time.Second, false},
		{"0,10 4 * * *", 9 * time.Minute, true},
		{"0,10 4 * * *", 10 * time.Minute, false},
		{"* * * * *", 0, true},
		{"* * * * *", time.Minute, false},
		{"0 4 29 2 *", time.Hour, true},
	} {
		err := parse(t, c.expr, "UTC").CheckJitter(c.most)
		if (err == nil) != c.ok {
			t.Errorf("%s with %s: %v", c.expr, c.most, err)
		}
	}
}
