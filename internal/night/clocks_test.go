package night_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/knowledge/corpus"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
)

// cellar has stamps of all ages, a moved file, an expired fact and an index.
const cellar = `-- commit --
author: Ada <ada@kitchen.example>
date: 2026-06-01T08:00:00Z

start
-- go.mod --
module cellar
-- wine/wine.go --
package wine

func Pour() int { return 1 }
-- knowledge/playbooks/wine.md --
# Wine

- Pour by ` + "`wine/wine.go`" + `.
-- KNOWLEDGE_VAULT.md --
### CONTEXTUAL_WARNINGS

- **ID**: W-001
- **Issue**: Wine is poured by ` + "`wine/wine.go`" + `.
- **Last Verified**: 2026-01-01
- **First Seen**: 2026-01-01
- **TTL**: indefinite

- **ID**: W-002
- **Issue**: The corks are old, see ` + "`wine/wine.go`" + `.
- **Last Verified**: 2025-01-01
- **First Seen**: 2026-01-01
- **TTL**: 30 days
-- facts/pour.md --
---
id: F-1
verified: 2025-12-24
anchor_symbols: [wine.Pour]
---
Pour gives one glass, in ` + "`wine/wine.go`" + `.
-- .claude/memory/MEMORY.md --
- [Wine](project_wine.md): where it is
-- .claude/memory/project_wine.md --
---
name: project_wine
type: project
verified: 2026-02-02
---
Wine is in ` + "`wine/wine.go`" + `.
`

