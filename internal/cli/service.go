package cli

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/doctor"
	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/gitea"
	"github.com/retrosweep/retrosweep/internal/forge/github"
	"github.com/retrosweep/retrosweep/internal/forge/gitlab"
	"github.com/retrosweep/retrosweep/internal/forge/pulls"
	"github.com/retrosweep/retrosweep/internal/forge/wire"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/repo/credentials"
)

// place is a repository on a host that has pull requests.
type place struct {
	kind              string // github, gitea or gitlab; "": the host has none for us
	host, owner, name string
	url               string // of the server
	home              string // the operator's own server of that kind
}

// placeOf reads the address of a remote.
func placeOf(address string, c config.Forge, env func(string) string) place {
	owner, name, host, ok := gitlab.ParseRemote(address) // as deep as groups are
	if !ok {
		return place{}
	}
	if owner, name, host, ok := github.ParseRemote(address); ok {
		return kindOf(place{host: host, owner: owner, name: name}, c, env)
	}
	if p := kindOf(place{host: host, owner: owner, name: name}, c, env); p.kind == "gitlab" {
		return p
	}
	return place{}
}

// kindOf says what a place is. What the operator says of a host comes before what
// is known of it.
func kindOf(p place, c config.Forge, env func(string) string) place {
	p.url, p.home = "https://"+p.host+"/", c.URL
	if u, err := url.Parse(c.URL); err == nil && c.Kind != "" && (strings.EqualFold(u.Host, p.host) || strings.EqualFold(u.Hostname(), p.host)) {
		p.kind, p.url = c.Kind, c.URL
		return p
	}
	switch {
	case gitea.IsGitea(p.host, env):
		p.kind = "gitea"
	case gitlab.IsGitLab(p.host, env):
		p.kind = "gitlab"
	case github.IsGitHub(p.host, env):
		p.kind = "github"
	}
	return p
}

// branchesAlone reports whether git alone is used for a host that could do more:
// with a key, or with a token that is for git and may not call the API. GitHub is
// no such host: there a night without its pull requests would be half a night.
func (p place) branchesAlone(err error) bool {
	return (p.kind == "gitea" || p.kind == "gitlab") && (errors.Is(err, wire.ErrNoCredential) || pulls.IsStatus(err, http.StatusForbidden))
}

// service is a repository's host, signed in to.
type service interface {
	Auth() credentials.Auth
	page() proposal.Host
	forge(o *origin, store *repo.Repo) (forge.Forge, error)
	source() string        // of the credential: a variable, or git's helper
	of(bot string) service // as a person sees what another account made
}

// noCredential reports whether nothing was found to sign in with.
func noCredential(err error) bool {
	return errors.Is(err, github.ErrNoCredential) || errors.Is(err, wire.ErrNoCredential)
}

// signIn returns the service of a place, nil where there is none.
func (m *Main) signIn(ctx context.Context, p place) (service, error) {
	switch p.kind {
	case "github":
		c, err := m.dialGitHub(ctx, p)
		if err != nil {
			return nil, err
		}
		return onGitHub{c, p}, nil
	case "gitea":
		c, err := gitea.Dial(ctx, gitea.DialOptions{URL: p.url, Home: p.home, Env: m.Getenv})
		if err != nil {
			return nil, err
		}
		return onGitea{c, p, ""}, nil
	case "gitlab":
		c, err := gitlab.Dial(ctx, gitlab.DialOptions{URL: p.url, Home: p.home, Env: m.Getenv})
		if err != nil {
			return nil, err
		}
		return onGitLab{c, p, ""}, nil
	}
	return nil, nil
}

func (m *Main) dialGitHub(ctx context.Context, p place) (*github.Connection, error) {
	return github.Dial(ctx, github.DialOptions{Host: p.host, APIURL: m.Getenv(apiVariable), Env: m.Getenv})
}

type onGitHub struct {
	*github.Connection
	place
}

func (g onGitHub) page() proposal.Host { return github.Host(g.place.host, g.owner, g.name) }

func (g onGitHub) source() string { return g.Source }

func (g onGitHub) of(bot string) service { return onGitHub{g.Of(bot), g.place} }

func (g onGitHub) forge(o *origin, store *repo.Repo) (forge.Forge, error) {
	return github.New(github.Options{
		Client: g.Client, Server: g.place.host, Owner: g.owner, Repo: g.name, Commits: o.byAPI, Policy: o.people,
		Options: pulls.Options{Bot: g.Bot, Account: g.Account, Author: o.author, Auto: o.auto, Store: store, Pusher: pusher{o}, Warn: o.warn},
	})
}

type onGitea struct {
	*gitea.Connection
	place
	bot string // "": the account of the token
}

func (g onGitea) page() proposal.Host { return g.Page(g.owner, g.name) }

func (g onGitea) source() string { return g.Source }

func (g onGitea) of(bot string) service { return onGitea{g.Connection, g.place, bot} }

func (g onGitea) forge(o *origin, store *repo.Repo) (forge.Forge, error) {
	return gitea.New(gitea.Options{
		Connection: g.Connection, Owner: g.owner, Repo: g.name,
		Options: pulls.Options{Bot: bot(g.bot, g.Account), Author: o.author, Auto: o.auto, Store: store, Pusher: pusher{o}, Warn: o.warn},
	})
}

type onGitLab struct {
	*gitlab.Connection
	place
	bot string // "": the account of the token
}

func (g onGitLab) page() proposal.Host { return g.Page(g.owner, g.name) }

func (g onGitLab) source() string { return g.Source }

func (g onGitLab) of(bot string) service { return onGitLab{g.Connection, g.place, bot} }

func (g onGitLab) forge(o *origin, store *repo.Repo) (forge.Forge, error) {
	return gitlab.New(gitlab.Options{
		Connection: g.Connection, Owner: g.owner, Repo: g.name,
		Options: pulls.Options{Bot: bot(g.bot, g.Account), Author: o.author, Auto: o.auto, Store: store, Pusher: pusher{o}, Warn: o.warn},
	})
}

// bot is the account whose requests are ours: the one that is named, else the
// one of the token.
func bot(login string, account pulls.Identity) pulls.Identity {
	if login == "" || strings.EqualFold(login, account.Login) {
		return account
	}
	return pulls.Identity{Login: login}
}

// examine is the doctor's look at a place, and the service where one could be
// signed in to.
func (m *Main) examine(ctx context.Context, p place, byAPI bool) (doctor.Check, service) {
	s, err := m.signIn(ctx, p)
	switch g := s.(type) {
	case onGitHub:
		return doctor.Host{Connection: g.Connection, Owner: p.owner, Name: p.name, Workflow: m.Getenv("GITHUB_ACTIONS") == "true", Commits: byAPI}.Check(), s
	case onGitea:
		return doctor.Gitea(g.Connection, p.owner, p.name).Check(), s
	case onGitLab:
		return doctor.GitLab(g.Connection, p.owner, p.name).Check(), s
	}
	switch p.kind {
	case "gitea":
		return doctor.NoGitea(err).Check(), nil
	case "gitlab":
		return doctor.NoGitLab(err).Check(), nil
	}
	return doctor.Host{Err: err}.Check(), nil
}
