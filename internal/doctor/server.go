package doctor

import (
	"context"
	"errors"

	"github.com/retrosweep/retrosweep/internal/forge/gitea"
	"github.com/retrosweep/retrosweep/internal/forge/gitlab"
	"github.com/retrosweep/retrosweep/internal/forge/wire"
	"github.com/retrosweep/retrosweep/internal/repo/credentials"
)

// Server is a host of another kind than GitHub: one account, and what it may do.
type Server struct {
	err      error // why there is no connection
	kind     string
	variable string // of tokens for this kind
	scopes   string // that a token needs
	pulls    string // what proposals are called there

	login, host, source, path string
	look                      func(context.Context) (access, error)
}

// access is what the credential may do in a repository.
type access struct {
	branch      string
	push, pulls bool
}

// NoGitea is a Gitea or Forgejo server without a connection.
func NoGitea(err error) Server {
	return Server{err: err, kind: "Gitea", variable: gitea.EnvGitea, scopes: "read:user, write:repository and write:issue", pulls: "pull requests"}
}

// Gitea is a Gitea or Forgejo server as the host of a repository.
func Gitea(c *gitea.Connection, owner, name string) Server {
	s := NoGitea(nil)
	s.login, s.host, s.source, s.path = c.Account.Login, c.Host, c.Source, owner+"/"+name
	s.look = func(ctx context.Context) (access, error) {
		a, err := c.Check(ctx, owner, name)
		return access{a.Default, a.Push, a.Pulls}, err
	}
	return s
}

// NoGitLab is a GitLab server without a connection.
func NoGitLab(err error) Server {
	return Server{err: err, kind: "GitLab", variable: gitlab.EnvToken, scopes: "the scope api and the role developer", pulls: "merge requests"}
}

// GitLab is a GitLab server as the host of a project.
func GitLab(c *gitlab.Connection, owner, name string) Server {
	s := NoGitLab(nil)
	s.login, s.host, s.source, s.path = c.Account.Login, c.Host, c.Source, owner+"/"+name
	s.look = func(ctx context.Context) (access, error) {
		a, err := c.Check(ctx, owner, name)
		return access{a.Default, a.Push, a.Pulls}, err
	}
	return s
}

// Check says whose token it is and, behind that, what it may do.
func (s Server) Check() Check {
	return Check{s.kind + " account", func(ctx context.Context) Result {
		switch {
		case errors.Is(s.err, wire.ErrNoCredential):
			return warn("no token: "+s.pulls+" can be neither seen nor made", "set "+credentials.OwnVariable+" or "+s.variable+" to a token with "+s.scopes)
		case s.err != nil:
			return fail(s.err, "make a new token with "+s.scopes+", or look whether this machine reaches the server")
		}
		a, err := s.look(ctx)
		if err != nil {
			return fail(err, "give "+s.login+" access to "+s.path+", or look at the spelling")
		}
		return ok("%s on %s, by %s", s.login, s.host, s.source).then(
			Check{s.kind + " permissions", func(context.Context) Result { return s.permissions(a) }},
		)
	}}
}

func (s Server) permissions(a access) Result {
	switch {
	case !a.push:
		return fail(errors.New(s.login+" may read, not push: a night can be shown and not delivered"), "give the account write access, and the token "+s.scopes)
	case !a.pulls:
		return fail(errors.New("the repository has no "+s.pulls), "turn them on in its settings")
	}
	return ok("read and write; default branch %s", a.branch)
}
