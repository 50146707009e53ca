package proposal_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/forge/local"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

const playbook = "knowledge/playbooks/testing.md"

const baseHistory = `
-- commit --
author: Ada Byron <ada@acme.dev>
date: 2026-11-02T10:00:00Z

feat: begin
-- ` + playbook + ` --
# Testing

## Rules

- Run the unit tests first.
- Start the database of internal/old/db.go.

## Later

- Nothing.
-- memory/deploy-window.md --
---
name: deploy-window
description: when to deploy
metadata:
  type: project
---

Deploys happen on Tuesdays, between nine and eleven.

**Why:** the on-call is full then.
-- memory/MEMORY.md --
# Memory

- [Deploy window](deploy-window.md): when to deploy
`

func build(t *testing.T, history string) *repo.Repo {
	t.Helper()
	r, err := testkit.Build(t.TempDir(), []byte(history))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func base(t *testing.T, r *repo.Repo) proposal.Base {
	t.Helper()
	h, ok, err := r.Ref("refs/heads/main")
	if err != nil || !ok {
		t.Fatalf("main: %v, %v", ok, err)
	}
	return proposal.Base{Name: "main", Commit: h}
}

func read(t *testing.T, r *repo.Repo, at repo.Hash, path string) string {
	t.Helper()
	reader, err := proposal.NewReader(r, at)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := reader.Read(path)
	return string(b)
}

// factID finds a fact by a piece of its text; a whole memory is its first fact.
func factID(t *testing.T, r *repo.Repo, at repo.Hash, path, text string) string {
	t.Helper()
	format, _, ok := knowledge.NewClassifier(nil).Classify(path)
	if !ok {
		t.Fatalf("%s is no knowledge file", path)
	}
	doc := knowledge.Parse(path, []byte(read(t, r, at, path)), format)
	for _, f := range doc.Facts {
		if strings.Contains(f.Text, text) && f.Kind != knowledge.KindField {
			return f.ID
		}
	}
	t.Fatalf("%s has no fact with %q: %+v", path, text, doc.Facts)
	return ""
}

// night builds what a night with these edits does to the upkeep branch and
// applies it through the local forge.
func night(t *testing.T, r *repo.Repo, run string, edits ...knowledge.Edit) (proposal.Built, proposal.StackPlan) {
	t.Helper()
	f := local.New(r, proposal.DefaultIdentity)
	b := base(t, r)
	existing, err := f.List(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if err := proposal.Relate(r, b, existing); err != nil {
		t.Fatal(err)
	}
	plan, err := proposal.Stack(b, existing, nil, day)
	if err != nil {
		t.Fatal(err)
	}
	change := proposal.Change{
		Existing: plan.Existing,
		Slot:     proposal.Slot("r", "main", proposal.KindUpkeep, ""), Kind: proposal.KindUpkeep, Branch: plan.Branch, Base: b, Parent: plan.Parent,
		Replay: plan.Replay, Layer: proposal.Layer{Run: run, Range: "a..b", At: day, Edits: edits}, Style: proposal.DefaultStyle,
	}
	if plan.Existing != nil && len(plan.Replay) == 0 {
		change.Held = plan.Existing.Layers
	}
	built := dryThenWet(t, r, change)
	if !built.Changed {
		return built, plan
	}
	if plan.Existing == nil {
		_, err = f.Open(t.Context(), built.Draft)
	} else {
		_, err = f.Update(t.Context(), *plan.Existing, built.Draft)
	}
	if err != nil {
		t.Fatal(err)
	}
	return built, plan
}

// dryThenWet builds in a scratch view first and checks that the real thing is
// the same to the last byte.
func dryThenWet(t *testing.T, r *repo.Repo, c proposal.Change) proposal.Built {
	t.Helper()
	dry, err := proposal.Build(t.Context(), r.Scratch(), c)
	if err != nil {
		t.Fatal(err)
	}
	wet, err := proposal.Build(t.Context(), r, c)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(dry, wet); diff != "" {
		t.Errorf("the dry run said something else:\n%s", diff)
	}
	return wet
}

// advance commits on main, with a person's hand.
func advance(t *testing.T, r *repo.Repo, changes map[string][]byte) {
	t.Helper()
	commitTo(t, r, "refs/heads/main", changes)
}

func commitTo(t *testing.T, r *repo.Repo, ref string, changes map[string][]byte) {
	t.Helper()
	old, _, err := r.Ref(ref)
	if err != nil {
		t.Fatal(err)
	}
	h, err := proposal.Commit(r, old, changes, "mine", proposal.Identity{Name: "Ada Byron", Email: "ada@acme.dev"}, day)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.UpdateRef(ref, old, h); err != nil {
		t.Fatal(err)
	}
}

func tip(t *testing.T, r *repo.Repo, branch string) repo.Hash {
	t.Helper()
	h, _, err := r.Ref("refs/heads/" + branch)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// gitAgrees holds the branch against the git binary.
func gitAgrees(t *testing.T, r *repo.Repo, built proposal.Built) {
	t.Helper()
	if testkit.Git(t, r.Path(), "fsck", "--strict", "--no-dangling") != "" {
		t.Error("git fsck complains")
	}
	got := testkit.Git(t, r.Path(), "diff", "main.."+built.Draft.Branch)
	if diff := cmp.Diff(got+"\n", built.Diff.Text); diff != "" {
		t.Errorf("git diff (-) is not what the dry run printed (+):\n%s", diff)
	}
}

func TestNightsStack(t *testing.T) {
	t.Parallel()
	r := build(t, baseHistory)
	one, _ := night(t, r, "r1", add(playbook, "Seed the clock."))
	gitAgrees(t, r, one)
	two, plan := night(t, r, "r2", add(playbook, "Seed the dice."))
	gitAgrees(t, r, two)
	if plan.Parent != one.Draft.Head || len(two.Draft.Layers) != 2 {
		t.Errorf("the second night is not on top of the first: %+v", plan)
	}
	log := testkit.Git(t, r.Path(), "log", "--format=%s|%(trailers:key=Retrosweep-Run,valueonly,separator=%x2C)", "main.."+proposal.UpkeepBranch)
	want := "docs(agents): add a rule to testing.md|r2\ndocs(agents): add a rule to testing.md|r1"
	if diff := cmp.Diff(want, log); diff != "" {
		t.Error(diff)
	}
	if title := two.Draft.Title; title != "docs(agents): add 2 rules to testing.md" {
		t.Errorf("the title is %q", title)
	}
}

func TestNightWithNothingNew(t *testing.T) {
	t.Parallel()
	r := build(t, baseHistory)
	one, _ := night(t, r, "r1", add(playbook, "Seed the clock."))
	again, _ := night(t, r, "r2", add(playbook, "Seed the clock."))
	if again.Changed || again.Draft.Head != one.Draft.Head || again.Draft.Content != one.Draft.Content {
		t.Errorf("the same edit makes another commit: %+v", again.Draft)
	}
	if len(again.Dropped) != 1 || !again.Dropped[0].Done {
		t.Errorf("dropped: %+v", again.Dropped)
	}
}

// TestBaseMoved: what waits is applied to the new base, in a place that other
// edits have moved and next to a line that a merge by lines would conflict with.
func TestBaseMoved(t *testing.T) {
	t.Parallel()
	r := build(t, baseHistory)
	at := base(t, r).Commit
	night(t, r, "r1", add(playbook, "Seed the clock."),
		knowledge.Edit{Op: knowledge.OpRewrite, Path: playbook, FactID: factID(t, r, at, playbook, "Start the database"), Old: "internal/old/db.go", New: "internal/db/db.go", Date: day})
	content := read(t, r, at, playbook)
	content = strings.Replace(content, "# Testing\n", "# Testing\n\nHow we test.\n", 1)
	content = strings.Replace(content, "db.go.\n", "db.go.\n- Theirs, in the same place.\n", 1)
	advance(t, r, map[string][]byte{playbook: []byte(content)})
	two, plan := night(t, r, "r2", add(playbook, "Seed the dice."))
	if len(plan.Replay) != 1 || len(two.Dropped) != 0 {
		t.Fatalf("plan %+v, dropped %+v", plan, two.Dropped)
	}
	gitAgrees(t, r, two)
	got := read(t, r, tip(t, r, plan.Branch), playbook)
	for _, want := range []string{"How we test.", "- Theirs, in the same place.", "- Seed the clock.", "- Seed the dice.", "internal/db/db.go"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is lost:\n%s", want, got)
		}
	}
	parents := testkit.Git(t, r.Path(), "rev-list", "--count", "main.."+plan.Branch)
	if parents != "2" {
		t.Errorf("there are %s commits on the branch, not 2", parents)
	}
}

// TestBaseMovedAndConflicts: an edit whose fact a person changed is dropped and
// named, and the others stay.
func TestBaseMovedAndConflicts(t *testing.T) {
	t.Parallel()
	r := build(t, baseHistory)
	at := base(t, r).Commit
	fact := factID(t, r, at, playbook, "Start the database")
	night(t, r, "r1", add(playbook, "Seed the clock."),
		knowledge.Edit{Op: knowledge.OpRewrite, Path: playbook, FactID: fact, Old: "internal/old/db.go", New: "internal/db/db.go", Date: day})
	content := strings.Replace(read(t, r, at, playbook), "- Start the database of internal/old/db.go.\n", "- The database starts itself.\n", 1)
	advance(t, r, map[string][]byte{playbook: []byte(content)})
	two, plan := night(t, r, "r2")
	if len(two.Dropped) != 1 || two.Dropped[0].Done || two.Dropped[0].Edit.FactID != fact || two.Dropped[0].Reason == "" {
		t.Fatalf("dropped: %+v", two.Dropped)
	}
	gitAgrees(t, r, two)
	got := read(t, r, tip(t, r, plan.Branch), playbook)
	if !strings.Contains(got, "The database starts itself") || !strings.Contains(got, "Seed the clock") {
		t.Errorf("something is lost:\n%s", got)
	}
}

// TestMerelyBehind: a base that moved elsewhere is no reason to write.
func TestMerelyBehind(t *testing.T) {
	t.Parallel()
	r := build(t, baseHistory)
	one, _ := night(t, r, "r1", add(playbook, "Seed the clock."))
	advance(t, r, map[string][]byte{"README.md": []byte("# Shop\n")})
	two, plan := night(t, r, "r2", add(playbook, "Seed the clock."))
	if two.Changed || tip(t, r, plan.Branch) != one.Draft.Head {
		t.Errorf("it is built again: %+v", two)
	}
	gitAgrees(t, r, two)
}

// TestRelate: the same lines, other lines, the file gone.
func TestRelate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change   func(string) string
		conflict bool
		holds    proposal.Holds
	}{
		"elsewhere in the file": {func(s string) string { return strings.Replace(s, "# Testing", "# Tests", 1) }, false, proposal.HoldsStill},
		"next to it":            {func(s string) string { return strings.Replace(s, "db.go.\n", "db.go.\n- Theirs.\n", 1) }, true, proposal.HoldsStill},
		"the same":              {func(s string) string { return strings.Replace(s, "db.go.\n", "db.go.\n- Seed the clock.\n", 1) }, false, proposal.HoldsDone},
		"the same, and one more": {func(s string) string {
			return strings.Replace(s, "db.go.\n", "db.go.\n- Seed the clock.\n- Theirs.\n", 1)
		}, true, proposal.HoldsDone},
		"the file is gone": {func(string) string { return "" }, true, proposal.HoldsStill},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := build(t, baseHistory)
			night(t, r, "r1", add(playbook, "Seed the clock."))
			content := []byte(tt.change(read(t, r, base(t, r).Commit, playbook)))
			if len(content) == 0 {
				content = nil
			}
			advance(t, r, map[string][]byte{playbook: content})
			existing, err := local.New(r, proposal.DefaultIdentity).List(t.Context(), base(t, r))
			if err != nil || len(existing) != 1 {
				t.Fatalf("%+v, %v", existing, err)
			}
			if err := proposal.Relate(r, base(t, r), existing); err != nil {
				t.Fatal(err)
			}
			if x := existing[0]; x.Conflict != tt.conflict || x.Holds != tt.holds {
				t.Errorf("conflict %v, holds %s", x.Conflict, x.Holds)
			}
			if out, err := testkit.TryGit(r.Path(), "merge-tree", "--write-tree", "main", proposal.UpkeepBranch); (err != nil) != tt.conflict {
				t.Errorf("git merge: %v\n%s", err, out)
			}
		})
	}
}

