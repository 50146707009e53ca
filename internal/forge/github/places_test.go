package github_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/forgetest"
	"github.com/retrosweep/retrosweep/internal/forge/github"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// TestQueueRule19: a dry run writes nothing, whatever is asked of it.
func TestQueueRule19(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.open(w.draft("rules", "Seed the clock."))
	w.fake.Inject(githubfake.Fault{Hook: func() {}})
	before := w.snapshot(t)
	dry := forge.ReadOnly(w.Forge)
	if _, err := dry.List(t.Context(), w.Base); err != nil {
		t.Error(err)
	}
	_, openErr := dry.Open(t.Context(), w.draft("skill", "Another."))
	_, updateErr := dry.Update(t.Context(), x, w.draft("rules", "Another."))
	for _, err := range []error{openErr, updateErr, dry.Close(t.Context(), x, "")} {
		if !errors.Is(err, forge.ErrReadOnly) {
			t.Errorf("a write in a dry run: %v", err)
		}
	}
	if diff := cmp.Diff(before, w.snapshot(t)); diff != "" {
		t.Errorf("something was written:\n%s", diff)
	}
}

// TestSameBranchesOfUpkeep: of two rolling branches with one slot, as after a
// person took the first, both are listed.
func TestSameBranchesOfUpkeep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.draft(proposal.KindUpkeep, "Seed the clock.")
	w.open(d)
	w.write(t, d.Branch)
	second := w.draft(proposal.KindUpkeep, "Seed the dice.")
	second.Branch = proposal.UpkeepBranch + "-2"
	w.open(second)
	all := w.list()
	if len(all) != 2 || !all[0].Touched || all[1].Touched {
		t.Errorf("listed: %+v", all)
	}
}

// TestPrefixTaken: a branch that is called like the prefix.
func TestPrefixTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, proposal.Prefix)
	_, err := w.Forge.Open(t.Context(), w.draft("rules", "Seed the clock."))
	if !errors.Is(err, forge.ErrTaken) || !strings.Contains(err.Error(), "rename it") {
		t.Errorf("open: %v", err)
	}
}

// TestRefusedPush: what a rule of the host refuses is said, and nothing is made.
func TestRefusedPush(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(f *githubfake.Options, _ *github.Options) {
		f.Protected = []string{"refs/heads/retrosweep/rules/*"}
	})
	_, err := w.Forge.Open(t.Context(), w.draft("rules", "Seed the clock."))
	var refused *repo.RefusedError
	if !errors.As(err, &refused) || len(w.fake.Pulls()) != 0 {
		t.Errorf("open: %v", err)
	}
	x := w.open(w.draft("skill", "Seed the clock."))
	w.fake.Protected = []string{"refs/heads/retrosweep/*/*"}
	if err := w.Forge.Close(t.Context(), x, "obsolete"); err != nil || w.pull().State != "closed" || len(w.warns) == 0 {
		t.Errorf("close: %v, it is %s, warned %q", err, w.pull().State, w.warns)
	}
}

// TestCreateRefused: where the host makes no pull request, its branch is taken
// back, and the error says what to do.
func TestCreateRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(f *githubfake.Options, _ *github.Options) { f.NoCreate = true })
	d := w.draft("rules", "Seed the clock.")
	_, err := w.Forge.Open(t.Context(), d)
	if err == nil || !strings.Contains(err.Error(), "Workflow permissions") {
		t.Errorf("open: %v", err)
	}
	if h := w.ref("refs/heads/" + d.Branch); !h.IsZero() {
		t.Errorf("the branch is left")
	}
}

// TestCreateRace: the host says that the pull request is there already.
func TestCreateRace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fake.Inject(githubfake.Fault{Method: "POST", Path: "/pulls$", After: true, Times: 1, Status: 422, Body: `{"message":"Validation Failed","errors":[{"resource":"PullRequest","code":"custom","message":"A pull request already exists for acme:x."}]}`})
	d := w.draft("rules", "Seed the clock.")
	x := w.open(d)
	if n := len(w.fake.Pulls()); n != 1 || x.Number != 1 || !slices.Contains(w.pull().Labels, "rules") {
		t.Errorf("there are %d pull requests, this is %+v", n, x)
	}
	if diff := cmp.Diff(x, w.only()); diff != "" {
		t.Error(diff)
	}
}

// TestStaleList: a list that lacks the newest does not make a second one.
func TestStaleList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.open(w.draft("rules", "Seed the clock."))
	w.fake.StaleIssues = 1
	if diff := cmp.Diff(x, w.only()); diff != "" {
		t.Errorf("with a list that is behind:\n%s", diff)
	}
	w.fake.StalePulls = 1
	if _, err := w.Forge.Open(t.Context(), w.draft("rules", "Seed the clock.")); err == nil {
		t.Error("with all lists behind, it is opened again")
	}
	if n := len(w.fake.Pulls()); n != 1 {
		t.Errorf("there are %d pull requests", n)
	}
}

// TestWithoutIssues: a repository that has issues turned off.
func TestWithoutIssues(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(f *githubfake.Options, _ *github.Options) { f.NoIssues = true })
	x := w.open(w.draft("rules", "Seed the clock."))
	if diff := cmp.Diff(x, w.only()); diff != "" {
		t.Error(diff)
	}
}

// TestManyPulls: lists are read to their last page.
func TestManyPulls(t *testing.T) {
	t.Parallel()
	for _, issues := range []bool{true, false} {
		w := newWorld(t, func(f *githubfake.Options, _ *github.Options) { f.NoIssues = !issues })
		x := w.open(w.draft("rules", "Seed the clock."))
		for range 230 {
			w.fake.Open(githubfake.Pull{Title: "t", Head: "main", Base: "main", Author: githubfake.Bot})
		}
		if got := w.only(); got.Number != x.Number {
			t.Errorf("issues %v: found is %d", issues, got.Number)
		}
	}
}

// TestLayersSurvive: every field of an edit comes back.
func TestLayersSurvive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.draft("rules", "Seed the clock.")
	d.Layers[0].Edits = append(d.Layers[0].Edits, knowledge.Edit{
		Op: knowledge.OpReplace, Path: forgetest.File, FactID: "f", Merge: []string{"a", "b"}, Field: "x", Value: "-->", Old: "\u2028<", New: "é\n", Reason: "`", Date: noon,
	})
	x := proposal.Existing{Layers: d.Layers}
	d.Content = proposal.Content(x.Edits())
	if got := w.open(d); got.Touched {
		t.Error("it reads as damaged")
	}
	if diff := cmp.Diff(w.as(d, w.only().Head).Layers, w.only().Layers); diff != "" {
		t.Error(diff)
	}
}
