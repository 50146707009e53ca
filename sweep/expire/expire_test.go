package expire

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

func day(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return time.Time{}
	}
	return t
}

var now = time.Date(2026, 11, 30, 4, 30, 0, 0, time.UTC)

func fact(id string, l knowledge.Lifecycle) *knowledge.Fact {
	return &knowledge.Fact{ID: id, File: "VAULT.md", Kind: knowledge.KindEntry, Life: l}
}

const days = 24 * time.Hour

func TestDecide(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		life knowledge.Lifecycle
		want string // list, and words of the reason
	}{
		"no end":              {knowledge.Lifecycle{Created: day("2020-01-01")}, ""},
		"indefinite":          {knowledge.Lifecycle{Created: day("2020-01-01"), Indefinite: true}, ""},
		"ttl over":            {knowledge.Lifecycle{Created: day("2026-10-01"), TTL: 30 * days}, "archive: its time of 30 days ended on 2026-10-31"},
		"ttl ends today":      {knowledge.Lifecycle{Created: day("2026-10-31"), TTL: 30 * days}, "archive: its time of 30 days ended on 2026-11-30"},
		"ttl ends tomorrow":   {knowledge.Lifecycle{Created: day("2026-11-01"), TTL: 30 * days}, "keep: holds until 2026-12-01"},
		"renewed":             {knowledge.Lifecycle{Created: day("2026-01-01"), Renewed: day("2026-11-20"), TTL: 30 * days}, "keep: holds until 2026-12-20"},
		"verified only":       {knowledge.Lifecycle{Created: day("2026-01-01"), Verified: day("2026-11-20"), TTL: 30 * days}, "archive: its time of 30 days ended"},
		"expired":             {knowledge.Lifecycle{Expires: day("2026-11-29")}, "archive: expired on 2026-11-29"},
		"expires later":       {knowledge.Lifecycle{Expires: day("2026-12-24")}, "keep: holds until 2026-12-24"},
		"no date":             {knowledge.Lifecycle{TTL: 30 * days}, "unknown: has a TTL and no readable date"},
		"unreadable ttl":      {knowledge.Lifecycle{Created: day("2026-01-01"), Unreadable: []string{"ttl"}}, "unknown: cannot be dated: ttl cannot be read"},
		"archived already":    {knowledge.Lifecycle{Created: day("2026-01-01"), TTL: days, Archived: day("2026-05-01")}, ""},
		"superseded":          {knowledge.Lifecycle{Created: day("2026-01-01"), TTL: days, SupersededBy: "new"}, ""},
		"status archived":     {knowledge.Lifecycle{Created: day("2026-01-01"), TTL: days, Status: "Archived"}, ""},
		"unreadable verified": {knowledge.Lifecycle{Created: day("2026-01-01"), Unreadable: []string{"verified"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := flat(Decide([]*knowledge.Fact{fact("a", tc.life)}, Policy{}, now))
			if tc.want == "" && got == "" {
				return
			}
			if tc.want == "" || !strings.HasPrefix(got, tc.want) {
				t.Errorf("Decide = %q, want %q", got, tc.want)
			}
		})
	}
}

// flat writes the plan of one fact as "list: reason".
func flat(p Plan) string {
	for _, l := range []struct {
		name string
		ds   []Decision
	}{{"archive", p.Archive}, {"propose", p.Propose}, {"keep", p.Keep}, {"unknown", p.Unknown}, {"hidden", p.Hidden}, {"look", p.Look}} {
		for _, d := range l.ds {
			return l.name + ": " + d.Reason
		}
	}
	return ""
}

func due(n int, file string) []*knowledge.Fact {
	var out []*knowledge.Fact
	for i := range n {
		f := fact(fmt.Sprintf("%s-%d", file, i), knowledge.Lifecycle{Expires: day("2026-11-01").AddDate(0, 0, -i)})
		f.File = file
		out = append(out, f)
	}
	return out
}

func keeps(n int, file string) []*knowledge.Fact {
	var out []*knowledge.Fact
	for i := range n {
		f := fact(fmt.Sprintf("%s-keep-%d", file, i), knowledge.Lifecycle{})
		f.File = file
		out = append(out, f)
	}
	return out
}

// TestCaps checks how much a run may retire by itself.
func TestCaps(t *testing.T) {
	t.Parallel()
	queue := func(string) knowledge.Route { return knowledge.RouteQueue }
	never := func(string) knowledge.Route { return knowledge.RouteNever }
	for name, tc := range map[string]struct {
		facts            []*knowledge.Fact
		policy           Policy
		archive, propose int
		why              string
	}{
		"ten":                     {append(due(10, "A.md"), keeps(20, "A.md")...), Policy{}, 10, 0, ""},
		"eleven":                  {append(due(11, "A.md"), keeps(30, "A.md")...), Policy{}, 0, 11, "11 are due at once, more than 10"},
		"own limit":               {append(due(3, "A.md"), keeps(30, "A.md")...), Policy{Archives: 2}, 0, 3, "more than 2"},
		"half of six":             {append(due(3, "A.md"), keeps(3, "A.md")...), Policy{}, 3, 0, ""},
		"over half of five":       {append(due(3, "A.md"), keeps(2, "A.md")...), Policy{}, 0, 3, "over half of the 5 entries"},
		"all of a small file":     {due(4, "A.md"), Policy{}, 4, 0, ""},
		"one file spoils the run": {append(append(due(3, "A.md"), keeps(2, "A.md")...), append(due(1, "B.md"), keeps(9, "B.md")...)...), Policy{}, 0, 4, "over half"},
		"queue route":             {append(due(1, "A.md"), keeps(9, "A.md")...), Policy{Route: queue}, 0, 1, "proposal only"},
		"never route":             {append(due(1, "A.md"), keeps(9, "A.md")...), Policy{Route: never}, 0, 1, "not edited"},
		"fresh check":             {append(due(1, "A.md"), keeps(9, "A.md")...), Policy{Fresh: func(*knowledge.Fact) bool { return true }}, 0, 1, "renew or archive"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := Decide(tc.facts, tc.policy, now)
			if len(p.Archive) != tc.archive || len(p.Propose) != tc.propose {
				t.Fatalf("archive %d, propose %d; want %d, %d", len(p.Archive), len(p.Propose), tc.archive, tc.propose)
			}
			for _, d := range p.Propose {
				if !strings.Contains(d.Reason, tc.why) {
					t.Errorf("reason %q does not say %q", d.Reason, tc.why)
				}
			}
		})
	}
}

func TestOldestFirst(t *testing.T) {
	t.Parallel()
	p := Decide(append(due(4, "A.md"), keeps(9, "A.md")...), Policy{}, now)
	var got []string
	for _, d := range p.Due() {
		got = append(got, d.Fact.ID)
	}
	if diff := cmp.Diff([]string{"A.md-3", "A.md-2", "A.md-1", "A.md-0"}, got); diff != "" {
		t.Errorf("order: -want +got\n%s", diff)
	}
}
