package night_test

import (
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/report"
)

// TestRulesOfTheBase: each rule that keeps our commit off the base branch is
// named in a sentence, and the edits go by the upkeep pull request.
func TestRulesOfTheBase(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule githubfake.Rule
		says string
	}{
		"merge queue": {githubfake.MergeQueue, "the host merges by its queue only"},
		"pull":        {githubfake.ByPull, "the host takes changes by pull request only"},
		"protected":   {githubfake.Locked, "the branch is protected"},
		"signed":      {githubfake.Rule{Pattern: "refs/heads/main", Says: githubfake.Signed.Says}, "delivery.signing_key"},
		"sign-off":    {githubfake.Rule{Pattern: "refs/heads/main", Says: githubfake.SignedOff.Says, Wants: githubfake.SignedOff.Wants}, "delivery.sign_off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, true)
			w.config.Routes.Queue = nil
			w.config.Routes.Auto = []string{".claude/memory/**"}
			w.config.Delivery.Auto = "commit"
			w.fake.Rules = []githubfake.Rule{c.rule}
			w.moveScript(0)
			main := w.ref("refs/heads/main")
			r := w.night()
			if w.ref("refs/heads/main") != main {
				t.Error("main moved")
			}
			if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, c.says) || !strings.Contains(all, "upkeep branch instead") {
				t.Errorf("the receipt says %v", r.Warnings)
			}
			if x := w.one(); x.Kind != "upkeep" || !strings.Contains(w.read(x.Branch, w.file[0]), w.at[0]) {
				t.Errorf("open is %+v", x)
			}
		})
	}
}

// TestRulesOfEveryBranch: where not even a branch of ours is taken, the receipt
// says what to set; once it is set, the proposal is made.
func TestRulesOfEveryBranch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule githubfake.Rule
		says string
	}{
		"signed":   {githubfake.Signed, "set delivery.commits to api"},
		"sign-off": {githubfake.SignedOff, "delivery.sign_off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, true)
			w.fake.Rules = []githubfake.Rule{c.rule}
			w.moveScript(0)
			r := w.night()
			blocked := byState(r, report.ProposalBlocked)
			if len(blocked) != 1 || !strings.Contains(blocked[0].Reason, c.says) || r.Outcome != report.Partial {
				t.Fatalf("%s: %+v", r.Outcome, r.Proposals)
			}
			if c.rule.Wants == "" {
				w.config.Delivery.Commits, w.bot = "api", app // as the receipt says
				w.fake.Tokens[githubfake.Token] = app
			} else {
				w.config.Delivery.SignOff = "Gardener <bot@acme.dev>"
			}
			w.night()
			w.one()
		})
	}
}
