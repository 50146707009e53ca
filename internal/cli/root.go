package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/retrosweep/retrosweep/internal/suggest"
)

const long = `retrosweep tends the Markdown that coding agents rely on: playbooks, memories,
vaults and instruction files. A night takes the commits since the last one,
turns corrections into playbook rules (retro), checks every fact against the
code it names (sweep), and leaves the rest as branches for a person.

Nothing is written without --apply, and no model is asked unless one is named.`

const (
	groupNight  = "night"
	groupHand   = "hand"
	groupReview = "review"
	groupSetup  = "setup"
)

func (m *Main) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "retrosweep",
		Short: "A nightly gardener for what coding agents must know",
		Long:  long,
		Example: `  retrosweep demo                         see a whole night on a small shop
  retrosweep run .                        a dry run over this repository, no model
  retrosweep run . --apply --model NAME   the same, with a model, written to branches`,
		SilenceUsage:               true,
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2,
		Version:                    m.Version,
		Args:                       cobra.ArbitraryArgs,
		RunE:                       unknownCommand,
	}
	root.SetVersionTemplate("retrosweep {{.Version}}\n")
	root.AddGroup(
		&cobra.Group{ID: groupNight, Title: "Nightly:"},
		&cobra.Group{ID: groupHand, Title: "By hand:"},
		&cobra.Group{ID: groupReview, Title: "Review:"},
		&cobra.Group{ID: groupAgents, Title: "For agents:"},
		&cobra.Group{ID: groupSetup, Title: "Setup:"},
	)
	root.SetHelpCommandGroupID(groupSetup)
	root.SetCompletionCommandGroupID(groupSetup)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		m.runCommand(), m.serveCommand(), m.statusCommand(),
		m.retroCommand(), m.sweepCommand(), m.lintCommand(), m.verifyCommand(), m.renewCommand(), m.supersedeCommand(), m.archiveCommand(), m.restoreCommand(),
		m.proposalsCommand(),
		m.collectCommand(),
		m.initCommand(), m.doctorCommand(), m.demoCommand(), m.versionCommand(), m.manCommand(),
	)
	return root
}

// unknownCommand answers a first word that is no command. cobra alone would
// print the help and end well, and cron would take that for a night.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	err := fmt.Errorf("unknown command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		err = fmt.Errorf("%w (did you mean %q?)", err, near[0])
	}
	return usageError{fmt.Errorf("%w\nrun 'retrosweep --help' for the commands", err)}
}

// flagError names the flag that was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	name, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		return usageError{fmt.Errorf("%w\nrun '%s --help' for the flags", err, cmd.CommandPath())}
	}
	if near := nearestFlag(cmd, name); near != "" {
		return usageError{fmt.Errorf("%w (did you mean --%s?)", err, near)}
	}
	return usageError{fmt.Errorf("%w\nrun '%s --help' for the flags", err, cmd.CommandPath())}
}

func nearestFlag(cmd *cobra.Command, name string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return suggest.Nearest(name, names)
}
