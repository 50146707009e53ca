package gitea

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"code.gitea.io/sdk/gitea"

	"github.com/retrosweep/retrosweep/internal/forge/pulls"
	"github.com/retrosweep/retrosweep/internal/forge/wire"
	"github.com/retrosweep/retrosweep/internal/repo/credentials"
)

// The variables of tokens for these hosts, after our own.
const (
	EnvGitea   = "GITEA_TOKEN"
	EnvForgejo = "FORGEJO_TOKEN"
)

// public are the servers that are known without being named.
var public = []string{"codeberg.org", "gitea.com"}

// IsGitea reports whether a host is known to be a Gitea or Forgejo server: a
// public one, or the one that a workflow of its own runs for. GitHub's variables
// name that server too.
func IsGitea(host string, env func(string) string) bool {
	for _, known := range public {
		if strings.EqualFold(host, known) {
			return true
		}
	}
	return workflow(env) != "" && strings.EqualFold(workflow(env), host)
}

// workflow is the server whose workflow we run in, "" outside of one.
func workflow(env func(string) string) string {
	server, err := url.Parse(env("GITHUB_SERVER_URL"))
	if err != nil || env("GITEA_ACTIONS") != "true" && env("FORGEJO_ACTIONS") != "true" {
		return ""
	}
	return server.Host
}

// variables are those whose token is meant for a host: with a home, which the
// operator names, or in a workflow, for that server alone.
func (o DialOptions) variables(host string) []string {
	home := workflow(o.Env)
	if u, err := url.Parse(o.Home); err == nil && u.Host != "" {
		home = u.Host
	}
	if home != "" && !strings.EqualFold(home, host) {
		return nil
	}
	return []string{EnvGitea, EnvForgejo}
}

// DialOptions say how to reach a server.
type DialOptions struct {
	URL       string              // where people see it: https://codeberg.org/
	Home      string              // the operator's own server: tokens in variables of Gitea's go there alone; "": to where URL leads
	Env       func(string) string // default [os.Getenv]
	Transport http.RoundTripper   // default [http.DefaultTransport]
	Clock     wire.Clock          // default: the machine's
	MaxPause  time.Duration       // the longest limit that is waited for; default 5 minutes
}

// Connection is a way to a server with what is known of the account behind it.
type Connection struct {
	Source  string         // where the credential is from
	Account pulls.Identity // behind the token
	Host    string
	Web     string // where people see the server, without a slash at the end
	secret  credentials.Secret
	way     *http.Client
}

// Auth makes requests of git to the host with the same credential: the server
// takes a token as the password of any name.
func (c *Connection) Auth() credentials.Auth {
	return credentials.From(func(_ context.Context, u *url.URL) (credentials.Credential, bool, error) {
		if !strings.EqualFold(u.Host, c.Host) {
			return credentials.Credential{}, false, nil
		}
		return credentials.Credential{Username: "x-access-token", Secret: c.secret, Source: c.Source}, true, nil
	})
}

// Dial finds a credential and asks who it belongs to. Without one it fails with
// [wire.ErrNoCredential].
func Dial(ctx context.Context, o DialOptions) (*Connection, error) {
	o = o.withDefaults()
	c, err := connect(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("reach %s: %w", hostOf(o.URL), err)
	}
	client, err := c.client(ctx)
	if err != nil {
		return nil, fmt.Errorf("reach %s: %w", c.Host, err)
	}
	u, resp, err := client.GetMyUserInfo()
	if err = failure(resp, err); err == nil && u.UserName == "" {
		err = errors.New("the host does not say")
	}
	if err != nil {
		return nil, fmt.Errorf("reach %s with %s: ask whose token it is: %w", c.Host, c.Source, err)
	}
	c.Account = pulls.Identity{Login: u.UserName, ID: u.ID}
	return c, nil
}

func (o DialOptions) withDefaults() DialOptions {
	if o.Env == nil {
		o.Env = os.Getenv
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	if o.Clock == nil {
		o.Clock = wire.System{}
	}
	if o.MaxPause == 0 {
		o.MaxPause = wire.DefaultPause
	}
	return o
}

// hostOf is the host of an address, of which nothing else is shown.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "the server"
	}
	return u.Host
}

func connect(ctx context.Context, o DialOptions) (*Connection, error) {
	at, err := url.Parse(strings.TrimSuffix(o.URL, "/"))
	if err != nil {
		return nil, errors.New("the address of the server cannot be read")
	}
	if err := wire.CheckEndpoint(at); err != nil {
		return nil, err
	}
	have, err := wire.Find(ctx, o.Env, at, o.variables(at.Host)...)
	if err != nil {
		return nil, err
	}
	way := wire.New(wire.Options{
		Name: at.Host, Host: at, Credential: wire.Token{Secret: have.Secret}, Next: o.Transport, Clock: o.Clock, MaxPause: o.MaxPause,
	})
	return &Connection{Source: have.Source, Host: at.Host, Web: at.String(), secret: have.Secret, way: way.Client()}, nil
}

// client is the library's for one context: it keeps one for all its calls. The
// version of the server is not asked: what is called has been there for years.
func (c *Connection) client(ctx context.Context) (*gitea.Client, error) {
	client, err := gitea.NewClient(c.Web, gitea.SetHTTPClient(c.way), gitea.SetContext(ctx), gitea.SetGiteaVersion(""), gitea.SetUserAgent("retrosweep"))
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	return client, nil
}

// failure gives an error of the library the status that the host answered with.
func failure(resp *gitea.Response, err error) error {
	if err == nil || resp == nil || resp.Response == nil || resp.StatusCode < 300 {
		return err
	}
	return &pulls.StatusError{Status: resp.StatusCode, Err: err}
}
