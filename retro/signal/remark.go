package signal

import (
	"slices"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// Remark is what a reviewer said of a change that was merged. It raises the
// signals that it is about and is shown with them; what is believed is quoted
// from the commits all the same.
type Remark struct {
	Commits   []string // full ids of the commits that it is about
	Path      string   // "" for the change as a whole
	Text      string   // untrusted
	Author    string   // hash or login, to tell the author of the commit from the reviewer; untrusted
	Trust     Trust
	Requested bool // changes were requested
}

// maxRemarks is how many remarks one signal carries.
const maxRemarks = 3

// remark gives the signals of a commit what reviewers said of them. A remark on
// the whole change goes to its strongest signal.
func (x *extractor) remark(c repo.Commit) {
	var of []*Signal
	for _, r := range x.o.Remarks {
		if !slices.Contains(r.Commits, c.Hash.String()) {
			continue
		}
		if of == nil {
			of = x.signalsOf(c)
		}
		for _, s := range of {
			if r.Path != "" && r.Path != s.Path {
				continue
			}
			s.take(r)
			if r.Path == "" {
				break
			}
		}
	}
}

func (x *extractor) signalsOf(c repo.Commit) []*Signal {
	of := []*Signal{}
	for _, s := range x.out.Signals {
		if s.Commit.Hash == c.Hash {
			of = append(of, s)
		}
	}
	Rank(of)
	return of
}

// take adds a remark. Only a member's makes the signal more than it was, and
// only a request for changes makes it a correction in so many words.
func (s *Signal) take(r Remark) {
	if len(s.Remarks) == maxRemarks {
		return
	}
	s.Remarks = append(s.Remarks, r)
	if r.Trust != Member {
		return
	}
	s.Explicit = s.Explicit || r.Requested
	if raise := baseWeight[Review] - baseWeight[s.Class]; raise > 0 {
		s.Class, s.Weight = Review, s.Weight+raise
	}
}
