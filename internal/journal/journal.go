// Package journal owns the run ledger: what earlier nights reviewed, left over,
// judged, proposed and wrote, on the local git reference [Ref].
//
// The ledger is a commit whose tree holds small JSON files:
//
//	watermark.json      the last reviewed commit, per branch and stage
//	backlog.json        signals that wait for a budget
//	candidates/<id>.json  lessons that wait for a second signal
//	rejections.json     proposals that a person closed
//	corrections.json    which commits set what right, and which rule had said so
//	waiting.json        proposals that found no room
//	acted.json          when a person last decided about one
//	verdicts/<xx>.json  checked claims, by the first two digits of their hash
//	keys/<xx>.json      lines that we wrote, by the first two digits of their hash
//	commits.json        commits that we made
//	lease.json          the run that is writing, and until when that is believed
//	receipts/<run>.json the last 30 receipts, without quotes
//
// It holds hashes, ids and commit:path:line, never quotes or names: whoever can
// read the repository can fetch it. It is also text that others can forge, so
// its readers take from it only reasons to do less.
//
// Persons are told apart by a hash of their address. `status --fact` gives one a
// name again from the authors of the branch.
package journal

import (
	"encoding/json"
	"slices"
	"time"
)

// Ref is the reference that holds the journal.
const Ref = "refs/retrosweep/journal"

// MaxReceipts is how many receipts are kept; the oldest go first.
const MaxReceipts = 30

// Mark is one reviewed commit. The tree id finds it again after a rebase.
type Mark struct {
	Commit string `json:"commit"`
	Tree   string `json:"tree"`
}

// Watermark is the last reviewed commit of each stage on one branch.
type Watermark struct {
	Retro *Mark `json:"retro,omitempty"`
	Sweep *Mark `json:"sweep,omitempty"`
}

// Signal is a hunk that waits for a budget.
type Signal struct {
	ID     string    `json:"id"`
	Commit string    `json:"commit"`
	Path   string    `json:"path"`
	Line   int       `json:"line"`
	Class  string    `json:"class"`
	Since  time.Time `json:"since"`
	Nights int       `json:"nights"`
}

// Where is a place in history.
type Where struct {
	Commit string `json:"commit"`
	Path   string `json:"path"`
	Line   int    `json:"line"`
}

// Candidate is a lesson that waits for a second independent signal.
type Candidate struct {
	ID        string    `json:"id"`
	LessonKey string    `json:"lesson_key"`
	Evidence  []Where   `json:"evidence"`
	Explicit  bool      `json:"explicit"`
	Since     time.Time `json:"since"`
	Status    string    `json:"status"`
}

// Waiting is a proposal that found no room: which file to look at again. What a
// model found waits beside the journal, as the content says; Signals is where it
// was found, for the case that it is lost there.
type Waiting struct {
	Slot    string    `json:"slot"`
	Path    string    `json:"path"`
	Base    string    `json:"base,omitempty"`
	Since   time.Time `json:"since"`
	Content string    `json:"content,omitempty"`
	Signals []Signal  `json:"signals,omitempty"`
}

// Landed remembers a proposal that was merged, or one edit of a merged upkeep
// branch, by hashes, so that taking it back is known as a no.
type Landed struct {
	Slot     string    `json:"slot"`
	Content  string    `json:"content"`
	Keys     []string  `json:"keys"`               // of its edits
	Lines    []string  `json:"lines"`              // that it added
	Was      []string  `json:"was,omitempty"`      // that it took out
	Files    []string  `json:"files"`              // that it changed
	Evidence []Where   `json:"evidence,omitempty"` // that showed the lesson
	Lesson   bool      `json:"lesson,omitempty"`   // not a correction by the sweep
	Fact     string    `json:"fact,omitempty"`     // id of the fact that an upkeep edit was about
	At       time.Time `json:"at"`
}

// MaxLanded is how many merged proposals and upkeep edits are remembered; the
// oldest go first.
const MaxLanded = 400

// Rejection remembers a proposal that a person closed.
type Rejection struct {
	Slot    string    `json:"slot"`
	Content string    `json:"content"`
	Key     string    `json:"key"`
	At      time.Time `json:"at"`
	Lifted  time.Time `json:"lifted,omitzero"` // when a person asked for it again
}

