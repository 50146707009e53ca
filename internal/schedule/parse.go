package schedule

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // zones by name work in a container that holds nothing else
	"unicode"

	"github.com/robfig/cron/v3"
)

// Options set what an expression does not say itself.
type Options struct {
	Location *time.Location // nil: the expression's CRON_TZ, else the machine's zone
}

// Schedule is an expression that was read, and that comes at some time.
type Schedule struct {
	expr string
	loc  *time.Location
	wall *cron.SpecSchedule // evaluated in UTC, which has no jumps
}

// String returns the expression as it was written.
func (s *Schedule) String() string { return s.expr }

// Location returns the zone whose dates and hours the expression names.
func (s *Schedule) Location() *time.Location { return s.loc }

// maxExpr bounds what is read as an expression; the longest sensible one, every
// field a full list, stays below it.
const maxExpr = 1000

// Parse reads five cron fields or a descriptor such as @daily, after an
// optional CRON_TZ=Zone. Its errors are for the person who wrote the
// expression: they say what to write instead.
func Parse(expr string, o Options) (*Schedule, error) {
	if len(expr) > maxExpr {
		return nil, fmt.Errorf("schedule of %d bytes: it is longer than any crontab line", len(expr))
	}
	zone, fields, err := splitZone(strings.TrimSpace(expr))
	if err != nil {
		return nil, fmt.Errorf("schedule %q: %w", expr, err)
	}
	loc, err := location(zone, o.Location)
	if err != nil {
		return nil, fmt.Errorf("schedule %q: %w", expr, err)
	}
	wall, err := parseFields(fields)
	if err != nil {
		return nil, fmt.Errorf("schedule %q: %w", expr, err)
	}
	return &Schedule{expr: strings.TrimSpace(expr), loc: loc, wall: wall}, nil
}

// Zone loads a time zone by its name.
func Zone(name string) (*time.Location, error) {
	loc, err := time.LoadLocation(name)
	if err != nil || name == "" {
		return nil, fmt.Errorf("time zone %q is not known: write a name of the IANA list, such as Europe/Berlin or UTC", name)
	}
	return loc, nil
}

// splitZone takes CRON_TZ= or TZ= off an expression. The library would do it,
// and panics where nothing follows the zone.
func splitZone(expr string) (zone, fields string, err error) {
	rest, ok := strings.CutPrefix(expr, "CRON_TZ=")
	if !ok {
		if rest, ok = strings.CutPrefix(expr, "TZ="); !ok {
			return "", expr, nil
		}
	}
	end := strings.IndexFunc(rest, unicode.IsSpace)
	if end <= 0 { // the expression is trimmed, so something follows the space
		return "", "", errors.New("a zone and five fields belong together: write CRON_TZ=Europe/Berlin 30 4 * * *")
	}
	return rest[:end], strings.TrimSpace(rest[end:]), nil
}

func location(zone string, given *time.Location) (*time.Location, error) {
	switch {
	case zone == "" && given == nil:
		return time.Local, nil
	case zone == "":
		return given, nil
	}
	loc, err := Zone(zone)
	if err == nil && given != nil && given.String() != loc.String() {
		return nil, fmt.Errorf("it names the time zone %s, and %s is asked for beside it: name one", loc, given)
	}
	return loc, err
}

// parseFields reads what is left of an expression, and refuses what would never
// come. The parser is old and takes input of any kind, so what it panics on is
// a fault of the expression too.
func parseFields(fields string) (wall *cron.SpecSchedule, err error) {
	defer func() {
		if recover() != nil {
			wall, err = nil, fmt.Errorf("it cannot be read: %s", example)
		}
	}()
	if err := foreign(fields); err != nil {
		return nil, err
	}
	parsed, err := cron.ParseStandard(fields)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, example)
	}
	wall, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return nil, errEvery
	}
	wall.Location = time.UTC
	if empty(wall) || wall.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, errors.New("it never comes, as its day and month do not meet: write a day that its month has, such as 30 4 1 * * (the first of every month)")
	}
	return wall, nil
}

const example = "write minute, hour, day of month, month and day of week, such as 30 4 * * * (every day at 04:30)"

var errEvery = errors.New("@every counts from the start of the process, so that each restart would move all runs: write the hours, such as 30 */6 * * *")

// starBit is how the library notes that a field is a star.
const starBit = 1 << 63

// empty reports whether a field names no value at all, as a lone comma does.
// The library would look for such a minute through five years of them.
func empty(s *cron.SpecSchedule) bool {
	for _, field := range []uint64{s.Minute, s.Hour, s.Dom, s.Month, s.Dow} {
		if field&^starBit == 0 {
			return true
		}
	}
	return false
}

var clockTime = regexp.MustCompile(`^([01]?\d|2[0-3]):([0-5]\d)$`)

// foreign recognises what people write who know another scheduler.
func foreign(fields string) error {
	if m := clockTime.FindStringSubmatch(fields); m != nil {
		return fmt.Errorf("that is a time of day: write %s %s * * *", shorter(m[2]), shorter(m[1]))
	}
	if strings.HasPrefix(fields, "@") {
		return descriptor(fields)
	}
	parts := strings.Fields(fields)
	switch {
	case len(parts) == 1 && isName(fields):
		return fmt.Errorf("write @%s, or five fields: %s", strings.ToLower(fields), example)
	case len(parts) == 6:
		return fmt.Errorf("six fields, and seconds are not one of them here: write %s", strings.Join(parts[1:], " "))
	case len(parts) == 5 && strings.ContainsAny(parts[4], "7") && !strings.ContainsAny(parts[4], "/#"):
		return errors.New("day of week 7 is not known here: write 0 or sun for Sunday")
	case strings.ContainsAny(fields, "#%") || len(parts) == 5 && (strings.ContainsAny(parts[2], "LWlw")):
		return fmt.Errorf("the signs L, W, # and %% belong to other schedulers: %s", example)
	}
	return nil
}

func descriptor(fields string) error {
	switch {
	case isName(fields[1:]):
		return nil
	case strings.HasPrefix(fields, "@every"):
		return errEvery
	case fields == "@reboot":
		return errors.New("@reboot names no time: write five fields, and --once-now for a night at the start")
	default:
		return errors.New("that name is not known: write @hourly, @daily, @weekly, @monthly or five fields")
	}
}

func isName(s string) bool {
	switch strings.ToLower(s) {
	case "yearly", "annually", "monthly", "weekly", "daily", "midnight", "hourly":
		return true
	}
	return false
}

// shorter drops the leading zero of two digits.
func shorter(digits string) string {
	if len(digits) == 2 && digits[0] == '0' {
		return digits[1:]
	}
	return digits
}
