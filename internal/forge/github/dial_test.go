package github_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge/github"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/forge/pulls"
)

func TestDialNamesWhatCouldHoldACredential(t *testing.T) {
	t.Parallel()
	_, err := github.Dial(t.Context(), github.DialOptions{Env: env{}.get})
	if !errors.Is(err, github.ErrNoCredential) {
		t.Fatalf("dial: %v", err)
	}
	for _, name := range []string{"RETROSWEEP_TOKEN", "GITHUB_TOKEN", "GH_TOKEN", "RETROSWEEP_APP_ID", "RETROSWEEP_APP_INSTALLATION_ID", "RETROSWEEP_APP_KEY", "RETROSWEEP_APP_KEY_FILE"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name %s: %v", name, err)
		}
	}
}

func TestDialPrefersWhatIsMeantForUs(t *testing.T) {
	t.Parallel()
	const good = githubfake.Token
	for name, c := range map[string]struct {
		env  env
		host string
		want string // where the credential came from; "" for none
	}{
		"ours first":              {env{"RETROSWEEP_TOKEN": good, "GITHUB_TOKEN": "x", "GH_TOKEN": "y"}, "", "RETROSWEEP_TOKEN"},
		"then the workflow's":     {env{"GITHUB_TOKEN": good, "GH_TOKEN": "y"}, "", "GITHUB_TOKEN"},
		"then that of gh":         {env{"GH_TOKEN": good}, "github.com", "GH_TOKEN"},
		"with a line end":         {env{"GH_TOKEN": good + "\n"}, "github.com", "GH_TOKEN"},
		"a tenant":                {env{"GH_TOKEN": good}, "acme.ghe.com", "GH_TOKEN"},
		"another host gets none":  {env{"GITHUB_TOKEN": good, "GH_TOKEN": good}, "git.evil.dev", ""},
		"but ours":                {env{"RETROSWEEP_TOKEN": good}, "git.acme.dev", "RETROSWEEP_TOKEN"},
		"or the workflow's own":   {env{"GITHUB_TOKEN": good, "GITHUB_SERVER_URL": "https://git.acme.dev"}, "git.acme.dev", "GITHUB_TOKEN"},
		"or where gh is at home":  {env{"GH_TOKEN": good, "GH_HOST": "git.acme.dev"}, "git.acme.dev", "GH_TOKEN"},
		"two lines are no token":  {env{"RETROSWEEP_TOKEN": good + "\nX: y"}, "", ""},
		"an app without its key":  {env{"RETROSWEEP_APP_ID": "1", "RETROSWEEP_APP_INSTALLATION_ID": "2", "GH_TOKEN": good}, "", ""},
		"an app that is no app":   {env{"RETROSWEEP_APP_ID": "x", "GH_TOKEN": good}, "", ""},
		"an app with a bad key":   {env{"RETROSWEEP_APP_ID": "1", "RETROSWEEP_APP_INSTALLATION_ID": "2", "RETROSWEEP_APP_KEY": good}, "", ""},
		"an app with a lost file": {env{"RETROSWEEP_APP_ID": "1", "RETROSWEEP_APP_INSTALLATION_ID": "2", "RETROSWEEP_APP_KEY_FILE": "/nowhere"}, "", ""},
	} {
		w := newWorld(t)
		got, err := github.Dial(t.Context(), github.DialOptions{APIURL: w.api, Clock: w.clock, Env: c.env.get, Host: c.host})
		if (err == nil) != (c.want != "") || err == nil && (got.Source != c.want || got.Bot.ID != githubfake.Bot.ID) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if err != nil && strings.Contains(err.Error(), good) {
			t.Errorf("%s: the error holds the token: %v", name, err)
		}
	}
}

