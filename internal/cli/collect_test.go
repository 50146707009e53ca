package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/cli"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

// What was collected is shown whole before anything is written, written to a
// local branch by --apply alone, and never goes into the journal.
func TestCollectShowsThenWrites(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	root := filepath.Join(home, "shop")
	r, err := testkit.Build(root, []byte("-- commit --\nauthor: Ada <ada@acme.dev>\ndate: 2026-11-01T10:00:00Z\n\nbegin\n-- README.md --\n# Shop\n"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	page := filepath.Join(home, "agent", "projects", strings.NewReplacer("/", "-", ".", "-", "_", "-", `\`, "-", ":", "-").Replace(root), "memory", "tabs.md")
	if err := os.MkdirAll(filepath.Dir(page), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(page, []byte("---\ntype: feedback\n---\nIndent with tabs in "+root+".\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) (int, string) {
		var out bytes.Buffer
		m := cli.New("test")
		m.Stdout, m.Stderr = &out, &out
		m.Getenv = func(name string) string {
			return map[string]string{"HOME": home, "CLAUDE_CONFIG_DIR": filepath.Join(home, "agent"), "GIT_AUTHOR_EMAIL": "ada@acme.dev"}[name]
		}
		code := m.Run(t.Context(), append([]string{"collect", root}, args...))
		return code, out.String()
	}
	code, shown := command()
	if code != 0 || !strings.Contains(shown, "Indent with tabs in .") || !strings.Contains(shown, "dry run") || strings.Contains(shown, root) {
		t.Errorf("%d\n%s", code, shown)
	}
	if names := references(t, r); len(names) != 1 {
		t.Errorf("a dry run wrote: %v", names)
	}
	if code, shown = command("--apply"); code != 0 || !strings.Contains(shown, "pushed nowhere") {
		t.Errorf("%d\n%s", code, shown)
	}
	if names := references(t, r); len(names) != 2 || names["refs/heads/retrosweep-collected"].IsZero() {
		t.Errorf("written: %v", names)
	}
	if code, shown = command("--apply"); code != 0 || !strings.Contains(shown, "0 to keep, 1 that the repository has already") {
		t.Errorf("again: %d\n%s", code, shown)
	}
}

func references(t *testing.T, r *repo.Repo) map[string]repo.Hash {
	t.Helper()
	refs, err := r.Refs("refs/")
	if err != nil {
		t.Fatal(err)
	}
	return refs
}