func TestPersonsCommitStays(t *testing.T) {
	t.Parallel()
	r := build(t, baseHistory)
	night(t, r, "r1", add(playbook, "Seed the clock."))
	commitTo(t, r, "refs/heads/"+proposal.UpkeepBranch, map[string][]byte{"NOTES": []byte("mine\n")})
	theirs := tip(t, r, proposal.UpkeepBranch)
	for _, run := range []string{"r2", "r3"} {
		built, plan := night(t, r, run, add(playbook, "Seed the dice for "+run+"."))
		if plan.Branch != proposal.UpkeepBranch+"-2" || !strings.Contains(plan.Reason, "changed by somebody else") {
			t.Errorf("%s goes to %s: %s", run, plan.Branch, plan.Reason)
		}
		gitAgrees(t, r, built)
		advance(t, r, map[string][]byte{"moved-" + run: []byte("x\n")})
	}
	if tip(t, r, proposal.UpkeepBranch) != theirs {
		t.Error("a person's branch was moved")
	}
}

func TestMergedUpkeepBeginsAgain(t *testing.T) {
	t.Parallel()
	r := build(t, baseHistory)
	one, _ := night(t, r, "r1", add(playbook, "Seed the clock."))
	if err := r.UpdateRef("refs/heads/main", base(t, r).Commit, one.Draft.Head); err != nil {
		t.Fatal(err)
	}
	two, plan := night(t, r, "r2", add(playbook, "Seed the dice."))
	if plan.Branch != proposal.UpkeepBranch || plan.Parent != one.Draft.Head || len(two.Draft.Layers) != 1 {
		t.Errorf("after a fast-forward: %+v", plan)
	}
	gitAgrees(t, r, two)
}

