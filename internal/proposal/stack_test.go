package proposal_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

func id(b byte) repo.Hash { return repo.Hash{b} }

func upkeep(branch string, change func(*proposal.Existing)) proposal.Existing {
	x := proposal.Existing{
		Slot: "u", Content: "c", Kind: proposal.KindUpkeep, Branch: branch, Base: "main", Fork: id(1), Head: id(2), Status: proposal.Open,
		Layers: []proposal.Layer{{Run: "r1", Edits: []knowledge.Edit{add("a.md", "Seed the clock.")}}},
	}
	if change != nil {
		change(&x)
	}
	return x
}

func TestStack(t *testing.T) {
	t.Parallel()
	main1, main5 := proposal.Base{Name: "main", Commit: id(1)}, proposal.Base{Name: "main", Commit: id(5)}
	const up, up2 = "retrosweep/upkeep", "retrosweep/upkeep-2"
	touched := func(x *proposal.Existing) { x.Touched = true }
	for name, tt := range map[string]struct {
		base     proposal.Base
		existing []proposal.Existing
		branch   string
		parent   repo.Hash
		updates  bool
		replays  int
		remember int
		reason   string
	}{
		"the first night":                     {main1, nil, up, id(1), false, 0, 0, "a new branch on main"},
		"a second night":                      {main1, []proposal.Existing{upkeep(up, nil)}, up, id(2), true, 0, 0, "on top of what waits there"},
		"the base moved":                      {main5, []proposal.Existing{upkeep(up, nil)}, up, id(5), true, 1, 0, "main moved"},
		"its write was cut short":             {main1, []proposal.Existing{upkeep(up, func(x *proposal.Existing) { x.Content = "" })}, up, id(1), true, 1, 0, "cut short"},
		"merged":                              {main5, []proposal.Existing{upkeep(up, func(x *proposal.Existing) { x.Status = proposal.Merged })}, up, id(5), false, 0, 0, "begins again"},
		"squashed, branch kept":               {main5, []proposal.Existing{upkeep(up, func(x *proposal.Existing) { x.Holds = proposal.HoldsDone })}, up, id(5), true, 0, 0, "begins again"},
		"touched":                             {main1, []proposal.Existing{upkeep(up, touched)}, up2, id(1), false, 0, 0, "retrosweep/upkeep was changed by somebody else"},
		"touched twice":                       {main1, []proposal.Existing{upkeep(up, touched), upkeep(up2, touched)}, up + "-3", id(1), false, 0, 0, "upkeep-2 was changed"},
		"touched, the second goes on":         {main1, []proposal.Existing{upkeep(up, touched), upkeep(up2, nil)}, up2, id(2), true, 0, 0, "on top of"},
		"of another base":                     {main1, []proposal.Existing{upkeep(up, func(x *proposal.Existing) { x.Base = "dev" })}, up2, id(1), false, 0, 0, "is about dev"},
		"deleted by a person":                 {main1, []proposal.Existing{upkeep(up, func(x *proposal.Existing) { x.Status, x.ClosedBy = proposal.Closed, proposal.ByPerson })}, up, id(1), false, 0, 2, "it was deleted"},
		"queue branches are not its business": {main1, []proposal.Existing{{Kind: "skill", Branch: up, Status: proposal.Open, Touched: true}}, up, id(1), false, 0, 0, "a new branch"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, err := proposal.Stack(tt.base, tt.existing, nil, day)
			if err != nil {
				t.Fatal(err)
			}
			if plan.Branch != tt.branch || plan.Parent != tt.parent || (plan.Existing != nil) != tt.updates || len(plan.Replay) != tt.replays || len(plan.Remember) != tt.remember {
				t.Errorf("the plan is %+v", plan)
			}
			if !strings.Contains(plan.Reason, tt.reason) {
				t.Errorf("the reason is %q, without %q", plan.Reason, tt.reason)
			}
		})
	}
}

func TestStackEnds(t *testing.T) {
	t.Parallel()
	var all []proposal.Existing
	for range 60 {
		plan, err := proposal.Stack(proposal.Base{Name: "main"}, all, nil, day)
		if err != nil {
			if len(all) != 50 || !strings.Contains(err.Error(), "merge or delete") {
				t.Errorf("after %d: %v", len(all), err)
			}
			return
		}
		all = append(all, upkeep(plan.Branch, func(x *proposal.Existing) { x.Touched = true }))
	}
	t.Error("there is always another name")
}

func TestStackRemembersOnce(t *testing.T) {
	t.Parallel()
	gone := upkeep("retrosweep/upkeep", func(x *proposal.Existing) { x.Status, x.ClosedBy = proposal.Closed, proposal.ByPerson })
	plan, err := proposal.Stack(proposal.Base{Name: "main"}, []proposal.Existing{gone}, nil, day)
	if err != nil {
		t.Fatal(err)
	}
	edits := gone.Edits()
	kept, refused := proposal.Allowed("u", append(edits, add("a.md", "Another rule.")), plan.Remember)
	if diff := cmp.Diff([]knowledge.Edit{add("a.md", "Another rule.")}, kept); diff != "" || refused != 1 {
		t.Errorf("refused %d: %s", refused, diff)
	}
	if kept, refused := proposal.Allowed("another slot", edits, plan.Remember); len(kept) != 1 || refused != 0 {
		t.Error("a rejection counts in another slot")
	}
	again, err := proposal.Stack(proposal.Base{Name: "main"}, []proposal.Existing{gone}, plan.Remember, day)
	if err != nil || len(again.Remember) != 0 {
		t.Errorf("it is remembered twice: %+v, %v", again.Remember, err)
	}
}

func TestIsUpkeep(t *testing.T) {
	t.Parallel()
	for branch, want := range map[string]bool{"retrosweep/upkeep": true, "retrosweep/upkeep-2": true, "retrosweep/upkeep-x": false, "retrosweep/upkeep/a": false, "upkeep": false} {
		if proposal.IsUpkeep(branch) != want {
			t.Errorf("%s: %v", branch, !want)
		}
	}
}
