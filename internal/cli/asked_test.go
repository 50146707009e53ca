package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/retrosweep/retrosweep/internal/cli"
	"github.com/retrosweep/retrosweep/internal/demo"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
)

// The operator may want drafts, and name who is asked.
func TestWhoIsAsked(t *testing.T) {
	t.Parallel()
	h := newHost(t, githubfake.Token)
	h.answers = true
	hub := h.github()
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte("delivery: {draft: true, reviewers: [ada, acme/keepers]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.env["RETROSWEEP_CONFIG"] = file
	if _, code := h.work(demo.Now, "--apply", "--push"); code != cli.ExitDone || len(hub.Pulls()) == 0 {
		t.Fatalf("the night: exit %d, %d pull requests, %s", code, len(hub.Pulls()), h.said.String())
	}
	for _, p := range hub.Pulls() {
		if !p.Draft || !slices.Equal(p.Reviewers, []string{"ada"}) || !slices.Equal(p.Teams, []string{"keepers"}) {
			t.Errorf("%s: draft %v, asked %v and %v", p.Head, p.Draft, p.Reviewers, p.Teams)
		}
	}
}
