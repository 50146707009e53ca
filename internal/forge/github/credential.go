package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/bradleyfalzon/ghinstallation/v2"
	tokens "github.com/google/go-github/v88/github" // the words of ghinstallation alone

	"github.com/retrosweep/retrosweep/internal/forge/wire"
	"github.com/retrosweep/retrosweep/internal/repo/credentials"
)

// Credential gives the token that is valid now, for the API and for git: over
// HTTPS its user name is x-access-token.
type Credential = wire.Credential

// installation is a GitHub App as installed in one account. Its tokens live for
// an hour and are made as needed.
type installation struct{ source *ghinstallation.Transport }

// Token implements [Credential].
func (i installation) Token(ctx context.Context) (credentials.Secret, error) {
	s, err := i.source.Token(ctx)
	if err != nil {
		return credentials.Secret{}, fmt.Errorf("make a token for the app: %w", err)
	}
	return credentials.NewSecret(s), nil
}

// The variables that credentials are taken from.
const (
	EnvToken          = credentials.OwnVariable
	EnvGitHubToken    = credentials.GitHubVariable
	EnvGHToken        = credentials.CLIVariable
	EnvAppID          = "RETROSWEEP_APP_ID"
	EnvInstallationID = "RETROSWEEP_APP_INSTALLATION_ID"
	EnvAppKey         = "RETROSWEEP_APP_KEY"
	EnvAppKeyFile     = "RETROSWEEP_APP_KEY_FILE"
)

// ErrNoCredential names every variable that could have held one.
var ErrNoCredential = errors.New("no credential for GitHub: set " + EnvToken + " (or, for the host they belong to, " + EnvGitHubToken + " or " + EnvGHToken +
	"), or for a GitHub App " + EnvAppID + ", " + EnvInstallationID + " and " + EnvAppKey + " or " + EnvAppKeyFile)

// found is what the environment holds: a token, or an app.
type found struct {
	token      credentials.Secret
	from       string // the variable
	app        int64
	installed  int64
	privateKey credentials.Secret
}

// lookUp reads the environment: an app that is configured for us, else the token
// that git would be given for the host. A token of github.com is not shown to
// another server.
func lookUp(ctx context.Context, env func(string) string, host string) (found, error) {
	if env(EnvAppID) != "" {
		return lookUpApp(env)
	}
	c, ok, err := credentials.FromEnvironment(env).Before(ctx, &url.URL{Scheme: "https", Host: host})
	switch {
	case err != nil:
		return found{}, fmt.Errorf("look for a credential: %w", err)
	case !ok:
		return found{}, ErrNoCredential
	case strings.ContainsFunc(c.Secret.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }):
		return found{}, fmt.Errorf("%s holds more than a token: there are blanks or control characters in it", c.Source)
	}
	return found{token: c.Secret, from: c.Source}, nil
}

func lookUpApp(env func(string) string) (found, error) {
	f := found{from: EnvAppID}
	for name, into := range map[string]*int64{EnvAppID: &f.app, EnvInstallationID: &f.installed} {
		n, err := strconv.ParseInt(strings.TrimSpace(env(name)), 10, 64)
		if err != nil || n <= 0 {
			return found{}, fmt.Errorf("%s must be the number that GitHub shows for the app or its installation", name)
		}
		*into = n
	}
	key := env(EnvAppKey)
	if file := env(EnvAppKeyFile); key == "" && file != "" {
		b, err := os.ReadFile(file) //nolint:gosec // the operator names it
		if err != nil {
			return found{}, fmt.Errorf("read the private key that %s names: %w", EnvAppKeyFile, err)
		}
		key = string(b)
	}
	if key == "" {
		return found{}, fmt.Errorf("the private key of the app is missing: set %s or %s", EnvAppKey, EnvAppKeyFile)
	}
	f.privateKey = credentials.NewSecret(strings.ReplaceAll(key, `\n`, "\n")) // as one line, where a variable cannot hold more
	return f, nil
}

// credential makes what was found usable. Tokens of an app are asked for through
// next, which carries no other token, and may do no more than a night needs,
// whatever else the app may.
func (f found) credential(api *url.URL, next http.RoundTripper) (Credential, error) {
	if f.app == 0 {
		return wire.Token{Secret: f.token}, nil
	}
	source, err := ghinstallation.New(next, f.app, f.installed, []byte(f.privateKey.Reveal()))
	if err != nil {
		return nil, fmt.Errorf("%s holds no private key of an app in PEM form", EnvAppKey) // the cause may quote it
	}
	source.BaseURL = strings.TrimSuffix(api.String(), "/")
	source.InstallationTokenOptions = &tokens.InstallationTokenOptions{Permissions: &tokens.InstallationPermissions{
		Contents: tokens.Ptr("write"), PullRequests: tokens.Ptr("write"), Metadata: tokens.Ptr("read"),
	}}
	source.Client = &http.Client{Transport: next, CheckRedirect: wire.CheckRedirect}
	return installation{source}, nil
}
