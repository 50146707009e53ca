package cli

import (
	"github.com/spf13/cobra"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/night"
)

func (m *Main) archiveCommand() *cobra.Command {
	return m.handCommand(knowledge.OpArchive, &cobra.Command{
		Use:   "archive FACT [REPO]",
		Short: "Retire one fact; restore brings it back to the byte",
		Long: `Moves one fact into the archive of its format, with the reason and the date.
FACT is an id from a receipt, the beginning of one, or FILE:LINE. The edit goes
where a night's edits go: to the upkeep branch, or to a branch for review.`,
		Example: `  retrosweep archive W-001 --reason "the provider lifted the limit" --apply
  retrosweep archive KNOWLEDGE_VAULT.md:13 --reason "no longer true"`,
	})
}

func (m *Main) restoreCommand() *cobra.Command {
	return m.handCommand(knowledge.OpRestore, &cobra.Command{
		Use:   "restore FACT [REPO]",
		Short: "Bring an archived fact back to where it stood",
		Long: `Takes one fact out of the archive and puts its original bytes back where they
stood. FACT is its id, the beginning of one, or FILE:LINE in the archive.`,
		Example: `  retrosweep restore W-001 --apply`,
	})
}

func (m *Main) handCommand(op knowledge.Op, c *cobra.Command) *cobra.Command {
	f := &flags{failOn: "never", limit: 10}
	var reason string
	c.GroupID = groupHand
	c.Args = cobra.RangeArgs(1, 2)
	f.bindCommon(c)
	f.bindApply(c)
	c.Flags().StringVar(&reason, "reason", "", "why, for the archive and the commit message")
	c.RunE = func(c *cobra.Command, args []string) error {
		what := night.Command{Name: c.Name(), Hand: &night.Hand{Op: op, Fact: args[0], Reason: reason}}
		return m.night(c.Context(), f, what, repoArg(args[1:]))
	}
	return c
}
