package cli_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/cli"
	"github.com/retrosweep/retrosweep/internal/demo"
)

// Each run keeps the private cache from growing for ever.
func TestOldAnswersAreRemoved(t *testing.T) {
	t.Parallel()
	h := newHost(t, hostToken)
	disk := t.TempDir()
	files := map[string]struct {
		age  time.Duration
		kept bool
	}{
		"answers/aa/old.json":  {100 * 24 * time.Hour, false},
		"answers/bb/new.json":  {80 * 24 * time.Hour, true},
		"borrowed/of-the-dead": {48 * time.Hour, false},
		"borrowed/in-use":      {time.Hour, true},
		"clones/of-another":    {1000 * 24 * time.Hour, true},
	}
	for name, f := range files {
		path := filepath.Join(disk, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, demo.Now, demo.Now.Add(-f.age)); err != nil {
			t.Fatal(err)
		}
	}
	if r, code := h.workIn(disk, demo.Now); code != cli.ExitDone {
		t.Fatalf("exit %d, %v", code, r.Warnings)
	}
	for name, f := range files {
		_, err := os.Stat(filepath.Join(disk, filepath.FromSlash(name)))
		if (err == nil) != f.kept {
			t.Errorf("%s: kept %t, want %t", name, err == nil, f.kept)
		}
	}
}
