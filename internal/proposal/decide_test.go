package proposal_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
)

// want is what a run offers for a file, named by a letter.
func want(name string, edits ...knowledge.Edit) proposal.Wanted {
	if len(edits) == 0 {
		edits = []knowledge.Edit{add(name+".md", "Rule of "+name+".")}
	}
	return proposal.Wanted{Slot: "slot-" + name, Kind: "rules", Target: name + ".md", Branch: "retrosweep/rules/" + name, Edits: edits, Files: []string{name + ".md"}, Lines: 2, Since: day}
}

// have is an open proposal that holds what want offers.
func have(name string, change func(*proposal.Existing)) proposal.Existing {
	w := want(name)
	x := proposal.Existing{
		Slot: w.Slot, Content: proposal.Content(w.Edits), Kind: w.Kind, Branch: w.Branch, Base: "main", Fork: id(1), Head: id(2),
		Status: proposal.Open, Layers: []proposal.Layer{{Run: "r0", Edits: w.Edits}}, Files: w.Files, At: day.AddDate(0, 0, -3),
	}
	if change != nil {
		change(&x)
	}
	return x
}

func closedAt(when time.Time) func(*proposal.Existing) {
	return func(x *proposal.Existing) {
		x.Status, x.ClosedBy, x.Ended = proposal.Closed, proposal.ByPerson, when
	}
}

// said is an action as a line: "opened slot-a".
func said(actions []proposal.Action) []string {
	out := []string{}
	for _, a := range actions {
		out = append(out, string(a.Do)+" "+a.Slot)
	}
	return out
}

