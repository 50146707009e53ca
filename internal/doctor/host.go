package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge/github"
	"github.com/retrosweep/retrosweep/internal/repo/credentials"
)

// Host is GitHub as the host of a repository.
type Host struct {
	Connection  *github.Connection
	Err         error // why there is no connection
	Owner, Name string
	Workflow    bool // we run in a workflow of Actions
	Commits     bool // GitHub makes the commits: delivery.commits is api
}

// Check says whose token it is and, behind that, what it may do.
func (h Host) Check() Check {
	return Check{"GitHub account", func(ctx context.Context) Result {
		switch {
		case errors.Is(h.Err, github.ErrNoCredential):
			return warn("no token: pull requests can be neither seen nor made", "set "+credentials.OwnVariable+" to a token with contents: write and pull-requests: write")
		case h.Err != nil:
			return fail(h.Err, "make a new token, or look whether this machine reaches the API")
		}
		access, err := h.Connection.Check(ctx, h.Owner, h.Name)
		who := fmt.Sprintf("%s, by %s", h.Connection.Bot.Login, h.Connection.Source)
		if err != nil {
			return fail(err, "give "+h.Connection.Bot.Login+" access to "+h.Owner+"/"+h.Name+", or look at the spelling")
		}
		return ok("%s", who).then(
			Check{"GitHub signatures", func(context.Context) Result { return h.signatures() }},
			Check{"GitHub permissions", func(context.Context) Result { return permissions(access, h.Connection.Bot.Login) }},
			Check{"GitHub scopes", func(context.Context) Result { return scopes(access.Scopes) }},
			Check{"GitHub Actions", func(context.Context) Result { return h.actions(access) }},
			Check{"GitHub limit", func(context.Context) Result { return limit(access) }},
		)
	}}
}

func permissions(a github.Access, login string) Result {
	if !a.Push {
		return fail(errors.New(login+" may read, not push: a night can be shown and not delivered"),
			"give the token contents: write and pull-requests: write, and the account write access")
	}
	return ok("read and write; default branch %s", a.Default)
}

// signatures tells who signs the commits of proposals, where it is GitHub.
func (h Host) signatures() Result {
	switch login := h.Connection.Bot.Login; {
	case !h.Commits:
		return ok("commits are pushed, signed with delivery.signing_key if that is set")
	case strings.HasSuffix(login, "[bot]"):
		return ok("GitHub makes the commits and signs them as %s", login)
	default:
		return warn("GitHub makes the commits, and signs none of "+login, "use a GitHub App, or delivery.commits: push with delivery.signing_key")
	}
}

// scopes are those of a classic token. Other kinds have permissions instead,
// which the host does not list.
func scopes(have []string) Result {
	switch {
	case have == nil:
		return ok("none named: a fine-grained token, an app or a workflow's token")
	case !slices.Contains(have, "repo") && !slices.Contains(have, "public_repo"):
		return fail(fmt.Errorf("the token has %s, without repo", strings.Join(have, ", ")), "add the scope repo (public_repo for a public repository)")
	case len(have) > 1:
		return warn(strings.Join(have, ", ")+": more than a night needs", "a fine-grained token for this one repository with contents and pull requests can do less harm")
	}
	return ok("%s", have[0])
}

const whereActions = "Settings, Actions, General, Workflow permissions: 'Allow GitHub Actions to create and approve pull requests'"

// actions is the setting without which the token of a workflow makes no pull
// request. Other tokens do not need it.
func (h Host) actions(a github.Access) Result {
	needed := h.Workflow && h.Connection.Source == credentials.GitHubVariable
	switch {
	case a.MayCreate:
		return ok("workflows may create pull requests")
	case a.Actions && needed:
		return fail(errors.New("this workflow may not create pull requests"), "turn on "+whereActions)
	case a.Actions:
		return ok("workflows may not create pull requests; this token is not a workflow's and may")
	}
	return unknown("the setting that lets workflows create pull requests cannot be read with this token", "if nights run in Actions, look at "+whereActions)
}

func limit(a github.Access) Result {
	if a.Reset.IsZero() {
		return ok("none")
	}
	const little = 100
	detail := fmt.Sprintf("%d calls left until %s", a.Left, a.Reset.Format(time.TimeOnly+" MST"))
	if a.Left < little {
		return warn(detail, "wait, or use an account of its own: a night takes some ten calls")
	}
	return ok("%s", detail)
}
