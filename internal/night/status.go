package night

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

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
	Proposals  []proposal.Existing `json:"proposals"`
	Runs       []report.Receipt    `json:"runs"` // newest first, stripped of text
	Faults     []string            `json:"faults,omitempty"`
}

// ReadStatus reads the journal and the open proposals. It writes nothing.
func ReadStatus(ctx context.Context, r *repo.Repo, branch string) (Status, error) {
	look := &run{Options: Options{Repo: r.Scratch(), Branch: branch}, receipt: report.New()}
	if err := look.settleHead(); err != nil {
		return Status{}, err
	}
	state, _, err := journal.Load(ctx, r)
	if err != nil {
		return Status{}, err
	}
	base := proposal.Base{Name: look.scope.base(), Commit: look.scope.head.Hash}
	open, err := local.New(look.Repo, identity).List(ctx, base)
	if err != nil {
		return Status{}, err
	}
	marks := state.Branch(base.Name)
	s := Status{
		Repo: Identity(r), Branch: base.Name, Head: base.Commit.String(),
		Retro: markOf(marks.Retro), Sweep: markOf(marks.Sweep), Backlog: backlog(state.Backlog),
		Candidates: len(state.Candidates), Proposals: open, Faults: state.Faults,
	}
	for id, raw := range state.Receipts {
		var receipt report.Receipt
		if err := json.Unmarshal(raw, &receipt); err != nil {
			s.Faults = append(s.Faults, "receipt "+id+": "+err.Error())
			continue
		}
		s.Runs = append(s.Runs, receipt)
	}
	slices.SortFunc(s.Runs, func(a, b report.Receipt) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.Run, a.Run))
	})
	return s, nil
}
