package github_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/forgetest"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// author commits as somebody.
func (w *world) author(t *testing.T, who forgetest.Author) string {
	t.Helper()
	permissions := map[forgetest.Author]string{forgetest.Owner: "admin", forgetest.Writer: "write", forgetest.Reader: "read", forgetest.Stranger: "none", forgetest.Gone: ""}
	email := string(who) + "@acme.dev"
	if w.fake.Permissions == nil {
		w.fake.Permissions, w.fake.Accounts = map[string]string{}, map[string]githubfake.User{}
	}
	if p, known := permissions[who]; known {
		w.fake.Permissions["gh-"+string(who)] = p
		w.fake.Accounts[email] = githubfake.User{Login: "gh-" + string(who), ID: 77}
	} else {
		w.fake.Accounts[email] = githubfake.User{}
	}
	base := w.ref("refs/heads/main")
	c, err := w.Repo.Commit(base)
	if err != nil {
		t.Fatal(err)
	}
	sig := repo.Signature{Name: string(who), Email: email, When: noon}
	ada := repo.Signature{Name: "Ada Byron", Email: "ada@acme.dev", When: noon} // who merged it says nothing of who wrote it
	h, err := w.Repo.WriteCommit(repo.NewCommit{Tree: c.Tree, Parents: []repo.Hash{base}, Author: sig, Committer: ada, Message: "as " + string(who)})
	if err == nil {
		err = w.Repo.UpdateRef("refs/heads/by-"+string(who), repo.Hash{}, h)
	}
	if err != nil {
		t.Fatal(err)
	}
	return h.String()
}

// A host that refuses to say who may write is no host that says nobody may.
func TestMembersThatTheHostKeepsToItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	commit := w.author(t, forgetest.Writer)
	members := forge.MembersOf(w.Forge)
	refused := githubfake.Fault{Status: http.StatusForbidden, Body: `{"message":"Must have push access to view collaborator permission."}`, Times: 1}
	for path, ask := range map[string]func() error{
		"/commits$":    func() error { _, err := members.AuthorOf(t.Context(), commit); return err },
		"/permission$": func() error { _, err := members.MayWrite(t.Context(), "gh-writer"); return err },
	} {
		refused.Path = path
		w.fake.Inject(refused)
		if err := ask(); err == nil || !strings.Contains(err.Error(), "Must have push access") {
			t.Errorf("%s: %v", path, err)
		}
		if err := ask(); err != nil {
			t.Errorf("%s, when it answers: %v", path, err)
		}
	}
}
