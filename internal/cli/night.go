package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/lmittmann/tint"
	"github.com/spf13/cobra"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/repo/remote"
	"github.com/retrosweep/retrosweep/internal/report"
)

func (m *Main) runCommand() *cobra.Command {
	f := &flags{}
	c := m.nightCommand(f, night.Command{Name: "run", Retro: true, Sweep: true}, &cobra.Command{
		Use:     "run [REPO]",
		GroupID: groupNight,
		Short:   "One night: the retro and the sweep over what is new",
		Long: `Takes the commits since the last reviewed one, promotes corrections into
playbooks (with a model), checks facts against the code, archives what is past
its time, and writes the result to branches: nothing is merged, nothing is
pushed, and no checked-out branch moves.

Without --apply it shows the same and writes nothing. A first run sweeps every
fact and looks back 7 days and 200 commits for corrections.`,
		Example: `  retrosweep run .                            what a night would do
  retrosweep run . --apply                    do it
  retrosweep run . --apply --model gpt-5-mini --base-url https://llm.example/v1`,
	})
	f.bindModel(c)
	return c
}

func (m *Main) retroCommand() *cobra.Command {
	f := &flags{}
	c := m.nightCommand(f, night.Command{Name: "retro", Retro: true}, &cobra.Command{
		Use:     "retro [REPO]",
		GroupID: groupHand,
		Short:   "The retro alone: corrections in new commits become playbook rules",
		Example: `  retrosweep retro . --from HEAD~20 --model gpt-5-mini   what the last 20 commits teach`,
	})
	f.bindModel(c)
	return c
}

func (m *Main) sweepCommand() *cobra.Command {
	f := &flags{}
	var all bool
	c := m.nightCommand(f, night.Command{Name: "sweep", Sweep: true}, &cobra.Command{
		Use:     "sweep [REPO]",
		GroupID: groupHand,
		Short:   "The sweep alone: check facts against the code, archive what expired",
		Long: `Checks what the knowledge files name against the code as it is, and retires what
is past its time. With a model (stage judge), a fact of which the code has
changed is judged: it sees the claim and that code before and after, and what it
answers counts where it quotes a line that is there. It also compares new facts
with others that share most of their words, at most ten pairs a night: which
contradict each other is listed for a person, and none is changed.`,
		Example: `  retrosweep sweep . --all                     every fact, whatever changed
  retrosweep sweep . --from v1.2.0 --fail-on error   in CI: what became false since v1.2.0`,
	})
	f.bindModel(c)
	c.Flags().BoolVar(&all, "all", false, "check every fact, not only those the new commits touch")
	c.PreRun = func(*cobra.Command, []string) { f.all = all }
	return c
}

// nightCommand adds the flags and the body that run, retro and sweep share.
func (m *Main) nightCommand(f *flags, what night.Command, c *cobra.Command) *cobra.Command {
	c.Args = atMostOneRepo
	c.ValidArgsFunction = completeDirs
	f.bindCommon(c)
	f.bindRange(c)
	f.bindApply(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		return m.night(c.Context(), f, what, repoArg(args))
	}
	return c
}

func (m *Main) night(ctx context.Context, f *flags, what night.Command, path string) error {
	o, err := m.nightOptions(ctx, f, what, path)
	if errors.Is(err, repo.ErrBusy) {
		fmt.Fprintf(m.Stderr, "retrosweep: %s: another run is at work on this repository; this one leaves it alone\n", path)
		return nil
	}
	if err != nil {
		return err
	}
	receipt, err := night.Run(ctx, o)
	err = errors.Join(err, o.Repo.Close())
	if err != nil {
		return fmt.Errorf("%s %s: %w", what.Name, path, err)
	}
	if err := m.print(f, receipt); err != nil {
		return err
	}
	return f.outcome(receipt)
}

// outcome turns a finished receipt into the exit code.
func (f *flags) outcome(r *report.Receipt) error {
	switch {
	case r.Outcome == report.Partial:
		return codeError{code: ExitPartial}
	case f.fails(r.Findings):
		return codeError{code: ExitFindings}
	}
	return nil
}

func (m *Main) nightOptions(ctx context.Context, f *flags, what night.Command, path string) (night.Options, error) {
	if err := f.check(); err != nil {
		return night.Options{}, err
	}
	now, err := f.day(m.Clock)
	if err != nil {
		return night.Options{}, err
	}
	operator, err := config.LoadOperator(f.config, m.Getenv)
	if err != nil {
		return night.Options{}, usageError{err}
	}
	src, err := m.open(ctx, f, operator, path)
	if err != nil {
		return night.Options{}, err
	}
	model, err := m.models(f, operator, src.name)
	if err != nil {
		return night.Options{}, err
	}
	m.tidyCache(m.log(f))
	signer, err := m.signer(operator)
	if err != nil {
		return night.Options{}, err
	}
	if o, ok := src.remote.(*origin); ok {
		o.author = proposal.Identity{Name: cmp.Or(operator.Delivery.Name, proposal.DefaultIdentity.Name), Email: cmp.Or(operator.Delivery.Email, proposal.DefaultIdentity.Email)}
	}
	what.All = f.all
	return night.Options{
		Command: what, Repo: src.repo, Name: src.name, Remote: src.remote, Deepen: m.deepen(f, operator.Forge, src), Config: operator, Model: model, Signer: signer,
		From: f.from, To: f.to, Branch: cmp.Or(f.branch, src.branch), Apply: f.apply,
		Now: now, Log: m.log(f), Progress: m.progress(f),
	}, nil
}

// print writes the receipt as --format and --output say.
func (m *Main) print(f *flags, r *report.Receipt) (err error) {
	w := m.Stdout
	if f.output != "" {
		file, err := os.Create(f.output)
		if err != nil {
			return codeError{ExitUsage, fmt.Errorf("write the receipt: %w", err)}
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		w = file
	}
	return f.write(w, r, m.color(w))
}

func (f *flags) write(w io.Writer, r *report.Receipt, color bool) error {
	switch f.format {
	case "json":
		return report.JSON(w, r)
	case "markdown":
		return report.Markdown(w, r)
	case "github":
		return report.GitHub(w, r)
	case "sarif":
		return report.SARIF(w, r)
	default:
		return report.Text(w, r, report.TextOptions{Color: color, Limit: f.limit})
	}
}

// log is silent unless asked: the receipt is the record.
func (m *Main) log(f *flags) *slog.Logger {
	level := slog.LevelWarn
	if f.verbose {
		level = slog.LevelDebug
	}
	return slog.New(tint.NewTextHandler(m.Stderr, &tint.Options{Level: level, NoColor: !m.color(m.Stderr)}))
}

func atMostOneRepo(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError{fmt.Errorf("one repository at a time, got %d: %q", len(args), args)}
	}
	return nil
}

func completeDirs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func repoArg(args []string) string {
	if len(args) == 0 {
		return "."
	}
	if remote.IsURL(args[0]) {
		return args[0]
	}
	return filepath.Clean(args[0])
}
