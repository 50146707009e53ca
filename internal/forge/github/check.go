package github

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/retrosweep/retrosweep/internal/forge/pulls"
)

// Access is what the credential may do in a repository.
type Access struct {
	Default   string   // branch
	Push      bool     // write access to contents
	Scopes    []string // of a classic token; nil where the host names none
	Actions   bool     // the workflow settings could be read
	MayCreate bool     // Actions may create pull requests; only where Actions is true
	Left      int      // calls in this hour
	Reset     time.Time
}

// Check asks what a night needs to know beforehand. It writes nothing.
func (c *Connection) Check(ctx context.Context, owner, name string) (Access, error) {
	r, resp, err := c.Client.Repositories.Get(ctx, owner, name)
	if err != nil {
		return Access{}, fmt.Errorf("read %s/%s as %s: %w", owner, name, c.Bot.Login, err)
	}
	a := Access{Default: r.GetDefaultBranch(), Push: r.GetPermissions()["push"]}
	for scope := range strings.SplitSeq(resp.Header.Get("X-OAuth-Scopes"), ",") {
		if scope = strings.TrimSpace(scope); scope != "" {
			a.Scopes = append(a.Scopes, scope)
		}
	}
	p, err := c.workflowSettings(ctx, owner, name)
	if err != nil && !pulls.IsStatus(failure(err), http.StatusForbidden, http.StatusNotFound) {
		return a, fmt.Errorf("read the Actions settings of %s/%s: %w", owner, name, err)
	}
	a.Actions, a.MayCreate = err == nil, p.GetCanApprovePullRequestReviews()
	limits, _, err := c.Client.RateLimit.Get(ctx)
	if err != nil && !pulls.IsStatus(failure(err), http.StatusNotFound) { // an Enterprise server without limits
		return a, fmt.Errorf("read the limits: %w", err)
	}
	if core := limits.GetCore(); core != nil {
		a.Left, a.Reset = core.Remaining, core.Reset.UTC()
	}
	return a, nil
}

// workflowSettings are for administrators alone on some hosts.
func (c *Connection) workflowSettings(ctx context.Context, owner, name string) (*github.DefaultWorkflowPermissionRepository, error) {
	p, _, err := c.Client.Repositories.GetDefaultWorkflowPermissions(ctx, owner, name)
	return p, err
}
