package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrosweep/retrosweep/internal/collect"
	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/repo"
)

const groupAgents = "agents"

// collectDays is how far back sessions are read where nobody says.
const collectDays = 30

func (m *Main) collectCommand() *cobra.Command {
	f := &flags{}
	days := collectDays
	c := &cobra.Command{
		Use:     "collect [REPO]",
		GroupID: groupAgents,
		Short:   "Bring what agents on this machine were told to a local branch",
		Long: `Collect reads the memories that Claude Code and Codex keep on this machine for
a repository, and the turns of their sessions in which somebody corrected them.
Secrets, addresses and personal paths are taken out. What the repository does
not have yet is shown, and with --apply committed to the local branch
` + collect.Branch + `. Nothing is pushed: read it first, it is your own words.`,
		Example: `  retrosweep collect                 what would be kept, whole
  retrosweep collect --apply         the same, on a local branch`,
		Args: atMostOneRepo,
		RunE: func(c *cobra.Command, args []string) error {
			if days < 1 {
				return usageError{fmt.Errorf("--days %d: it takes 1 or more", days)}
			}
			return m.collect(c.Context(), f, days, repoArg(args))
		},
	}
	c.Flags().BoolVar(&f.apply, "apply", false, "write the local branch (default: a dry run that writes nothing)")
	c.Flags().IntVar(&days, "days", collectDays, "read the sessions of the last `n` days")
	c.Flags().StringVar(&f.now, "now", "", "the `date` that days are counted back from (default: the clock)")
	return c
}

func (m *Main) collect(ctx context.Context, f *flags, days int, where string) (err error) {
	now, err := f.day(m.Clock)
	if err != nil {
		return err
	}
	root, err := filepath.Abs(where)
	if err != nil {
		return usageError{err}
	}
	r, err := repo.Open(ctx, where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	home := cmp.Or(m.Getenv("HOME"), m.Getenv("USERPROFILE"))
	if home == "" {
		return usageError{errors.New("collect: the environment names no home directory")}
	}
	found, faults, err := collect.Gather(collect.Places{
		Home: home, Root: root, Claude: m.Getenv("CLAUDE_CONFIG_DIR"), Codex: m.Getenv("CODEX_HOME"),
	}, now.AddDate(0, 0, -days))
	if err != nil {
		return err
	}
	plan, err := collect.Prepare(ctx, r, found)
	if err != nil {
		return err
	}
	m.showPlan(plan, faults)
	return m.keep(ctx, f, r, plan, now)
}

// showPlan shows every text whole: it is a person's own, and they decide.
func (m *Main) showPlan(p collect.Plan, faults []string) {
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		fmt.Fprintf(m.Stdout, "%s\n%s\n", guard.Terminal(name), indented(guard.Terminal(string(p.Files[name]))))
	}
	fmt.Fprintf(m.Stdout, "%d to keep, %d that the repository has already\n", len(p.Files), p.Known)
	for _, f := range faults {
		m.warn("not read: " + guard.TerminalLine(f, 300))
	}
}

func (m *Main) keep(ctx context.Context, f *flags, r *repo.Repo, p collect.Plan, now time.Time) error {
	if len(p.Files) == 0 {
		return nil
	}
	if !f.apply {
		fmt.Fprintln(m.Stdout, "dry run: nothing was written; --apply commits this to the local branch "+collect.Branch)
		return nil
	}
	email := cmp.Or(m.Getenv("GIT_AUTHOR_EMAIL"), r.UserEmail())
	if email == "" {
		return usageError{errors.New("collect: git does not know who you are: git config user.email ADDRESS")}
	}
	by := repo.Signature{Name: cmp.Or(m.Getenv("GIT_AUTHOR_NAME"), email), Email: email, When: now}
	if _, err := collect.Write(ctx, r, p, by); err != nil {
		return err
	}
	fmt.Fprintf(m.Stdout, "written to the local branch %s, pushed nowhere\n  git log -p %s      read it\n  git push origin %s  only then\n", collect.Branch, collect.Branch, collect.Branch)
	return nil
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}
