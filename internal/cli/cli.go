// Package cli turns arguments, environment and configuration into runs: it
// owns flags, help texts, wiring and exit codes, and is the only place that
// knows which adapters are in use.
//
// A command is a file of this package. Every command that writes is a dry run
// until --apply is given.
//
// The commands are cobra's and not kong's, because completion for four shells
// comes with it. The suggestion for a misspelt flag or command is ours (root.go).
package cli

import (
	"context"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// Main is the whole program, with the world outside as fields, so that tests
// run it as it is.
type Main struct {
	Version string
	Stdout  io.Writer
	Stderr  io.Writer
	Getenv  func(string) string
	Clock   func() time.Time
	IsTerm  func(w io.Writer) bool
}

// New returns the program as main runs it.
func New(version string) *Main {
	return &Main{
		Version: version, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Clock: time.Now, IsTerm: isTerminal,
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Run executes one command line and returns the exit code.
func (m *Main) Run(ctx context.Context, args []string) int {
	root := m.root()
	root.SetArgs(args)
	root.SetOut(m.Stdout)
	root.SetErr(m.Stderr)
	return m.exit(root.ExecuteContext(ctx))
}

// color reports whether w may be written in colour: a terminal, and nobody
// said NO_COLOR (https://no-color.org).
func (m *Main) color(w io.Writer) bool {
	return m.Getenv("NO_COLOR") == "" && m.Getenv("TERM") != "dumb" && m.IsTerm(w)
}
