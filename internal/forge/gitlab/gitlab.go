// Package gitlab owns the calls that keep proposals as merge requests on GitLab,
// and the credentials for it. What is written, and in which order, is decided in
// internal/forge/pulls.
//
// The host gives no reason for a closed issue, and who may write is not asked of
// it, so that members are named by hand (trust.members); without such a list every
// human author is one. Nothing here has met a real GitLab yet: its fake was written
// by the documentation.
package gitlab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"

	gitlab "gitlab.com/gitlab-org/api/client-go"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/pulls"
	"github.com/retrosweep/retrosweep/internal/forge/wire"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo/credentials"
)

// EnvToken is the variable of tokens for these hosts, after our own.
const EnvToken = "GITLAB_TOKEN"

const publicHost = "gitlab.com"

// IsGitLab reports whether a host is known to be GitLab: the public one, or the
// one whose pipeline we run in.
func IsGitLab(host string, env func(string) string) bool {
	return strings.EqualFold(host, publicHost) || pipeline(env) != "" && strings.EqualFold(pipeline(env), host)
}

// pipeline is the server whose pipeline we run in, "" outside of one.
func pipeline(env func(string) string) string {
	server, err := url.Parse(env("CI_SERVER_URL"))
	if err != nil || env("GITLAB_CI") != "true" {
		return ""
	}
	return server.Host
}

