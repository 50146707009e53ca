package knowledge

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// aliases maps the spellings of a lifecycle field, without case, spaces and
// punctuation, to its name.
var aliases = map[string]string{
	"created": "created", "createdat": "created", "firstseen": "created", "firstobserved": "created", "date": "created", "recordedat": "created",
	"verified": "verified", "lastverified": "verified", "verifiedat": "verified", "lastvalidated": "verified",
	"renewed": "renewed", "renewedat": "renewed", "lastrenewed": "renewed",
	"expires": "expires", "expiresat": "expires", "expiry": "expires", "validuntil": "expires",
	"archived": "archived", "archivedat": "archived",
	"ttl": "ttl", "retirewhen": "retire_when", "supersedes": "supersedes", "supersededby": "superseded_by", "status": "status",
	"anchorfiles": "anchor_files", "anchorsymbols": "anchor_symbols",
}

// fieldName returns the name of a lifecycle field however it is spelt, and
// other keys in lower case without spaces.
func fieldName(key string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(key) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		}
	}
	if name, ok := aliases[b.String()]; ok {
		return name
	}
	return b.String()
}

// life reads the lifecycle among the fields of an entry. Fields that stand
// alone win over nested ones (metadata).
func life(fields []field) Lifecycle {
	var l Lifecycle
	seen := map[string]bool{}
	for _, nested := range []bool{false, true} {
		for _, f := range fields {
			name := fieldName(f.key)
			if (f.group != "") != nested || (nested && fieldName(f.group) != "metadata") || seen[name] {
				continue
			}
			seen[name] = true
			l.read(name, f)
		}
	}
	return l
}

func (l *Lifecycle) read(name string, f field) {
	dates := map[string]*time.Time{
		"created": &l.Created, "verified": &l.Verified, "renewed": &l.Renewed, "expires": &l.Expires, "archived": &l.Archived}
	if at, ok := dates[name]; ok {
		l.date(at, f)
		return
	}
	switch name {
	case "ttl":
		l.ttl(f)
	case "retire_when":
		l.RetireWhen = f.text
	case "supersedes":
		l.Supersedes = list(f)
	case "superseded_by":
		l.SupersededBy = list(f)
	case "status":
		l.Status = f.text
	case "anchor_files":
		l.AnchorFiles = append(l.AnchorFiles, names(f)...)
	case "anchor_symbols":
		l.AnchorSymbols = append(l.AnchorSymbols, names(f)...)
	}
}

func (l *Lifecycle) date(at *time.Time, f field) {
	t, ok := parseDay(f.text)
	if ok {
		*at = t
	} else if strings.TrimSpace(f.text) != "" || !f.scalar {
		l.Unreadable = append(l.Unreadable, f.key)
	}
}

func (l *Lifecycle) ttl(f field) {
	d, forever, ok := parseTTL(f.text)
	if !ok && strings.TrimSpace(f.text) != "" {
		l.Unreadable = append(l.Unreadable, f.key)
		return
	}
	l.TTL, l.Indefinite = d, forever
}

func list(f field) string { return strings.Join(names(f), ", ") }

func names(f field) []string {
	var out []string
	for _, it := range f.items {
		for _, s := range strings.Split(it.text, ",") {
			if s = strings.Trim(strings.TrimSpace(s), "`"); s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

var (
	isoDay  = regexp.MustCompile(`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:$|[T\s,(;Z])`)
	wordDay = regexp.MustCompile(`^(?:(\d{1,2})\.? ([A-Z][a-z]{2,8})|([A-Z][a-z]{2,8}) (\d{1,2}),?) (\d{4})(?:$|[\s,(;])`)
)

// parseDay reads the date that a value begins with, as a day in UTC; what
// follows it (a time, the name of an agent in parentheses) is left aside.
func parseDay(value string) (time.Time, bool) {
	value = strings.Trim(strings.TrimSpace(value), "*`\"'")
	if m := isoDay.FindStringSubmatch(value); m != nil {
		return day(m[1], m[2], m[3])
	}
	if m := wordDay.FindStringSubmatch(value); m != nil {
		name := m[2] + m[3]
		month, err := time.Parse("Jan", name[:3])
		if err != nil {
			return time.Time{}, false
		}
		return day(m[5], strconv.Itoa(int(month.Month())), m[1]+m[4])
	}
	return time.Time{}, false
}

func day(y, m, d string) (time.Time, bool) {
	yy, _ := strconv.Atoi(y)
	mm, _ := strconv.Atoi(m)
	dd, _ := strconv.Atoi(d)
	t := time.Date(yy, time.Month(mm), dd, 0, 0, 0, 0, time.UTC)
	if yy < 1970 || t.Month() != time.Month(mm) || t.Day() != dd {
		return time.Time{}, false
	}
	return t, true
}

var ttlForm = regexp.MustCompile(`^(\d{1,6})\s*(d|days?|w|weeks?|m|mo|months?|y|years?)?$`)

// maxTTL keeps the arithmetic of durations in range; nobody means longer.
const maxTTLDays = 36500

// parseTTL reads a time to live: N days, N, Nd, weeks, months, years, or
// indefinite (also "indefinite days", which a writer in the wild produces).
func parseTTL(value string) (ttl time.Duration, indefinite, ok bool) {
	v := strings.ToLower(strings.Trim(strings.TrimSpace(value), "*`\"'"))
	switch strings.TrimSuffix(v, " days") {
	case "indefinite", "indefinitely", "none", "never", "permanent", "forever":
		return 0, true, true
	}
	m := ttlForm.FindStringSubmatch(v)
	if m == nil {
		return 0, false, false
	}
	n, _ := strconv.Atoi(m[1])
	switch {
	case strings.HasPrefix(m[2], "w"):
		n *= 7
	case strings.HasPrefix(m[2], "m"):
		n *= 30
	case strings.HasPrefix(m[2], "y"):
		n *= 365
	}
	if n < 1 || n > maxTTLDays {
		return 0, false, false
	}
	return time.Duration(n) * 24 * time.Hour, false, true
}

// DueDate returns the day on which a fact was written to retire: the later of
// first seen and renewed plus the TTL, or the expiry date where that is
// sooner. ok is false where it has neither, or a TTL without a date.
func DueDate(l Lifecycle) (due time.Time, ok bool) {
	from := l.Created
	if l.Renewed.After(from) {
		from = l.Renewed
	}
	if l.TTL > 0 && !from.IsZero() {
		due, ok = from.Add(l.TTL), true
	}
	if !l.Expires.IsZero() && (!ok || l.Expires.Before(due)) {
		due, ok = l.Expires, true
	}
	return due, ok
}
