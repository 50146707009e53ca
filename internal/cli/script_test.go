package cli_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/retrosweep/retrosweep/internal/cli"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

// TestMain lets scripts call the program as a process of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"retrosweep": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			os.Exit(cli.New("test").Run(ctx, os.Args[1:]))
		},
	})
}

// TestScripts runs the program as its users do: one script, one thing that
// users rely on. Scripts may use
//
//	history DIR NAME    build the repository of testdata/history/NAME.txtar, or of the demo
//	snapshot DIR FILE   list every file of DIR with the hash of its content
//	diffof JSON FILE    write the diff that a receipt holds to FILE
//	await FILE TEXT     wait until another process has written TEXT to FILE
//	scrape LOG PATH OUT ask the daemon that writes LOG for PATH
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, "config"))
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, "cache"))
			e.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"history":  history,
			"snapshot": snapshot,
			"diffof":   diffOf,
			"await":    await,
			"scrape":   scrape,
		},
	})
}

// history builds a repository that is written down in a file: a script is a
// txtar file itself and cannot hold one.
func history(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: history DIR NAME")
	}
	file := filepath.Join("testdata", "history", args[1]+".txtar")
	if args[1] == "demo" {
		file = filepath.Join("..", "demo", "history.txtar")
	}
	text, err := os.ReadFile(file)
	ts.Check(err)
	r, err := testkit.Build(ts.MkAbs(args[0]), text)
	ts.Check(err)
	ts.Check(r.Close())
}

func snapshot(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: snapshot DIR FILE")
	}
	var b strings.Builder
	root := os.DirFS(ts.MkAbs(args[0]))
	ts.Check(fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(root, name)
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(content), name)
		return err
	}))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o644))
}

func diffOf(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: diffof JSON FILE")
	}
	var receipt report.Receipt
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &receipt))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(receipt.Diff), 0o644))
}
