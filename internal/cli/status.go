package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
)

func (m *Main) statusCommand() *cobra.Command {
	f := &flags{}
	var format string
	c := &cobra.Command{
		Use:     "status [REPO]",
		GroupID: groupNight,
		Short:   "Where the last night stopped, what is open, what the last runs found",
		Args:    atMostOneRepo,
		RunE: func(c *cobra.Command, args []string) error {
			f.format = format
			if err := f.check(); err != nil {
				return err
			}
			return m.status(c.Context(), format, f.branch, repoArg(args))
		},
	}
	c.Flags().StringVar(&f.branch, "branch", "", "the `branch` to look at (default: the repository's HEAD)")
	c.Flags().StringVar(&format, "format", "text", "text or json")
	mustRegister(c, "format", []string{"text", "json"})
	return c
}

func (m *Main) status(ctx context.Context, format, branch, path string) error {
	r, err := repo.Open(ctx, path)
	if err != nil {
		return err
	}
	s, err := night.ReadStatus(ctx, r, branch)
	if err != nil {
		return fmt.Errorf("status %s: %w", path, err)
	}
	if format == "json" {
		enc := json.NewEncoder(m.Stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(s)
	}
	writeStatus(m.Stdout, s)
	return nil
}

func writeStatus(w io.Writer, s night.Status) {
	fmt.Fprintf(w, "%s, branch %s at %.10s\n", guard.Terminal(s.Repo), guard.Terminal(s.Branch), s.Head)
	if s.Retro == nil && s.Sweep == nil && len(s.Runs) == 0 {
		fmt.Fprintln(w, "\nno night has been applied here yet: retrosweep run --apply")
	}
	reviewed(w, "retro", s.Retro)
	reviewed(w, "sweep", s.Sweep)
	if s.Backlog.Signals > 0 {
		fmt.Fprintf(w, "backlog  %d signals, the oldest since %s\n", s.Backlog.Signals, s.Backlog.Oldest)
	}
	if s.Candidates > 0 {
		fmt.Fprintf(w, "waiting  %d lessons for a second signal\n", s.Candidates)
	}
	writeProposals(w, s.Proposals)
	writeRuns(w, s.Runs)
	for _, fault := range s.Faults {
		fmt.Fprintf(w, "\njournal: %s\n", guard.Terminal(fault))
	}
}

func reviewed(w io.Writer, pass string, at *report.Mark) {
	switch {
	case at == nil:
	case at.Commit == "":
		fmt.Fprintf(w, "%s    waits since the beginning of history for a model\n", pass)
	default:
		fmt.Fprintf(w, "%s    reviewed up to %.10s\n", pass, at.Commit)
	}
}

func writeProposals(w io.Writer, all []proposal.Existing) {
	open := slices.DeleteFunc(slices.Clone(all), func(x proposal.Existing) bool { return x.Status != proposal.Open })
	if len(open) == 0 {
		return
	}
	fmt.Fprintf(w, "\nopen (%d)\n", len(open))
	for _, x := range open {
		theirs := ""
		if x.Touched {
			theirs = "  (changed by somebody else: left alone)"
		}
		fmt.Fprintf(w, "  %s  %s%s\n", guard.Terminal(x.Branch), guard.Terminal(x.Title), theirs)
		fmt.Fprintf(w, "    git diff %s..%s\n", guard.Terminal(x.Base), guard.Terminal(x.Branch))
	}
}

func writeRuns(w io.Writer, runs []report.Receipt) {
	if len(runs) == 0 {
		return
	}
	fmt.Fprintf(w, "\nlast runs\n")
	for _, r := range runs[:min(len(runs), 5)] {
		var parts []string
		if f := r.Facts; f.Total > 0 {
			parts = append(parts, fmt.Sprintf("%d facts: %d broken, %d stale, %d unknown, %d archived", f.Total, f.Broken, f.Stale, f.Unknown, f.Archived))
		}
		if n := len(r.Lessons); n > 0 {
			parts = append(parts, fmt.Sprintf("%d lessons", n))
		}
		fmt.Fprintf(w, "  %s  %s  %s\n", r.Started.Format("2006-01-02 15:04"), r.Command, strings.Join(parts, "; "))
	}
}
