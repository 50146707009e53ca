// Package forgetest owns the conformance suite that every implementation of
// forge.Forge passes.
package forgetest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// World is a forge under test with a repository behind it, and what a person
// may do there. The base must hold File.
type World struct {
	Forge forge.Forge
	Repo  *repo.Repo // where the caller of the forge writes commits
	Base  proposal.Base

	Write    func(t *testing.T, branch string)               // a person commits to a branch; it may be new
	Delete   func(t *testing.T, branch string)               // a person deletes the branch, or closes the pull request
	Merge    func(t *testing.T, branch string) proposal.Base // a person merges it and keeps the branch
	Squash   func(t *testing.T, branch string) proposal.Base // a person squashes it and deletes the branch
	Snapshot func(t *testing.T) map[string]string            // everything a write would change

	// Task makes a task that stands so, closed at a time; nil where the forge has
	// no tasks. Of a state that the host does not tell apart it returns number 0.
	Task func(t *testing.T, state forge.TaskState, closed time.Time) forge.TaskRef
	// HostTime: the host closes tasks at its own time.
	HostTime bool

	// Author makes a commit and returns its id. Whoever wrote it may write to the
	// repository, may not, or has no account; nil where the forge knows none.
	Author func(t *testing.T, who Author) string

	// Tick lets an account tick every box of an issue; nil where the forge has no
	// board.
	Tick func(t *testing.T, number int, login string)
	// Unsaid: the host does not say who edited an issue.
	Unsaid bool
}

// File is in the base of a world, a playbook with this content.
const (
	File    = "knowledge/playbooks/testing.md"
	Content = "# Testing\n\n## Rules\n\n- Run the unit tests first.\n"
)

// Suite runs all tests; each gets a world of its own.
func Suite(t *testing.T, world func(t *testing.T) World) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, World){
		"Open": testOpen, "OpenTwice": testOpenTwice, "OpenTaken": testOpenTaken, "Update": testUpdate,
		"Touched": testTouched, "Moved": testMoved, "Deleted": testDeleted, "Merged": testMerged, "Squashed": testSquashed,
		"AfterMerge": testAfterMerge, "Close": testClose, "Tidy": testTidy, "CloseTwice": testCloseTwice, "ReadOnly": testReadOnly, "Sorted": testSorted, "Tasks": testTasks, "Members": testMembers, "Board": testBoard,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, world(t))
		})
	}
}

var at = time.Date(2026, 11, 30, 4, 30, 0, 0, time.UTC)

// draft is a proposal that adds one rule, its commit written.
func (w World) draft(t *testing.T, kind, rule string) proposal.Draft {
	t.Helper()
	edits := []knowledge.Edit{{Op: knowledge.OpAdd, Path: File, Section: "Rules", Text: rule, Date: at}}
	changes := knowledge.Changes{File: []byte(Content + "- " + rule + "\n")}
	slot := proposal.Slot("acme/shop", w.Base.Name, kind, File)
	trailers := proposal.Trailers{Run: "r1", Slot: slot, Content: proposal.Content(edits)}
	head, err := proposal.Commit(w.Repo, w.Base.Commit, changes, proposal.Message("docs(agents): "+rule, "", trailers), proposal.DefaultIdentity, at)
	if err != nil {
		t.Fatal(err)
	}
	return proposal.Draft{
		Slot: slot, Content: trailers.Content, Kind: kind, Branch: proposal.Branch(kind, proposal.Slug(File), slot),
		Base: w.Base, Head: head, Title: "docs(agents): " + rule, Body: "body", Run: "r1", At: at, Files: []string{File},
		Layers: []proposal.Layer{{Run: "r1", Subject: rule, At: at, Commit: head.String(), Edits: edits}},
	}
}