func TestDecide(t *testing.T) {
	t.Parallel()
	other := add("a.md", "Another rule.")
	old := day.AddDate(0, 0, -40)
	rejectedLong := []proposal.Rejection{{Slot: "slot-a", Content: proposal.Content(want("a").Edits), Key: proposal.EditKey(want("a").Edits[0]), At: old}}
	for name, tt := range map[string]struct {
		state proposal.State
		want  []string
		why   string
	}{
		"nothing":                     {proposal.State{}, []string{}, ""},
		"new":                         {proposal.State{Wanted: []proposal.Wanted{want("a")}}, []string{"opened slot-a"}, "new"},
		"open, same content":          {proposal.State{Wanted: []proposal.Wanted{want("a")}, Existing: []proposal.Existing{have("a", nil)}}, []string{"unchanged slot-a"}, "same content"},
		"open, not wanted now":        {proposal.State{Existing: []proposal.Existing{have("a", nil)}}, []string{"unchanged slot-a"}, "nothing about it changed"},
		"open, more to say":           {proposal.State{Wanted: []proposal.Wanted{want("a", other)}, Existing: []proposal.Existing{have("a", nil)}}, []string{"updated slot-a"}, "more to say about a.md"},
		"open, conflicts":             {proposal.State{Existing: []proposal.Existing{have("a", func(x *proposal.Existing) { x.Conflict = true })}}, []string{"updated slot-a"}, "built again"},
		"wanted and conflicts":        {proposal.State{Wanted: []proposal.Wanted{want("a")}, Existing: []proposal.Existing{have("a", func(x *proposal.Existing) { x.Conflict = true })}}, []string{"updated slot-a"}, "main changed the same lines"},
		"an update cut short":         {proposal.State{Wanted: []proposal.Wanted{want("a")}, Existing: []proposal.Existing{have("a", func(x *proposal.Existing) { x.Content = "" })}}, []string{"updated slot-a"}, ""},
		"touched":                     {proposal.State{Wanted: []proposal.Wanted{want("a", other)}, Existing: []proposal.Existing{have("a", func(x *proposal.Existing) { x.Touched = true })}}, []string{"hands-off slot-a"}, "theirs now"},
		"touched and obsolete":        {proposal.State{Existing: []proposal.Existing{have("a", func(x *proposal.Existing) { x.Touched, x.Holds = true, proposal.HoldsGone })}}, []string{"hands-off slot-a"}, "theirs now"},
		"touched and conflicts":       {proposal.State{Existing: []proposal.Existing{have("a", func(x *proposal.Existing) { x.Touched, x.Conflict = true, true })}}, []string{"hands-off slot-a"}, "theirs now"},
		"merged":                      {proposal.State{Existing: []proposal.Existing{have("a", func(x *proposal.Existing) { x.Status = proposal.Merged })}}, []string{"merged slot-a"}, "it is in main"},
		"merged, then more":           {proposal.State{Wanted: []proposal.Wanted{want("a", other)}, Existing: []proposal.Existing{have("a", func(x *proposal.Existing) { x.Status = proposal.Merged })}}, []string{"merged slot-a", "opened slot-a"}, ""},
		"closed, same content":        {proposal.State{Wanted: []proposal.Wanted{want("a")}, Existing: []proposal.Existing{have("a", closedAt(day))}}, []string{"rejected slot-a", "rejected slot-a"}, "a person closed it"},
		"closed, other, too early":    {proposal.State{Wanted: []proposal.Wanted{want("a", other)}, Existing: []proposal.Existing{have("a", closedAt(day))}}, []string{"rejected slot-a", "waiting slot-a"}, ""},
		"closed, other, in time":      {proposal.State{Wanted: []proposal.Wanted{want("a", other)}, Existing: []proposal.Existing{have("a", closedAt(old))}}, []string{"rejected slot-a", "opened slot-a"}, ""},
		"closed, known":               {proposal.State{Existing: []proposal.Existing{have("a", closedAt(old))}, Rejected: rejectedLong}, []string{}, ""},
		"closed by us":                {proposal.State{Wanted: []proposal.Wanted{want("a")}, Existing: []proposal.Existing{have("a", func(x *proposal.Existing) { x.Status, x.ClosedBy = proposal.Closed, proposal.ByUs })}}, []string{"opened slot-a"}, "new"},
		"rejected for ever":           {proposal.State{Wanted: []proposal.Wanted{want("a")}, Rejected: rejectedLong}, []string{"rejected slot-a"}, "rejected this change before"},
		"rejected in company":         {proposal.State{Wanted: []proposal.Wanted{want("a", want("a").Edits[0], other)}, Rejected: rejectedLong}, []string{"opened slot-a"}, "new"},
		"rejected elsewhere":          {proposal.State{Wanted: []proposal.Wanted{want("b")}, Rejected: rejectedLong}, []string{"opened slot-b"}, "new"},
		"obsolete: fixed by hand":     {proposal.State{Existing: []proposal.Existing{have("a", func(x *proposal.Existing) { x.Holds = proposal.HoldsDone })}}, []string{"closed slot-a"}, "in main already"},
		"obsolete: gone":              {proposal.State{Existing: []proposal.Existing{have("a", func(x *proposal.Existing) { x.Holds = proposal.HoldsGone })}}, []string{"closed slot-a"}, "no longer in main"},
		"obsolete, wanted":            {proposal.State{Wanted: []proposal.Wanted{want("a", other)}, Existing: []proposal.Existing{have("a", func(x *proposal.Existing) { x.Holds = proposal.HoldsGone })}}, []string{"closed slot-a", "waiting slot-a"}, ""},
		"another base":                {proposal.State{Wanted: []proposal.Wanted{want("a", other)}, Existing: []proposal.Existing{have("a", func(x *proposal.Existing) { x.Base = "dev" })}}, []string{"waiting slot-a"}, "made against dev"},
		"upkeep is planned elsewhere": {proposal.State{Existing: []proposal.Existing{have("a", func(x *proposal.Existing) { x.Kind = proposal.KindUpkeep })}}, []string{}, ""},
		"of two the open one counts":  {proposal.State{Wanted: []proposal.Wanted{want("a")}, Existing: []proposal.Existing{have("a", closedAt(day)), have("a", nil)}}, []string{"unchanged slot-a"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.state.Base = "main"
			got := proposal.Decide(tt.state, proposal.Policy{}, day)
			if diff := cmp.Diff(tt.want, said(got)); diff != "" {
				t.Fatalf("%s\n%+v", diff, got)
			}
			for _, a := range got {
				if a.Reason == "" {
					t.Errorf("%s has no reason", a.Slot)
				}
			}
			if len(got) > 0 && !strings.Contains(got[0].Reason, tt.why) {
				t.Errorf("the reason is %q, without %q", got[0].Reason, tt.why)
			}
		})
	}
}