// Verdict remembers one check of a claim: what was looked at, and who looked.
// It names no person: By is "person", perhaps with a hash of an address, or
// "judge" with a model and a prompt.
type Verdict struct {
	Claim        string    `json:"claim"`
	Fact         string    `json:"fact,omitempty"`    // id of the fact that made the claim
	Anchors      []string  `json:"anchors,omitempty"` // hashes of what the claim names, sorted
	Fingerprints []string  `json:"fingerprints"`      // how each of them looked: engine@version:hash
	Verdict      string    `json:"verdict"`
	Commit       string    `json:"commit"`
	Tree         string    `json:"tree"`
	By           string    `json:"by"`
	At           time.Time `json:"at"`
}

// MaxVerdicts is how many checks of one claim are kept; the oldest go first.
const MaxVerdicts = 8

// Note adds a check to the history of its claim. The same check by the same
// hand on the same day is one.
func (s *State) Note(v Verdict) {
	v.At = v.At.UTC().Truncate(time.Second)
	if s.Verdicts == nil {
		s.Verdicts = map[string][]Verdict{}
	}
	all := s.Verdicts[v.Claim]
	if n := len(all); n > 0 && all[n-1].repeats(v) {
		return
	}
	all = append(slices.Clone(all), v)
	s.Verdicts[v.Claim] = all[max(0, len(all)-MaxVerdicts):]
}

// repeats reports whether w says nothing that v does not say.
func (v Verdict) repeats(w Verdict) bool {
	return v.By == w.By && v.Verdict == w.Verdict && v.Fact == w.Fact && v.At.Format(time.DateOnly) == w.At.UTC().Format(time.DateOnly) &&
		slices.Equal(v.Anchors, w.Anchors) && slices.Equal(v.Fingerprints, w.Fingerprints)
}

// Last returns the newest check of a claim that could tell: one that ended in
// unknown leaves standing what was known before.
func (s *State) Last(claim string) (Verdict, bool) {
	for _, v := range slices.Backward(s.Verdicts[claim]) {
		if v.Tells() {
			return v, true
		}
	}
	return Verdict{}, false
}

// History returns all checks of a claim, oldest first.
func (s *State) History(claim string) []Verdict { return s.Verdicts[claim] }

// Verdicts of checks that tell nothing of a claim.
const (
	Undecided = "unknown"  // somebody looked and could not tell: the same is not asked again
	Deferred  = "deferred" // nobody could look at what changed since Commit: another night will
)

// Tells reports whether a check says something of its claim.
func (v Verdict) Tells() bool { return v.Verdict != Undecided && v.Verdict != Deferred }

// Lease says that a run is writing, so that another one on another machine
// leaves the repository alone. It is taken by compare-and-swap before the first
// effect, and given back with the last one.
type Lease struct {
	Run   string    `json:"run"`
	Until time.Time `json:"until"`
}

// MaxLease is how far ahead a lease is believed: a forged one cannot keep
// everybody out for good.
const MaxLease = 2 * time.Hour

// Holds reports whether the lease keeps another run out.
func (l *Lease) Holds(run string, now time.Time) bool {
	return l != nil && l.Run != run && l.Until.After(now) && l.Until.Sub(now) <= MaxLease
}

// State is the whole journal.
type State struct {
	Branches    map[string]*Watermark
	Backlog     []Signal
	Candidates  map[string]*Candidate
	Rejections  []Rejection
	Corrections []Correction // oldest first
	Waiting     []Waiting
	Landed      []Landed                   // oldest first
	Acted       time.Time                  // when a person last decided about a proposal
	Verdicts    map[string][]Verdict       // by claim hash, oldest first
	Keys        map[string]string          // hash of a line that we wrote -> run
	Commits     []string                   // commits that we made
	Receipts    map[string]json.RawMessage // by run id
	Lease       *Lease                     // nil: nobody is writing
	Faults      []string                   // files of the journal that could not be read; what they held is gone
}

// Branch returns the watermark of a branch and makes an empty one where there
// is none.
func (s *State) Branch(name string) *Watermark {
	if s.Branches == nil {
		s.Branches = map[string]*Watermark{}
	}
	if s.Branches[name] == nil {
		s.Branches[name] = &Watermark{}
	}
	return s.Branches[name]
}
