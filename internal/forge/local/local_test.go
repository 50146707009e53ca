package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/forgetest"
	"github.com/retrosweep/retrosweep/internal/forge/local"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

const history = `
-- commit --
author: Ada Byron <ada@acme.dev>
date: 2026-11-02T10:00:00Z

feat: begin
-- ` + forgetest.File + ` --
` + forgetest.Content

func TestLocal(t *testing.T) {
	t.Parallel()
	forgetest.Suite(t, func(t *testing.T) forgetest.World { return newWorld(t, ".").World })
}

// world is a repository with what a person does in it.
type world struct {
	forgetest.World
	t *testing.T
}

func newWorld(t *testing.T, sub string) world {
	t.Helper()
	r, err := testkit.Build(filepath.Join(t.TempDir(), sub), []byte(history))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	w := world{t: t}
	w.Repo, w.Forge = r, local.New(r, proposal.DefaultIdentity)
	w.Base = proposal.Base{Name: "main", Commit: w.ref("refs/heads/main")}
	w.Write, w.Delete, w.Merge, w.Squash, w.Snapshot = w.write, w.delete, w.merge, w.squash, w.snapshot
	return w
}

func (w *world) ref(name string) repo.Hash {
	h, _, err := w.Repo.Ref(name)
	if err != nil {
		w.t.Fatal(err)
	}
	return h
}

func (w *world) set(name string, to repo.Hash) {
	if err := w.Repo.UpdateRef(name, w.ref(name), to); err != nil {
		w.t.Fatal(err)
	}
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func (w *world) commit(tree repo.Hash, parents ...repo.Hash) repo.Hash {
	ada := repo.Signature{Name: "Ada Byron", Email: "ada@acme.dev", When: noon}
	h, err := w.Repo.WriteCommit(repo.NewCommit{Tree: tree, Parents: parents, Author: ada, Committer: ada, Message: "mine"})
	if err != nil {
		w.t.Fatal(err)
	}
	return h
}

func (w *world) tree(commit repo.Hash) repo.Hash {
	c, err := w.Repo.Commit(commit)
	if err != nil {
		w.t.Fatal(err)
	}
	return c.Tree
}

func (w *world) write(t *testing.T, branch string) {
	t.Helper()
	parent := w.ref("refs/heads/" + branch)
	if parent.IsZero() {
		parent = w.Base.Commit
	}
	w.set("refs/heads/"+branch, w.commit(w.tree(parent), parent))
}

func (w *world) delete(t *testing.T, branch string) {
	t.Helper()
	if err := w.Repo.DeleteRef("refs/heads/"+branch, w.ref("refs/heads/"+branch)); err != nil {
		t.Fatal(err)
	}
}

func (w *world) land(commit repo.Hash) proposal.Base {
	w.set("refs/heads/"+w.Base.Name, commit)
	return proposal.Base{Name: w.Base.Name, Commit: commit}
}

func (w *world) merge(t *testing.T, branch string) proposal.Base {
	t.Helper()
	head := w.ref("refs/heads/" + branch)
	return w.land(w.commit(w.tree(head), w.Base.Commit, head))
}

func (w *world) squash(t *testing.T, branch string) proposal.Base {
	t.Helper()
	base := w.land(w.commit(w.tree(w.ref("refs/heads/"+branch)), w.Base.Commit))
	w.delete(t, branch)
	return base
}

func (w *world) snapshot(t *testing.T) map[string]string {
	t.Helper()
	refs, err := w.Repo.Refs("refs/")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for name, h := range refs {
		out[name] = h.String()
	}
	return out
}

func (w *world) draft(rule string) proposal.Draft {
	w.t.Helper()
	edits := []knowledge.Edit{{Op: knowledge.OpAdd, Path: forgetest.File, Section: "Rules", Text: rule}}
	changes := knowledge.Changes{forgetest.File: []byte(forgetest.Content + "- " + rule + "\n")}
	head, err := proposal.Commit(w.Repo, w.Base.Commit, changes, rule, proposal.DefaultIdentity, noon)
	if err != nil {
		w.t.Fatal(err)
	}
	slot := proposal.Slot("r", "main", proposal.KindUpkeep, "")
	return proposal.Draft{
		Slot: slot, Content: proposal.Content(edits), Kind: proposal.KindUpkeep, Branch: proposal.UpkeepBranch, Base: w.Base,
		Head: head, At: noon, Layers: []proposal.Layer{{At: noon, Edits: edits}},
	}
}

func TestCheckedOutBranchStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "shop/.git")
	x, err := w.Forge.Open(t.Context(), w.draft("Seed the clock."))
	if err != nil {
		t.Fatal(err)
	}
	checkOut(t, w.Repo, x.Branch)
	before := w.snapshot(t)
	_, err = w.Forge.Update(t.Context(), x, w.draft("Seed the dice."))
	if !errors.Is(err, repo.ErrCheckedOut) || !strings.Contains(err.Error(), "switch that working tree") {
		t.Errorf("update: %v", err)
	}
	if err := w.Forge.Close(t.Context(), x, "obsolete"); !errors.Is(err, repo.ErrCheckedOut) {
		t.Errorf("close: %v", err)
	}
	after := w.snapshot(t)
	for name := range before {
		if before[name] != after[name] {
			t.Errorf("%s moved", name)
		}
	}
	all, err := w.Forge.List(t.Context(), w.Base)
	if err != nil || len(all) != 1 || all[0].Touched || all[0].Content != x.Content {
		t.Errorf("after the refusals it reads as %+v, %v", all, err)
	}
}

func TestPrefixTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ".")
	w.write(t, proposal.Prefix)
	_, err := w.Forge.Open(t.Context(), w.draft("Seed the clock."))
	if !errors.Is(err, forge.ErrTaken) || !strings.Contains(err.Error(), "rename it") {
		t.Errorf("a branch named like the prefix: %v", err)
	}
}

func TestForeignBranches(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ".")
	w.write(t, "retrosweep/notes-of-mine")
	w.write(t, proposal.UpkeepBranch)
	all, err := w.Forge.List(t.Context(), w.Base)
	if err != nil || len(all) != 1 {
		t.Fatalf("listed: %+v, %v", all, err)
	}
	if x := all[0]; !x.Touched || x.Kind != proposal.KindUpkeep || x.Status != proposal.Open {
		t.Errorf("an upkeep branch that is not ours reads as %+v", x)
	}
}

// checkOut makes the working tree stand on a branch, as far as git looks.
func checkOut(t *testing.T, r *repo.Repo, branch string) {
	t.Helper()
	head := filepath.Join(r.GitDir(), "HEAD")
	if err := os.WriteFile(head, []byte("ref: refs/heads/"+branch+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}
