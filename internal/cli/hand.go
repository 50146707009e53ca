package cli

import (
	"github.com/spf13/cobra"

	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/repo"
)

func (m *Main) archiveCommand() *cobra.Command {
	return m.handCommand(night.VerbArchive, &cobra.Command{
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
	return m.handCommand(night.VerbRestore, &cobra.Command{
		Use:   "restore FACT [REPO]",
		Short: "Bring an archived fact back to where it stood",
		Long: `Takes one fact out of the archive and puts its original bytes back where they
stood. FACT is its id, the beginning of one, or FILE:LINE in the archive.`,
		Example: `  retrosweep restore W-001 --apply`,
	})
}

func (m *Main) verifyCommand() *cobra.Command {
	return m.handCommand(night.VerbVerify, &cobra.Command{
		Use:   "verify FACT [REPO]",
		Short: "Say that you looked and the fact is true of the code as it is",
		Long: `Keeps in the journal that a person confirmed one fact, and how everything that it
names looks now. Nights call it fresh for as long as none of that changes. Where
the entry has a field for it (verified, Last Verified, ...), the date goes there
too, at most every 30 days. The journal holds no name and no address.`,
		Example: `  retrosweep verify W-001 --apply
  retrosweep status --unverified 90d         what nobody has confirmed`,
	})
}

func (m *Main) renewCommand() *cobra.Command {
	return m.handCommand(night.VerbRenew, &cobra.Command{
		Use:   "renew FACT [REPO]",
		Short: "Begin the time of a fact with a TTL anew",
		Long: `Writes today as the day from which the TTL of a fact counts. It says nothing about
whether the fact is true: that is what verify does.`,
		Example: `  retrosweep renew W-001 --reason "the limit still stands" --apply`,
	})
}

func (m *Main) supersedeCommand() *cobra.Command {
	return m.handCommand(night.VerbSupersede, &cobra.Command{
		Use:   "supersede OLD NEW [REPO]",
		Short: "Say that one fact takes the place of another; both stay readable",
		Long: `Writes superseded_by into the one entry and supersedes into the other. OLD and NEW
are ids, beginnings of ids, or FILE:LINE.`,
		Example: `  retrosweep supersede W-001 W-007 --apply`,
	})
}

func (m *Main) handCommand(verb night.Verb, c *cobra.Command) *cobra.Command {
	f := &flags{failOn: "never", limit: 10}
	facts := 1
	if verb == night.VerbSupersede {
		facts = 2
	}
	var reason string
	c.GroupID = groupHand
	c.Args = cobra.RangeArgs(facts, facts+1)
	f.bindCommon(c)
	f.bindApply(c)
	c.Flags().StringVar(&reason, "reason", "", "why, for the archive and the commit message")
	c.RunE = func(c *cobra.Command, args []string) error {
		h := &night.Hand{Verb: verb, Fact: args[0], Reason: reason}
		if verb == night.VerbSupersede {
			h.Other = args[1]
		}
		where := repoArg(args[facts:])
		if verb == night.VerbVerify {
			h.By = m.person(c, where)
		}
		return m.night(c.Context(), f, night.Command{Name: c.Name(), Hand: h}, where)
	}
	return c
}

// person tells those who verify apart without naming them: by a hash of the
// address that git knows them by. Whoever has the repository can tell which of
// its authors that is; the journal alone does not.
func (m *Main) person(c *cobra.Command, where string) string {
	email := m.Getenv("GIT_AUTHOR_EMAIL")
	if r, err := repo.Open(c.Context(), where); email == "" && err == nil {
		email = r.UserEmail()
		_ = r.Close() // it was only read
	}
	return night.Person(email)
}