// TestDialApp: an app signs, gets a token, and knows itself by GraphQL; on an
// Enterprise server everything stands under other paths.
func TestDialApp(t *testing.T) {
	t.Parallel()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	secret := string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	file := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	bot := githubfake.User{Login: "retrosweep[bot]", ID: 55, App: true}
	ids := env{"RETROSWEEP_APP_ID": "12", "RETROSWEEP_APP_INSTALLATION_ID": "34", "GITHUB_TOKEN": "not this one"}
	for name, e := range map[string]env{
		"a file":   {"RETROSWEEP_APP_KEY_FILE": file},
		"a value":  {"RETROSWEEP_APP_KEY": secret},
		"one line": {"RETROSWEEP_APP_KEY": strings.ReplaceAll(secret, "\n", `\n`)},
	} {
		for k, v := range ids {
			e[k] = v
		}
		for _, path := range []string{"", "api/v3/"} {
			w := newWorld(t, func(f *githubfake.Options, _ *github.Options) {
				f.App = &githubfake.App{ID: 12, Installation: 34, Key: &key.PublicKey, User: bot, Token: "ghs_" + "installed"}
			})
			c, err := github.Dial(t.Context(), github.DialOptions{Host: "git.acme.dev", APIURL: w.api + path, Clock: w.clock, Env: e.get})
			if err != nil || c.Bot.Login != bot.Login || c.Bot.ID != bot.ID {
				t.Fatalf("%s at %q: %+v, %v", name, path, c, err)
			}
			f, err := github.New(github.Options{
				Client: c.Client, Owner: "acme", Repo: "shop", Options: pulls.Options{Bot: c.Bot, Store: w.Repo, Pusher: w.fake.Remote},
			})
			if err != nil {
				t.Fatal(err)
			}
			w.Forge = f
			w.open(w.draft("rules", "Seed the clock."))
			if w.pull().Author != bot || len(w.list()) != 1 {
				t.Errorf("%s at %q: made by %+v", name, path, w.pull().Author)
			}
			if r := w.dialed()[0]; len(w.dialed()) != 1 || r.Body == "" || !strings.Contains(r.Body, `"contents":"write"`) || strings.Contains(r.Body, "administration") {
				t.Errorf("%s at %q: %d tokens, the first with %s", name, path, len(w.dialed()), r.Body)
			}
			at := &url.URL{Scheme: "https", Host: "git.acme.dev"}
			if cred, ok, err := c.Auth().Before(t.Context(), at); err != nil || !ok || cred.Username != "x-access-token" || cred.Secret.Reveal() != "ghs_"+"installed" {
				t.Errorf("%s: for git: %v, %v", name, cred, err)
			}
			if _, ok, err := c.Auth().Before(t.Context(), &url.URL{Scheme: "https", Host: "git.evil.dev"}); ok || err != nil {
				t.Errorf("%s: another host gets the token: %v", name, err)
			}
			if got, err := c.Credential.Token(t.Context()); err != nil || got.Reveal() != "ghs_"+"installed" {
				t.Errorf("%s: the token for git: %v", name, err)
			}
		}
	}
}

func TestEndpoints(t *testing.T) {
	t.Parallel()
	for host, want := range map[string][2]string{
		"":             {"https://api.github.com/", "https://uploads.github.com/"},
		"GitHub.com":   {"https://api.github.com/", "https://uploads.github.com/"},
		"acme.ghe.com": {"https://api.acme.ghe.com/", "https://uploads.acme.ghe.com/"},
		"git.acme.dev": {"https://git.acme.dev/api/v3/", "https://git.acme.dev/api/uploads/"},
	} {
		c, err := github.Dial(t.Context(), github.DialOptions{Host: host, Bot: "retrosweep-bot", Env: env{"RETROSWEEP_TOKEN": "x"}.get})
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]string{c.Client.BaseURL.String(), c.Client.UploadURL.String()}; got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
	for _, bad := range []string{"http://git.acme.dev/", "ftp://git.acme.dev/", "https://me:pw@git.acme.dev/", "git.acme.dev", "https://%zz"} {
		_, err := github.Dial(t.Context(), github.DialOptions{APIURL: bad, Bot: "x", Env: env{"RETROSWEEP_TOKEN": "x"}.get})
		if err == nil || strings.Contains(err.Error(), "pw") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestParseRemote(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://github.com/acme/shop":            "github.com acme shop",
		"https://github.com/acme/shop.git":        "github.com acme shop",
		"https://GitHub.com/acme/shop.git/":       "github.com acme shop",
		"https://me:secret@github.com/acme/shop":  "github.com acme shop",
		"https://git.acme.dev:8443/acme/shop.git": "git.acme.dev:8443 acme shop",
		"http://127.0.0.1:8080/acme/shop":         "127.0.0.1:8080 acme shop",
		"git@github.com:acme/shop.git":            "github.com acme shop",
		"github.com:acme/.github":                 "github.com acme .github",
		"ssh://git@github.com/acme/shop.git":      "github.com acme shop",
		"ssh://git@ssh.github.com:443/acme/shop":  "github.com acme shop",
		"ssh://git@git.acme.dev:2222/acme/shop":   "git.acme.dev acme shop",
		"git+ssh://git@github.com/acme/shop":      "github.com acme shop",
		"https://gitlab.com/group/sub/shop":       "",
		"https://github.com/acme":                 "",
		"https://github.com/acme/..":              "",
		"https://github.com/acme/shop?x=y":        "",
		"https://github.com/-acme/shop":           "",
		"https://github.com/acme/sh%2fop":         "",
		"file:///srv/acme/shop":                   "",
		"ext::sh -c touch% /tmp/x":                "",
		"/srv/acme/shop":                          "",
		"./acme/shop":                             "",
		`C:\acme\shop`:                            "",
		"C:acme/shop":                             "",
		"":                                        "",
		"https://github.com/acme/shop\x00":        "",
	} {
		owner, name, host, ok := github.ParseRemote(raw)
		if got := strings.TrimSpace(host + " " + owner + " " + name); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", raw, got, ok)
		}
	}
}

func TestIsGitHub(t *testing.T) {
	t.Parallel()
	e := env{"GITHUB_SERVER_URL": "https://git.acme.dev"}
	for host, want := range map[string]bool{"github.com": true, "acme.ghe.com": true, "git.acme.dev": true, "gitlab.com": false, "evilgithub.com": false, "ghe.com": false} {
		if got := github.IsGitHub(host, e.get); got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
}

// dialed are the requests for a token of an app.
func (w *world) dialed() []githubfake.Request {
	return slices.DeleteFunc(w.fake.Requests(), func(r githubfake.Request) bool { return !strings.HasSuffix(r.Path, "/access_tokens") })
}
