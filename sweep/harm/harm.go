// Package harm owns the order in which a person is asked to look: what misleads
// most first.
//
// A fact does harm by where it stands (a surface that every session loads), by
// how many other pages lead to it, and by its own standing. What is superseded,
// archived or done sinks with the time since, and what has not been confirmed
// for long rises; nothing ever sinks out of the list.
package harm

import (
	"math"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/anchor"
)

// Scale knows how the documents of a repository hang together.
type Scale struct {
	startup map[string]bool
	reach   map[string]int
	names   map[*knowledge.Fact]bool
}

// New reads which documents lead to which. files are all paths of the tree.
func New(docs []*knowledge.Document, files []string) *Scale {
	s := &Scale{startup: map[string]bool{}, reach: map[string]int{}, names: map[*knowledge.Fact]bool{}}
	index := anchor.NewTreeIndex(files, nil)
	for _, d := range docs {
		s.startup[d.Path] = d.Startup
		if d.Format == knowledge.Archive {
			continue
		}
		for to := range s.read(d, index) {
			s.reach[to]++
		}
	}
	return s
}

// read notes which facts of a document name something that is there, and
// returns the pages that it leads to. A dated record leads nobody anywhere.
func (s *Scale) read(d *knowledge.Document, index *anchor.Index) map[string]bool {
	to := map[string]bool{}
	reader := anchor.NewReader(d)
	for i := range d.Facts {
		f := &d.Facts[i]
		s.names[f] = len(f.Life.AnchorSymbols) > 0
		for _, c := range reader.Find(f) {
			at := index.Resolve(&c, d.Path)
			if at.How == anchor.Nowhere || at.How == anchor.Ambiguous || at.Path == d.Path || c.Mute() != "" {
				continue
			}
			s.names[f] = true
			if strings.HasSuffix(at.Path, ".md") && !d.Event && !f.Event {
				to[at.Path] = true
			}
		}
	}
	return to
}

// Names reports whether a fact names anything of the repository: then code can
// tell when it has to be looked at again.
func (s *Scale) Names(f *knowledge.Fact) bool { return s.names[f] }

// Reach is how many documents lead to a file.
func (s *Scale) Reach(file string) int { return s.reach[file] }

// Of is how much harm a fact does where it is wrong; more is worse. asof is when
// it was last known to be true, zero where nobody ever said so.
func (s *Scale) Of(f *knowledge.Fact, asof, now time.Time) float64 {
	h := 1 + math.Log2(1+float64(s.reach[f.File]))
	if s.startup[f.File] {
		h *= 4
	}
	return h * Standing(f, now) * doubt(asof, now)
}

// ended are the states in which a fact speaks of the past, and tentative those
// in which it does not bind yet.
var (
	ended     = map[string]bool{"superseded": true, "archived": true, "deprecated": true, "done": true, "completed": true, "resolved": true, "rejected": true, "closed": true, "obsolete": true, "stale": true}
	tentative = map[string]bool{"draft": true, "proposed": true, "pending": true}
)

const (
	halfLife = 30 * 24 * time.Hour // of what is over: this morning's is the changelog, last year's is exhaust
	floor    = 0.05                // it sinks, and stays
	undated  = 0.25
)

// Standing is what the status of a fact and its age leave of its rank: 1 for
// what holds, less for what is over, never 0.
func Standing(f *knowledge.Fact, now time.Time) float64 {
	status := strings.ToLower(strings.TrimSpace(f.Life.Status))
	status, _, _ = strings.Cut(status, " ")
	switch {
	case f.Life.SupersededBy != "" || !f.Life.Archived.IsZero() || ended[status]:
		return over(lastChange(f.Life), now)
	case tentative[status]:
		return 0.5
	case f.Event:
		return 0.5
	}
	return 1
}

func over(since, now time.Time) float64 {
	if since.IsZero() {
		return undated
	}
	age := max(now.Sub(since), 0)
	return max(floor, math.Pow(0.5, float64(age)/float64(halfLife)))
}

func lastChange(l knowledge.Lifecycle) time.Time {
	last := l.Created
	for _, t := range []time.Time{l.Renewed, l.Verified, l.Archived} {
		if t.After(last) {
			last = t
		}
	}
	return last
}

// doubt grows with the time since a fact was known to be true, up to twofold;
// what nobody ever confirmed is in doubt most.
func doubt(asof, now time.Time) float64 {
	if asof.IsZero() {
		return 2
	}
	years := now.Sub(asof).Hours() / (24 * 365)
	return 1 + min(max(years, 0), 1)
}
