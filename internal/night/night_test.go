package night_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

// kitchen is a small history: a memory names a script, the script moves.
const kitchen = `
-- commit --
author: Ada <ada@kitchen.example>
date: 2026-10-01T08:00:00Z
label: first

start

-- scripts/bake.sh --
#!/bin/sh
echo baking
echo "two loaves, forty minutes, top shelf"
-- .claude/memory/reference_bake.md --
---
name: reference_bake
description: "how bread is baked"
type: reference
---

Bake with ` + "`scripts/bake.sh`" + `.
-- commit --
author: Ada <ada@kitchen.example>
date: 2026-10-02T08:00:00Z
label: moved
move: scripts/bake.sh -> oven/bake.sh

the oven has a folder of its own
`

var evening = time.Date(2026, 10, 3, 23, 0, 0, 0, time.UTC)

func build(t *testing.T, history string) *repo.Repo {
	t.Helper()
	r, err := testkit.Build(filepath.Join(t.TempDir(), "kitchen"), []byte(history))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// options are an applied night without a model.
func options(r *repo.Repo) night.Options {
	return night.Options{
		Command: night.Command{Name: "run", Retro: true, Sweep: true},
		Repo:    r, Config: config.DefaultOperator(), Apply: true, Now: evening,
		Log: slog.New(slog.DiscardHandler), Progress: func(string) {},
	}
}

func run(t *testing.T, o night.Options) *report.Receipt {
	t.Helper()
	receipt, err := night.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return receipt
}

func head(t *testing.T, r *repo.Repo, rev string) repo.Hash {
	t.Helper()
	h, err := r.Resolve(rev)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func upkeep(t *testing.T, receipt *report.Receipt) report.Proposal {
	t.Helper()
	for _, p := range receipt.Proposals {
		if p.Kind == "upkeep" {
			return p
		}
	}
	t.Fatalf("no upkeep proposal: %+v", receipt.Proposals)
	return report.Proposal{}
}

func TestUpkeepStacksNightOnNight(t *testing.T) {
	t.Parallel()
	r := build(t, kitchen)
	first := run(t, options(r))
	if p := upkeep(t, first); p.State != report.ProposalOpened || !strings.Contains(p.Diff, "+Bake with `oven/bake.sh`.") {
		t.Fatalf("the first night does not correct the path: %s\n%s", p.State, p.Diff)
	}
	if p := upkeep(t, run(t, options(r))); p.State != report.ProposalUnchanged {
		t.Errorf("a night with nothing new leaves the branch %s", p.State)
	}
	commit(t, r, "main", map[string][]byte{"notes.txt": []byte("flour is low\n")})
	o := options(r)
	o.Now = evening.AddDate(0, 0, 1)
	p := upkeep(t, run(t, o))
	if p.State != report.ProposalUnchanged {
		t.Errorf("a base that moved elsewhere rewrites the branch: %s, %s", p.State, p.Reason)
	}
}

func TestBranchThatAPersonTouchedIsLeftAlone(t *testing.T) {
	t.Parallel()
	r := build(t, kitchen)
	run(t, options(r))
	theirs := commit(t, r, "retrosweep/upkeep", map[string][]byte{"mine.md": []byte("# Mine\n")})
	o := options(r)
	o.Now = evening.AddDate(0, 0, 1)
	run(t, o)
	if head(t, r, "refs/heads/retrosweep/upkeep") != theirs {
		t.Error("a branch that a person committed to was moved")
	}
}

func TestBranchThatAPersonDeletedDoesNotComeBack(t *testing.T) {
	t.Parallel()
	r := build(t, kitchen)
	run(t, options(r))
	if err := r.DeleteRef("refs/heads/retrosweep/upkeep", head(t, r, "refs/heads/retrosweep/upkeep")); err != nil {
		t.Fatal(err)
	}
	for nights := 1; nights <= 2; nights++ {
		o := options(r)
		o.Now = evening.AddDate(0, 0, nights)
		if receipt := run(t, o); len(receipt.Proposals) > 0 {
			t.Errorf("night %d offers what a person deleted: %+v", nights, receipt.Proposals)
		}
	}
}

// commit puts a person's commit on a branch.
func commit(t *testing.T, r *repo.Repo, branch string, files map[string][]byte) repo.Hash {
	t.Helper()
	old := head(t, r, "refs/heads/"+branch)
	tree, err := r.WriteTree(old, files)
	if err != nil {
		t.Fatal(err)
	}
	who := repo.Signature{Name: "Grace", Email: "grace@kitchen.example", When: evening.Add(time.Hour)}
	h, err := r.WriteCommit(repo.NewCommit{Tree: tree, Parents: []repo.Hash{old}, Author: who, Committer: who, Message: "by hand"})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.UpdateRef("refs/heads/"+branch, old, h); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestOfTwoRunsOneWorks(t *testing.T) {
	t.Parallel()
	r := build(t, kitchen)
	other, err := repo.Open(t.Context(), r.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	release, held, err := other.Lock(t.Context(), "retrosweep.lock")
	if err != nil || !held {
		t.Fatalf("take the lock: %v, %v", held, err)
	}
	receipt := run(t, options(r))
	if receipt.Outcome != report.Skipped || len(receipt.Proposals) > 0 {
		t.Errorf("a run beside another one is %s and has %d proposals", receipt.Outcome, len(receipt.Proposals))
	}
	release()
	if receipt := run(t, options(r)); receipt.Outcome != report.Done {
		t.Errorf("the run after it is %s: %v", receipt.Outcome, receipt.Warnings)
	}
}

// A crash between the branches and the journal loses nothing and repeats
// nothing: the next night finds its own branch as it left it.
func TestCrashBeforeTheJournalRepeatsNothing(t *testing.T) {
	t.Parallel()
	r := build(t, kitchen)
	o := options(r)
	ctx, cancel := context.WithCancelCause(t.Context())
	died := errors.New("killed")
	o.Progress = func(step string) {
		if step == "writing the journal" {
			moveJournal(t, r)
			cancel(died)
		}
	}
	if _, err := night.Run(ctx, o); err == nil {
		t.Fatal("the run ends well although its journal moved under it")
	}
	branch := head(t, r, "refs/heads/retrosweep/upkeep")
	next := run(t, options(r))
	if got := head(t, r, "refs/heads/retrosweep/upkeep"); got != branch {
		t.Errorf("the branch moved from %s to %s", branch, got)
	}
	if p := upkeep(t, next); p.State != report.ProposalUnchanged {
		t.Errorf("the edits are written twice: %s", p.State)
	}
	if m := next.Watermark.Sweep; !m.Moved() || m.After.Commit != head(t, r, "main").String() {
		t.Errorf("the watermark stays behind: %+v", m)
	}
}

// moveJournal is another process that saves the journal first.
func moveJournal(t *testing.T, r *repo.Repo) {
	t.Helper()
	state, at, err := journal.Load(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	state.Commits = append(state.Commits, head(t, r, "main").String())
	if _, err := journal.Save(t.Context(), r, state, at, evening); err != nil {
		t.Fatal(err)
	}
}

func TestRepositoryFileMayOnlyNarrow(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, file string
		check      func(t *testing.T, receipt *report.Receipt, err error)
	}{
		{"switched off", "enabled: false\n", func(t *testing.T, receipt *report.Receipt, err error) {
			if err != nil || receipt.Outcome != report.Skipped {
				t.Errorf("enabled: false is %+v, %v", receipt, err)
			}
		}},
		{"never", "routes:\n  never: ['.claude/**']\n", func(t *testing.T, receipt *report.Receipt, err error) {
			if err != nil || len(receipt.Proposals) > 0 {
				t.Errorf("a path that the repository closed is edited: %+v, %v", receipt, err)
			}
		}},
		{"ignored", "ignore:\n  - {path: .claude/**, reason: theirs}\n", func(t *testing.T, receipt *report.Receipt, err error) {
			if err != nil || len(receipt.Findings) > 0 {
				t.Errorf("an ignored file has findings: %+v, %v", receipt, err)
			}
		}},
		{"wrong", "modle: x\nroutes: {auto: ['**']}\n", func(t *testing.T, _ *report.Receipt, err error) {
			var faults *config.Faults
			if !errors.As(err, &faults) || len(faults.List) != 2 {
				t.Errorf("two faults are %v", err)
			}
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := build(t, kitchen)
			commit(t, r, "main", map[string][]byte{".retrosweep.yaml": []byte(c.file)})
			receipt, err := night.Run(t.Context(), options(r))
			c.check(t, receipt, err)
		})
	}
}
