package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
)

func (m *Main) statusCommand() *cobra.Command {
	f := &flags{limit: 10}
	var format, unverified, fact string
	c := &cobra.Command{
		Use:     "status [REPO]",
		GroupID: groupNight,
		Short:   "Where the last night stopped, what is open, what the last runs found",
		Long: `Shows what earlier runs left. With --unverified it lists the facts that nobody has
confirmed for so long, those that do the most harm first; with --fact the life of
one fact: who checked, archived or dated it, when, and against what.`,
		Example: `  retrosweep status --unverified 90d
  retrosweep status --fact W-001`,
		Args: atMostOneRepo,
		RunE: func(c *cobra.Command, args []string) error {
			f.format = format
			if err := f.check(); err != nil {
				return err
			}
			return m.look(c.Context(), f, unverified, fact, repoArg(args))
		},
	}
	fs := c.Flags()
	fs.StringVar(&f.config, "config", "", "the operator's configuration `file` (default: $RETROSWEEP_CONFIG, else the user's configuration directory)")
	fs.StringVar(&f.branch, "branch", "", "the `branch` to look at (default: the repository's HEAD)")
	fs.StringVar(&f.now, "now", "", "the `date` that ages are measured by (default: the clock)")
	fs.StringVar(&format, "format", "text", "text, json, or markdown: the page that the dashboard shows")
	fs.StringVar(&unverified, "unverified", "", "list the facts that nobody confirmed within this `time`: 90d, 12w, 6m")
	fs.StringVar(&fact, "fact", "", "the life of one fact, by its `id`, the beginning of one, or FILE:LINE")
	fs.IntVar(&f.limit, "limit", 10, "show at most `n` facts in text, 0 for all")
	c.MarkFlagsMutuallyExclusive("unverified", "fact")
	mustRegister(c, "format", []string{"text", "json", "markdown"})
	return c
}

// look answers one question about a repository, without changing it.
func (m *Main) look(ctx context.Context, f *flags, unverified, fact, path string) (err error) {
	now, err := f.day(m.Clock)
	if err != nil {
		return err
	}
	operator, err := config.LoadOperator(f.config, m.Getenv)
	if err != nil {
		return usageError{err}
	}
	r, err := repo.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	l := night.Look{Repo: r, Branch: f.branch, Config: operator, Now: now}
	switch {
	case unverified != "":
		return m.unverified(ctx, l, f, unverified, path)
	case fact != "":
		return m.trail(ctx, l, f, fact, path)
	}
	if f.format == "markdown" {
		page, err := night.ReadPage(ctx, l)
		if err != nil {
			return fmt.Errorf("status %s: %w", path, err)
		}
		_, err = io.WriteString(m.Stdout, page)
		return err
	}
	s, err := night.ReadStatus(ctx, l)
	if err != nil {
		return fmt.Errorf("status %s: %w", path, err)
	}
	if s.Lessons, err = night.ReadLessons(ctx, l); err != nil {
		return fmt.Errorf("status %s: %w", path, err)
	}
	return m.answer(f, s, func(w io.Writer) { writeStatus(w, s); writeLessons(w, s.Lessons) })
}

// answer writes what was asked for as JSON or as text.
func (m *Main) answer(f *flags, v any, text func(io.Writer)) error {
	if f.format == "json" {
		enc := json.NewEncoder(m.Stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	}
	text(m.Stdout)
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