func TestDecideLimits(t *testing.T) {
	t.Parallel()
	wide := want("a")
	for i := range 21 {
		wide.Files = append(wide.Files, fmt.Sprintf("%d.md", i))
	}
	long := want("a")
	long.Lines = 401
	waited := want("z")
	waited.Since = day.AddDate(0, 0, -9)
	sameFile := want("b")
	sameFile.Files = []string{"a.md"}
	obsolete := func(x *proposal.Existing) { x.Holds = proposal.HoldsDone }
	for name, tt := range map[string]struct {
		state  proposal.State
		policy proposal.Policy
		want   []string
		last   string
	}{
		"one new a run, the longest waiting": {proposal.State{Wanted: []proposal.Wanted{want("a"), waited}}, proposal.Policy{}, []string{"opened slot-z", "waiting slot-a"}, "1 new a run"},
		"two new a run":                      {proposal.State{Wanted: []proposal.Wanted{want("a"), waited}}, proposal.Policy{NewPerRun: 2}, []string{"opened slot-z", "opened slot-a"}, "new"},
		"three open":                         {proposal.State{Wanted: []proposal.Wanted{want("a")}, Existing: []proposal.Existing{have("b", nil), have("c", nil), have("d", nil)}}, proposal.Policy{}, []string{"unchanged slot-b", "unchanged slot-c", "unchanged slot-d", "waiting slot-a"}, "3 open at a time"},
		"a touched one takes no place":       {proposal.State{Wanted: []proposal.Wanted{want("a")}, Existing: []proposal.Existing{have("b", func(x *proposal.Existing) { x.Touched = true })}}, proposal.Policy{MaxOpen: 1}, []string{"hands-off slot-b", "opened slot-a"}, "new"},
		"closing makes room":                 {proposal.State{Wanted: []proposal.Wanted{want("a")}, Existing: []proposal.Existing{have("b", obsolete)}}, proposal.Policy{MaxOpen: 1}, []string{"closed slot-b", "opened slot-a"}, "new"},
		"the limits hold within a run":       {proposal.State{Wanted: []proposal.Wanted{want("a"), want("b"), want("c")}}, proposal.Policy{NewPerRun: 9, MaxOpen: 2}, []string{"opened slot-a", "opened slot-b", "waiting slot-c"}, "2 open at a time"},
		"one open a file":                    {proposal.State{Wanted: []proposal.Wanted{sameFile}, Existing: []proposal.Existing{have("a", nil)}}, proposal.Policy{}, []string{"unchanged slot-a", "waiting slot-b"}, "open for a.md already"},
		"too many files":                     {proposal.State{Wanted: []proposal.Wanted{wide}}, proposal.Policy{}, []string{"waiting slot-a"}, "22 files, the limit is 20"},
		"too many lines":                     {proposal.State{Wanted: []proposal.Wanted{long}}, proposal.Policy{}, []string{"waiting slot-a"}, "401 changed lines"},
		"an update counts as no new one":     {proposal.State{Wanted: []proposal.Wanted{want("a", add("a.md", "More.")), want("b")}, Existing: []proposal.Existing{have("a", nil)}}, proposal.Policy{}, []string{"updated slot-a", "opened slot-b"}, "new"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.state.Base = "main"
			got := proposal.Decide(tt.state, tt.policy, day)
			if diff := cmp.Diff(tt.want, said(got)); diff != "" {
				t.Fatal(diff)
			}
			if last := got[len(got)-1].Reason; !strings.Contains(last, tt.last) {
				t.Errorf("the last reason is %q, without %q", last, tt.last)
			}
		})
	}
}

// TestDecideConverges: after each night's actions are done, the next night with
// the same input writes nothing, whatever order things were wanted in.
func TestDecideConverges(t *testing.T) {
	t.Parallel()
	state := proposal.State{Base: "main", Wanted: []proposal.Wanted{want("c"), want("a"), want("b"), want("d")}}
	var opened int
	for n := range 6 {
		writes := 0
		for _, a := range proposal.Decide(state, proposal.Policy{}, day.AddDate(0, 0, n)) {
			if !a.Do.Writes() {
				continue
			}
			writes++
			state.Existing = append(state.Existing, proposal.Existing{
				Slot: a.Slot, Content: a.Content, Kind: a.Kind, Branch: a.Branch, Base: "main", Status: proposal.Open,
				Layers: []proposal.Layer{{Edits: a.Edits}}, Files: a.Wanted.Files,
			})
		}
		opened += writes
		if n >= 3 && writes != 0 {
			t.Errorf("night %d still writes %d", n, writes)
		}
	}
	if opened != 3 {
		t.Errorf("%d are open, the limit is 3", opened)
	}
}

func TestDecideUnion(t *testing.T) {
	t.Parallel()
	held := knowledge.Edit{Op: knowledge.OpReplace, Path: "a.md", FactID: "f1", Text: "Old words."}
	better := held
	better.Text = "Better words."
	rule := add("a.md", "Another rule.")
	x := have("a", func(x *proposal.Existing) {
		x.Layers = []proposal.Layer{{Edits: []knowledge.Edit{held}}}
		x.Content = proposal.Content([]knowledge.Edit{held})
	})
	got := proposal.Decide(proposal.State{Base: "main", Wanted: []proposal.Wanted{want("a", better, rule)}, Existing: []proposal.Existing{x}}, proposal.Policy{}, day)
	if len(got) != 1 {
		t.Fatalf("%+v", got)
	}
	wanted := []knowledge.Edit{better, rule}
	if diff := cmp.Diff(wanted, got[0].Edits); diff != "" || got[0].Content != proposal.Content(wanted) {
		t.Errorf("content %s: %s", got[0].Content, diff)
	}
	tomorrow := rule
	tomorrow.Date = day.AddDate(0, 0, 1)
	if u := proposal.Union(wanted, []knowledge.Edit{tomorrow}); len(u) != 2 || !u[1].Date.Equal(day) {
		t.Errorf("the same rule found tomorrow: %+v", u)
	}
}

