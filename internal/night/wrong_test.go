package night_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/report"
)

// TestWentWrong: what a person has to mend stands on the dashboard, reads the
// same every night, and goes when it is mended.
func TestWentWrong(t *testing.T) {
	t.Parallel()
	const readable = "---\nname: x\ndescription: \"x\"\ntype: reference\n---\n\nNothing.\n"
	for name, c := range map[string]struct {
		spoil, mend func(w *world, o *night.Options)
		says        string
	}{
		"a rule of the host": {
			spoil: func(w *world, _ *night.Options) {
				w.fake.Rules = []githubfake.Rule{{Pattern: "refs/heads/retrosweep/memory/*", Says: githubfake.Signed.Says}}
			},
			mend: func(w *world, _ *night.Options) { w.fake.Rules = nil },
			says: "the host takes signed commits only",
		},
		"a dead endpoint": {
			spoil: func(_ *world, o *night.Options) { o.Model = answering(t, llmtest.Unauthorized, 0) },
			mend:  func(_ *world, o *night.Options) { o.Model = answering(t, "", 0) },
			says:  "the model could not be asked for lessons",
		},
		"a small budget": {
			spoil: func(_ *world, o *night.Options) { o.Model = answering(t, "", 1) },
			mend:  func(_ *world, o *night.Options) { o.Model = answering(t, "", 0) },
			says:  "the budget for lessons ended",
		},
		"unreadable files": {
			spoil: func(w *world, _ *night.Options) {
				w.commit("main", map[string][]byte{".claude/memory/x.md": {0xff, 0xfe, 0, 1}, ".claude/memory/y.md": {0xff, 0xfe, 0, 1}})
			},
			mend: func(w *world, _ *night.Options) {
				w.commit("main", map[string][]byte{".claude/memory/x.md": []byte(readable), ".claude/memory/y.md": []byte(readable)})
			},
			says: "2 knowledge files could not be read",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, true)
			w.config.Dashboard = true
			w.config.Limits.IdleDays = 0
			w.moveScript(0)
			o := w.options()
			c.spoil(w, &o)
			again := func() *report.Receipt {
				model := o.Model
				o = w.options()
				o.Model, o.Command.All = model, true
				w.now = w.now.AddDate(0, 0, 1)
				return run(t, o)
			}
			again()
			if page := w.page(); !strings.Contains(page, "### Went wrong (1)") || !strings.Contains(page, c.says) || strings.Contains(page, "llm.example") {
				t.Errorf("the dashboard does not say it:\n%s", page)
			}
			again() // a run that changed something is told of in the next one
			for range 3 {
				before := w.page()
				if r := again(); w.page() != before || r.Dashboard != "" {
					t.Errorf("it is written again:\n%s\n%s", before, w.page())
				}
			}
			c.mend(w, &o)
			if r := again(); strings.Contains(w.page(), "Went wrong") || r.Dashboard != report.ProposalUpdated {
				t.Errorf("it is mended, %v, and the dashboard says:\n%s", r.Warnings, w.page())
			}
		})
	}
}

// answering is a model that finds nothing, or fails; tokens bounds what it may
// spend a night, 0: nothing does.
func answering(t *testing.T, fault llmtest.Fault, tokens int) *llm.Client {
	t.Helper()
	fake := &llmtest.Fake{Answer: func(llm.Request) (llmtest.Reply, bool) {
		return llmtest.Reply{Text: `{"items":[]}`, Fault: fault}, true
	}}
	c, err := llm.New(llm.Options{
		Stages: map[string]llm.Stage{"triage": {Generator: fake}, "patch": {Generator: fake}}, Repository: "shop", CacheDir: t.TempDir(),
		Budget: llm.Budget{Tokens: tokens},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestWentWrongOnTheBase: a base that takes no commit of ours is told of, once,
// beside the upkeep branch that has the edits.
func TestWentWrongOnTheBase(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	w.config.Dashboard = true
	w.config.Routes.Queue, w.config.Routes.Auto = nil, []string{".claude/memory/**"}
	w.config.Delivery.Auto = "commit"
	w.fake.Rules = []githubfake.Rule{githubfake.ByPull}
	w.moveScript(0)
	r := w.night()
	if page := w.page(); !strings.Contains(page, "main takes no commit of ours: the host takes changes by pull request only") {
		t.Errorf("%v\n%s", r.Warnings, page)
	}
}

// TestOneDashboard: a host that does not show the dashboard, or not who edited
// it, gets no second one.
func TestOneDashboard(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]githubfake.Fault{
		"not shown":  {Path: "/issues$", Method: http.MethodGet, Status: http.StatusUnprocessableEntity, Times: 1},
		"no editors": {Path: "/graphql$", Status: http.StatusBadGateway},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, true)
			w.config.Dashboard = true
			w.moveScript(0)
			w.night()
			w.moveScript(1)
			listed := githubfake.Fault{Path: "/issues$", Method: http.MethodGet, Times: 1, Hook: func() { w.fake.Inject(fault) }}
			w.fake.Inject(listed) // the list of proposals is asked for first
			if r := w.night(); !strings.Contains(strings.Join(r.Warnings, "\n"), "the dashboard is not looked at tonight") {
				t.Errorf("the fault is not seen: %v", r.Warnings)
			}
			w.fake.Heal()
			if n := len(w.fake.Issues()); n != 1 {
				t.Errorf("there are %d dashboards", n)
			}
			w.all()
			if !strings.Contains(w.page(), "### Open (2)") && !strings.Contains(w.page(), "### Waiting") {
				t.Errorf("it does not say how things stand:\n%s", w.page())
			}
		})
	}
}
