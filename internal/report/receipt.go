package report

import (
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Schema names the version of the receipt. Field names under it are stable;
// additions are allowed.
const Schema = "retrosweep.run/v1"

// Mode says whether a run wrote anything.
type Mode string

// Modes of a run.
const (
	DryRun Mode = "dry-run"
	Apply  Mode = "apply"
)

// Receipt is the record of one run over one repository.
type Receipt struct {
	Schema    string                `json:"schema"`
	Command   string                `json:"command,omitempty"` // run, retro, sweep, lint, ...
	Run       string                `json:"run"`
	Repo      string                `json:"repo"`
	Branch    string                `json:"branch"`
	Bare      bool                  `json:"bare,omitempty"` // there is no working tree to merge in
	Mode      Mode                  `json:"mode"`
	Outcome   Outcome               `json:"outcome,omitempty"`
	Started   time.Time             `json:"started"`
	Ended     time.Time             `json:"ended"`
	Sent      []Sent                `json:"sent"`
	Range     Range                 `json:"range"`
	Signals   *Signals              `json:"signals,omitempty"` // nil: no retro ran
	Facts     FactCounts            `json:"facts"`
	Findings  []knowledge.Finding   `json:"findings"`         // sorted by harm, worst first
	Checks    []Check               `json:"checks,omitempty"` // claims that this run held against the code
	Lessons   []Lesson              `json:"lessons"`
	Proposals []Proposal            `json:"proposals"`
	Dashboard ProposalState         `json:"dashboard,omitempty"` // opened or updated; "": its issue was not written
	Backlog   Backlog               `json:"backlog"`
	Usage     map[string]StageUsage `json:"usage"` // by stage: triage, patch, judge
	Watermark Watermarks            `json:"watermark"`
	Warnings  []string              `json:"warnings"`
	Diff      string                `json:"diff,omitempty"` // the diffs of all proposals, in their order
	Lint      *Lint                 `json:"lint,omitempty"` // of lint: what only a working tree has
	// Rules says what each rule finds, for a command that brings rules of its
	// own.
	Rules map[string]string `json:"-"`
}

// Outcome is how a run ended.
type Outcome string

// Outcomes. The empty outcome is read as done.
const (
	Done    Outcome = "done"
	Partial Outcome = "partial" // a fault: done in part, warnings say what is left
	Skipped Outcome = "skipped" // another run holds the repository, or it is switched off
)

// Sent says that a stage sent text of the repository to an endpoint.
type Sent struct {
	Stage    string `json:"stage"`
	Endpoint string `json:"endpoint"`
	Model    string `json:"model"`
	Recorded bool   `json:"recorded,omitempty"` // answered from a recording, nothing left the machine
}

// Basis says where the beginning of a range came from.
type Basis string

// Bases of a range.
const (
	BasisWatermark Basis = "watermark"
	BasisFirstRun  Basis = "first-run"
	BasisTree      Basis = "tree"
	BasisMergeBase Basis = "merge-base"
	BasisFull      Basis = "full"
	BasisExplicit  Basis = "explicit"
)

// Range is the commits under review.
type Range struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Commits int    `json:"commits"`
	Files   int    `json:"files"`
	Basis   Basis  `json:"basis"`
}

// FactCounts counts facts by verdict. Total = Fresh + Broken + Stale + Unknown.
type FactCounts struct {
	Total    int            `json:"total"`
	Touched  int            `json:"touched"` // name something the range changed
	Judged   int            `json:"judged"`
	Fresh    int            `json:"fresh"`
	Broken   int            `json:"broken"`
	Stale    int            `json:"stale"`
	Unknown  int            `json:"unknown"`
	Archived int            `json:"archived"`          // by this run
	Reasons  map[string]int `json:"reasons,omitempty"` // of the unknown: reason to count
	Files    int            `json:"files,omitempty"`   // knowledge files read
	Pairs    map[string]int `json:"pairs,omitempty"`   // pairs of facts that a judge was to compare: what it said, or why it did not
}

// Signals counts what the retro found in the range.
type Signals struct {
	Found   int `json:"found"`
	Judged  int `json:"judged"`
	Waiting int `json:"waiting"` // no model was named: they wait for one
}

// LessonStatus says what became of a lesson.
type LessonStatus string

// What becomes of lessons.
const (
	LessonCandidate LessonStatus = "candidate" // waits for a second, independent signal
	LessonPromoted  LessonStatus = "promoted"
	LessonCovered   LessonStatus = "covered" // a rule says it already
	LessonRejected  LessonStatus = "rejected"
	LessonDropped   LessonStatus = "dropped" // could not be grounded, or waited too long
)

