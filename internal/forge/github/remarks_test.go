package github_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// What reviewers said of a merged change is read with the commits that it
// became; the author's own word, an empty one and what was merged before the last
// run are not.
func TestRemarksOfMergedChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, eve := githubfake.Ada, githubfake.User{Login: "eve", ID: 9}
	base, _, err := w.Repo.Ref("refs/heads/main")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := w.Repo.WriteTree(base, map[string][]byte{"retry.go": []byte("package x\n")})
	if err != nil {
		t.Fatal(err)
	}
	sig := repo.Signature{Name: "Eve", Email: "eve@example.org", When: noon}
	head, err := w.Repo.WriteCommit(repo.NewCommit{Tree: tree, Parents: []repo.Hash{base}, Author: sig, Committer: sig, Message: "retry\n"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Repo.UpdateRef("refs/heads/topic", repo.Hash{}, head); err != nil {
		t.Fatal(err)
	}
	n := w.fake.Open(githubfake.Pull{Title: "retry", Head: "topic", Base: "main", Author: eve, Reviews: []githubfake.Review{
		{By: ada, Writes: true, Path: "retry.go", Text: "Limit it.", Requested: true},
		{By: ada, Writes: true, Text: "Say why."},
		{By: ada, Writes: true, Text: "And limit it.", Requested: true},
		{By: eve, Path: "retry.go", Text: "I do."},
		{By: ada, Path: "retry.go", Text: " "},
	}})
	merge, err := w.fake.Merge("topic", githubfake.Squash)
	if err != nil {
		t.Fatal(err)
	}
	merged := w.fake.Pulls()[n-1].Merged
	got, warning, err := w.Forge.(forge.Reviewed).Remarks(t.Context(), merged.Add(-time.Hour))
	if err != nil || warning != "" {
		t.Fatal(warning, err)
	}
	var said []string
	for _, r := range got {
		if r.Pull != n || !r.Writes || !r.Requested || r.Bot || r.Login != "ada" || r.Author != "eve" ||
			!cmp.Equal(r.Commits, []string{merge.String(), head.String()}) {
			t.Errorf("%+v", r)
		}
		said = append(said, r.Path+": "+r.Text)
	}
	if diff := cmp.Diff([]string{": And limit it.", "retry.go: Limit it."}, said); diff != "" {
		t.Errorf("remarks (-want +got):\n%s", diff)
	}
	if later, _, err := w.Forge.(forge.Reviewed).Remarks(t.Context(), merged.Add(time.Hour)); err != nil || len(later) != 0 {
		t.Errorf("merged before the last run: %v, %v", later, err)
	}
	if writes := w.fake.Writes(); len(writes) != 0 {
		t.Errorf("writes: %v", writes)
	}
}
