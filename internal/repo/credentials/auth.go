// Package credentials finds what a request to a git host is made with, and
// keeps it from being seen.
//
// The order is RETROSWEEP_TOKEN, GITHUB_TOKEN and GH_TOKEN (the two for GitHub
// hosts alone, or one repository's URL could send the token of another host
// away), then, only after the host has asked for it, what `git credential fill`
// answers where git is installed.
//
// Keys for SSH are found by package remote.
package credentials

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/retrosweep/retrosweep/internal/repo/gitcli"
)

// Variables that hold tokens, in the order they are asked.
const (
	OwnVariable    = "RETROSWEEP_TOKEN"
	GitHubVariable = "GITHUB_TOKEN"
	CLIVariable    = "GH_TOKEN"
)

// ErrNone says that nothing was found, and where it was looked for.
var ErrNone = errors.New("no credential: set RETROSWEEP_TOKEN (or, for a GitHub host, GITHUB_TOKEN or GH_TOKEN), " +
	"configure a credential helper of git's, or use an ssh:// URL with ssh-agent or a key in ~/.ssh")

// Source finds a credential for a URL; ok is false when it has none.
type Source func(ctx context.Context, u *url.URL) (c Credential, ok bool, err error)

// Auth finds credentials. The zero value finds none. It holds functions, never
// a secret, so nothing can be printed of it.
type Auth struct {
	before Source // asked before the first request
	after  Source // asked when the host refused without
}

// FromEnvironment asks the variables, and git's credential helpers where git is
// installed.
func FromEnvironment(getenv func(string) string) Auth {
	return From(variables(getenv)).Then(helper)
}

// From asks one source alone, before the first request: a token that is made
// for a while, or one of a test.
func From(s Source) Auth { return Auth{before: s} }

// Then adds a source that is asked only after the host has refused what the
// first one gave, or asked for something when it gave nothing.
func (a Auth) Then(s Source) Auth { return Auth{before: a.before, after: s} }

// Before returns the credential to send with the first request to u, if any.
func (a Auth) Before(ctx context.Context, u *url.URL) (Credential, bool, error) {
	return ask(ctx, a.before, u)
}

// After returns the credential to send to a host that refused the first request.
func (a Auth) After(ctx context.Context, u *url.URL) (Credential, bool, error) {
	return ask(ctx, a.after, u)
}

// String names the type.
func (a Auth) String() string { return "credentials.Auth" }

// ask never lets a credential go where it could be read on the way.
func ask(ctx context.Context, s Source, u *url.URL) (Credential, bool, error) {
	if s == nil || u.Scheme != "https" && !(u.Scheme == "http" && Loopback(u.Hostname())) {
		return Credential{}, false, nil
	}
	return s(ctx, u)
}

// Loopback reports whether a host is this machine by its very name.
func Loopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

func variables(getenv func(string) string) Source {
	return func(_ context.Context, u *url.URL) (Credential, bool, error) {
		for _, name := range []string{OwnVariable, GitHubVariable, CLIVariable} {
			token := strings.TrimSpace(getenv(name))
			if token == "" || name != OwnVariable && !githubHost(u.Hostname(), getenv) {
				continue
			}
			return Credential{Username: username(u.Hostname()), Secret: NewSecret(token), Source: name}, true, nil
		}
		return Credential{}, false, nil
	}
}

// githubHost reports whether tokens of GitHub's variables are meant for a host:
// GitHub's own, or the Enterprise server that Actions or the command line name.
func githubHost(host string, getenv func(string) string) bool {
	host = strings.ToLower(host)
	for _, own := range []string{"github.com", "ghe.com"} {
		if host == own || strings.HasSuffix(host, "."+own) {
			return true
		}
	}
	server, err := url.Parse(getenv("GITHUB_SERVER_URL"))
	return err == nil && server.Hostname() != "" && strings.EqualFold(server.Hostname(), host) ||
		getenv("GH_HOST") != "" && strings.EqualFold(getenv("GH_HOST"), host)
}

// username is the name that hosts want beside a token.
func username(host string) string {
	host = strings.ToLower(host)
	switch {
	case host == "bitbucket.org":
		return "x-token-auth"
	case strings.Contains(host, "gitlab"):
		return "oauth2"
	}
	return "x-access-token"
}

// helper asks git's credential helpers, as the operator has configured them.
func helper(ctx context.Context, u *url.URL) (Credential, bool, error) {
	if u.Scheme != "https" {
		return Credential{}, false, nil
	}
	answer, err := gitcli.Fill(ctx, gitcli.Question{Protocol: u.Scheme, Host: u.Host, Path: strings.TrimPrefix(u.Path, "/")})
	if err != nil && !errors.Is(err, gitcli.ErrNoGit) {
		return Credential{}, false, err
	}
	c := Credential{Username: answer["username"], Secret: NewSecret(answer["password"]), Source: "git credential"}
	return c, !c.Secret.Empty(), nil
}
