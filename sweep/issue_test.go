package sweep_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/github"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/forge/pulls"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep"
)

const issues = `-- commit --
date: 2026-10-01T08:00:00Z

facts
-- facts/done.md --
---
retire_when: issue#1
---
Waits for what was completed.
-- facts/again.md --
---
retire_when: https://github.com/acme/shop/issues/1
---
Waits for the same.
-- facts/dropped.md --
---
retire_when: acme/shop#2
---
Waits for what nobody will do.
-- facts/open.md --
---
retire_when: "#3"
---
Waits.
-- facts/fresh.md --
---
retire_when: "#4"
---
Was completed the other day.
-- facts/elsewhere.md --
---
retire_when: https://git.elsewhere.example/a/b/issues/1
---
Waits for another host.
`

// TestIssues: facts that wait for issues, against GitHub as it describes itself.
func TestIssues(t *testing.T) {
	t.Parallel()
	l := load(t, []byte(issues), "main")
	hub := githubfake.New(githubfake.Options{Repo: l.repo})
	for _, i := range []githubfake.Issue{
		{Number: 1, State: "closed", Reason: "completed", Closed: now.AddDate(0, 0, -20)},
		{Number: 2, State: "closed", Reason: "not_planned", Closed: now.AddDate(0, 0, -20)},
		{Number: 3, State: "open"},
		{Number: 4, State: "closed", Closed: now.AddDate(0, 0, -2)},
	} {
		hub.AddIssue(i)
	}
	env := func(name string) string { return map[string]string{"GITHUB_TOKEN": githubfake.Token}[name] }
	conn, err := github.Dial(t.Context(), github.DialOptions{APIURL: hub.Start(t), Env: env})
	if err != nil {
		t.Fatal(err)
	}
	place, err := github.New(github.Options{
		Client: conn.Client, Owner: hub.Owner, Repo: hub.Name, Options: pulls.Options{Bot: conn.Bot, Store: l.repo, Pusher: hub.Remote},
	})
	if err != nil {
		t.Fatal(err)
	}
	before := len(hub.Requests())
	res, err := sweep.Run(context.Background(), sweep.Input{
		Repo: l.repo, To: l.to, Corpus: l.corpus, Policy: l.policy, Tasks: forge.TasksOf(forge.ReadOnly(place)), Now: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range res.Findings {
		got = append(got, line(f))
	}
	slices.Sort(got)
	want := []string{
		"life/expired warning facts/again.md:1 [archive upkeep =>]",
		"life/expired warning facts/done.md:1 [archive upkeep =>]",
		"life/task warning facts/dropped.md:1",
		"life/unseen info facts/elsewhere.md:1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if res.Facts.Reasons[knowledge.ReasonUnreachable] != 1 {
		t.Errorf("what could not be seen is not counted: %v", res.Facts.Reasons)
	}
	if n := len(hub.Requests()) - before; n > 5 || len(hub.Writes()) > 0 {
		t.Errorf("%d requests, %d writes", n, len(hub.Writes()))
	}
}
