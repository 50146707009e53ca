package proposal

import (
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// KindUpkeep is the kind of the rolling branch; it has no slot limits.
const KindUpkeep = "upkeep"

// Base is the branch that proposals are made against, as read in this run.
type Base struct {
	Name   string
	Commit repo.Hash
}

// Layer is what one run added to a branch: enough to build it again without a
// model.
type Layer struct {
	Run     string           `json:"run"`
	Range   string           `json:"range"`
	Key     string           `json:"key,omitempty"` // of the lesson, where there is one
	Subject string           `json:"subject"`
	Body    string           `json:"body,omitempty"` // of the commit, without trailers
	At      time.Time        `json:"at"`
	Commit  string           `json:"commit,omitempty"`
	Edits   []knowledge.Edit `json:"edits"`
	Why     []Reason         `json:"why,omitempty"`    // of each edit, in their order
	Models  []string         `json:"models,omitempty"` // that were asked: "patch gpt-5"
	Spent   string           `json:"spent,omitempty"`  // "2 calls, 2181 tokens in, 340 out"
}

// reason explains the i-th edit; one that nobody explained says what it does.
func (l Layer) reason(i int) Reason {
	if i < len(l.Why) && len(l.Why) == len(l.Edits) {
		return l.Why[i]
	}
	return Reason{What: Imperative(l.Edits[i : i+1]), Why: l.Edits[i].Reason}
}

// reasons explain every edit, in their order.
func (l Layer) reasons() []Reason {
	out := make([]Reason, len(l.Edits))
	for i := range l.Edits {
		out[i] = l.reason(i)
	}
	return out
}

// keep leaves the given edits of the layer, with what explains them.
func (l Layer) keep(edits []knowledge.Edit) Layer {
	why := map[string]Reason{}
	for i, e := range l.Edits {
		why[EditKey(e)] = l.reason(i)
	}
	l.Edits, l.Why = edits, nil
	for _, e := range edits {
		l.Why = append(l.Why, why[EditKey(e)])
	}
	return l
}

// Draft is a proposal as it is to stand after a write. Head is a commit that
// the caller has written and that nothing points at yet.
type Draft struct {
	Slot    string
	Content string
	Kind    string
	Branch  string
	Base    Base
	Head    repo.Hash
	Title   string
	Body    string // Markdown, for a pull request and the receipt
	Layers  []Layer
	Files   []string
	Run     string
	At      time.Time
	Labels  []string
}

// Status is how a proposal stands on its forge.
type Status string

// How a proposal stands.
const (
	Open   Status = "open"
	Merged Status = "merged" // in the base, by a merge or by its content
	Closed Status = "closed" // gone without being merged
)

// Existing is a proposal of ours as its forge knows it.
type Existing struct {
	Slot     string
	Content  string
	Kind     string
	Branch   string
	Base     string
	Fork     repo.Hash // the commit of the base it was built on
	Head     repo.Hash // what the branch points at now; zero when it is gone
	Status   Status
	ClosedBy Closer // of a closed one
	Touched  bool   // somebody else wrote to the branch
	Title    string
	Labels   []string
	URL      string
	Number   int // of the pull request; 0 where there is none
	Layers   []Layer
	Files    []string
	Run      string
	At       time.Time // last written by us
	Ended    time.Time // merged or closed; zero where the forge cannot tell
	Holds    Holds     // filled in by [Standing] before deciding
	Conflict bool      // does not merge into the base; filled in before deciding
}

// Edits are the edits of all layers, oldest first.
func (x *Existing) Edits() []knowledge.Edit {
	var all []knowledge.Edit
	for _, l := range x.Layers {
		all = append(all, l.Edits...)
	}
	return all
}

// Closer says who ended a proposal without merging it.
type Closer string

// Who closed a proposal. Only a person's no is a rejection.
const (
	ByPerson Closer = "person"
	ByUs     Closer = "us"
)

// Holds says how the edits of an open proposal relate to the base as it is.
type Holds string

// How edits relate to the base. The zero value counts as still wanted.
const (
	HoldsStill Holds = "still" // at least one edit would change something
	HoldsDone  Holds = "done"  // the base has them all
	HoldsGone  Holds = "gone"  // what they would change is no longer there
)

// Rejection remembers that a person said no. One is kept for each edit.
type Rejection struct {
	Slot    string
	Content string
	Key     string // EditKey
	At      time.Time
	Lifted  time.Time // when a person asked for it again; zero: it stands
}

// Wanted is what a run has to offer for one slot.
type Wanted struct {
	Slot   string
	Kind   string
	Target string // the path it is about
	Branch string
	Edits  []knowledge.Edit
	Files  []string // all files the edits change
	Read   int      // files that a person has to read: those that only move to the archive are none
	Lines  int      // changed lines, added and removed, without those that only move
	Since  time.Time
}
