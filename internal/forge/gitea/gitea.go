package gitea

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"code.gitea.io/sdk/gitea"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/pulls"
	"github.com/retrosweep/retrosweep/internal/proposal"
)

// Options are what a forge is made of. The host of the embedded ones is made
// here, and the account is that of the connection.
type Options struct {
	pulls.Options
	Connection  *Connection // see [Dial]
	Owner, Repo string
}

// Forge keeps proposals as pull requests of one repository.
type Forge struct {
	*pulls.Forge
	host *host
}

var (
	_ forge.Forge = (*Forge)(nil)
	_ forge.Tasks = (*Forge)(nil)
)

// New returns the forge of one repository. Without a bot it is the account.
func New(o Options) (*Forge, error) {
	if o.Connection == nil || o.Owner == "" || o.Repo == "" {
		return nil, errors.New("gitea: a connection and the name of a repository are needed")
	}
	o.Account = o.Connection.Account
	if o.Bot == (pulls.Identity{}) {
		o.Bot = o.Account
	}
	h := &host{Connection: o.Connection, owner: o.Owner, repo: o.Repo, bot: o.Bot.Login}
	o.Host = h
	f, err := pulls.Make(o.Options)
	if err != nil {
		return nil, fmt.Errorf("gitea: %w", err)
	}
	return &Forge{f, h}, nil
}

// Page is where people read the pull requests of a repository.
func (c *Connection) Page(owner, name string) proposal.Host {
	return proposal.Host{Web: c.Web + "/" + owner + "/" + name, Blob: "/src/commit/", Plain: "?display=source", SayNo: "Close this pull request."}
}

// Access is what the credential may do in a repository.
type Access struct {
	Default string // branch
	Push    bool   // write access to contents
	Pulls   bool   // the repository has pull requests
}

// Check asks what a night needs to know beforehand. It writes nothing.
func (c *Connection) Check(ctx context.Context, owner, name string) (Access, error) {
	r, err := (&host{Connection: c, owner: owner, repo: name}).repository(ctx)
	if err != nil {
		return Access{}, fmt.Errorf("read %s/%s as %s: %w", owner, name, c.Account.Login, err)
	}
	return Access{Default: r.DefaultBranch, Push: r.Permissions != nil && r.Permissions.Push, Pulls: r.HasPullRequests}, nil
}

// Task implements [forge.Tasks]. The host gives no reasons: an issue that is
// closed is completed, and a pull request that was not merged is not planned.
func (f *Forge) Task(ctx context.Context, ref forge.TaskRef) (forge.Task, error) {
	h := f.host
	owner, name := h.owner, h.repo
	if ref.Owner != "" {
		owner, name = ref.Owner, ref.Repo
	}
	where := fmt.Sprintf("%s/%s#%d", owner, name, ref.Number)
	if ref.Host != "" && !strings.EqualFold(ref.Host, h.Host) {
		return forge.Task{}, fmt.Errorf("read %s on %s: %w", where, ref.Host, forge.ErrNoTask)
	}
	i, err := ask(ctx, h, func(c *gitea.Client) (*gitea.Issue, *gitea.Response, error) {
		return c.GetIssue(owner, name, int64(ref.Number))
	})
	switch {
	case pulls.IsStatus(err, http.StatusNotFound, http.StatusGone):
		return forge.Task{}, fmt.Errorf("read %s: %w", where, forge.ErrNoTask)
	case err != nil:
		return forge.Task{}, fmt.Errorf("read %s: %w", where, err)
	case i.Index != int64(ref.Number):
		return forge.Task{}, fmt.Errorf("read %s: the answer is about number %d: %w", where, i.Index, forge.ErrNoTask)
	}
	return taskOf(i), nil
}

func taskOf(i *gitea.Issue) forge.Task {
	switch {
	case i.State == gitea.StateOpen:
		return forge.Task{State: forge.TaskOpen}
	case i.PullRequest != nil && !i.PullRequest.HasMerged:
		return forge.Task{State: forge.TaskNotPlanned, Closed: when(i.Closed)}
	}
	return forge.Task{State: forge.TaskCompleted, Closed: when(i.Closed)}
}