func TestArchiveShowsAsRename(t *testing.T) {
	t.Parallel()
	r := build(t, baseHistory)
	const memory = "memory/deploy-window.md"
	at := base(t, r).Commit
	built, _ := night(t, r, "r1", knowledge.Edit{Op: knowledge.OpArchive, Path: memory, FactID: factID(t, r, at, memory, ""), Reason: "expired", Date: day})
	if !strings.Contains(built.Diff.Text, "rename to memory/archive/deploy-window.md") {
		t.Fatalf("the diff shows no rename:\n%s\n%+v", built.Diff.Text, built.Dropped)
	}
	gitAgrees(t, r, built)
	for _, path := range []string{"memory/MEMORY.md", "memory/archive/deploy-window.md", memory} {
		if !slices.Contains(built.Draft.Files, path) {
			t.Errorf("%s is not among the files: %v", path, built.Draft.Files)
		}
	}
}

// TestBuildIsDeterministic: the same input in another clone makes the same ids.
func TestBuildIsDeterministic(t *testing.T) {
	t.Parallel()
	var heads []repo.Hash
	for range 2 {
		r := build(t, baseHistory)
		built, _ := night(t, r, "r1", add(playbook, "Seed the clock."), add("knowledge/playbooks/new.md", "Begin."))
		heads = append(heads, built.Draft.Head)
	}
	if heads[0] != heads[1] {
		t.Errorf("%s and %s", heads[0], heads[1])
	}
}

func TestDiffOfIsTheDiffOfTheBranch(t *testing.T) {
	t.Parallel()
	r := build(t, baseHistory)
	changes := knowledge.Changes{playbook: []byte("# Testing\n"), "memory/deploy-window.md": nil, "new/file.md": []byte("# New\n"), "memory/MEMORY.md": []byte(read(t, r, base(t, r).Commit, "memory/MEMORY.md"))}
	d, err := proposal.DiffOf(r, base(t, r).Commit, changes)
	if err != nil {
		t.Fatal(err)
	}
	h, err := proposal.Commit(r, base(t, r).Commit, changes, "x", proposal.DefaultIdentity, day)
	if err != nil {
		t.Fatal(err)
	}
	want, err := proposal.DiffTrees(context.Background(), r, base(t, r).Commit, h)
	if err != nil {
		t.Fatal(err)
	}
	if d.Text != want.Text || d.Lines != want.Lines || d.Lines == 0 {
		t.Errorf("%d and %d lines; %s", d.Lines, want.Lines, cmp.Diff(d.Text, want.Text))
	}
	if diff := cmp.Diff([]string{playbook, "memory/deploy-window.md", "new/file.md"}, d.Files); diff != "" {
		t.Error(diff)
	}
}
