package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/retrosweep/retrosweep/internal/config"
)

func (m *Main) initCommand() *cobra.Command {
	var operator string
	c := &cobra.Command{
		Use:     "init [REPO]",
		GroupID: groupSetup,
		Short:   "Write the two commented configuration files",
		Long: `Writes .retrosweep.yaml into the working tree of REPO (what the repository may
say: narrower routes, formats, ignores) and the operator's file (what only you
may say: models, limits, delivery) to your configuration directory. A file that
exists is left as it is.`,
		Example: `  retrosweep init                             for the repository you are in
  retrosweep init . --config retrosweep.yaml  the operator's file here`,
		Args: atMostOneRepo,
		RunE: func(_ *cobra.Command, args []string) error { return m.initialize(repoArg(args), operator) },
	}
	c.Flags().StringVar(&operator, "config", "", "where the operator's `file` goes (default: $RETROSWEEP_CONFIG, else your configuration directory)")
	return c
}

func (m *Main) initialize(dir, operator string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return usageError{fmt.Errorf("init %s: no such folder", dir)}
	}
	if operator == "" {
		operator, _ = config.FindOperator("", m.Getenv)
	}
	if operator == "" {
		return usageError{errors.New("init: there is no configuration directory here; name a file with --config")}
	}
	files := []struct {
		path  string
		which config.Which
	}{
		{filepath.Join(dir, ".retrosweep.yaml"), config.RepositoryFile},
		{operator, config.OperatorFile},
	}
	for _, f := range files {
		if err := m.writeNew(f.path, config.Template(f.which)); err != nil {
			return codeError{ExitUsage, fmt.Errorf("init: %w", err)}
		}
	}
	fmt.Fprintf(m.Stdout, "\nnext: retrosweep run %s   (a dry run: it writes nothing)\n", dir)
	return nil
}

// writeNew writes a file that is not there yet, and says what it did.
func (m *Main) writeNew(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		fmt.Fprintf(m.Stdout, "kept   %s (it exists)\n", path)
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err == nil {
		fmt.Fprintf(m.Stdout, "wrote  %s\n", path)
	}
	return err
}
