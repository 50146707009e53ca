package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/internal/symbols"
)

func (m *Main) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		GroupID: groupSetup,
		Short:   "Print the version and what this build can read",
		Example: `  retrosweep version`,
		Args:    cobra.NoArgs,
		Run: func(*cobra.Command, []string) {
			fmt.Fprintf(m.Stdout, "retrosweep %s (%s %s/%s)\n", m.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			fmt.Fprintln(m.Stdout, "receipt: "+report.Schema+"; symbols: "+symbols.Engine)
		},
	}
}
