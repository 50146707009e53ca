package knowledge

import (
	"slices"
	"testing"
	"time"
)

func TestParseDay(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"2026-03-01": "2026-03-01", "2026-03-01 (agent: bot)": "2026-03-01", "2026-03-01T10:00:00Z": "2026-03-01", "2026/3/1": "2026-03-01",
		"`2026-03-01`": "2026-03-01", "Mar 1, 2026": "2026-03-01", "March 1 2026": "2026-03-01", "1 March 2026": "2026-03-01", "9999-12-31": "9999-12-31",
		"2026-02-30": "", "2026-13-01": "", "last summer": "", "": "", "20260301": "", "2026-03": "", "0001-01-01": "", "1 Zebra 2026": "", "2026-03-011": "",
	} {
		got, ok := parseDay(value)
		if s := got.Format(time.DateOnly); ok != (want != "") || ok && s != want {
			t.Errorf("%q is %q %v, want %q", value, s, ok, want)
		}
	}
}

func TestParseTTL(t *testing.T) {
	t.Parallel()
	for value, days := range map[string]int{
		"30": 30, "30 days": 30, "1 day": 1, "30d": 30, "2w": 14, "2 weeks": 14, "3 months": 90, "1 year": 365, "90 Days": 90,
		"indefinite": -1, "indefinite days": -1, "never": -1, "Indefinite": -1,
		"0": 0, "-3 days": 0, "soon": 0, "1e9": 0, "999999": 0, "200 years": 0, "": 0, "1_0": 0, "3.5 days": 0,
	} {
		ttl, forever, ok := parseTTL(value)
		if ok != (days != 0) || forever != (days < 0) || days > 0 && ttl != time.Duration(days)*24*time.Hour {
			t.Errorf("%q is %v %v %v, want %d", value, ttl, forever, ok, days)
		}
	}
}

func TestDueDate(t *testing.T) {
	t.Parallel()
	day := func(s string) time.Time {
		d, _ := parseDay(s)
		return d
	}
	for _, tc := range []struct {
		name string
		life Lifecycle
		want string
	}{
		{"nothing", Lifecycle{}, ""},
		{"ttl", Lifecycle{Created: day("2026-01-01"), TTL: 31 * 24 * time.Hour}, "2026-02-01"},
		{"ttl without a date", Lifecycle{TTL: 24 * time.Hour}, ""},
		{"renewed later", Lifecycle{Created: day("2026-01-01"), Renewed: day("2026-02-01"), TTL: 24 * time.Hour}, "2026-02-02"},
		{"renewed before", Lifecycle{Created: day("2026-03-01"), Renewed: day("2026-02-01"), TTL: 24 * time.Hour}, "2026-03-02"},
		{"only renewed", Lifecycle{Renewed: day("2026-02-01"), TTL: 24 * time.Hour}, "2026-02-02"},
		{"verified does not renew", Lifecycle{Created: day("2026-01-01"), Verified: day("2026-06-01"), TTL: 24 * time.Hour}, "2026-01-02"},
		{"expires", Lifecycle{Expires: day("2026-12-31")}, "2026-12-31"},
		{"the sooner", Lifecycle{Created: day("2026-01-01"), TTL: 24 * time.Hour, Expires: day("2026-12-31")}, "2026-01-02"},
		{"indefinite", Lifecycle{Created: day("2026-01-01"), Indefinite: true}, ""},
		{"far away", Lifecycle{Created: day("9999-12-31"), TTL: maxTTLDays * 24 * time.Hour}, "10099-12-06"},
	} {
		got, ok := DueDate(tc.life)
		if s := got.Format(time.DateOnly); ok != (tc.want != "") || ok && s != tc.want {
			t.Errorf("%s: %s %v, want %q", tc.name, s, ok, tc.want)
		}
	}
}

func TestLifeAliases(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"First Seen": "created", "created": "created", "created_at": "created", "date": "created",
		"verified": "verified", "lastVerified": "verified", "last_verified": "verified", "Last Verified": "verified", "verified_at": "verified",
		"ttl": "ttl", "TTL": "ttl", "renewed": "renewed", "expires_at": "expires", "valid_until": "expires",
		"retire_when": "retire_when", "Retire When": "retire_when", "superseded_by": "superseded_by", "anchor-files": "anchor_files",
		"modified": "modified", "last_updated": "lastupdated",
	} {
		if got := fieldName(key); got != want {
			t.Errorf("%q is %q, want %q", key, got, want)
		}
	}
}

func TestUnreadableFieldsAreNamed(t *testing.T) {
	t.Parallel()
	d := Parse("memory/a.md", []byte("---\nttl: soon\ncreated: some day\nexpires:\nverified: [2026-01-01]\n---\nx\n"), Memory)
	got := d.Facts[0].Life.Unreadable
	slices.Sort(got)
	if want := []string{"created", "ttl", "verified"}; !slices.Equal(got, want) {
		t.Errorf("unreadable are %v, want %v", got, want)
	}
}
