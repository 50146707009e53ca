package schedule_test

import (
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/retrosweep/retrosweep/internal/schedule"
)

func TestParseSaysWhatToWriteInstead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ expr, want string }{
		{"", "write minute, hour, day of month"},
		{"30 4 * *", "such as 30 4 * * *"},
		{"0 30 4 * * *", "write 30 4 * * *"},
		{"04:30", "write 30 4 * * *"},
		{"4:05", "write 5 4 * * *"},
		{"daily", "write @daily"},
		{"@nightly", "write @hourly, @daily"},
		{"@reboot", "--once-now"},
		{"@every 6h", "write the hours, such as 30 */6 * * *"},
		{"@every 0s", "write the hours"},
		{"0 2 31 2 *", "it never comes"},
		{"0 2 30 feb *", "it never comes"},
		{"0 2 31 4,6,9,11 *", "it never comes"},
		{", 4 * * *", "it never comes"},
		{"30 4 * * 7", "write 0 or sun"},
		{"30 4 L * *", "belong to other schedulers"},
		{"30 4 * * 1#2", "belong to other schedulers"},
		{"60 4 * * *", "above maximum"},
		{"*/0 4 * * *", "positive number"},
		{"CRON_TZ=UTC", "write CRON_TZ=Europe/Berlin 30 4 * * *"},
		{"TZ=UTC", "write CRON_TZ=Europe/Berlin 30 4 * * *"},
		{"CRON_TZ= 30 4 * * *", "write CRON_TZ=Europe/Berlin 30 4 * * *"},
		{"CRON_TZ=Europe/Berlen 30 4 * * *", `"Europe/Berlen" is not known: write a name of the IANA list`},
		{"CRON_TZ=../../etc/passwd 30 4 * * *", "is not known"},
		{strings.Repeat("1,", 1000) + " 4 * * *", "longer than any crontab line"},
	} {
		s, err := schedule.Parse(c.expr, schedule.Options{})
		if err == nil {
			t.Errorf("%q is read as %s", c.expr, s)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v\nwant it to say %q", c.expr, err, c.want)
		}
	}
}

func TestParseTakesAZoneFromTheExpressionOrBesideIt(t *testing.T) {
	t.Parallel()
	berlin, err := schedule.Zone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		expr  string
		given *time.Location
		want  string // "" for an error
	}{
		{"30 4 * * *", nil, time.Local.String()},
		{"30 4 * * *", berlin, "Europe/Berlin"},
		{"CRON_TZ=Asia/Kolkata 30 4 * * *", nil, "Asia/Kolkata"},
		{"TZ=Asia/Kolkata @daily", nil, "Asia/Kolkata"},
		{" CRON_TZ=Asia/Kolkata\t30\t4 * * * ", nil, "Asia/Kolkata"},
		{"CRON_TZ=Europe/Berlin 30 4 * * *", berlin, "Europe/Berlin"},
		{"CRON_TZ=Asia/Kolkata 30 4 * * *", berlin, ""},
	} {
		s, err := schedule.Parse(c.expr, schedule.Options{Location: c.given})
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s beside %s is taken", c.expr, c.given)
		case c.want != "" && err != nil:
			t.Errorf("%s: %v", c.expr, err)
		case err == nil && s.Location().String() != c.want:
			t.Errorf("%s is of %s, want %s", c.expr, s.Location(), c.want)
		}
	}
}

func TestAScheduleIsOneOfTheLibrary(t *testing.T) {
	t.Parallel()
	var s cron.Schedule = parse(t, "@weekly", "UTC")
	if got := s.Next(at(t, "2026-11-30T00:00:00Z")); !got.Equal(at(t, "2026-12-06T00:00:00Z")) {
		t.Errorf("the next Sunday is %s", got)
	}
}

// FuzzParse: whatever is written, there is no panic, and what is accepted
// comes, in order, and is found again looking back.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"30 4 * * *", "CRON_TZ=UTC", "TZ=", "CRON_TZ=Europe/Berlin 17 2 * * *", "@every 1ns", "@daily", "0 2 31 2 *", ", , , , ,",
		"*/9223372036854775807 * * * *", "0-59/18446744073709551615 * * * *", "? ? ? ? ?", "1-2-3 * * * *", "@", "0 0 29 2 1", "\x00",
	} {
		f.Add(seed)
	}
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, expr string) {
		s, err := schedule.Parse(expr, schedule.Options{})
		if err != nil {
			return
		}
		first := s.NextSlot(now)
		if first.IsZero() || !first.At.After(now) {
			t.Fatalf("%q next comes at %s", expr, first.At)
		}
		if second := s.NextSlot(first.At); !second.At.After(first.At) {
			t.Fatalf("%q comes at %s after %s", expr, second.At, first.At)
		}
		if back := s.SlotAt(first.At); back != first {
			t.Fatalf("%q: %s is found as %s", expr, first.Key(), back.Key())
		}
	})
}
