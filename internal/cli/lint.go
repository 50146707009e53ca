package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/knowledge/corpus"
	"github.com/retrosweep/retrosweep/internal/worktree"
	"github.com/retrosweep/retrosweep/sweep/lint"
)

// lintFlags are those of lint alone.
type lintFlags struct {
	flags
	staged, fix, rules      bool
	stdinName               string
	baseline, writeBaseline string
}

func (m *Main) lintCommand() *cobra.Command {
	f := &lintFlags{flags: flags{failOn: "error", limit: 50}}
	c := &cobra.Command{
		Use:     "lint [PATH...]",
		GroupID: groupHand,
		Short:   "Check the knowledge files of a working tree as they stand",
		Long: `Reads the knowledge files under PATH (default: the folder you are in) as they
stand on disk and says what is wrong with them: dead links and index lines,
files that no index lists, facts past their time, rules that stand twice or
contradict each other, files longer than what is loaded, hidden characters. What
every session loads comes first. Nothing is executed and nothing is sent.

A finding can be ignored by .retrosweep.yaml (a path, a reason, a day), or where
it stands: <!-- retrosweep-ignore RULE why, until 2027-01-31 -->`,
		Example: `  retrosweep lint                             the repository you are in
  retrosweep lint CLAUDE.md docs              some of it
  retrosweep lint --staged                    what the next commit holds, for a hook
  retrosweep lint - --stdin-name CLAUDE.md    what an editor has not saved yet
  retrosweep lint --fix                       mend what is plain
  retrosweep lint --write-baseline lint.json  live with what is there, and
  retrosweep lint --baseline lint.json        fail on what is new`,
		RunE: func(c *cobra.Command, args []string) error { return m.lint(c.Context(), f, c.InOrStdin(), args) },
	}
	f.bindLint(c)
	return c
}

func (f *lintFlags) bindLint(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.config, "config", "", "the operator's configuration `file` (default: $RETROSWEEP_CONFIG, else the user's configuration directory)")
	fs.StringVar(&f.now, "now", "", "the `date` that dates are measured by (default: the clock)")
	fs.StringVar(&f.format, "format", "text", "text, json, markdown, github (annotations of a pull request) or sarif")
	fs.StringVar(&f.output, "output", "", "write the result to `file` instead of standard output")
	fs.IntVar(&f.limit, "limit", f.limit, "show at most `n` findings in text and markdown, 0 for all, notes too")
	fs.StringVar(&f.failOn, "fail-on", f.failOn, "exit 1 on findings of this `level` or worse: error, warning, info, never")
	fs.BoolVar(&f.staged, "staged", false, "check what is staged for the next commit, not what is on disk")
	fs.StringVar(&f.stdinName, "stdin-name", "", "the `path` that the text on standard input belongs to; the path argument is then -")
	fs.BoolVar(&f.fix, "fix", false, "mend what is plain: index lines, links to moved files, hidden characters")
	fs.StringVar(&f.baseline, "baseline", "", "a `file` of known findings, which do not fail")
	fs.StringVar(&f.writeBaseline, "write-baseline", "", "write the findings to this `file`, and fail on none")
	fs.BoolVar(&f.rules, "rules", false, "list the rules")
	mustRegister(c, "format", formats)
	mustRegister(c, "fail-on", []string{"error", "warning", "info", "never"})
}

func (f *lintFlags) checkLint(args []string) error {
	stdin := len(args) == 1 && args[0] == "-"
	switch {
	case stdin != (f.stdinName != ""):
		return usageError{errors.New("lint reads standard input as: retrosweep lint - --stdin-name PATH")}
	case f.fix && (stdin || f.staged):
		return usageError{errors.New("--fix writes files on disk: leave out --staged and standard input")}
	case stdin && f.staged:
		return usageError{errors.New("--staged and standard input are two sources: choose one")}
	case f.baseline != "" && f.writeBaseline != "" && f.baseline != f.writeBaseline:
		return usageError{errors.New("--write-baseline writes all findings: name one file, or leave --baseline out")}
	}
	return f.check()
}

func (m *Main) lint(ctx context.Context, f *lintFlags, stdin io.Reader, args []string) error {
	if err := f.checkLint(args); err != nil {
		return err
	}
	if f.rules {
		return listRules(m.Stdout)
	}
	// A lint is over in a moment and holds little: collecting garbage on the
	// way costs a fifth of its time.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	l, err := m.openLint(ctx, f, stdin, args)
	if err != nil {
		return err
	}
	r, err := l.run(ctx)
	if err = errors.Join(err, l.tree.Close()); err != nil {
		return fmt.Errorf("lint %s: %w", l.tree.Root, err)
	}
	if err := m.print(&f.flags, r); err != nil {
		return err
	}
	if f.writeBaseline == "" && f.fails(r.Findings) {
		return codeError{code: ExitFindings}
	}
	return nil
}

// listRules prints every rule with its severity and what to do about it.
func listRules(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range lint.Rules() {
		severity := string(r.Severity)
		if r.Startup != "" && r.Startup != r.Severity {
			severity += ", " + string(r.Startup) + " at startup"
		}
		do := r.Do
		if r.Fix {
			do += " (--fix)"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\n\t\t%s\n", r.ID, severity, r.Finds, do)
	}
	return tw.Flush()
}

// openLint reads configuration and tree. Every fault of the command line or a
// configuration is the user's.
func (m *Main) openLint(ctx context.Context, f *lintFlags, stdin io.Reader, args []string) (*lintRun, error) {
	l := &lintRun{flags: f, log: m.log(&f.flags)}
	var err error
	if l.now, err = f.day(m.Clock); err != nil {
		return nil, err
	}
	if l.operator, err = config.LoadOperator(f.config, m.Getenv); err != nil {
		return nil, usageError{err}
	}
	var given *worktree.Given
	if f.stdinName != "" {
		if args, given, err = readStdin(stdin, f.stdinName); err != nil {
			return nil, usageError{err}
		}
	}
	root, only, err := worktree.Find(args)
	if err != nil {
		return nil, usageError{fmt.Errorf("lint: %w", err)}
	}
	if given != nil {
		if given.Path, err = worktree.Within(root, f.stdinName); err != nil {
			return nil, usageError{fmt.Errorf("--stdin-name: %w", err)}
		}
		only = []string{given.Path}
	}
	l.only = only
	return l, l.load(ctx, root, given)
}

// readStdin reads the text of one file. The file need not exist; its folder
// says which tree it belongs to.
func readStdin(stdin io.Reader, name string) (paths []string, given *worktree.Given, err error) {
	text, err := io.ReadAll(io.LimitReader(stdin, corpus.DefaultMaxBytes+1))
	if err != nil {
		return nil, nil, fmt.Errorf("read standard input: %w", err)
	}
	return []string{worktree.Folder(name)}, &worktree.Given{Content: text}, nil
}

// day0 is a day without its hour: a lint says the same from morning to night.
func day0(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }
