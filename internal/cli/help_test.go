package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/cli"
)

// say runs a command and returns what it prints.
func say(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	m := &cli.Main{Version: "test", Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }, Clock: func() time.Time { return time.Unix(0, 0) }}
	if code := m.Run(t.Context(), args); code != cli.ExitDone {
		t.Fatalf("%v: exit %d: %s", args, code, errs.String())
	}
	return out.String()
}

// Each command has a page with an example; the four shells' own pages are the
// library's.
func TestManualPages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	say(t, "man", dir)
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if name := filepath.Base(page); !strings.HasPrefix(name, "retrosweep-completion") && !bytes.Contains(text, []byte(".SH EXAMPLE")) {
			t.Errorf("%s has no example", name)
		}
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	for shell, start := range map[string]string{"bash": "# bash completion", "zsh": "#compdef retrosweep", "fish": "# fish completion", "powershell": "# powershell completion"} {
		if script := say(t, "completion", shell); !strings.HasPrefix(script, start) || !strings.Contains(script, "__complete") {
			t.Errorf("%s gets:\n%.200s", shell, script)
		}
	}
	for words, want := range map[string]string{"proposals ": "accept", "lint --fo": "--format", "ver": "verify", "re": "renew", "su": "supersede", "col": "collect"} {
		if got := say(t, append([]string{"__complete"}, strings.Split(words, " ")...)...); !strings.Contains(got, want) {
			t.Errorf("%q is completed by:\n%s", words, got)
		}
	}
}
