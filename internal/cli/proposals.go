package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/repo/remote"
)

// botVariable names the account that makes the pull requests, for a person who
// looks at them with a token of their own.
const botVariable = "RETROSWEEP_BOT"

func (m *Main) proposalsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "proposals",
		GroupID: groupReview,
		Short:   "What waits for a person: list, show, accept, reject",
		Long: `What nights offered and a person decides about: branches, or pull requests where
the host has them. SLOT is the slot that list prints or the beginning of it, a
branch, or the number of a pull request.`,
		Example: `  retrosweep proposals list .
  retrosweep proposals show 1f49 .`,
		Args: cobra.ArbitraryArgs,
		RunE: unknownCommand,

		SuggestionsMinimumDistance: 2,
	}
	c.AddCommand(m.proposalsList(), m.proposalsShow(), m.proposalsAccept(), m.proposalsReject())
	return c
}

func (m *Main) proposalsList() *cobra.Command {
	return m.reviewCommand(0, &cobra.Command{
		Use:     "list [REPO]",
		Short:   "What is open, waits, was rejected or merged, each with its reason",
		Example: `  retrosweep proposals list .`,
	}, func(_ context.Context, q *night.Queue, _ string) (any, error) { return q, nil })
}

func (m *Main) proposalsShow() *cobra.Command {
	return m.reviewCommand(1, &cobra.Command{
		Use:     "show SLOT [REPO]",
		Short:   "One proposal as a reviewer reads it: title, body, difference",
		Example: `  retrosweep proposals show 1f49 .`,
	}, func(ctx context.Context, q *night.Queue, slot string) (any, error) {
		e, err := q.Find(slot)
		if err != nil {
			return nil, err
		}
		return e, q.Show(ctx, e)
	})
}

func (m *Main) proposalsAccept() *cobra.Command {
	c := &cobra.Command{
		Use:   "accept SLOT [REPO]",
		Short: "Merge one into its base, as yourself",
		Long: `Merges one proposal into its base. Without a host that is a merge commit, unless
the base is checked out: then the line to type is printed. On GitHub the pull
request is merged through the API as the account of your token, under the rules
that the host has for you; name the account that made it in RETROSWEEP_BOT. With
that account's own token nothing is merged: it never merges its own proposals,
and the address to visit is printed.`,
		Example: `  retrosweep proposals accept 1f49 . --apply`,
	}
	return m.reviewCommand(1, c, func(ctx context.Context, q *night.Queue, slot string) (any, error) {
		return decided(q, slot, func(e *night.Entry) error { return q.Accept(ctx, e) })
	})
}

func (m *Main) proposalsReject() *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use:   "reject SLOT [REPO]",
		Short: "Say no to one, for good",
		Long: `Closes one proposal and deletes its branch. It is remembered as a pull request that
a person closed: the same change is not offered again, another one for the same
file not for 30 days. A branch with somebody else's commits is left to them.`,
		Example: `  retrosweep proposals reject 1f49 . --reason "we keep that rule" --apply`,
	}
	c.Flags().StringVar(&reason, "reason", "", "why, for whoever reads the closed proposal")
	return m.reviewCommand(1, c, func(ctx context.Context, q *night.Queue, slot string) (any, error) {
		return decided(q, slot, func(e *night.Entry) error { return q.Reject(ctx, e, reason) })
	})
}

// verdict is what became of a decision.
type verdict struct {
	*night.Entry
	Done string `json:"done"` // "", or the line to type
}

func decided(q *night.Queue, slot string, do func(*night.Entry) error) (any, error) {
	e, err := q.Find(slot)
	if err != nil {
		return nil, err
	}
	err = do(e)
	var byHand *forge.ByHandError
	if errors.As(err, &byHand) {
		return verdict{e, byHand.Why + ":\n  " + byHand.Line}, nil
	}
	return verdict{Entry: e}, err
}

