package night

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/forge/local"
	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
)

// Status is what earlier runs left in a repository.
type Status struct {
	Repo       string              `json:"repo"`
	Branch     string              `json:"branch"`
	Head       string              `json:"head"`
	Retro      *report.Mark        `json:"retro"`
	Sweep      *report.Mark        `json:"sweep"`
	Backlog    report.Backlog      `json:"backlog"`
	Candidates int                 `json:"candidates"`
	Lessons    Lessons             `json:"lessons"`
	Proposals  []proposal.Existing `json:"proposals"`
	Runs       []report.Receipt    `json:"runs"` // newest first, stripped of text
	Faults     []string            `json:"faults,omitempty"`
}

// Look is what a person asks of a repository without changing it.
type Look struct {
	Repo   *repo.Repo
	Branch string          // "": that of HEAD
	Config config.Operator // what is read, and how
	Now    time.Time
}

// ReadStatus reads the journal and the open proposals. It writes nothing.
func ReadStatus(ctx context.Context, l Look) (Status, error) {
	look, err := l.begin(ctx)
	if err != nil {
		return Status{}, err
	}
	base := proposal.Base{Name: look.scope.base(), Commit: look.scope.head.Hash}
	open, err := local.New(look.Repo, identity).List(ctx, base)
	if err != nil {
		return Status{}, err
	}
	state := look.state
	marks := state.Branch(base.Name)
	s := Status{
		Repo: Identity(l.Repo), Branch: base.Name, Head: base.Commit.String(),
		Retro: markOf(marks.Retro), Sweep: markOf(marks.Sweep), Backlog: backlog(state.Backlog),
		Candidates: waiting(state), Proposals: open, Faults: state.Faults,
	}
	var faults []string
	s.Runs, faults = receipts(state)
	s.Faults = append(s.Faults, faults...)
	return s, nil
}

// waiting counts the lessons that wait for a second signal.
func waiting(s *journal.State) (n int) {
	for _, c := range s.Candidates {
		if c != nil && c.Status == "waiting" {
			n++
		}
	}
	return n
}

// begin settles the head and reads the journal.
func (l Look) begin(ctx context.Context) (*run, error) {
	scratch := l.Repo.Scratch()
	look := &run{Options: Options{Repo: scratch, Branch: l.Branch, Config: l.Config, Now: l.Now}, view: scratch, receipt: report.New()}
	if err := look.settleHead(); err != nil {
		return nil, err
	}
	var err error
	look.state, look.stateAt, err = journal.Load(ctx, l.Repo)
	return look, err
}

// read begins and reads the knowledge files of the head.
func (l Look) read(ctx context.Context) (*run, error) {
	look, err := l.begin(ctx)
	if err != nil {
		return nil, err
	}
	look.stack.tree = look.scope.head.Tree
	if err := look.configure(ctx); err != nil {
		return nil, err
	}
	return look, look.read(ctx)
}

// receipts are those of the last runs, the newest first.
func receipts(state *journal.State) (all []report.Receipt, faults []string) {
	for id, raw := range state.Receipts {
		var r report.Receipt
		if err := json.Unmarshal(raw, &r); err != nil {
			faults = append(faults, "receipt "+id+": "+err.Error())
			continue
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b report.Receipt) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.Run, a.Run))
	})
	return all, faults
}