func (w World) open(t *testing.T, rule string) proposal.Existing {
	t.Helper()
	x, err := w.Forge.Open(t.Context(), w.draft(t, "playbook", rule))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// list returns the only proposal there is.
func (w World) only(t *testing.T, base proposal.Base) proposal.Existing {
	t.Helper()
	all, err := w.Forge.List(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 {
		t.Fatalf("listed are %d proposals, not 1: %+v", len(all), all)
	}
	return all[0]
}

// same reports whether one commit is the other, perhaps as the host made it.
func (w World) same(t *testing.T, a, b repo.Hash) bool {
	t.Helper()
	var of [2]repo.Commit
	for i, h := range []repo.Hash{a, b} {
		c, err := w.Repo.Commit(h)
		if err != nil {
			t.Fatal(err)
		}
		c.Message = strings.TrimSpace(c.Message)
		of[i] = c
	}
	return of[0].Tree == of[1].Tree && of[0].Message == of[1].Message && slices.Equal(of[0].Parents, of[1].Parents)
}

// unchanged fails the test when f writes anything.
func (w World) unchanged(t *testing.T, f func()) {
	t.Helper()
	before := w.Snapshot(t)
	f()
	if diff := cmp.Diff(before, w.Snapshot(t)); diff != "" {
		t.Errorf("something was written:\n%s", diff)
	}
}

func testOpen(t *testing.T, w World) {
	d := w.draft(t, "playbook", "Seed the clock.")
	x, err := w.Forge.Open(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	w.unchanged(t, func() {
		if diff := cmp.Diff(x, w.only(t, w.Base)); diff != "" {
			t.Errorf("Open and List differ:\n%s", diff)
		}
	})
	if x.Status != proposal.Open || x.Touched || !w.same(t, x.Head, d.Head) || x.Fork != w.Base.Commit {
		t.Errorf("it is %+v", x)
	}
	if x.Slot != d.Slot || x.Content != d.Content || x.Title != d.Title || x.Base != w.Base.Name || x.Run != "r1" {
		t.Errorf("it does not say what the draft says: %+v", x)
	}
	d.Layers[0].Commit = x.Head.String()
	if diff := cmp.Diff(d.Layers, x.Layers); diff != "" {
		t.Errorf("the edits cannot be recovered:\n%s", diff)
	}
}

func testOpenTwice(t *testing.T, w World) {
	d := w.draft(t, "playbook", "Seed the clock.")
	if _, err := w.Forge.Open(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	w.unchanged(t, func() {
		if _, err := w.Forge.Open(t.Context(), d); err != nil {
			t.Errorf("the second time: %v", err)
		}
	})
}

func testOpenTaken(t *testing.T, w World) {
	d := w.draft(t, "playbook", "Seed the clock.")
	w.Write(t, d.Branch)
	w.unchanged(t, func() {
		if _, err := w.Forge.Open(t.Context(), d); !errors.Is(err, forge.ErrTaken) {
			t.Errorf("a branch of somebody else: %v, not ErrTaken", err)
		}
	})
	other := w.draft(t, "skill", "Seed the clock.")
	if _, err := w.Forge.Open(t.Context(), other); err != nil {
		t.Errorf("another branch: %v", err)
	}
	other.Head, other.Content = d.Head, "another"
	w.unchanged(t, func() {
		if _, err := w.Forge.Open(t.Context(), other); !errors.Is(err, forge.ErrTaken) {
			t.Errorf("an open one of ours: %v, not ErrTaken", err)
		}
	})
}

func testUpdate(t *testing.T, w World) {
	x := w.open(t, "Seed the clock.")
	d := w.draft(t, "playbook", "Seed the clock and the dice.")
	got, err := w.Forge.Update(t.Context(), x, d)
	if err != nil {
		t.Fatal(err)
	}
	if !w.same(t, got.Head, d.Head) || got.Content != d.Content || got.Title != d.Title || got.Touched {
		t.Errorf("it is %+v", got)
	}
	if diff := cmp.Diff(got, w.only(t, w.Base)); diff != "" {
		t.Errorf("Update and List differ:\n%s", diff)
	}
	w.unchanged(t, func() {
		if _, err := w.Forge.Update(t.Context(), got, d); err != nil {
			t.Errorf("the same again: %v", err)
		}
	})
}

func testTouched(t *testing.T, w World) {
	x := w.open(t, "Seed the clock.")
	w.Write(t, x.Branch)
	now := w.only(t, w.Base)
	if !now.Touched || now.Status != proposal.Open {
		t.Fatalf("a person's commit does not show: %+v", now)
	}
	for name, seen := range map[string]proposal.Existing{"as opened": x, "as it is": now} {
		w.unchanged(t, func() {
			if _, err := w.Forge.Update(t.Context(), seen, w.draft(t, "playbook", "Another rule.")); !errors.Is(err, forge.ErrTouched) {
				t.Errorf("update %s: %v, not ErrTouched", name, err)
			}
			if err := w.Forge.Close(t.Context(), seen, "obsolete"); !errors.Is(err, forge.ErrTouched) {
				t.Errorf("close %s: %v, not ErrTouched", name, err)
			}
		})
	}
}

func testMoved(t *testing.T, w World) {
	x := w.open(t, "Seed the clock.")
	if _, err := w.Forge.Update(t.Context(), x, w.draft(t, "playbook", "Seed the dice.")); err != nil {
		t.Fatal(err)
	}
	w.unchanged(t, func() {
		if _, err := w.Forge.Update(t.Context(), x, w.draft(t, "playbook", "Seed both.")); !errors.Is(err, forge.ErrTouched) {
			t.Errorf("an update of what was there before: %v, not ErrTouched", err)
		}
	})
}

func testDeleted(t *testing.T, w World) {
	x := w.open(t, "Seed the clock.")
	w.Delete(t, x.Branch)
	now := w.only(t, w.Base)
	if now.Status != proposal.Closed || now.ClosedBy != proposal.ByPerson || now.Content != x.Content {
		t.Errorf("a person's no does not show: %+v", now)
	}
	if _, err := w.Forge.Open(t.Context(), w.draft(t, "playbook", "Another rule.")); err != nil {
		t.Errorf("another proposal after it: %v", err)
	}
	if now := w.only(t, w.Base); now.Status != proposal.Open {
		t.Errorf("it is %s", now.Status)
	}
}

func testMerged(t *testing.T, w World) {
	x := w.open(t, "Seed the clock.")
	base := w.Merge(t, x.Branch)
	if now := w.only(t, base); now.Status != proposal.Merged {
		t.Errorf("with its branch it is %s", now.Status)
	}
	w.Delete(t, x.Branch)
	if now := w.only(t, base); now.Status != proposal.Merged {
		t.Errorf("without its branch it is %s", now.Status)
	}
}

// testTidy: after a merge our own branch goes, and one with a person's commits
// stays, is told of once, and is not in the way of the next.
func testTidy(t *testing.T, w World) {
	x := w.open(t, "Seed the clock.")
	w.Base = w.Merge(t, x.Branch)
	if err := w.Forge.Close(t.Context(), w.only(t, w.Base), "merged"); err != nil {
		t.Fatal(err)
	}
	if all, err := w.Forge.List(t.Context(), w.Base); err != nil || len(all) != 0 {
		t.Errorf("it is still listed: %+v, %v", all, err)
	}
	x = w.open(t, "Another rule.")
	w.Write(t, x.Branch)
	w.Base = w.Merge(t, x.Branch)
	at := w.Snapshot(t)["refs/heads/"+x.Branch]
	if err := w.Forge.Close(t.Context(), w.only(t, w.Base), "merged"); err != nil {
		t.Error(err)
	}
	if now := w.Snapshot(t)["refs/heads/"+x.Branch]; now != at || at == "" {
		t.Errorf("their branch was at %q and is at %q", at, now)
	}
	if all, err := w.Forge.List(t.Context(), w.Base); err != nil || len(all) != 0 {
		t.Errorf("it is still listed: %+v, %v", all, err)
	}
	if got := w.open(t, "A third rule."); got.Touched {
		t.Errorf("the next is %+v", got)
	}
}

func testSquashed(t *testing.T, w World) {
	x := w.open(t, "Seed the clock.")
	base := w.Squash(t, x.Branch)
	if now := w.only(t, base); now.Status != proposal.Merged || now.ClosedBy != "" {
		t.Errorf("it is %s by %q", now.Status, now.ClosedBy)
	}
}

func testAfterMerge(t *testing.T, w World) {
	x := w.open(t, "Seed the clock.")
	w.Base = w.Merge(t, x.Branch)
	d := w.draft(t, "playbook", "Another rule.")
	got, err := w.Forge.Open(t.Context(), d)
	if err != nil {
		t.Fatalf("a merged branch is in the way of the next: %v", err)
	}
	if !w.same(t, got.Head, d.Head) || got.Status != proposal.Open || got.Touched {
		t.Errorf("it is %+v", got)
	}
}

func testClose(t *testing.T, w World) {
	x := w.open(t, "Seed the clock.")
	if err := w.Forge.Close(t.Context(), x, "the rule is in main"); err != nil {
		t.Fatal(err)
	}
	all, err := w.Forge.List(t.Context(), w.Base)
	if err != nil {
		t.Fatal(err)
	}
	for _, now := range all {
		if now.Status == proposal.Open || now.ClosedBy == proposal.ByPerson {
			t.Errorf("what we took back reads as %s by %q", now.Status, now.ClosedBy)
		}
	}
	if got := w.open(t, "Seed the clock."); got.Status != proposal.Open {
		t.Errorf("opened again it is %s", got.Status)
	}
}

func testCloseTwice(t *testing.T, w World) {
	x := w.open(t, "Seed the clock.")
	for range 2 {
		if err := w.Forge.Close(t.Context(), x, "obsolete"); err != nil {
			t.Error(err)
		}
	}
}

func testReadOnly(t *testing.T, w World) {
	x := w.open(t, "Seed the clock.")
	f := forge.ReadOnly(w.Forge)
	w.unchanged(t, func() {
		if all, err := f.List(t.Context(), w.Base); err != nil || len(all) != 1 {
			t.Errorf("list: %v, %v", all, err)
		}
		d := w.draft(t, "skill", "Another rule.")
		_, openErr := f.Open(t.Context(), d)
		_, updateErr := f.Update(t.Context(), x, d)
		for _, err := range []error{openErr, updateErr, f.Close(t.Context(), x, "")} {
			if !errors.Is(err, forge.ErrReadOnly) {
				t.Errorf("a write in a dry run: %v", err)
			}
		}
	})
}

func testSorted(t *testing.T, w World) {
	for _, kind := range []string{"skill", "playbook", "rules"} {
		if _, err := w.Forge.Open(t.Context(), w.draft(t, kind, "Seed the clock.")); err != nil {
			t.Fatal(err)
		}
	}
	all, err := w.Forge.List(t.Context(), w.Base)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, x := range all {
		kinds = append(kinds, x.Kind)
	}
	if diff := cmp.Diff([]string{"playbook", "rules", "skill"}, kinds); diff != "" {
		t.Error(diff)
	}
}