// reviewCommand adds what the four share.
func (m *Main) reviewCommand(slots int, c *cobra.Command, do func(context.Context, *night.Queue, string) (any, error)) *cobra.Command {
	f := &flags{failOn: "never"}
	fs := c.Flags()
	fs.StringVar(&f.config, "config", "", "the operator's configuration `file`")
	fs.StringVar(&f.branch, "branch", "", "the `branch` that proposals are for (default: the repository's HEAD)")
	fs.StringVar(&f.now, "now", "", "the `date` that ages are measured by (default: the clock)")
	fs.StringVar(&f.format, "format", "text", "text or json")
	mustRegister(c, "format", []string{"text", "json"})
	writes := strings.HasPrefix(c.Use, "accept") || strings.HasPrefix(c.Use, "reject")
	if writes {
		fs.BoolVar(&f.apply, "apply", false, "do it (default: say what would be done)")
		fs.BoolVar(&f.push, "push", false, "on the remote named origin (default: the configuration's; with a URL always)")
	}
	c.Args = cobra.RangeArgs(slots, slots+1)
	c.RunE = func(c *cobra.Command, args []string) error {
		slot := ""
		if slots > 0 {
			slot = args[0]
		}
		return m.review(c.Context(), f, repoArg(args[slots:]), func(ctx context.Context, q *night.Queue) (any, error) { return do(ctx, q, slot) }, writes)
	}
	return c
}

func (m *Main) review(ctx context.Context, f *flags, path string, do func(context.Context, *night.Queue) (any, error), writes bool) error {
	if !slices.Contains([]string{"text", "json"}, f.format) {
		return usageError{fmt.Errorf("--format %q: it takes text or json", f.format)}
	}
	f.push = f.push || f.apply && remote.IsURL(path)
	o, err := m.nightOptions(ctx, f, night.Command{Name: "proposals"}, path)
	if err != nil {
		return err
	}
	defer func() { _ = o.Repo.Close() }() // it was read, and what was written is on disk
	if at, ok := o.Remote.(*origin); ok && at.service != nil && m.Getenv(botVariable) != "" {
		at.service = at.service.of(m.Getenv(botVariable))
	}
	q, err := night.ReadQueue(ctx, o)
	if err != nil {
		return fmt.Errorf("proposals %s: %w", path, err)
	}
	result, err := do(ctx, &q)
	if errors.Is(err, night.ErrNoProposal) || errors.Is(err, forge.ErrNotOpen) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	if f.format == "json" {
		enc := json.NewEncoder(m.Stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(result)
	}
	writeReview(m.Stdout, result)
	if writes && !f.apply {
		fmt.Fprintln(m.Stdout, "\nDry run: nothing was written. Add --apply to do it.")
	}
	return nil
}

func writeReview(w io.Writer, result any) {
	switch r := result.(type) {
	case *night.Queue:
		writeQueue(w, r)
	case *night.Entry:
		writeEntry(w, r)
		if r.Body != "" {
			fmt.Fprintf(w, "\n%s\n%s", guard.Terminal(r.Body), guard.Terminal(r.Diff))
		}
	case verdict:
		writeEntry(w, r.Entry)
		if r.Done != "" {
			fmt.Fprintf(w, "\n%s\n", guard.Terminal(r.Done))
		}
	}
}

func writeQueue(w io.Writer, q *night.Queue) {
	fmt.Fprintf(w, "%s, branch %s\n", guard.Terminal(q.Repo), guard.Terminal(q.Branch))
	if len(q.Proposals) == 0 {
		fmt.Fprintln(w, "\nnothing waits for a person")
	}
	for i := range q.Proposals {
		fmt.Fprintln(w)
		writeEntry(w, &q.Proposals[i])
	}
}

// writeEntry is one proposal in a few lines.
func writeEntry(w io.Writer, e *night.Entry) {
	age := fmt.Sprintf("%d days", e.Days)
	switch e.Days {
	case 0:
		age = "today"
	case 1:
		age = "1 day"
	}
	fmt.Fprintf(w, "  %-8.8s  %-9s  %-8s  %s\n", guard.Terminal(e.Slot), e.State, age, guard.TerminalLine(cmp.Or(e.Title, e.Branch, "(its text is in no journal)"), 100))
	for _, line := range []string{e.Reason, strings.Join(e.Files, ", ")} {
		if line != "" {
			fmt.Fprintf(w, "            %s\n", guard.TerminalLine(line, 300))
		}
	}
	switch {
	case e.URL != "":
		fmt.Fprintf(w, "            %s, %s\n", e.Route, guard.TerminalLine(e.URL, 300))
	case e.Branch != "" && (e.State == "open" || e.State == "hands-off"):
		fmt.Fprintf(w, "            %s, git diff %s...%s\n", e.Route, guard.TerminalLine(e.Base, 100), guard.TerminalLine(e.Branch, 100))
	default:
		fmt.Fprintf(w, "            %s\n", e.Route)
	}
}
