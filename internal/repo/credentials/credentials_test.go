package credentials

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const canary = "canary-9e1b5d77-token"

// TestSecretNeverPrints by any verb, in any holder, in any format.
func TestSecretNeverPrints(t *testing.T) {
	t.Parallel()
	type holder struct {
		Public Secret
		hidden Secret
		deep   *struct{ s Secret }
		list   []Secret
		all    map[string]Credential
	}
	s := NewSecret(canary)
	c := Credential{Username: "ada", Secret: s, Source: "the test"}
	h := holder{s, s, &struct{ s Secret }{s}, []Secret{s}, map[string]Credential{"x": c}}
	auth := From(func(context.Context, *url.URL) (Credential, bool, error) { return c, true, nil })
	for _, value := range []any{s, &s, c, &c, h, &h, auth, &auth, []any{s, c, h}, struct{ a Auth }{auth}, fmt.Errorf("x: %v %+v %s", s, c, c)} {
		var out bytes.Buffer
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
			fmt.Fprintf(&out, verb, value)
		}
		fmt.Fprint(&out, value)
		slog.New(slog.NewTextHandler(&out, nil)).Error("x", "a", value)
		slog.New(slog.NewJSONHandler(&out, nil)).Error("x", "a", value)
		if b, err := json.Marshal(value); err == nil {
			out.Write(b)
		}
		if _, isAuth := value.(struct{ a Auth }); !isAuth {
			if b, err := marshalYAML(value); err == nil {
				out.Write(b)
			}
		}
		hex := fmt.Sprintf("%x", canary)
		if strings.Contains(out.String(), canary) || strings.Contains(strings.ToLower(out.String()), hex) {
			t.Errorf("%T prints its secret:\n%s", value, out.String())
		}
	}
	if s.Reveal() != canary || (Secret{}).Reveal() != "" || !(Secret{}).Empty() {
		t.Error("Reveal does not give the secret")
	}
}

// marshalYAML turns the panic of the library about functions into nothing.
func marshalYAML(value any) (b []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return yaml.Marshal(value)
}

func TestWhichVariableGoesWhere(t *testing.T) {
	t.Parallel()
	all := map[string]string{OwnVariable: "own", GitHubVariable: "actions", CLIVariable: "cli"}
	github := map[string]string{GitHubVariable: "actions", CLIVariable: "cli"}
	cli := map[string]string{CLIVariable: "cli\n"}
	server := map[string]string{GitHubVariable: "actions", "GITHUB_SERVER_URL": "https://git.acme.dev"}
	host := map[string]string{CLIVariable: "cli", "GH_HOST": "git.acme.dev"}
	tests := []struct {
		env                     map[string]string
		url, token, user, found string
	}{
		{all, "https://github.com/a/b", "own", "x-access-token", OwnVariable},
		{all, "https://gitlab.com/a/b", "own", "oauth2", OwnVariable},
		{all, "https://bitbucket.org/a/b", "own", "x-token-auth", OwnVariable},
		{github, "https://github.com/a/b", "actions", "x-access-token", GitHubVariable},
		{github, "https://api.github.com/", "actions", "x-access-token", GitHubVariable},
		{github, "https://acme.ghe.com/a/b", "actions", "x-access-token", GitHubVariable},
		{github, "https://gitlab.com/a/b", "", "", ""},
		{github, "https://evilgithub.com/a/b", "", "", ""},
		{github, "https://github.com.evil.dev/a/b", "", "", ""},
		{cli, "https://github.com/a/b", "cli", "x-access-token", CLIVariable},
		{server, "https://git.acme.dev/a/b", "actions", "x-access-token", GitHubVariable},
		{server, "https://git.evil.dev/a/b", "", "", ""},
		{host, "https://git.acme.dev/a/b", "cli", "x-access-token", CLIVariable},
		{all, "http://github.com/a/b", "", "", ""},
		{all, "http://127.0.0.1:80/a/b", "own", "x-access-token", OwnVariable},
		{all, "ssh://git@github.com/a/b", "", "", ""},
		{map[string]string{OwnVariable: "  "}, "https://github.com/a/b", "", "", ""},
	}
	for _, test := range tests {
		u, err := url.Parse(test.url)
		if err != nil {
			t.Fatal(err)
		}
		c, ok, err := FromEnvironment(func(name string) string { return test.env[name] }).Before(context.Background(), u)
		if err != nil || ok != (test.token != "") || c.Secret.Reveal() != test.token || c.Username != test.user || c.Source != test.found {
			t.Errorf("%s with %v: %q as %q from %q, %v", test.url, test.env, c.Secret.Reveal(), c.Username, c.Source, err)
		}
	}
}
