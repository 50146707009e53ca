// Package demo owns the small shop that `retrosweep demo` runs a night on: its
// history, the day of the night, and the answers that a model gave to the
// night's questions when they were recorded. It knows nothing of the night
// itself: the demo is the ordinary program over an ordinary repository.
package demo

import (
	"embed"
	"fmt"
	"io/fs"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

//go:embed history.txtar
var history []byte

//go:embed all:cassettes
var cassettes embed.FS

// Model is the name under which the recorded answers were given.
const Model = "recorded"

// Now is the evening on which the demo's night runs.
var Now = time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)

// Build writes the shop's repository, with its history, into dir.
func Build(dir string) (*repo.Repo, error) {
	r, err := testkit.Build(dir, history)
	if err != nil {
		return nil, fmt.Errorf("build the demo's repository in %s: %w", dir, err)
	}
	return r, nil
}

// Cassettes are the recorded questions and answers, one JSON file each.
func Cassettes() (fs.FS, error) { return fs.Sub(cassettes, "cassettes") }
