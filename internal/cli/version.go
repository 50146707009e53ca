package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func (m *Main) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		GroupID: groupSetup,
		Short:   "Print the version and what this build can read",
		Args:    cobra.NoArgs,
		Run: func(*cobra.Command, []string) {
			fmt.Fprintf(m.Stdout, "retrosweep %s (%s %s/%s)\n", m.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			fmt.Fprintln(m.Stdout, "receipt: retrosweep.run/v1; symbols: none in this build (anchor_symbols answer unknown)")
		},
	}
}