var (
	scpLike = regexp.MustCompile(`^(?:[A-Za-z0-9._-]+@)?([A-Za-z0-9.-]{2,}):([^/].*)$`)
	segment = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.+-]*$`)
)

// ParseRemote reads a clone URL whose path is a project in groups, as deep as
// they are: owner is acme/team. Names and passwords in it are left out.
func ParseRemote(raw string) (owner, name, host string, ok bool) {
	raw = strings.TrimSpace(raw)
	path := ""
	if m := scpLike.FindStringSubmatch(raw); m != nil && !strings.Contains(raw, "://") {
		host, path = m[1], m[2]
	} else if u, err := url.Parse(raw); err == nil && u.RawQuery == "" && u.Fragment == "" {
		path = u.Path
		switch u.Scheme {
		case "https", "http":
			host = u.Host
		case "ssh", "git+ssh":
			host = u.Hostname() // the port is that of ssh
		}
	}
	parts := strings.Split(strings.TrimSuffix(strings.Trim(path, "/"), ".git"), "/")
	if host == "" || len(parts) < 2 || len(parts) > 20 {
		return "", "", "", false
	}
	for _, p := range parts {
		if !segment.MatchString(p) || strings.Trim(p, ".") == "" {
			return "", "", "", false
		}
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], "/"), parts[last], strings.ToLower(host), true
}

// DialOptions say how to reach a server.
type DialOptions = wire.DialOptions

// Connection is a way to a server with what is known of the account behind it.
type Connection struct {
	*wire.Login
	Account pulls.Identity // behind the token
	client  *gitlab.Client
}

// Auth makes requests of git to the host with the same credential.
func (c *Connection) Auth() credentials.Auth { return c.GitAuth("oauth2") }

// Dial finds a credential and asks who it belongs to. Without one it fails with
// [wire.ErrNoCredential].
func Dial(ctx context.Context, o DialOptions) (*Connection, error) {
	env := o.Env
	if env == nil {
		env = os.Getenv
	}
	login, err := wire.SignIn(ctx, o, pipeline(env), EnvToken)
	if err != nil {
		return nil, err
	}
	c := &Connection{Login: login}
	if c.client, err = gitlab.NewAuthSourceClient(gitlab.Unauthenticated{}, gitlab.WithBaseURL(login.Web), gitlab.WithHTTPClient(login.Way),
		gitlab.WithoutRetries(), gitlab.WithUserAgent("retrosweep")); err != nil {
		return nil, fmt.Errorf("reach %s: make a client: %w", c.Host, err)
	}
	u, resp, err := c.client.Users.CurrentUser(gitlab.WithContext(ctx))
	if err = failure(resp, err); err == nil && (u == nil || u.Username == "") {
		err = errors.New("the host does not say")
	}
	if err != nil {
		return nil, fmt.Errorf("reach %s with %s: ask whose token it is: %w", c.Host, c.Source, err)
	}
	c.Account = pulls.Identity{Login: u.Username, ID: u.ID}
	return c, nil
}

// failure gives an error of the library the status that the host answered with.
func failure(resp *gitlab.Response, err error) error {
	if err == nil || resp == nil || resp.Response == nil || resp.StatusCode < 300 {
		return err
	}
	return &pulls.StatusError{Status: resp.StatusCode, Err: err}
}

// Options are what a forge is made of. The host of the embedded ones is made
// here, and the account is that of the connection.
type Options struct {
	pulls.Options
	Connection  *Connection // see [Dial]
	Owner, Repo string      // the groups, as acme/team, and the project
}

// Forge keeps proposals as merge requests of one project.
type Forge struct {
	*pulls.Forge
	host *host
}

var (
	_ forge.Forge = (*Forge)(nil)
	_ forge.Tasks = (*Forge)(nil)
)

// New returns the forge of one project. Without a bot it is the account.
func New(o Options) (*Forge, error) {
	if o.Connection == nil || o.Owner == "" || o.Repo == "" {
		return nil, errors.New("gitlab: a connection and the name of a project are needed")
	}
	o.Account = o.Connection.Account
	if o.Bot == (pulls.Identity{}) {
		o.Bot = o.Account
	}
	h := &host{Connection: o.Connection, project: o.Owner + "/" + o.Repo, bot: o.Bot.Login}
	o.Host = h
	f, err := pulls.Make(o.Options)
	if err != nil {
		return nil, fmt.Errorf("gitlab: %w", err)
	}
	return &Forge{f, h}, nil
}

// Page is where people read the merge requests of a project.
func (c *Connection) Page(owner, name string) proposal.Host {
	return proposal.Host{Web: c.Web + "/" + owner + "/" + name, Blob: "/-/blob/", Plain: "?plain=1", SayNo: "Close this merge request."}
}

// Access is what the credential may do in a project.
type Access struct {
	Default string // branch
	Push    bool   // write access to contents: developer or more
	Pulls   bool   // the project has merge requests
}

// Check asks what a night needs to know beforehand. It writes nothing.
func (c *Connection) Check(ctx context.Context, owner, name string) (Access, error) {
	p, resp, err := c.client.Projects.GetProject(owner+"/"+name, nil, gitlab.WithContext(ctx))
	if err = failure(resp, err); err == nil && p == nil {
		err = errors.New("the host says nothing of it")
	}
	if err != nil {
		return Access{}, fmt.Errorf("read %s/%s as %s: %w", owner, name, c.Account.Login, err)
	}
	a := Access{Default: p.DefaultBranch, Pulls: p.MergeRequestsAccessLevel != gitlab.DisabledAccessControl}
	if p.Permissions != nil {
		project, group := p.Permissions.ProjectAccess, p.Permissions.GroupAccess
		a.Push = project != nil && project.AccessLevel >= gitlab.DeveloperPermissions || group != nil && group.AccessLevel >= gitlab.DeveloperPermissions
	}
	return a, nil
}

// Task implements [forge.Tasks], for issues: merge requests are counted apart.
// Of the reasons for which an issue was closed the host gives one: that it is a
// duplicate.
func (f *Forge) Task(ctx context.Context, ref forge.TaskRef) (forge.Task, error) {
	project := f.host.project
	if ref.Owner != "" {
		project = ref.Owner + "/" + ref.Repo
	}
	where := fmt.Sprintf("%s#%d", project, ref.Number)
	if ref.Host != "" && !strings.EqualFold(ref.Host, f.host.Host) {
		return forge.Task{}, fmt.Errorf("read %s on %s: %w", where, ref.Host, forge.ErrNoTask)
	}
	i, err := f.host.issue(ctx, project, ref.Number)
	switch {
	case pulls.IsStatus(err, http.StatusNotFound, http.StatusGone):
		return forge.Task{}, fmt.Errorf("read %s: %w", where, forge.ErrNoTask)
	case err != nil:
		return forge.Task{}, fmt.Errorf("read %s: %w", where, err)
	case i.IID != ref.Number:
		return forge.Task{}, fmt.Errorf("read %s: the answer is about number %d: %w", where, i.IID, forge.ErrNoTask)
	case i.State == "opened":
		return forge.Task{State: forge.TaskOpen}, nil
	case i.Links.Duplicate != "":
		return forge.Task{State: forge.TaskDuplicate, Closed: when(i.ClosedAt)}, nil
	}
	return forge.Task{State: forge.TaskCompleted, Closed: when(i.ClosedAt)}, nil
}
