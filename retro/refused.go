package retro

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/retro/signal"
	"github.com/retrosweep/retrosweep/retro/triage"
)

// refused reports whether a person said no to a lesson, at any time.
func refused(status string) bool {
	return status == statusRefused || status == statusAgain || status == statusNever
}

// Refuse remembers in candidates that a person said no to a rule, by the places
// that had shown it. Where the same places were offered once more already, it is
// the last no.
func Refuse(candidates map[string]*journal.Candidate, evidence []journal.Where, at time.Time) {
	if len(evidence) == 0 {
		return
	}
	h := sha256.New()
	for _, w := range evidence {
		h.Write([]byte(w.Commit + "\x00" + w.Path + "\x00"))
	}
	id := "n" + hex.EncodeToString(h.Sum(nil))[:12]
	for _, known := range candidates {
		if known == nil || !refused(known.Status) || !shares(known.Evidence, evidence) {
			continue
		}
		if known.Status == statusAgain {
			known.Status, known.Since = statusNever, at.UTC()
		}
		return
	}
	candidates[id] = &journal.Candidate{ID: id, Evidence: evidence, Since: at.UTC(), Status: statusRefused}
}

func shares(a, b []journal.Where) bool {
	return slices.ContainsFunc(a, func(w journal.Where) bool {
		return slices.ContainsFunc(b, func(o journal.Where) bool { return o.Commit == w.Commit && o.Path == w.Path })
	})
}

// refusal says why a lesson stays refused: it is shown by what was refused
// already, the cooldown is not over, or a person said no twice. "" where new
// evidence may reopen it.
func (n *night) refusal(l *triage.Lesson, all []sighting) string {
	c := n.refusedAs(l)
	if c == nil {
		return ""
	}
	day := c.Since.UTC().Format(time.DateOnly)
	fresh := slices.ContainsFunc(all, func(s sighting) bool {
		return !slices.ContainsFunc(c.Evidence, func(w journal.Where) bool { return w.Commit == s.Commit })
	})
	switch {
	case c.Status != statusRefused:
		return "a person refused it, and it was offered once more since: the last word is of " + day
	case !fresh:
		return "a person refused it on " + day + ", and nothing else shows it"
	case n.in.Now.Sub(c.Since) < cooldown:
		return "a person refused it on " + day + ", the cooldown is not over"
	}
	return ""
}

// refusedAs is the refused lesson that one repeats: by the model's word, or by
// quoting what had shown it.
func (n *night) refusedAs(l *triage.Lesson) *journal.Candidate {
	if c := n.waiting[l.SameAs]; c != nil && refused(c.Status) {
		return c
	}
	for _, id := range n.waitingIDs() {
		if c := n.waiting[id]; refused(c.Status) && shares(c.Evidence, places(l)) {
			l.SameAs = id
			return c
		}
	}
	return nil
}

// made finds the commits that a rule was made of.
var made = regexp.MustCompile(`\d{4}-\d{2}-\d{2}, ([0-9a-f]{10,40})`)

// deletedRules remembers the rules of ours that a person took out in the range:
// that is a no as well. A rule that stands in another file now was moved.
func (n *night) deletedRules() {
	for _, s := range n.fresh {
		if s.Trust != signal.Member || s.Class == signal.Change {
			continue
		}
		if format, _, ok := n.in.Classifier.Classify(s.Path); !ok || format != knowledge.Playbook {
			continue
		}
		for _, h := range s.Hunks {
			for _, line := range h.Removed {
				n.deletedRule(s, line)
			}
		}
	}
}

func (n *night) deletedRule(s *signal.Signal, line string) {
	at := strings.LastIndex(line, " (")
	if at < 0 || n.saidAtHead(statement(line[:at])) {
		return
	}
	var evidence []journal.Where
	for _, m := range made.FindAllStringSubmatch(line[at:], -1) {
		h, err := n.in.Repo.Resolve(m[1])
		if err != nil || n.saidAtHead(m[1]) { // reworded: the commit still stands behind a rule
			continue
		}
		evidence = append(evidence, journal.Where{Commit: h.String(), Line: 1})
	}
	Refuse(n.waiting, evidence, s.Commit.Committer.When)
}
