// Package night owns one run over one repository: it settles what is under
// review, lets the sweep and the retro look at it, sorts their edits by route,
// delivers them, writes the journal and fills the receipt.
//
// The order is the safety: the watermark moves last, after the outputs are
// durable, so that a crash at any point loses nothing and repeats nothing. A
// dry run takes the same way over a repository view that keeps every write in
// memory.
package night

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/knowledge/corpus"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/internal/signing"
	"github.com/retrosweep/retrosweep/retro"
)

// Command says which passes run.
type Command struct {
	Name         string // as the user called it, for the receipt
	Retro, Sweep bool
	All          bool  // sweep every fact
	Hand         *Hand // one edit that a person asks for
}

// Options are what a run is about.
type Options struct {
	Command          Command
	Repo             *repo.Repo
	Name             string // of the repository, in slots and receipts; "": [Identity]
	Config           config.Operator
	Signer           signing.Signer // nil: commits are not signed
	Model            *llm.Client    // nil: no model is asked
	From, To, Branch string
	Apply            bool
	Remote           Remote // nil: the repository is the place itself
	Deepen           Deepen // of a shallow clone; nil: it cannot be deepened
	Now              time.Time
	Log              *slog.Logger
	Progress         func(string) // what is being done, "" when it is done
}

// run is one run under way.
type run struct {
	Options
	view    *repo.Repo // what is read: the repository, with what is only tried kept in memory
	receipt *report.Receipt
	scope   scope
	state   *journal.State
	stateAt repo.Hash // the journal's commit that state was read from
	policy  *guard.Policy
	ignores []config.Ignore
	classes *knowledge.Classifier
	stack   overlay
	corpus  *corpus.Corpus
	shelf   proposal.Shelf // what a model found and that waits
	shelfAt repo.Hash
	notice  forge.Notice // the dashboard as it stood
	blind   bool         // it could not be read
	wrong   []string     // faults, for the dashboard

	remedies map[string]string // by branch: what a person can do where a rule of the host refused it
	lessons  retro.Result
	offers   offers
	style    proposal.Style
	forge    forge.Forge
	members  *members
	refs     map[string]repo.Hash // as the remote has them
	api      bool                 // the forge has effects that no push takes back
	leased   bool
	onto     *proposal.Draft // a commit for the base branch, which the push at the end takes along

	borrowed *repo.Repo // what a dry run fetched older history into
}

// Run executes one run. An error means that nothing was reviewed; faults that
// leave a part undone are warnings of the receipt, whose outcome is then
// partial.
func Run(ctx context.Context, o Options) (*report.Receipt, error) {
	o.Name = cmp.Or(o.Name, Identity(o.Repo))
	r := &run{Options: o, receipt: report.New(), view: o.Repo.Scratch()}
	defer r.giveBack()
	defer o.Progress("")
	if !o.Apply {
		r.Repo = r.view
		return r.all(ctx)
	}
	release, held, err := o.Repo.Lock(ctx, lockName)
	if err != nil {
		return nil, err
	}
	if !held {
		return r.skipped("another run holds this repository"), nil
	}
	defer release()
	return r.all(ctx)
}

const lockName = "retrosweep.lock"

// all takes the steps in their order.
func (r *run) all(ctx context.Context) (*report.Receipt, error) {
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"reading the references", r.snapshot},
		{"reading the journal", r.readJournal},
		{"settling the range", r.settle},
		{"reading the repository's configuration", r.configure},
		{"laying the open upkeep branch over the base", r.layOver},
		{"reading the knowledge files", r.read},
		{"sweeping", r.sweep},
		{"looking again at what waits", r.takeUp},
		{"looking at the dashboard", r.readBoard},
		{"looking for lessons", r.retro},
		{lookForFact, r.byHand},
		{"completing what is superseded", r.supersessions},
		{"keeping the indexes true", r.indexes},
		{writeBranches, r.deliver},
		{writeJournal, r.record},
		{push, r.publish},
		{"writing the dashboard", r.writeBoard},
	} {
		if r.receipt.Outcome == report.Skipped {
			break
		}
		if r.takes(step.name) {
			r.Progress(step.name)
		}
		r.Log.Debug("step", "run", r.receipt.Run, "step", step.name)
		if err := step.do(ctx); errors.Is(err, errBeaten) {
			return r.skipped("another run was faster, nothing of this one was pushed"), nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", step.name, err)
		}
	}
	r.finish()
	return r.receipt, nil
}

// Steps that not every run takes.
const (
	lookForFact   = "looking for the fact"
	writeBranches = "writing branches"
	writeJournal  = "writing the journal"
	push          = "pushing"
)

// takes reports whether a step is one to tell of: a dry run goes through all of
// them and must not say that it writes.
func (r *run) takes(step string) bool {
	switch step {
	case lookForFact:
		return r.Command.Hand != nil
	case writeBranches, writeJournal:
		return r.Apply
	case push:
		return r.Apply && r.Remote != nil
	}
	return true
}

func (r *run) skipped(why string) *report.Receipt {
	r.receipt.Command, r.receipt.Repo, r.receipt.Mode = r.Command.Name, r.Name, r.mode()
	r.receipt.Outcome = report.Skipped
	r.receipt.Started, r.receipt.Ended = r.Now, r.Now
	r.warn("%s: this one leaves it alone", why)
	return r.receipt
}

func (r *run) mode() report.Mode {
	if r.Apply {
		return report.Apply
	}
	return report.DryRun
}

func (r *run) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, w := range r.receipt.Warnings {
		if w == text {
			return
		}
	}
	r.receipt.Warnings = append(r.receipt.Warnings, text)
}

// partial says that something was left undone.
func (r *run) partial(format string, args ...any) {
	r.receipt.Outcome = report.Partial
	r.warn(format, args...)
}

// Identity names a local repository in slots, caches and receipts: the name of its
// folder, which a move of the parent folders leaves alone.
func Identity(r *repo.Repo) string {
	path, err := filepath.Abs(r.Path())
	if err != nil {
		path = r.Path()
	}
	return strings.TrimSuffix(filepath.Base(strings.TrimSuffix(path, string(filepath.Separator)+".git")), ".git")
}

// runID is derived from what a run looks at, so that the same night has the
// same id wherever and whenever it is computed.
func runID(now time.Time, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return now.UTC().Format("20060102") + "-" + hex.EncodeToString(sum[:4])
}
