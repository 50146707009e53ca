package cli_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/cli"
)

// The README shows a part of what the demo prints: every line of it is one that
// the demo prints today.
func TestReadmeShowsWhatTheDemoPrints(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, shown, ok := strings.Cut(string(readme), "What the demo prints (shortened):")
	shown, _, ended := strings.Cut(shown, "\n## ")
	if !ok || !ended {
		t.Fatal("the README has no such part")
	}
	var out bytes.Buffer
	m := cli.New("test")
	m.Stdout, m.Stderr = &out, io.Discard
	m.IsTerm = func(io.Writer) bool { return false }
	if code := m.Run(t.Context(), []string{"demo", "--dir", filepath.Join(t.TempDir(), "demo")}); code != cli.ExitDone {
		t.Fatalf("the demo exits with %d", code)
	}
	printed := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		printed[strings.TrimSpace(line)] = true
	}
	n := 0
	for line := range strings.Lines(shown) {
		if line = strings.TrimSpace(line); line == "" || line == "..." {
			continue
		}
		if n++; !printed[line] {
			t.Errorf("the README shows %q, the demo does not print it", line)
		}
	}
	if n < 10 {
		t.Errorf("the README shows %d lines", n)
	}
}
