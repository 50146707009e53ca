package night_test

import (
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/guard/canary"
	"github.com/retrosweep/retrosweep/internal/report"
)

// TestIndexCopiesNoSecret: what a memory says of itself is not copied into the
// index where a secret or a hidden character stands in it, and the branch is
// written all the same.
func TestIndexCopiesNoSecret(t *testing.T) {
	t.Parallel()
	secret := canary.All()[0].Text()
	hidden := "read on\u202e\u200b here"
	r := build(t, "-- commit --\nauthor: Ada <ada@kitchen.example>\ndate: 2026-09-01T08:00:00Z\n\nstart\n\n"+
		"-- .claude/memory/MEMORY.md --\n- [One](project_one.md): one\n- [Two](project_two.md): two\n"+
		"-- .claude/memory/project_one.md --\n---\nname: one\ntype: project\n---\nOne.\n"+
		"-- .claude/memory/project_two.md --\n---\nname: two\ntype: project\n---\nTwo.\n"+
		"-- .claude/memory/project_key.md --\n---\nname: key\ndescription: \"the key is "+strings.ReplaceAll(strings.Split(secret, "\n")[0], `"`, "'")+"\"\ntype: project\n---\n"+secret+"\n"+
		"-- .claude/memory/project_odd.md --\n---\nname: odd\ndescription: \""+hidden+"\"\ntype: project\n---\nOdd.\n")
	receipt := run(t, options(r))
	p := upkeep(t, receipt)
	if receipt.Outcome != report.Done || p.State != report.ProposalOpened {
		t.Fatalf("%s, %s: %s", receipt.Outcome, p.State, p.Reason)
	}
	for _, want := range []string{"+- [Project key](project_key.md)\n", "+- [Project odd](project_odd.md)\n"} {
		if !strings.Contains(p.Diff, want) {
			t.Errorf("no line %q in\n%s", want, p.Diff)
		}
	}
	if strings.Contains(p.Diff, "\u202e") {
		t.Error("a hidden character was copied")
	}
}
