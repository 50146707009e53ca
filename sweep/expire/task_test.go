package expire

import (
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

func TestParseRef(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]Ref{
		"issue#12": {Number: 12}, "#12": {Number: 12}, "PR #7": {Number: 7}, "issue 12": {Number: 12}, "`#3`": {Number: 3},
		"acme/shop#4":                               {Owner: "acme", Repo: "shop", Number: 4},
		"https://github.com/acme/shop/issues/5":     {Host: "github.com", Owner: "acme", Repo: "shop", Number: 5},
		"https://git.acme.dev/acme/shop.js/pull/6/": {Host: "git.acme.dev", Owner: "acme", Repo: "shop.js", Number: 6},
		"docs/tasks.md#Ship the limiter":            {Path: "docs/tasks.md", Text: "Ship the limiter"},
		"./TODO.md#3 things":                        {Path: "TODO.md", Text: "3 things"},
	} {
		got, ok := ParseRef(s)
		if !ok || got != want {
			t.Errorf("%q reads as %+v, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "when the migration is done", "issue#0", "issue#99999999999", "https://acme.dev/x", "ftp://github.com/a/b/issues/1", "tasks.md#", "#", "a/b", "*.md#x", "next week"} {
		if got, ok := ParseRef(s); ok {
			t.Errorf("%q reads as %+v", s, got)
		}
	}
}

func TestByTask(t *testing.T) {
	t.Parallel()
	waiting := knowledge.Lifecycle{RetireWhen: "issue#12"}
	for name, tc := range map[string]struct {
		life knowledge.Lifecycle
		task Task
		want string
	}{
		"open":                {waiting, Task{State: Open}, "keep: waits for issue#12"},
		"completed long ago":  {waiting, Task{State: Completed, Done: day("2026-11-01")}, "archive: its task issue#12 was completed on 2026-11-01"},
		"grace ends today":    {waiting, Task{State: Completed, Done: day("2026-11-16")}, "archive: its task issue#12 was completed on 2026-11-16"},
		"grace":               {waiting, Task{State: Completed, Done: day("2026-11-17")}, "keep: its task issue#12 was completed on 2026-11-17: it holds until 2026-12-01"},
		"completed, no date":  {waiting, Task{State: Completed}, "archive: its task issue#12 is completed"},
		"not planned":         {waiting, Task{State: NotPlanned, Done: day("2026-01-01")}, "look: its task issue#12 is closed as not planned"},
		"duplicate":           {waiting, Task{State: Duplicate}, "look: its task issue#12 is closed as a duplicate"},
		"reopened":            {waiting, Task{State: Reopened}, "look: its task issue#12 is reopened"},
		"missing":             {waiting, Task{State: Missing, Why: "no line says so"}, "look: its task issue#12 is not found: whether it still holds is for a person: no line says so"},
		"unreachable":         {waiting, Task{State: Unreachable, Why: "no forge"}, "hidden: its task issue#12 cannot be looked at: no forge"},
		"no task":             {knowledge.Lifecycle{RetireWhen: "some day"}, Task{State: Unread}, `look: retire_when says "some day", which names no task`},
		"a date that is over": {knowledge.Lifecycle{RetireWhen: "issue#12", Expires: day("2026-11-01")}, Task{State: Open}, "archive: expired on 2026-11-01"},
		"a date to come":      {knowledge.Lifecycle{RetireWhen: "issue#12", Expires: day("2027-11-01")}, Task{State: Completed, Done: day("2026-10-01")}, "archive: its task"},
		"a TTL without date":  {knowledge.Lifecycle{RetireWhen: "issue#12", TTL: days}, Task{State: Open}, "keep: waits"},
		"superseded":          {knowledge.Lifecycle{RetireWhen: "issue#12", SupersededBy: "x"}, Task{State: Completed}, ""},
		"TTL before expiry":   {knowledge.Lifecycle{Created: day("2026-10-01"), TTL: 30 * days, Expires: day("2027-01-01")}, Task{}, "archive: its time of 30 days ended on 2026-10-31"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := Decide([]*knowledge.Fact{fact("a", tc.life)}, Policy{Task: func(*knowledge.Fact) Task { return tc.task }}, now)
			got := flat(p)
			if !strings.HasPrefix(got, tc.want) || tc.want == "" && got != "" {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
	odd := knowledge.Lifecycle{RetireWhen: "t.md#a\u202e\u200b  b " + strings.Repeat("x", 500)}
	if got := flat(Decide([]*knowledge.Fact{fact("a", odd)}, Policy{Task: func(*knowledge.Fact) Task { return Task{State: Open} }}, now)); !strings.HasPrefix(got, "keep: waits for t.md#a b xxx") || len(got) > 200 {
		t.Errorf("what nobody can see is repeated: %q", got)
	}
	if got := flat(Decide([]*knowledge.Fact{fact("a", waiting)}, Policy{}, now)); !strings.HasPrefix(got, "hidden: ") {
		t.Errorf("without anybody who could look: %q", got)
	}
}