// TestRejectionHasItsDay: a deleted branch does not say when; the cooldown runs
// from the day on which it is noticed, and is not prolonged by later nights.
func TestRejectionHasItsDay(t *testing.T) {
	t.Parallel()
	state := proposal.State{Base: "main", Wanted: []proposal.Wanted{want("a", add("a.md", "Another rule."))}, Existing: []proposal.Existing{have("a", closedAt(time.Time{}))}}
	first := proposal.Decide(state, proposal.Policy{}, day)
	if len(first) != 2 || len(first[0].Remember) != 2 || !first[0].Remember[0].At.Equal(day) || !strings.Contains(first[1].Reason, "2026-12-30") {
		t.Fatalf("%+v", first)
	}
	state.Rejected = first[0].Remember
	for n, do := range map[int]proposal.Do{29: proposal.DoWait, 30: proposal.DoOpen} {
		got := proposal.Decide(state, proposal.Policy{}, day.AddDate(0, 0, n))
		if len(got) != 1 || got[0].Do != do {
			t.Errorf("after %d days: %+v", n, got)
		}
	}
}

func TestStanding(t *testing.T) {
	t.Parallel()
	files := map[string]string{"knowledge/playbooks/a.md": "# A\n\n## Rules\n\n- Seed the\n  clock.\n- Start internal/new/db.go.\n"}
	read := func(path string) ([]byte, bool) { s, ok := files[path]; return []byte(s), ok }
	const path = "knowledge/playbooks/a.md"
	for name, tt := range map[string]struct {
		edits []knowledge.Edit
		want  proposal.Holds
	}{
		"an addition that is there":     {[]knowledge.Edit{add(path, "Seed the clock.")}, proposal.HoldsDone},
		"an addition that is not":       {[]knowledge.Edit{add(path, "Seed the dice.")}, proposal.HoldsStill},
		"one of two":                    {[]knowledge.Edit{add(path, "Seed the clock."), add(path, "Seed the dice.")}, proposal.HoldsStill},
		"a path that was corrected":     {[]knowledge.Edit{{Op: knowledge.OpRewrite, Path: path, FactID: "gone", Old: "internal/old/db.go", New: "internal/new/db.go"}}, proposal.HoldsDone},
		"a path of a fact that is gone": {[]knowledge.Edit{{Op: knowledge.OpRewrite, Path: path, FactID: "gone", Old: "x.go", New: "y.go"}}, proposal.HoldsGone},
		"an archived fact":              {[]knowledge.Edit{{Op: knowledge.OpArchive, Path: path, FactID: "gone"}}, proposal.HoldsGone},
		"a file that is gone":           {[]knowledge.Edit{{Op: knowledge.OpReplace, Path: "b.md", FactID: "f", Text: "Seed the clock."}}, proposal.HoldsGone},
		"gone and done":                 {[]knowledge.Edit{{Op: knowledge.OpArchive, Path: path, FactID: "gone"}, add(path, "Seed the clock.")}, proposal.HoldsDone},
	} {
		if got := proposal.Standing(read, []proposal.Layer{{Edits: tt.edits}}); got != tt.want {
			t.Errorf("%s: %s, not %s", name, got, tt.want)
		}
	}
}

// TestQueueRule10Size: what is too large for a person to read waits, and says so.
func TestQueueRule10Size(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		read, lines int
		do          proposal.Do
	}{
		"as many files as may be": {20, 2, proposal.DoOpen}, "one file more": {21, 2, proposal.DoWait},
		"as many lines as may be": {1, 400, proposal.DoOpen}, "one line more": {1, 401, proposal.DoWait},
	} {
		w := proposal.Wanted{Slot: "slot-a", Kind: "rules", Target: "a.md", Branch: "retrosweep/rules/a", Edits: []knowledge.Edit{{Op: knowledge.OpRewrite, Path: "a.md", FactID: "f", Old: "a", New: "b"}}, Files: []string{"a.md"}, Read: c.read, Lines: c.lines}
		got := proposal.Decide(proposal.State{Base: "main", Wanted: []proposal.Wanted{w}}, proposal.Policy{}, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
		if len(got) != 1 || got[0].Do != c.do || c.do == proposal.DoWait && !strings.Contains(got[0].Reason, "too large to review") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
