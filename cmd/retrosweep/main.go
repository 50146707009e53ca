// Command retrosweep is a nightly worker that tends what coding agents must
// know. See internal/cli for its commands and internal/night for what one
// night does.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/retrosweep/retrosweep/internal/cli"
)

// version is set by the linker in released builds.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code := cli.New(version).Run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
