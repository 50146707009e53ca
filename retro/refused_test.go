package retro

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/prompts"
)

// again is a history in which the same mistake is taken back twice, by two
// people's reverts, a month apart.
const again = `
-- commit --
author: Ada Byron <ada@acme.dev>
date: 2026-09-01T10:00:00Z

begin
-- client.go --
package client // 0
-- commit --
date: 2026-09-02T10:00:00Z

Revert "cache the client"

The cache kept expired tokens alive.
-- client.go --
package client // 1
-- commit --
author: Bob <bob@acme.dev>
date: 2026-11-20T10:00:00Z

Revert "cache the page"

The page kept expired tokens alive, too.
-- page.go --
package client // 2
`

// naming is a model that finds the lesson wherever expired tokens are, and says
// that it is the first waiting one where any is shown.
func naming() *model {
	return &model{
		triage: func(user string) []prompts.TriageItem {
			items := lesson(user, "expired tokens alive", freshClient, "http-clients")
			if c1 := "C1"; strings.Contains(user, "\nC1 ") {
				for i := range items {
					items[i].SameAs = &c1
				}
			}
			return items
		},
		patch: func(string) []prompts.PatchEdit { return add(freshClient) },
	}
}

// A rule that a person refused is known again by what showed it. New independent
// evidence offers it once more, to a person, after the cooldown; not twice.
func TestRefusedLessonIsOfferedOnceMore(t *testing.T) {
	t.Parallel()
	in := under(t, again)
	first, second := in.Commits[1].Hash, in.Commits[0].Hash
	no := tonight.AddDate(0, -2, 0)
	refuse := func(all map[string]*journal.Candidate, at time.Time) map[string]*journal.Candidate {
		out := map[string]*journal.Candidate{}
		for id, c := range all {
			copied := *c
			out[id] = &copied
		}
		Refuse(out, []journal.Where{{Commit: first.String(), Line: 3}}, at)
		return out
	}
	pass := func(n int, head bool, all map[string]*journal.Candidate) Result {
		in := in
		if head {
			in = at(t, in, second, n)
		} else {
			in = at(t, in, first, n)
		}
		in.State = &journal.State{Candidates: all}
		in.Model = naming().client(t, llm.Options{})
		return run(t, in)
	}
	said := refuse(nil, no)
	for _, tt := range []struct {
		name   string
		head   bool
		state  map[string]*journal.Candidate
		want   string
		reason string
	}{
		{"the same evidence", false, said, "rejected", "nothing else shows it"},
		{"within the cooldown", true, refuse(nil, tonight.AddDate(0, 0, -5)), "rejected", "the cooldown is not over"},
		{"new evidence after the cooldown", true, said, "promoted", "a person refused it before"},
	} {
		res := pass(1, tt.head, tt.state)
		if diff := cmp.Diff([]string{tt.want}, statuses(res.Lessons)); diff != "" || !strings.Contains(res.Lessons[0].Reason, tt.reason) {
			t.Fatalf("%s: %s %+v", tt.name, diff, res.Lessons)
		}
		for _, e := range res.Edits {
			if e.Route != "queue" {
				t.Errorf("%s: route %s without a person", tt.name, e.Route)
			}
		}
	}
	once := pass(1, true, said).Candidates
	twice := refuse(once, tonight)
	for name, state := range map[string]map[string]*journal.Candidate{"offered already": once, "refused twice": twice} {
		if res := pass(1, true, state); res.Lessons[0].Status != "rejected" {
			t.Errorf("%s: %+v", name, res.Lessons)
		}
	}
}

// A rule of ours that a person takes out of its playbook is refused by that; one
// that moved, or that was reworded, is not.
func TestDeletedRuleIsRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		after string
		want  int
	}{
		"deleted":  {"# Clients\n\n- Another rule stays here.\n", 1},
		"reworded": {"# Clients\n\n- Make new clients often. (2026-09-03, COMMIT)\n- Another rule stays here.\n", 0},
		"stays":    {"# Clients\n\n- Make a new client for each request. (2026-09-03, COMMIT)\n- Another rule stays here, too.\n", 0},
	} {
		first := under(t, again).Commits[1].Hash.String()[:10]
		before := "# Clients\n\n- Make a new client for each request. (2026-09-03, " + first + ")\n- Another rule stays here.\n"
		in := under(t, again+"-- commit --\ndate: 2026-11-21T10:00:00Z\n\nrules\n-- knowledge/playbooks/clients.md --\n"+before+
			"-- commit --\nauthor: Ada Byron <ada@acme.dev>\ndate: 2026-11-22T10:00:00Z\n\nfewer rules\n-- knowledge/playbooks/clients.md --\n"+strings.ReplaceAll(tt.after, "COMMIT", first))
		in = at(t, in, in.Head, 1)
		in.Model = silent(new([]string)).client(t, llm.Options{})
		res := run(t, in)
		refusals := 0
		for _, c := range res.Candidates {
			if c.Status == statusRefused && strings.HasPrefix(c.Evidence[0].Commit, first) {
				refusals++
			}
		}
		if refusals != tt.want {
			t.Errorf("%s: %d refusals of %+v", name, refusals, res.Candidates)
		}
	}
}

// What a night decides on is counted as a mistake that is new, or that a rule had
// spoken of.
func TestCorrectionsAreCounted(t *testing.T) {
	t.Parallel()
	in := under(t, again)
	in.Model = naming().client(t, llm.Options{})
	res := run(t, in)
	if len(res.Corrections) != 1 || res.Corrections[0].Again || res.Corrections[0].Rule == "" {
		t.Fatalf("%+v", res.Corrections)
	}
	var s journal.State
	s.Correct(res.Corrections)
	s.Correct(res.Corrections)
	if len(s.Corrections) != 1 {
		t.Errorf("counted twice: %+v", s.Corrections)
	}
}

// A first run over a long history leaves no endless backlog, and says what it
// leaves out.
func TestBacklogIsBounded(t *testing.T) {
	t.Parallel()
	n := &night{in: Input{}.defaults()}
	var all []journal.Signal
	for range maxBacklog + 30 {
		all = append(all, journal.Signal{Class: "change"})
	}
	if got := n.bound(all); len(got) != maxBacklog || len(n.warnings) != 1 || !strings.Contains(n.warnings[0], `30 signals of class "change"`) {
		t.Errorf("%d, %v", len(got), n.warnings)
	}
}
