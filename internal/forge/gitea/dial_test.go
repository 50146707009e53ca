package gitea_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge/gitea"
	"github.com/retrosweep/retrosweep/internal/forge/wire"
)

// canary is the token of these tests: it may stand in one header alone.
const canary = "canary-4c1f7a90-token"

// echoing is a host that sends back what it gets, as proxies do, with a status;
// what it was asked stands in seen.
func echoing(t *testing.T, status int, seen *[]*http.Request) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*seen = append(*seen, r)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"message":"bad header %s","login":"retrosweep","id":7}`, r.Header.Get("Authorization"))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/"
}

// TestTokenStaysInItsHeader: no error, no connection and no address shows it.
func TestTokenStaysInItsHeader(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 400, 401, 403, 404, 409, 422, 500, 503} {
		var seen []*http.Request
		var sinks bytes.Buffer
		c, err := gitea.Dial(t.Context(), gitea.DialOptions{URL: echoing(t, status, &seen), Clock: &clock{now: noon}, Env: env{"RETROSWEEP_TOKEN": canary}.get})
		if (err == nil) != (status == 200) {
			t.Errorf("status %d: %v", status, err)
		}
		fmt.Fprintf(&sinks, "%v %+v %#v", err, err, err)
		if c != nil {
			fmt.Fprintf(&sinks, "%v %+v %#v %v", c, *c, *c, c.Auth())
			_, err := c.Check(t.Context(), "ada", "shop")
			fmt.Fprint(&sinks, err)
		}
		if shows := sinks.String(); strings.Contains(shows, canary) || strings.Contains(shows, fmt.Sprintf("%x", canary)) {
			t.Errorf("status %d shows the token: %s", status, shows)
		}
		for _, r := range seen {
			if got := r.Header.Get("Authorization"); got != "Bearer "+canary {
				t.Errorf("%s is signed with %q", r.URL, got)
			}
			if r.Header.Del("Authorization"); strings.Contains(fmt.Sprint(r.Header, r.URL), canary) {
				t.Errorf("the token stands in %s", r.URL)
			}
		}
		if len(seen) == 0 {
			t.Error("nothing was asked")
		}
	}
}

// TestWhichTokenGoesWhere: our own variable goes to any host, those of Gitea's to
// the operator's server, or to the workflow's, alone.
func TestWhichTokenGoesWhere(t *testing.T) {
	t.Parallel()
	var seen []*http.Request
	at := echoing(t, 200, &seen)
	host := strings.TrimSuffix(strings.TrimPrefix(at, "http://"), "/")
	for name, c := range map[string]struct {
		env  env
		home string
		want string // the variable; "" for none
	}{
		"ours first":             {env{"RETROSWEEP_TOKEN": canary, "GITEA_TOKEN": "x"}, "", "RETROSWEEP_TOKEN"},
		"Gitea's":                {env{"GITEA_TOKEN": canary, "FORGEJO_TOKEN": "x"}, "", "GITEA_TOKEN"},
		"Forgejo's":              {env{"FORGEJO_TOKEN": canary + "\n"}, "", "FORGEJO_TOKEN"},
		"at home":                {env{"GITEA_TOKEN": canary}, at, "GITEA_TOKEN"},
		"not at home":            {env{"GITEA_TOKEN": canary}, "https://git.acme.dev/", ""},
		"ours, not at home":      {env{"RETROSWEEP_TOKEN": canary}, "https://git.acme.dev/", "RETROSWEEP_TOKEN"},
		"the workflow's":         {env{"GITEA_TOKEN": canary, "GITEA_ACTIONS": "true", "GITHUB_SERVER_URL": at}, "", "GITEA_TOKEN"},
		"another workflow's":     {env{"GITEA_TOKEN": canary, "FORGEJO_ACTIONS": "true", "GITHUB_SERVER_URL": "https://git.acme.dev"}, "", ""},
		"none":                   {env{"GITHUB_TOKEN": canary}, "", ""},
		"two lines are no token": {env{"GITEA_TOKEN": canary + "\nX: y"}, "", "-"},
	} {
		got, err := gitea.Dial(t.Context(), gitea.DialOptions{URL: at, Home: c.home, Clock: &clock{now: noon}, Env: c.env.get})
		switch c.want {
		case "":
			if !errors.Is(err, wire.ErrNoCredential) || !strings.Contains(err.Error(), "RETROSWEEP_TOKEN") {
				t.Errorf("%s: %v", name, err)
			}
		case "-":
			if err == nil || strings.Contains(err.Error(), canary) {
				t.Errorf("%s: %v", name, err)
			}
		default:
			if err != nil || got.Source != c.want || got.Account.Login != "retrosweep" || got.Host != host {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		}
	}
	for _, bad := range []string{"http://git.acme.dev/", "https://ada:x@git.acme.dev/", "ftp://git.acme.dev/", "%"} {
		if _, err := gitea.Dial(t.Context(), gitea.DialOptions{URL: bad, Env: env{"RETROSWEEP_TOKEN": canary}.get}); err == nil || strings.Contains(err.Error(), "ada:x") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
