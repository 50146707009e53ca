package sweep_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/knowledge/corpus"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/symbols"
	"github.com/retrosweep/retrosweep/internal/testkit"
	"github.com/retrosweep/retrosweep/sweep"
)

var now = time.Date(2026, 11, 30, 4, 30, 0, 0, time.UTC)

// loaded is a repository with the corpus of one commit.
type loaded struct {
	repo   *repo.Repo
	to     repo.Commit
	corpus *corpus.Corpus
	policy *guard.Policy
}

func load(t *testing.T, history []byte, rev string) loaded {
	t.Helper()
	ctx := context.Background()
	r, err := testkit.Build(t.TempDir(), history)
	if err != nil {
		t.Fatal(err)
	}
	h, err := r.Resolve(rev)
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Commit(h)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := r.Tree(c.Tree)
	if err != nil {
		t.Fatal(err)
	}
	class := knowledge.NewClassifier(nil)
	co, err := corpus.Load(ctx, r, tree, class, corpus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return loaded{r, c, co, guard.NewPolicy(class, guard.Routes{}, guard.Routes{})}
}

// sweepAt runs a sweep of the history; from may be empty.
func sweepAt(t *testing.T, history []byte, from string) sweep.Result {
	t.Helper()
	l := load(t, history, "main")
	in := sweep.Input{Repo: l.repo, To: l.to, Corpus: l.corpus, Policy: l.policy, Now: now}
	if from != "" {
		h, err := l.repo.Resolve(from)
		if err != nil {
			t.Fatal(err)
		}
		in.From = h
	}
	res, err := sweep.Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// line writes a finding as the test files do.
func line(f knowledge.Finding) string {
	s := fmt.Sprintf("%s %s %s:%d", f.Rule, f.Severity, f.Fact.File, f.Fact.Line)
	if f.Anchor != nil {
		s += " " + f.Anchor.Text
	}
	if f.Now != nil {
		s += " -> " + f.Now.Path
	}
	if f.Since != nil && f.Since.Subject != "" {
		s += " (" + f.Since.Subject + ")"
	}
	if f.Action != nil && f.Action.Edit != nil {
		s += fmt.Sprintf(" [%s %s %s=>%s]", f.Action.Type, f.Action.Route, f.Action.Edit.Old, f.Action.Edit.New)
	}
	return s
}

// TestHistories sweeps each history in testdata. The comment of an archive says
// what it is about ("# ..."), where the range begins ("from: REV"; none: all),
// a file that the build must be able to parse ("parses: a.py"), and the findings in their order.
func TestHistories(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no histories: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(src)
			from, want := "", []string{}
			for l := range strings.SplitSeq(strings.TrimSpace(string(a.Comment)), "\n") {
				switch rev, ok := strings.CutPrefix(l, "from: "); {
				case ok:
					from = rev
				case strings.HasPrefix(l, "parses: ") && !symbols.Parsed(l):
					t.Skip("this build cannot parse " + l)
				case strings.HasPrefix(l, "parses: "):
				case l != "" && !strings.HasPrefix(l, "#"):
					want = append(want, l)
				}
			}
			res := sweepAt(t, txtar.Format(&txtar.Archive{Files: a.Files}), from)
			got := []string{}
			for _, f := range res.Findings {
				got = append(got, line(f))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("findings: -want +got\n%s", diff)
			}
			c := res.Facts
			if c.Total != c.Fresh+c.Broken+c.Stale+c.Unknown || c.Fresh != 0 {
				t.Errorf("counts do not add up, or claim freshness that nobody checked: %+v", c)
			}
		})
	}
}

const shop = `-- commit --
date: 2026-03-02T10:00:00Z

feat: the shop
-- CLAUDE.md --
# Shop

- Totals are in ` + "`src/cart.ts`" + `, prices in ` + "`src/price.ts`" + `.
- Be kind.
-- src/cart.ts --
export const total = 1;
-- src/price.ts --
export const price = 2;
-- commit --
date: 2026-04-01T10:00:00Z
delete: src/cart.ts

refactor: one file
-- src/price.ts --
export const price = 3;
`

