package journal

import (
	"slices"
	"time"
)

// Correction is one mistake that a commit set right: a new one, or one that a
// rule spoke of already.
type Correction struct {
	Commit string    `json:"commit"`
	Rule   string    `json:"rule,omitempty"`  // hash of the rule that came of it, or that covers it
	Again  bool      `json:"again,omitempty"` // the rule stood before
	At     time.Time `json:"at"`              // of the commit
}

// MaxCorrections is how many corrections are kept; the oldest go first.
const MaxCorrections = 2000

// Correct adds corrections, each commit and rule once.
func (s *State) Correct(all []Correction) {
	for _, c := range all {
		c.At = c.At.UTC().Truncate(time.Second)
		if !slices.ContainsFunc(s.Corrections, func(o Correction) bool { return o.Commit == c.Commit && o.Rule == c.Rule }) {
			s.Corrections = append(s.Corrections, c)
		}
	}
	slices.SortStableFunc(s.Corrections, func(a, b Correction) int { return a.At.Compare(b.At) })
	s.Corrections = s.Corrections[max(0, len(s.Corrections)-MaxCorrections):]
}
