package night_test

import (
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/report"
)

// tick lets an account tick every box of the dashboard.
func (w *world) tick(by githubfake.User) {
	w.t.Helper()
	all := w.fake.Issues()
	if len(all) != 1 {
		w.t.Fatalf("there are %d dashboards", len(all))
	}
	w.fake.EditIssue(all[0].Number, by, func(body string) string { return strings.ReplaceAll(body, "- [ ]", "- [x]") })
}

func (w *world) page() string {
	w.t.Helper()
	all := w.fake.Issues()
	if len(all) != 1 {
		w.t.Fatalf("there are %d dashboards", len(all))
	}
	return all[0].Body
}

// TestQueueRule13: one issue, off by default, found by its marker and author and
// written only when it says something else. A tick of who may write has a refused
// proposal offered again, once.
func TestQueueRule13(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	w.moveScript(0)
	w.moveScript(1)
	w.night()
	if len(w.fake.Issues()) > 0 {
		t.Fatal("nobody asked for a dashboard")
	}
	w.config.Dashboard = true
	o := w.options()
	o.Apply = false
	run(t, o)
	if len(w.fake.Issues()) > 0 {
		t.Fatal("a dry run writes")
	}
	w.config.Limits.Open = 1
	w.all()
	for _, part := range []string{"### Open (1)", "### Waiting (1)", "limit: 1 open at a time", "pull/1", "### Last run"} {
		if !strings.Contains(w.page(), part) {
			t.Errorf("it lacks %q:\n%s", part, w.page())
		}
	}
	for range 3 {
		w.quiet("nothing new", func() { w.all() })
		w.quiet("nothing new in the range", func() { w.night() })
	}
	x := w.one()
	w.no(x)
	w.all()
	if !strings.Contains(w.page(), "### Refused (1)") || !strings.Contains(w.page(), "- [ ] <!-- retry:"+x.Slot) {
		t.Fatalf("a refusal:\n%s", w.page())
	}
	w.no(w.one()) // the other one
	w.all()
	w.tick(githubfake.Ada)
	r := w.all()
	if n := len(byState(r, report.ProposalOpened)); n != 1 || len(w.open()) != 1 {
		t.Errorf("after a tick, %d are opened: %+v", n, r.Proposals)
	}
	if strings.Contains(w.page(), "[x]") {
		t.Error("the tick is still there")
	}
	z := w.one()
	w.no(z) // and no again
	for range 40 {
		w.all()
		if state, why := stateOf(w.all(), z.Slot); len(w.open()) > 1 || w.open()[0].Slot == z.Slot {
			t.Fatalf("offered again: %s, %s", state, why)
		}
	}
	w.fake.AddIssue(githubfake.Issue{Number: w.fake.Issues()[0].Number, State: "closed", Title: "t", Body: w.page(), Author: githubfake.Bot})
	w.moveScript(2)
	before := w.page()
	w.all()
	if w.page() != before {
		t.Error("a dashboard that a person closed is written")
	}
}

// TestAttack45Dashboard: a tick by somebody who may not write, alone or beside
// one who may, and a page of somebody else, do nothing.
func TestAttack45Dashboard(t *testing.T) {
	t.Parallel()
	mallory := githubfake.User{Login: "mallory", ID: 666}
	for name, by := range map[string][]githubfake.User{
		"a stranger": {mallory}, "beside a writer": {mallory, githubfake.Ada}, "nobody known": {{}},
		"an app called like a person": {{Login: "retrosweep-bot[bot]", ID: 9, App: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, true)
			w.fake.Permissions = map[string]string{"mallory": "read", "retrosweep-bot": "read"}
			w.config.Dashboard = true
			w.moveScript(0)
			w.night()
			w.no(w.one())
			w.all()
			mine := w.page()
			for _, u := range by {
				w.tick(u)
			}
			w.quiet(name, func() { w.all() })
			if len(w.open()) > 0 {
				t.Error("it is offered again")
			}
			forged := githubfake.Issue{Number: 500, State: "open", Title: "t", Body: strings.ReplaceAll(mine, "- [ ]", "- [x]"), Author: mallory}
			w.fake.AddIssue(forged)
			w.quiet("another page", func() { w.all() })
		})
	}
}

// TestPageWithoutAHost: what the dashboard says is there without one.
func TestPageWithoutAHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	w.moveScript(0)
	w.moveScript(1)
	w.night()
	w.quiet("reading", func() {
		page, err := night.ReadPage(t.Context(), night.Look{Repo: w.repo, Config: w.config, Now: w.now})
		for _, part := range []string{"### Open (1)", "### Waiting (1)", "over a limit", "### Last run"} {
			if err != nil || !strings.Contains(page, part) {
				t.Errorf("it lacks %q: %v\n%s", part, err, page)
			}
		}
	})
}

// TestTickOfUpkeep: a tick has the closed upkeep branch offered again, as upkeep;
// what a person refused of it before stays refused.
func TestTickOfUpkeep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	w.config.Dashboard, w.config.Routes.Queue = true, nil
	w.moveScript(0)
	w.night()
	w.no(w.one())
	w.night()
	w.moveScript(1)
	w.night()
	w.no(w.one())
	w.night()
	w.tick(githubfake.Ada)
	for range 3 {
		w.all()
	}
	x := w.one()
	if x.Kind != "upkeep" || w.offers(w.file[0]) || !w.offers(w.file[1]) {
		t.Errorf("after a tick, open is %+v", x)
	}
}
