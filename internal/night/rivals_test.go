package night_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
)

const (
	saysContradict = `{"verdict":"contradict","reason":"One has the flour first, the other the water.","first":"Weigh the flour after the water","second":"Weigh the flour before the water"}`
	saysInvented   = `{"verdict":"contradict","reason":"It is so.","first":"Weigh the flour after the water","second":"Never weigh any flour"}`
)

func rivals(t *testing.T) *repo.Repo {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", "rivals.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return build(t, string(src))
}

// A night tells two rules that contradict each other, changes neither, and notes
// hashes alone. The next night tells it again and asks nobody.
func TestNightOfRivals(t *testing.T) {
	t.Parallel()
	r := rivals(t)
	o, fake := asked(t, r, "", saysContradict)
	first := run(t, o)
	if len(fake.Requests()) != 1 || first.Usage["judge"].Calls != 1 || len(first.Findings) != 1 || len(first.Proposals) != 0 || len(first.Checks) != 0 {
		t.Fatalf("asked %d times, findings %+v, proposals %+v, checks %+v", len(fake.Requests()), first.Findings, first.Proposals, first.Checks)
	}
	f := first.Findings[0]
	if f.Rule != "conflict/contradiction" || f.Severity != knowledge.Warning || f.Fact.File != ".claude/memory/feedback_flour.md" {
		t.Errorf("finding = %+v", f)
	}
	kept := verdicts(state(t, r))
	if len(kept) != 1 || kept[0].Verdict != "contradict" || kept[0].Fact != f.Fact.ID || !strings.HasPrefix(kept[0].By, "judge:small:") {
		t.Errorf("journal = %+v", kept)
	}
	o, fake = asked(t, r, "")
	o.From = ""
	again := run(t, o)
	if len(fake.Requests()) != 0 || len(again.Findings) != 1 || again.Findings[0].ID != f.ID {
		t.Errorf("the next night asked %d times, findings %+v", len(fake.Requests()), again.Findings)
	}
	if diff := cmp.Diff(kept, verdicts(state(t, r))); diff != "" {
		t.Errorf("the journal moved (-was +is):\n%s", diff)
	}
}

// Words that no fact has contradict nothing, and a forged journal is silence at
// its worst: no edit, no stamp, no error.
func TestNightOfInventedRivals(t *testing.T) {
	t.Parallel()
	r := rivals(t)
	o, _ := asked(t, r, "", saysInvented)
	receipt := run(t, o)
	if len(receipt.Findings) != 0 || receipt.Facts.Pairs[knowledge.ReasonUngrounded] != 1 {
		t.Errorf("findings %+v, facts %+v", receipt.Findings, receipt.Facts)
	}
	kept := verdicts(state(t, r))
	for verdict, told := range map[string]int{"contradict": 1, "compatible": 0} {
		other, forged := rivals(t), kept[0]
		forged.Verdict, forged.Fact = verdict, "0000000000000000"
		if _, err := journal.Save(t.Context(), other, &journal.State{Verdicts: map[string][]journal.Verdict{forged.Claim: {forged}}}, repo.Hash{}, evening); err != nil {
			t.Fatal(err)
		}
		o, fake := asked(t, other, "")
		receipt := run(t, o)
		if len(fake.Requests()) != 0 || len(receipt.Findings) != told || diffs(receipt) != "" || receipt.Facts.Fresh > 0 {
			t.Errorf("%s: asked %d times, findings %+v, facts %+v", verdict, len(fake.Requests()), receipt.Findings, receipt.Facts)
		}
	}
}

// A dry run asks and notes nothing; the apply after it takes the answer from the
// cache and tells the same.
func TestRivalsDryRunIsApply(t *testing.T) {
	t.Parallel()
	r, cache := rivals(t), t.TempDir()
	o, _ := asked(t, r, cache, saysContradict)
	o.Apply = false
	dry := run(t, o)
	if len(verdicts(state(t, r))) != 0 {
		t.Error("a dry run wrote the journal")
	}
	o, fake := asked(t, r, cache)
	wet := run(t, o)
	if diff := cmp.Diff(dry.Findings, wet.Findings); diff != "" || len(fake.Requests()) != 0 {
		t.Errorf("asked %d times, findings (-dry +apply):\n%s", len(fake.Requests()), diff)
	}
}
