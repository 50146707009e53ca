package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/config"
)

// TestPlaceOf: what the operator says of a host comes first, and of hosts that
// nobody named only those that are known have pull requests.
func TestPlaceOf(t *testing.T) {
	t.Parallel()
	own := config.Forge{Kind: "gitea", URL: "https://git.acme.dev:3000/"}
	actions := map[string]string{"GITHUB_SERVER_URL": "https://git.acme.dev", "GITEA_ACTIONS": "true"}
	for _, c := range []struct {
		address   string
		forge     config.Forge
		env       map[string]string
		kind, url string
	}{
		{"https://github.com/acme/shop", config.Forge{}, nil, "github", "https://github.com/"},
		{"git@codeberg.org:acme/shop.git", config.Forge{}, nil, "gitea", "https://codeberg.org/"},
		{"https://gitea.com/acme/shop", own, nil, "gitea", "https://gitea.com/"},
		{"https://codeberg.org.evil.dev/acme/shop", config.Forge{}, nil, "", "https://codeberg.org.evil.dev/"},
		{"https://git.acme.dev/acme/shop", config.Forge{}, nil, "", "https://git.acme.dev/"},
		{"https://git.acme.dev:3000/acme/shop", own, nil, "gitea", own.URL},
		{"ssh://git@git.acme.dev:22/acme/shop", own, nil, "gitea", own.URL},
		{"https://git.evil.dev/acme/shop", own, nil, "", "https://git.evil.dev/"},
		{"https://git.acme.dev/acme/shop", config.Forge{}, actions, "gitea", "https://git.acme.dev/"},
		{"https://git.acme.dev/acme/shop", config.Forge{}, map[string]string{"GITHUB_SERVER_URL": "https://git.acme.dev"}, "github", "https://git.acme.dev/"},
		{"https://gitlab.com/acme/team/shop.git", config.Forge{}, nil, "gitlab", "https://gitlab.com/"},
		{"https://git.acme.dev/acme/team/shop", config.Forge{Kind: "gitlab", URL: "https://git.acme.dev/"}, nil, "gitlab", "https://git.acme.dev/"},
		{"https://git.acme.dev/acme/shop", config.Forge{}, map[string]string{"GITLAB_CI": "true", "CI_SERVER_URL": "https://git.acme.dev"}, "gitlab", "https://git.acme.dev/"},
		{"https://github.com/acme/team/shop", config.Forge{}, nil, "", ""},
		{"/srv/shop", own, nil, "", ""},
	} {
		got := placeOf(c.address, c.forge, func(name string) string { return c.env[name] })
		if got.kind != c.kind || got.url != c.url {
			t.Errorf("%s with %+v is %+v", c.address, c.forge, got)
		}
	}
}

// TestTokenForGitAlone: a token that may not call the API, or none, leaves a night
// on GitLab or Gitea with branches, and says so; another fault ends it.
func TestTokenForGitAlone(t *testing.T) {
	t.Parallel()
	status := http.StatusForbidden
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, `{"message":"insufficient_scope"}`)
	}))
	t.Cleanup(s.Close)
	for _, kind := range []string{"gitlab", "gitea"} {
		for _, c := range []struct {
			token  string
			status int
			fails  bool
		}{{"x", http.StatusForbidden, false}, {"", http.StatusOK, false}, {"x", http.StatusUnauthorized, true}} {
			status = c.status
			var said strings.Builder
			m := &Main{Stderr: &said, Getenv: func(name string) string { return map[string]string{"RETROSWEEP_TOKEN": c.token}[name] }}
			o, err := m.connect(context.Background(), s.URL+"/acme/shop.git", config.Forge{Kind: kind, URL: s.URL + "/"}, true)
			if c.fails != (err != nil) || !c.fails && (o.service != nil || !strings.Contains(said.String(), "proposals are branches")) {
				t.Errorf("%s, %+v: %v, %q", kind, c, err, said.String())
			}
		}
	}
	o := &origin{}
	if err := o.commitBy("api", true); err == nil || o.byAPI || o.commitBy("api", false) != nil || o.commitBy("push", true) != nil {
		t.Errorf("where there is no GitHub to make commits: %v", err)
	}
	if (place{kind: "github"}).branchesAlone(errors.New("no")) {
		t.Error("GitHub is used for branches alone")
	}
}
