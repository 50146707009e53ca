package retro

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/retro/patch"
	"github.com/retrosweep/retrosweep/retro/rules"
	"github.com/retrosweep/retrosweep/retro/signal"
	"github.com/retrosweep/retrosweep/retro/triage"
)

// Run makes one pass. It returns an error only where commits cannot be read or
// ctx ends; a model that cannot be reached is a Result that is not Complete.
func Run(ctx context.Context, in Input) (Result, error) {
	in = in.defaults()
	n := newNight(in)
	if err := n.gather(ctx); err != nil {
		return Result{}, fmt.Errorf("retro: %w", err)
	}
	if !in.Model.Has(triage.Stage) || !in.Model.Has(patch.Stage) {
		return n.withoutModel(), nil
	}
	if err := n.judge(ctx); err != nil {
		return n.end(ctx, err)
	}
	if err := n.age(ctx); err != nil {
		return Result{}, fmt.Errorf("retro: %w", err)
	}
	n.prune()
	return n.result(), nil
}

// night is the state of one pass.
type night struct {
	in     Input
	reader *reader
	rules  *rules.Set
	head   []string  // the documents at head as letters, once they are asked for
	added  additions // what the signals themselves wrote into knowledge files

	fresh   []*signal.Signal
	old     []old
	judged  map[string]bool // signals that were answered for
	later   map[string]bool // signals that were answered for and must be asked about again
	failed  int             // windows that got no usable answer
	asked   int             // windows that did
	spent   bool            // the model's budget is spent
	lessons []report.Lesson
	edits   []RoutedEdit

	waiting     map[string]*journal.Candidate
	shown       []triage.Waiting  // what every window of a batch is shown of them; nil: as each is asked
	texts       map[string]string // of tonight's candidates, which triage sees at once
	tonight     []string          // rules written tonight, for patch to see
	touched     map[string]bool   // rules changed tonight
	keys        map[string]bool   // lessons decided on tonight, by signal and words
	ids         map[string]int    // how many of them share an id
	promoted    int
	trials      int // checks that were tried on the past
	corrections []journal.Correction
	warnings    []string
}

func newNight(in Input) *night {
	n := &night{
		in: in, reader: newReader(in), rules: rules.Collect(in.Corpus.Docs),
		judged: map[string]bool{}, later: map[string]bool{}, touched: map[string]bool{}, texts: map[string]string{},
		waiting: map[string]*journal.Candidate{}, keys: map[string]bool{}, ids: map[string]int{},
	}
	for id, c := range in.State.Candidates {
		if c != nil {
			copied := *c
			n.waiting[id] = &copied
		}
	}
	return n
}

func (n *night) warn(format string, args ...any) {
	n.warnings = append(n.warnings, fmt.Sprintf(format, args...))
}

// gather reads the signals of the range and of the backlog.
func (n *night) gather(ctx context.Context) error {
	o := n.in.options()
	if len(n.in.Commits) > 0 {
		var err error
		if o.Past, err = n.in.past(ctx, []repo.Hash{n.in.From}); err != nil {
			return err
		}
	}
	o.Remarks = n.in.Remarks
	found, err := signal.Extract(ctx, n.in.Repo, n.in.Commits, o)
	if err != nil {
		return err
	}
	olds, gone, err := n.reader.recall(ctx, n.in.State.Backlog, n.in.Limits.Tokens/2)
	if err != nil {
		return err
	}
	n.warnings = append(n.warnings, gone...)
	n.warnings = append(n.warnings, skips(found.Skipped)...)
	fresh := map[string]bool{}
	for _, s := range found.Signals {
		fresh[s.ID] = true
	}
	n.old = slices.DeleteFunc(olds, func(o old) bool { return fresh[o.entry.ID] })
	signal.Rank(found.Signals)
	n.fresh = found.Signals
	n.added = newAdditions(append(oldSignals(n.old), n.fresh...))
	n.deletedRules()
	return nil
}

// maxPast is how many commits before the range its signals are compared with.
const maxPast = 300

// past are the commits up to the first of some parents. Where older history is not
// there, the signals are compared with less.
func (in Input) past(ctx context.Context, parents []repo.Hash) ([]repo.Commit, error) {
	if len(parents) == 0 || parents[0].IsZero() {
		return nil, nil
	}
	res, err := in.Repo.Range(ctx, repo.Hash{}, parents[0], maxPast)
	if err != nil {
		return nil, ctx.Err()
	}
	return res.Commits, nil
}

// skips says what of the range was not looked at although it is text that
// people wrote. Own commits, lock files and the like are left out in silence.
func skips(all []signal.Skip) []string {
	count := map[string]int{}
	for _, s := range all {
		switch s.Reason {
		case "own commit", "lock file", "generated", "vendored", "minified", "symbolic link", "submodule":
		default:
			count[s.Reason]++
		}
	}
	var out []string
	for _, reason := range slices.Sorted(maps.Keys(count)) {
		out = append(out, fmt.Sprintf("retro: not looked at in %d places: %s", count[reason], reason))
	}
	return out
}

// end is the outcome of a pass that could not go on: nothing of it counts, so
// that the next night begins where this one did, with the answers cached.
func (n *night) end(ctx context.Context, err error) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, fmt.Errorf("retro: %w", err)
	}
	n.warn("retro stopped, its watermark stays: %v", err)
	return Result{
		Signals: len(n.fresh), Judged: len(n.judged), Backlog: n.in.State.Backlog, Candidates: n.in.State.Candidates, Warnings: n.warnings,
	}, nil
}

// withoutModel says how many signals wait. The watermark stays, so that naming
// a model later loses nothing.
func (n *night) withoutModel() Result {
	return Result{
		Signals: len(n.fresh), Backlog: n.in.State.Backlog, Candidates: n.in.State.Candidates, Warnings: n.warnings,
	}
}

func (n *night) result() Result {
	return Result{
		Signals: len(n.fresh), Judged: len(n.judged), Lessons: n.lessons, Edits: n.edits, Backlog: n.leave(),
		Candidates: n.waiting, Corrections: n.corrections, Warnings: n.warnings, Complete: true,
	}
}

// leave is the backlog of the next night: what was not judged, or must be
// judged again. What waited for too long is dropped by name.
func (n *night) leave() []journal.Signal {
	var out []journal.Signal
	for _, o := range n.old {
		if n.done(o.entry.ID) {
			continue
		}
		e := o.entry
		if e.Nights++; e.Nights > maxNights {
			n.warn("backlog: %s waited %d nights without a budget, dropped", nameOf(e), maxNights)
			continue
		}
		out = append(out, e)
	}
	for _, s := range n.fresh {
		if !n.done(s.ID) {
			e := entryOf(s)
			e.Since = n.in.Now.UTC()
			out = append(out, e)
		}
	}
	return n.bound(out)
}

// maxBacklog is how many signals wait at most: about what thirty nights can
// judge of what a first run over a long history leaves.
const maxBacklog = 1000

// bound keeps the signals that waited longest and, of tonight's, the strongest:
// they stand in this order. What is left out is counted by class.
func (n *night) bound(all []journal.Signal) []journal.Signal {
	if len(all) <= maxBacklog {
		return all
	}
	left := map[string]int{}
	for _, s := range all[maxBacklog:] {
		left[s.Class]++
	}
	for _, class := range slices.Sorted(maps.Keys(left)) {
		n.warn("backlog: %d signals of class %q are more than the %d that can wait, not looked at", left[class], class, maxBacklog)
	}
	return all[:maxBacklog]
}

func (n *night) done(id string) bool { return n.judged[id] && !n.later[id] }