// Lesson is what triage found in the commits.
type Lesson struct {
	ID       string            `json:"id"`
	Status   LessonStatus      `json:"status"`
	Text     string            `json:"text"`
	Explicit bool              `json:"explicit"`
	Evidence []knowledge.Quote `json:"evidence"`
	Playbook string            `json:"playbook"`
	Reason   string            `json:"reason"`
}

// ProposalState says how a proposal stands after the run.
type ProposalState string

// States of a proposal. In a dry run they say what an apply would do.
const (
	ProposalCommitted ProposalState = "committed" // onto the base branch itself
	ProposalOpened    ProposalState = "opened"
	ProposalUpdated   ProposalState = "updated"
	ProposalUnchanged ProposalState = "unchanged" // open, same content: nothing was written
	ProposalWaiting   ProposalState = "waiting"   // over a limit or in its cooldown
	ProposalRejected  ProposalState = "rejected"  // a person said no to this content
	ProposalMerged    ProposalState = "merged"
	ProposalHandsOff  ProposalState = "hands-off" // a person changed the branch: theirs now
	ProposalClosed    ProposalState = "closed"    // obsolete, closed by us
	ProposalBlocked   ProposalState = "blocked"   // could not be written, the reason says why
)

// Proposal is one branch or pull request. The rolling upkeep branch is one too.
type Proposal struct {
	Slot    string          `json:"slot"`
	Content string          `json:"content"`
	Kind    string          `json:"kind,omitempty"` // upkeep, playbook, skill, ...
	Title   string          `json:"title"`
	Branch  string          `json:"branch"`
	Base    string          `json:"base,omitempty"`
	Files   []string        `json:"files"`
	Route   knowledge.Route `json:"route"`
	State   ProposalState   `json:"state"`
	URL     string          `json:"url"`
	Reason  string          `json:"reason"`
	Body    string          `json:"body,omitempty"`
	Commit  string          `json:"commit,omitempty"`
	Diff    string          `json:"diff,omitempty"` // equals git diff <base>..<branch>
}

// Backlog counts the signals left for a later night.
type Backlog struct {
	Signals int    `json:"signals"`
	Oldest  string `json:"oldest"` // YYYY-MM-DD, "" when there are none
}

// StageUsage is what one stage asked and spent.
type StageUsage struct {
	Model            string  `json:"model"`
	Calls            int     `json:"calls"`  // requests sent, retries and repairs included
	Cached           int     `json:"cached"` // answers taken from the cache instead
	Retried          int     `json:"retried,omitempty"`
	Repaired         int     `json:"repaired,omitempty"`
	Recorded         int     `json:"recorded,omitempty"` // answers that came from a recording
	PromptTokens     int     `json:"prompt_tokens"`
	CompletionTokens int     `json:"completion_tokens"`
	USD              float64 `json:"usd"`
	Priced           bool    `json:"priced"` // false: no price is known, USD says nothing
}

// Mark is a last reviewed commit.
type Mark struct {
	Commit string `json:"commit"`
	Tree   string `json:"tree,omitempty"`
}

// Move is a watermark before and after a run; nil: there was none.
type Move struct {
	Before *Mark `json:"before"`
	After  *Mark `json:"after"`
}

// Moved reports whether the run moved the watermark.
func (m Move) Moved() bool {
	return m.After != nil && (m.Before == nil || *m.Before != *m.After)
}

// Watermarks holds the watermark of both stages.
type Watermarks struct {
	Retro Move `json:"retro"`
	Sweep Move `json:"sweep"`
}

// New returns an empty receipt whose lists and maps are not nil, so that they
// are written as [] and {}.
func New() *Receipt {
	return (&Receipt{Schema: Schema, Mode: DryRun}).normal()
}

// normal replaces nil lists by empty ones, in place.
func (r *Receipt) normal() *Receipt {
	r.Schema = Schema
	r.Sent = orEmpty(r.Sent)
	r.Findings = orEmpty(r.Findings)
	r.Lessons = orEmpty(r.Lessons)
	r.Proposals = orEmpty(r.Proposals)
	r.Warnings = orEmpty(r.Warnings)
	if r.Usage == nil {
		r.Usage = map[string]StageUsage{}
	}
	for i := range r.Lessons {
		r.Lessons[i].Evidence = orEmpty(r.Lessons[i].Evidence)
	}
	for i := range r.Checks {
		r.Checks[i].Anchors = orEmpty(r.Checks[i].Anchors)
	}
	for i := range r.Proposals {
		r.Proposals[i].Files = orEmpty(r.Proposals[i].Files)
	}
	return r
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