// everyClaim calls f for the facts of the head.
func everyClaim(t *testing.T, r *repo.Repo, f func(*knowledge.Document, *knowledge.Fact)) {
	t.Helper()
	tree, err := r.Tree(head(t, r, "refs/heads/main"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := corpus.Load(t.Context(), r, tree, knowledge.NewClassifier(nil), corpus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range c.Docs {
		for i := range d.Facts {
			f(d, &d.Facts[i])
		}
	}
}

// forge writes a journal in which everything was found fresh this morning.
func forgeJournal(t *testing.T, r *repo.Repo, like map[string][]journal.Verdict) {
	t.Helper()
	s, at, err := journal.Load(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	everyClaim(t, r, func(_ *knowledge.Document, f *knowledge.Fact) {
		v := journal.Verdict{Claim: f.Claim, Fact: f.ID, Verdict: "fresh", By: "judge:forged", At: evening}
		if all := like[f.Claim]; len(all) > 0 {
			v.Anchors, v.Fingerprints = all[0].Anchors, all[0].Fingerprints
		}
		s.Note(v)
	})
	if _, err := journal.Save(t.Context(), r, s, at, evening); err != nil {
		t.Fatal(err)
	}
}

var stampChange = regexp.MustCompile(`(?im)^[-+][^\n]*verified`)

// TestCachedVerdictStampsNothing: what the journal says of a check, forged or
// not, may make a fact fresh and never a date move.
func TestCachedVerdictStampsNothing(t *testing.T) {
	t.Parallel()
	r := build(t, cellar)
	honest := verifyAll(t, r)
	forgeJournal(t, r, honest)
	o := options(r)
	o.Now = evening.AddDate(1, 0, 0)
	receipt := run(t, o)
	if receipt.Facts.Fresh == 0 {
		t.Fatalf("nothing is fresh, so nothing was tried: %+v", receipt.Facts)
	}
	if receipt.Facts.Total != receipt.Facts.Fresh+receipt.Facts.Broken+receipt.Facts.Stale+receipt.Facts.Unknown {
		t.Errorf("the counts do not add up: %+v", receipt.Facts)
	}
	if m := stampChange.FindString(receipt.Diff); m != "" && !archivedOnly(receipt.Diff) {
		t.Errorf("a night moves a stamp: %s", m)
	}
	if len(receipt.Checks) > 0 {
		t.Errorf("a night without a judge checked something: %+v", receipt.Checks)
	}
}

// archivedOnly reports whether each stamp that leaves comes back in an archive.
func archivedOnly(diff string) bool {
	var minus, plus []string
	for _, m := range regexp.MustCompile(`(?im)^([-+])([^\n]*verified[^\n]*)$`).FindAllStringSubmatch(diff, -1) {
		if m[1] == "-" {
			minus = append(minus, m[2])
		} else {
			plus = append(plus, m[2])
		}
	}
	slices.Sort(minus)
	slices.Sort(plus)
	return slices.Equal(minus, plus)
}

// verifyAll lets a person confirm every entry in dry runs, and returns what an
// honest journal would hold.
func verifyAll(t *testing.T, r *repo.Repo) map[string][]journal.Verdict {
	t.Helper()
	out := map[string][]journal.Verdict{}
	var ids []string
	everyClaim(t, r, func(_ *knowledge.Document, f *knowledge.Fact) {
		if f.Kind == knowledge.KindEntry {
			ids = append(ids, f.ID)
		}
	})
	twin := build(t, cellar)
	for _, id := range ids {
		byHand(t, twin, night.Hand{Verb: night.VerbVerify, Fact: id, By: "person"}, true)
	}
	s, _, err := journal.Load(t.Context(), twin)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(out, s.Verdicts)
	if len(out) < 4 {
		t.Fatalf("%d claims were confirmed", len(out))
	}
	return out
}

func byHand(t *testing.T, r *repo.Repo, h night.Hand, apply bool) *report.Receipt {
	t.Helper()
	o := options(r)
	o.Command, o.Apply = night.Command{Name: string(h.Verb), Hand: &h}, apply
	return run(t, o)
}

// TestOnlyVerifyStamps: of all that a person may do by hand, verify alone moves
// a stamp, of its own fact, and only where the fact carries one.
func TestOnlyVerifyStamps(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		hand  night.Hand
		stamp string // the line that comes, "" for none
	}{
		{night.Hand{Verb: night.VerbVerify, Fact: "W-001", By: "person"}, "+- **Last Verified**: 2026-10-03"},
		{night.Hand{Verb: night.VerbVerify, Fact: "F-1", By: "person"}, "+verified: 2026-10-03"},
		{night.Hand{Verb: night.VerbVerify, Fact: "knowledge/playbooks/wine.md:3", By: "person"}, ""},
		{night.Hand{Verb: night.VerbRenew, Fact: "W-002"}, ""},
		{night.Hand{Verb: night.VerbSupersede, Fact: "W-001", Other: "F-1"}, ""},
	} {
		r := build(t, cellar)
		receipt := byHand(t, r, tc.hand, true)
		came := regexp.MustCompile(`(?im)^\+[^\n]*verified[^\n]*$`).FindAllString(receipt.Diff, -1)
		if strings.Join(came, "\n") != tc.stamp {
			t.Errorf("%s %s stamps %q, want %q", tc.hand.Verb, tc.hand.Fact, came, tc.stamp)
		}
	}
}

// TestDueAndFreshIsAQuestion: what is past its time and whose check still holds
// is offered to a person, not archived.
func TestDueAndFreshIsAQuestion(t *testing.T) {
	t.Parallel()
	r := build(t, cellar)
	plain := options(r)
	plain.Apply = false
	if receipt := run(t, plain); !strings.Contains(receipt.Diff, "ARCHIVED_KNOWLEDGE.md") || upkeep(t, receipt).Kind != "upkeep" {
		t.Fatalf("what is due is not archived by the night:\n%s", receipt.Diff)
	}
	byHand(t, r, night.Hand{Verb: night.VerbVerify, Fact: "W-002", By: "person"}, true)
	receipt := run(t, options(r))
	for _, f := range receipt.Findings {
		if f.Rule == "life/expired" && (f.Action.Type != knowledge.ActionPropose || !strings.Contains(f.Reason, "renew or archive")) {
			t.Errorf("%s: %+v", f.Reason, f.Action)
		}
	}
	asked := slices.ContainsFunc(receipt.Proposals, func(p report.Proposal) bool {
		return p.Route == knowledge.RouteQueue && strings.Contains(p.Diff, "W-002")
	})
	if !asked {
		t.Errorf("nobody is asked: %+v", receipt.Proposals)
	}
}

// TestTooManyAtOnceAreOneQuestion: when more is due than a night may archive,
// over several stores, a person gets one proposal with all of it.
func TestTooManyAtOnceAreOneQuestion(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("-- commit --\nauthor: Ada <ada@kitchen.example>\ndate: 2026-01-01T08:00:00Z\n\nstart\n\n-- KNOWLEDGE_VAULT.md --\n### CONTEXTUAL_WARNINGS\n")
	for i := range 30 {
		ttl := "indefinite"
		if i < 6 {
			ttl = "30 days"
		}
		fmt.Fprintf(&b, "\n- **ID**: W-%03d\n- **Issue**: Number %d is so.\n- **First Seen**: 2026-01-%02d\n- **TTL**: %s\n", i, i, i+1, ttl)
	}
	b.WriteString("-- .claude/memory/MEMORY.md --\n# Memory\n")
	for i := range 12 {
		fmt.Fprintf(&b, "- [Number %d](project_n%02d.md): said\n", i, i)
	}
	for i := range 12 {
		fmt.Fprintf(&b, "-- .claude/memory/project_n%02d.md --\n---\nname: n%d\ntype: project\nexpires: 2026-02-%02d\n---\nIt is so, for number %d.\n", i, i, i+1, i)
	}
	r := build(t, b.String())
	receipt := run(t, options(r))
	if len(receipt.Proposals) != 1 || receipt.Outcome != report.Done {
		t.Fatalf("%s, %d proposals: %+v", receipt.Outcome, len(receipt.Proposals), receipt.Warnings)
	}
	p := receipt.Proposals[0]
	if p.Route != knowledge.RouteQueue || p.State != report.ProposalOpened || p.Kind != "archive" {
		t.Errorf("%s on %s is %s", p.Kind, p.Branch, p.State)
	}
	for _, want := range []string{"W-005", "b/.claude/memory/archive/project_n11.md", "ARCHIVED_KNOWLEDGE.md"} {
		if !strings.Contains(p.Diff, want) {
			t.Errorf("the proposal says nothing of %s", want)
		}
	}
	if receipt = run(t, options(r)); len(receipt.Proposals) != 1 || receipt.Proposals[0].State != report.ProposalUnchanged {
		t.Errorf("the second night: %+v", receipt.Proposals)
	}
}
