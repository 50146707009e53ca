// Package retro owns one retro pass: hunks become signals, triage finds lessons
// in them, promotion decides which lessons are rules, patch turns those into
// typed edits with a route. It reads commits and asks a model; it writes
// nothing. What it wants written is in its [Result].
//
//	signal   hunks, ranked by class, author and place
//	triage   is there a durable lesson? quotes are looked up by code
//	rules    the rules that stand, and which are near a text
//	patch    the smallest edit that keeps a lesson, checked by code
//
// A pass is judged by what it leaves: every signal is judged or stands in the
// backlog ([Result.Complete]), or nothing of the pass counts and the watermark
// stays. The journal may be forged: candidates and backlog are read again from
// the commits they name, and what is not found there is dropped.
//
// # Why sixteen thousand tokens a night
//
// A signal's rank is good enough that 93 % of the hunks of known corrections are
// within the first twelve thousand tokens of triage (97 % in the night on which
// they were really made); thirty busy nights then cost 5 to 10 % of sending every
// diff and document. The backlog has windows of a quarter, so that it fits beside
// a full one, and a bound of 1,000 signals: more could not be judged before they
// are dropped. Package measure has these figures.
//
// # What a no and a rule are known by
//
// A no is remembered by its evidence, as a candidate in the journal: triage sees
// it among the waiting lessons and says when something is the same in other
// words. A rule that a person takes out of a playbook is a no as well. New
// independent evidence offers it once more, to a person, after the cooldown.
//
// A rule is known by its file and the commit it was made of, not by its words, so
// that the corrections it did not prevent count through every rewording. After a
// rewording that did not help, the next proposal goes to a person and says so.
package retro

import (
	"time"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/knowledge/corpus"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/retro/signal"
)

// Trust says who wrote a commit.
type Trust = signal.Trust

// Kinds of authors.
const (
	Member   = signal.Member
	Agent    = signal.Agent
	Outsider = signal.Outsider
)

// Input is what one pass works on. Repo, Head, Corpus, State and Now are
// needed; the rest has defaults.
type Input struct {
	Repo       *repo.Repo
	Branch     string
	Commits    []repo.Commit // the range, newest first
	From, Head repo.Hash
	Corpus     *corpus.Corpus          // at Head, under the edits that are open already
	Classifier *knowledge.Classifier   // nil: the built-in patterns
	State      *journal.State          // read only
	Model      *llm.Client             // nil: no model
	Policy     *guard.Policy           // nil: the default routes
	Members    func(repo.Commit) Trust // asked once for each commit; default: every human author
	Own        func(repo.Commit) bool
	OwnLine    func(line string) bool // lines that earlier runs wrote, as they come back from a squash
	Remarks    []signal.Remark        // what reviewers said of merged changes
	Now        time.Time
	Limits     Limits
	Progress   func(string)
}

// Limits bound one pass. Zero fields take the defaults.
type Limits struct {
	Tokens     int // of all triage windows together, estimated: 16,000, with which nine in ten corrections are seen the same night
	Window     int // of one window: 12,000
	Promotions int // lessons that may become edits in one night: 10
}

// Result is what a pass found and what it wants written.
type Result struct {
	Signals     int // found in the range
	Judged      int // signals that triage answered for, backlog included
	Lessons     []report.Lesson
	Edits       []RoutedEdit
	Backlog     []journal.Signal              // what waits for a later night
	Candidates  map[string]*journal.Candidate // all that wait for a second signal, and those that were listed
	Corrections []journal.Correction          // that were decided on: new ones, and those that a rule did not prevent
	Warnings    []string
	Complete    bool // every signal is judged or in Backlog: the watermark may move
}

// RoutedEdit is one edit and where it may go.
type RoutedEdit struct {
	Edit     knowledge.Edit
	Route    knowledge.Route
	LessonID string
	Title    string // one line, fit for a commit subject or proposal title
	Why      string // what shows it, and why this change
	Evidence []knowledge.Quote
	Trial    *Trial         // nil: no check was proposed
	Signal   journal.Signal // what the lesson was found in
}

func (in Input) defaults() Input {
	if in.Classifier == nil {
		in.Classifier = knowledge.NewClassifier(nil)
	}
	if in.Policy == nil {
		in.Policy = guard.NewPolicy(in.Classifier, guard.Routes{}, guard.Routes{})
	}
	if in.Members == nil {
		in.Members = func(c repo.Commit) Trust { return signal.DefaultTrust(c.Author.Email) }
	}
	if in.State == nil {
		in.State = &journal.State{}
	}
	if in.Corpus == nil {
		in.Corpus = corpus.New(nil)
	}
	if in.Progress == nil {
		in.Progress = func(string) {}
	}
	in.Limits = in.Limits.defaults()
	return in
}

func (l Limits) defaults() Limits {
	if l.Tokens <= 0 {
		l.Tokens = 16_000
	}
	if l.Window <= 0 {
		l.Window = 12_000
	}
	if l.Promotions <= 0 {
		l.Promotions = 10
	}
	return l
}

func (in Input) options() signal.Options {
	return signal.Options{Classify: in.Classifier.Classify, Trust: in.Members, Own: in.Own, OwnLine: in.OwnLine}
}