// TestFinding checks everything that a finding says.
func TestFinding(t *testing.T) {
	t.Parallel()
	res := sweepAt(t, []byte(shop), "HEAD~1")
	if len(res.Findings) != 1 {
		t.Fatalf("%d findings, want 1", len(res.Findings))
	}
	f := res.Findings[0]
	if f.Verdict != knowledge.Broken || f.Was.Path != "src/cart.ts" || f.Since.Date != "2026-04-01" || f.Anchor.Kind != knowledge.AnchorFile {
		t.Errorf("finding %+v was %+v since %+v", f, f.Was, f.Since)
	}
	if !strings.Contains(f.Reason, "242 days") || !strings.Contains(f.Reason, "2026-04-01") {
		t.Errorf("reason %q does not say since when and for how long", f.Reason)
	}
	if len(f.Evidence) != 1 || f.Evidence[0].Line != 3 || !strings.Contains(f.Evidence[0].Quote, "src/cart.ts") {
		t.Errorf("evidence %+v", f.Evidence)
	}
	if again := sweepAt(t, []byte(shop), ""); again.Findings[0].ID != f.ID {
		t.Error("the id of a finding depends on the range")
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	c := sweepAt(t, []byte(shop), "HEAD~1").Facts
	if c.Broken != 1 || c.Touched != 1 || c.Files != 1 || c.Reasons[knowledge.ReasonNoAnchor] == 0 {
		t.Errorf("counts %+v", c)
	}
	fixed := strings.Replace(shop, "`src/cart.ts`, prices in ", "", 1)
	if c := sweepAt(t, []byte(fixed), "HEAD~1").Facts; c.Broken != 0 || c.Reasons[knowledge.ReasonChanged] != 1 {
		t.Errorf("counts of a changed anchor %+v", c)
	}
	if c := sweepAt(t, []byte(fixed), "").Facts; c.Reasons[knowledge.ReasonUnconfirmed] != 1 {
		t.Errorf("counts of an anchor that resolves %+v", c)
	}
}

// TestIgnored: a document that the operator takes out yields nothing.
func TestIgnored(t *testing.T) {
	t.Parallel()
	l := load(t, []byte(shop), "main")
	res, err := sweep.Run(context.Background(), sweep.Input{
		Repo: l.repo, To: l.to, Corpus: l.corpus, Policy: l.policy, Now: now,
		Ignore: func(p string) bool { return p == "CLAUDE.md" },
	})
	if err != nil || len(res.Findings) != 0 {
		t.Errorf("findings %v, error %v", res.Findings, err)
	}
}

// TestMoveApplies runs the offered edit and sweeps again: the fact is mended,
// and nothing else of the file has changed.
func TestMoveApplies(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("testdata/moved.txtar")
	if err != nil {
		t.Fatal(err)
	}
	a := txtar.Parse(src)
	l := load(t, txtar.Format(&txtar.Archive{Files: a.Files}), "main")
	res, err := sweep.Run(context.Background(), sweep.Input{Repo: l.repo, To: l.to, Corpus: l.corpus, Policy: l.policy, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Edits) == 0 {
		t.Fatal("no edit is offered")
	}
	var edits []knowledge.Edit
	for _, e := range res.Edits {
		if e.Route == knowledge.RouteNever || e.Finding == "" {
			t.Errorf("edit %+v", e)
		}
		edits = append(edits, e.Edit)
	}
	changes, err := knowledge.Apply(func(p string) ([]byte, bool) {
		d := l.corpus.Doc(p)
		if d == nil {
			return nil, false
		}
		return d.Source, true
	}, edits)
	if err != nil {
		t.Fatal(err)
	}
	for p, after := range changes {
		before := string(l.corpus.Doc(p).Source)
		for _, e := range edits {
			if e.Path == p {
				before = strings.ReplaceAll(before, e.Old, e.New)
			}
		}
		if diff := cmp.Diff(before, string(after)); diff != "" {
			t.Errorf("%s: -want +got\n%s", p, diff)
		}
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	l := load(t, []byte(shop), "main")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := sweep.Run(ctx, sweep.Input{Repo: l.repo, To: l.to, Corpus: l.corpus, Now: now}); err == nil {
		t.Error("a cancelled sweep reports no error")
	}
}

// TestDeterministic: the same input gives the same findings in the same order.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("testdata/kinds.txtar")
	if err != nil {
		t.Fatal(err)
	}
	a := txtar.Parse(src)
	history := txtar.Format(&txtar.Archive{Files: a.Files})
	var first []string
	for range 5 {
		var got []string
		for _, f := range sweepAt(t, history, "").Findings {
			got = append(got, f.ID+" "+line(f))
		}
		if first == nil {
			first = got
		}
		if !slices.Equal(first, got) {
			t.Fatalf("runs differ: %s", cmp.Diff(first, got))
		}
	}
}
