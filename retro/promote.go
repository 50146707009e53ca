package retro

import (
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/retro/signal"
)

// maxWait is how long an inferred lesson waits for a second signal.
const maxWait = 60 * 24 * time.Hour

// cooldown is how long the same words stay rejected whatever shows them.
const cooldown = 30 * 24 * time.Hour

// sighting is one commit that shows a lesson.
type sighting struct {
	Commit string
	Author string // address, lower case
	Day    string // the author's day, UTC
	Trust  Trust
}

func sightingOf(s *signal.Signal) sighting {
	return sighting{
		Commit: s.Commit.Hash.String(), Author: strings.ToLower(strings.TrimSpace(s.Commit.Author.Email)),
		Day: s.Commit.Author.When.UTC().Format("2006-01-02"), Trust: s.Trust,
	}
}

// independent says that two sightings are not one event seen twice: another
// commit, by another author or on another day. A cherry-pick or a rebased copy
// keeps its author and day and does not count.
func independent(a, b sighting) bool {
	return a.Commit != b.Commit && (a.Author != b.Author || a.Day != b.Day)
}

// claim is all that decides what becomes of a grounded lesson.
type claim struct {
	Explicit  bool       // a member said so
	Covered   string     // the rule that says it already, "" if none does
	Rejected  string     // why it stays rejected, "" if it does not
	Sightings []sighting // read from the commits, never from the journal
}

// decision is what becomes of a lesson.
type decision struct {
	Status report.LessonStatus
	Reason string
	Queue  bool // only through a person, whatever the file's route
}

// decide is the promotion rule. A person's no comes first, then the rule that
// stands; an explicit correction promotes at once; an inferred lesson needs two
// independent sightings; what outsiders alone show goes to a person.
func decide(c claim) decision {
	switch {
	case c.Rejected != "":
		return decision{Status: report.LessonRejected, Reason: c.Rejected}
	case len(c.Sightings) == 0:
		return decision{Status: report.LessonDropped, Reason: "nothing in the commits shows it"}
	case c.Covered != "":
		return decision{Status: report.LessonCovered, Reason: c.Covered}
	case c.Explicit && hasMember(c.Sightings):
		return decision{Status: report.LessonPromoted, Reason: "explicit correction by a member"}
	}
	a, b, ok := pair(c.Sightings)
	if !ok {
		return decision{Status: report.LessonCandidate, Reason: "inferred from one signal: waits for a second, independent one"}
	}
	d := decision{Status: report.LessonPromoted, Reason: "seen independently in " + a.Commit[:10] + " and " + b.Commit[:10]}
	if outsidersAlone(c.Sightings) {
		d.Queue, d.Reason = true, d.Reason+", by outsiders alone"
	}
	return d
}

func pair(all []sighting) (a, b sighting, ok bool) {
	for i, a := range all {
		for _, b := range all[i+1:] {
			if independent(a, b) {
				return a, b, true
			}
		}
	}
	return a, b, false
}

func hasMember(all []sighting) bool {
	for _, s := range all {
		if s.Trust == Member {
			return true
		}
	}
	return false
}

func outsidersAlone(all []sighting) bool {
	for _, s := range all {
		if s.Trust != Outsider {
			return false
		}
	}
	return true
}
