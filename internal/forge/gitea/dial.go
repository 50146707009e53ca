package gitea

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

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

// DialOptions say how to reach a server.
type DialOptions = wire.DialOptions

// Connection is a way to a server with what is known of the account behind it.
type Connection struct {
	*wire.Login
	Account pulls.Identity // behind the token
}

// Auth makes requests of git to the host with the same credential: the server
// takes a token as the password of any name.
func (c *Connection) Auth() credentials.Auth { return c.GitAuth("x-access-token") }

// Dial finds a credential and asks who it belongs to. Without one it fails with
// [wire.ErrNoCredential].
func Dial(ctx context.Context, o DialOptions) (*Connection, error) {
	env := o.Env
	if env == nil {
		env = os.Getenv
	}
	login, err := wire.SignIn(ctx, o, workflow(env), EnvGitea, EnvForgejo)
	if err != nil {
		return nil, err
	}
	c := &Connection{Login: login}
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

// client is the library's for one context: it keeps one for all its calls. The
// version of the server is not asked: what is called has been there for years.
func (c *Connection) client(ctx context.Context) (*gitea.Client, error) {
	client, err := gitea.NewClient(c.Web, gitea.SetHTTPClient(c.Way), gitea.SetContext(ctx), gitea.SetGiteaVersion(""), gitea.SetUserAgent("retrosweep"))
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
