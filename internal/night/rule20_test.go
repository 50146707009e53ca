package night_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/report"
)

// switchedOff is what the configuration says where the environment switches off.
func switchedOff(t *testing.T) bool {
	t.Helper()
	file := filepath.Join(t.TempDir(), "retrosweep.yaml")
	if err := os.WriteFile(file, []byte("enabled: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.LoadOperator(file, func(name string) string { return map[string]string{"RETROSWEEP_ENABLED": "false"}[name] })
	if err != nil {
		t.Fatal(err)
	}
	return c.Enabled
}

// TestQueueRule20: each switch stops what is new: the operator's, whether a file
// or the environment says it, the repository's, a label, and that nobody decides.
func TestQueueRule20(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.moveScript(0)
		w.config.Enabled = switchedOff(t)
		w.quiet("switched off by the operator", func() {
			if r := w.night(); r.Outcome != report.Skipped {
				t.Errorf("it ends %s", r.Outcome)
			}
		})
		w.config.Enabled = true
		w.commit("main", map[string][]byte{".retrosweep.yaml": []byte("enabled: false\n")})
		w.quiet("switched off in the repository", func() { w.night() })
		w.commit("main", map[string][]byte{".retrosweep.yaml": []byte("enabled: true\n")})
		w.night()
		x := w.one()
		w.moveScript(1)
		w.now = w.now.AddDate(0, 0, 31) // and nobody decides
		r := w.all()
		if len(w.open()) != 1 || !slices.ContainsFunc(r.Proposals, func(p report.Proposal) bool {
			return p.State == report.ProposalWaiting && strings.Contains(p.Reason, "nobody merged or closed anything")
		}) {
			t.Errorf("after a month without a decision: %+v", r.Proposals)
		}
		w.no(x)
		w.all()
		y := w.one() // somebody decided
		if w.fake == nil {
			return
		}
		w.fake.Edit(y.Number, func(p *githubfake.Pull) { p.Labels = append(p.Labels, proposal.StopLabel) })
		w.moveScript(2)
		w.quiet("a label", func() { w.all() })
	})
}
