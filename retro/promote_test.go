package retro

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/retro/triage"
)

const (
	commitA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	commitB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

func TestIndependent(t *testing.T) {
	t.Parallel()
	a := sighting{Commit: commitA, Author: "ada@acme.dev", Day: "2026-11-01"}
	for _, tt := range []struct {
		name string
		b    sighting
		want bool
	}{
		{"the same", a, false},
		{"the same commit said to be by another", sighting{commitA, "eve@acme.dev", "2026-11-02", Member}, false},
		{"a copy: other commit, same author and day", sighting{commitB, "ada@acme.dev", "2026-11-01", Member}, false},
		{"another author, same day", sighting{commitB, "eve@acme.dev", "2026-11-01", Member}, true},
		{"same author, another day", sighting{commitB, "ada@acme.dev", "2026-11-02", Member}, true},
	} {
		if got := independent(a, tt.b); got != tt.want || independent(tt.b, a) != got {
			t.Errorf("%s: %v, want %v both ways", tt.name, got, tt.want)
		}
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	by := func(commit, author, day string, trust Trust) sighting { return sighting{commit, author, day, trust} }
	member := by(commitA, "ada@acme.dev", "2026-11-01", Member)
	again := by(commitB, "ada@acme.dev", "2026-11-09", Member)
	agent := by(commitB, "bot@acme.dev", "2026-11-09", Agent)
	outsider, outsider2 := by(commitA, "eve@x.org", "2026-11-01", Outsider), by(commitB, "mallory@x.org", "2026-11-02", Outsider)
	for _, tt := range []struct {
		name   string
		claim  claim
		status report.LessonStatus
		queue  bool
	}{
		{"a member said so", claim{Explicit: true, Sightings: []sighting{member}}, report.LessonPromoted, false},
		{"inferred once", claim{Sightings: []sighting{member}}, report.LessonCandidate, false},
		{"inferred twice", claim{Sightings: []sighting{member, again}}, report.LessonPromoted, false},
		{"inferred by a member and an agent", claim{Sightings: []sighting{member, agent}}, report.LessonPromoted, false},
		{"the same commit twice", claim{Sightings: []sighting{member, member}}, report.LessonCandidate, false},
		{"explicit, but by no member", claim{Explicit: true, Sightings: []sighting{outsider}}, report.LessonCandidate, false},
		{"two outsiders", claim{Sightings: []sighting{outsider, outsider2}}, report.LessonPromoted, true},
		{"an outsider and a member", claim{Sightings: []sighting{outsider, again}}, report.LessonPromoted, false},
		{"covered", claim{Explicit: true, Covered: "rule f1", Sightings: []sighting{member}}, report.LessonCovered, false},
		{"rejected", claim{Explicit: true, Rejected: "a person said no", Sightings: []sighting{member, again}}, report.LessonRejected, false},
		{"rejected and covered", claim{Rejected: "no", Covered: "f1", Sightings: []sighting{member}}, report.LessonRejected, false},
		{"nothing shows it", claim{Explicit: true}, report.LessonDropped, false},
	} {
		got := decide(tt.claim)
		if got.Status != tt.status || got.Queue != tt.queue || got.Reason == "" {
			t.Errorf("%s: %+v, want %s, queue %v", tt.name, got, tt.status, tt.queue)
		}
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	windows := func(tokens ...int) (out []triage.Window) {
		for _, n := range tokens {
			out = append(out, triage.Window{Tokens: n})
		}
		return out
	}
	for _, tt := range []struct {
		name           string
		fresh, backlog []triage.Window
		want           []int // tokens, negative: of the backlog
	}{
		{"nothing", nil, nil, nil},
		{"they alternate, the range first", windows(10, 11, 12), windows(20, 21), []int{10, -20, 11, -21, 12}},
		{"the backlog gets half", windows(10), windows(30, 20, 20), []int{10, -30, -20}},
		{"alone, too", nil, windows(30, 30), []int{-30}},
		{"the range may use all", windows(60, 40, 1), nil, []int{60, 40}},
		{"together they keep to the limit", windows(60, 30, 20), windows(20, 20), []int{60, -20, -20}},
		{"one that is too large ends its list, so that none overtakes it", windows(101, 1), windows(1), []int{-1}},
	} {
		var got []int
		for _, p := range plan(tt.fresh, tt.backlog, 100) {
			if p.backlog {
				p.Tokens = -p.Tokens
			}
			got = append(got, p.Tokens)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
