package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand writes the manual pages that packages install; users read --help.
func (m *Main) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages into a folder",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return codeError{ExitUsage, fmt.Errorf("man: %w", err)}
			}
			date := m.Clock().UTC()
			return doc.GenManTree(c.Root(), &doc.GenManHeader{Title: "RETROSWEEP", Section: "1", Source: "retrosweep " + m.Version, Date: &date}, args[0])
		},
	}
}
