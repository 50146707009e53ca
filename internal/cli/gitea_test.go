package cli_test

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/retrosweep/retrosweep/internal/cli"
	"github.com/retrosweep/retrosweep/internal/demo"
	"github.com/retrosweep/retrosweep/internal/doctor"
	"github.com/retrosweep/retrosweep/internal/forge/gitea/giteatest"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/repo/credentials"
	"github.com/retrosweep/retrosweep/internal/report"
)

// onGitea is the demo's shop on a real server.
func onGitea(t *testing.T) (*host, *giteatest.Server) {
	t.Helper()
	s := giteatest.Shared(t)
	t.Cleanup(giteatest.Stop) // it is the only test here that has one
	s.Repository(t, "shop")
	h := &host{t: t, url: s.URL + giteatest.Person + "/shop.git", answers: true, env: map[string]string{
		"GITEA_TOKEN": s.Tokens[giteatest.Bot], "RETROSWEEP_FORGE": "gitea", "RETROSWEEP_FORGE_URL": s.URL,
	}}
	r, err := demo.Build(filepath.Join(t.TempDir(), "shop.git"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	main, _, err := r.Ref("refs/heads/main")
	if err != nil {
		t.Fatal(err)
	}
	ada := credentials.Credential{Username: giteatest.Person, Secret: credentials.NewSecret(s.Tokens[giteatest.Person])}
	auth := credentials.From(func(context.Context, *url.URL) (credentials.Credential, bool, error) { return ada, true, nil })
	if err := r.Push(t.Context(), repo.RemoteOptions{URL: h.url, Auth: auth}, []repo.RefUpdate{{Name: "refs/heads/main", New: main}}); err != nil {
		t.Fatal(err)
	}
	if err := giteatest.Eventually(func() error {
		got, _, err := s.As(t, giteatest.Person).GetRepo(giteatest.Person, "shop")
		if err == nil && got.Empty {
			err = errors.New("the server has not seen the push")
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return h, s
}

// TestNightOnGitea: the doctor names the host, a night opens pull requests on a
// real server, the next one changes nothing, and the token shows nowhere.
func TestNightOnGitea(t *testing.T) {
	t.Parallel()
	h, s := onGitea(t)
	x := h.doctor(h.url)
	x.expect(t, cli.ExitDone, map[string]doctor.Status{"Gitea account": doctor.OK, "Gitea permissions": doctor.OK, "read access": doctor.OK})
	if line := x.line["Gitea account"]; !strings.Contains(line.Detail, "retrosweep on 127.0.0.1") || !strings.Contains(line.Detail, "GITEA_TOKEN") {
		t.Errorf("the doctor says %+v", line)
	}
	first, code := h.work(demo.Now, "--apply", "--push")
	all, _, err := s.As(t, giteatest.Person).ListRepoPullRequests(giteatest.Person, "shop", sdk.ListPullRequestsOptions{State: sdk.StateAll})
	if err != nil || code != cli.ExitDone || len(first.Proposals) == 0 || len(all) != len(first.Proposals) {
		t.Fatalf("exit %d, %d proposals, %d pull requests, %v: %s", code, len(first.Proposals), len(all), err, h.said.String())
	}
	for _, pr := range all {
		if pr.Poster.UserName != giteatest.Bot || !strings.Contains(pr.Body, "<!-- retrosweep:v1 ") || len(pr.Labels) == 0 {
			t.Errorf("pull request %d is by %s with %d labels:\n%s", pr.Index, pr.Poster.UserName, len(pr.Labels), pr.Body)
		}
		if strings.Contains(pr.Body, "/blob/") {
			t.Errorf("the links of pull request %d lead elsewhere:\n%s", pr.Index, pr.Body)
		}
	}
	second, code := h.work(demo.Now.Add(24*time.Hour), "--apply", "--push")
	for _, p := range second.Proposals {
		if p.State == report.ProposalOpened {
			t.Errorf("the second night, exit %d, opens %s again", code, p.Branch)
		}
	}
	for _, token := range s.Tokens {
		if strings.Contains(h.said.String()+x.text, token) {
			t.Error("a token is printed")
		}
	}
}
