package doctor

import (
	"context"
	"errors"

	"github.com/retrosweep/retrosweep/internal/forge/gitea"
	"github.com/retrosweep/retrosweep/internal/forge/wire"
	"github.com/retrosweep/retrosweep/internal/repo/credentials"
)

// Gitea is a Gitea or Forgejo server as the host of a repository.
type Gitea struct {
	Connection  *gitea.Connection
	Err         error // why there is no connection
	Owner, Name string
}

// giteaScopes are what a token needs there.
const giteaScopes = "read:user, write:repository and write:issue"

// Check says whose token it is and, behind that, what it may do.
func (g Gitea) Check() Check {
	return Check{"Gitea account", func(ctx context.Context) Result {
		switch {
		case errors.Is(g.Err, wire.ErrNoCredential):
			return warn("no token: pull requests can be neither seen nor made", "set "+credentials.OwnVariable+" or "+gitea.EnvGitea+" to a token with "+giteaScopes)
		case g.Err != nil:
			return fail(g.Err, "make a new token with "+giteaScopes+", or look whether this machine reaches the server")
		}
		access, err := g.Connection.Check(ctx, g.Owner, g.Name)
		if err != nil {
			return fail(err, "give "+g.Connection.Account.Login+" access to "+g.Owner+"/"+g.Name+", or look at the spelling")
		}
		return ok("%s on %s, by %s", g.Connection.Account.Login, g.Connection.Host, g.Connection.Source).then(
			Check{"Gitea permissions", func(context.Context) Result { return giteaPermissions(access, g.Connection.Account.Login) }},
		)
	}}
}

func giteaPermissions(a gitea.Access, login string) Result {
	switch {
	case !a.Push:
		return fail(errors.New(login+" may read, not push: a night can be shown and not delivered"),
			"make the account a collaborator with write access, and give the token "+giteaScopes)
	case !a.Pulls:
		return fail(errors.New("the repository has no pull requests"), "turn them on in the settings of the repository")
	}
	return ok("read and write; default branch %s", a.Default)
}
