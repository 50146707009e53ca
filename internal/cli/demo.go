package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrosweep/retrosweep/internal/demo"
	"github.com/retrosweep/retrosweep/internal/llm/openai"
	"github.com/retrosweep/retrosweep/internal/llm/replay"
)

func (m *Main) demoCommand() *cobra.Command {
	var dir, record string
	c := &cobra.Command{
		Use:     "demo",
		GroupID: groupSetup,
		Short:   "A whole night on a small repository made for it",
		Long: `Builds the repository of a small shop, with history and rotten knowledge, and
runs one night on it with --apply. The model's answers are recorded ones, played
back by a server on this machine through the same client as live ones: nothing
leaves the machine, and no key is needed.`,
		Example: `  retrosweep demo
  retrosweep demo --dir shop      and look around in it afterwards`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return m.demo(c.Context(), dir, record) },
	}
	c.Flags().StringVar(&dir, "dir", "", "build in this `folder`, which must not exist (default: a new temporary one)")
	c.Flags().StringVar(&record, "record", "", "record the answers anew from the endpoint at `URL` into ./internal/demo/cassettes")
	if err := c.Flags().MarkHidden("record"); err != nil { // for those who change a prompt, see CONTRIBUTING.md
		c.PrintErrln(err)
	}
	return c
}

func (m *Main) demo(ctx context.Context, dir, record string) error {
	dir, err := demoDir(dir)
	if err != nil {
		return codeError{ExitUsage, err}
	}
	shop := filepath.Join(dir, "shop")
	r, err := demo.Build(shop)
	if err != nil {
		return err
	}
	if err := r.Close(); err != nil {
		return err
	}
	operator := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(operator, []byte("budget: {usd: 0} # recorded answers cost nothing\n"), 0o644); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	answers, err := demoAnswers(record)
	if err != nil {
		return err
	}
	url, stop, err := serve(answers)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Fprintf(m.Stdout, "A small shop with a history, in %s\n\n$ retrosweep run shop --apply --model %s\n\n", shop, demo.Model)
	if code := m.demoNight(ctx, dir, shop, url); code != ExitDone {
		return codeError{code: code}
	}
	m.demoNext(shop)
	return nil
}

// demoNight is the ordinary program, with the demo's day as its clock, the
// recorded answers as its endpoint and a cache of its own.
func (m *Main) demoNight(ctx context.Context, dir, shop, url string) int {
	inner := *m
	inner.Getenv = func(name string) string {
		switch name {
		case "RETROSWEEP_CACHE":
			return filepath.Join(dir, "cache")
		case "RETROSWEEP_CONFIG":
			return filepath.Join(dir, "config.yaml")
		case "NO_COLOR", "TERM":
			return m.Getenv(name)
		}
		return ""
	}
	return inner.Run(ctx, []string{
		"run", shop, "--apply", "--model", demo.Model, "--base-url", url,
		"--now", demo.Now.Format(time.RFC3339),
	})
}

func (m *Main) demoNext(shop string) {
	fmt.Fprintf(m.Stdout, `
Look around:
  git -C %[1]s log --oneline --graph --all
  git -C %[1]s diff main..retrosweep/upkeep       what the night would merge by itself
  git -C %[1]s branch --list 'retrosweep/*'       what waits for a person

Then your own repository, which a dry run leaves as it is:
  retrosweep run /path/to/repository
`, shop)
}

func demoDir(dir string) (string, error) {
	if dir == "" {
		return os.MkdirTemp("", "retrosweep-demo-")
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", fmt.Errorf("demo: %w (it needs a folder that does not exist yet)", err)
	}
	return dir, nil
}

// demoAnswers plays the recorded answers, or records them anew.
func demoAnswers(record string) (http.Handler, error) {
	if record != "" {
		upstream, err := openai.CheckBaseURL(record)
		if err != nil {
			return nil, usageError{fmt.Errorf("--record: %w", err)}
		}
		return replay.NewRecorder(upstream, filepath.Join("internal", "demo", "cassettes"), nil)
	}
	tapes, err := demo.Cassettes()
	if err != nil {
		return nil, err
	}
	return replay.New(tapes)
}

// serve listens on a free loopback port until stop is called.
func serve(h http.Handler) (url string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("demo: listen on loopback for the recorded answers: %w", err)
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	return "http://" + l.Addr().String() + "/v1", func() {
		if err := errors.Join(srv.Close(), <-done); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintln(os.Stderr, "demo: the server of recorded answers:", err)
		}
	}, nil
}
