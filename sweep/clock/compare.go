package clock

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Mark is one anchor of a fact and how it looks.
type Mark struct {
	Anchor knowledge.Anchor
	Path   string // where it leads; the first of several
	Print  string // engine@version:hash; "" where this build cannot tell
	Why    string // why there is none: one of the reasons of an unknown verdict
}

// Key names the anchor without quoting it.
func (m Mark) Key() string {
	sum := sha256.Sum256([]byte(string(m.Anchor.Kind) + "\x00" + m.Anchor.Text))
	return hex.EncodeToString(sum[:8])
}

// Face is all that a fact names at one commit.
type Face struct {
	Marks []Mark
	Gone  []knowledge.Anchor // named, and not there
}

// Record writes the face into a check of the journal.
func (f Face) Record(v *journal.Verdict) {
	marks := slices.Clone(f.Marks)
	slices.SortFunc(marks, func(a, b Mark) int { return strings.Compare(a.Key(), b.Key()) })
	v.Anchors, v.Fingerprints = []string{}, []string{}
	for _, m := range marks {
		v.Anchors, v.Fingerprints = append(v.Anchors, m.Key()), append(v.Fingerprints, m.Print)
	}
}

// Unreadable is the reason for which some anchor has no fingerprint, "" where
// all have one.
func (f Face) Unreadable() string {
	for _, m := range f.Marks {
		if m.Print == "" {
			return m.Why
		}
	}
	return ""
}

// Standing is what a check that was once made says today.
type Standing struct {
	Holds   bool
	Reason  string // of an unknown verdict, where it does not hold
	Changed []Mark // anchors that look different now
}

// Compare says whether a check still holds for a face. A fact without anchors
// has nothing that could tell of a change, so nothing keeps a check of it
// fresh. A fingerprint of another engine is no change, and no proof either.
func Compare(v journal.Verdict, f Face) Standing {
	if len(f.Marks) == 0 || len(f.Gone) > 0 || len(v.Anchors) != len(v.Fingerprints) {
		return Standing{Reason: knowledge.ReasonUnconfirmed}
	}
	was := make(map[string]string, len(v.Anchors))
	for i, key := range v.Anchors {
		was[key] = v.Fingerprints[i]
	}
	s := Standing{Holds: true}
	for _, m := range f.Marks {
		print, known := was[m.Key()]
		switch {
		case m.Print == "":
			s.lose(m.Why)
		case !known || print == "":
			s.lose(knowledge.ReasonUnconfirmed)
		case print == m.Print:
		case engine(print) != engine(m.Print):
			s.lose(knowledge.ReasonUnconfirmed)
		default:
			s.lose(knowledge.ReasonChanged)
			s.Changed = append(s.Changed, m)
		}
	}
	return s
}

// lose notes that a check holds no more; a change outweighs what cannot be
// told.
func (s *Standing) lose(reason string) {
	if s.Holds || reason == knowledge.ReasonChanged {
		s.Reason = reason
	}
	s.Holds = false
}

func engine(print string) string {
	e, _, _ := strings.Cut(print, ":")
	return e
}
