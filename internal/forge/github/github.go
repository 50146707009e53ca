package github

import (
	"errors"
	"fmt"

	"github.com/google/go-github/v62/github"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/pulls"
	"github.com/retrosweep/retrosweep/internal/proposal"
)

// Host is where people read the pull requests of a repository.
func Host(host, owner, name string) proposal.Host {
	return proposal.Host{Web: "https://" + host + "/" + owner + "/" + name, Plain: "?plain=1", SayNo: "Close this pull request."}
}

// Identity is an account. An id of 0 is not known: then the login decides.
type Identity = pulls.Identity

// Policy is how pull requests are made.
type Policy struct {
	Draft     bool     // where the repository has drafts; default: ready for review
	Reviewers []string // logins; none but these are ever asked
	Teams     []string // slugs of teams to ask for a review
}

// Options are what a forge is made of. The host of the embedded ones is made
// here.
type Options struct {
	pulls.Options
	Client      *github.Client // see [Dial]
	Server      string         // as in the address of the repository; "": github.com
	Owner, Repo string
	Policy      Policy
	Commits     bool // the host makes the commits of proposals, and signs those of an app
}

// Forge keeps proposals as pull requests of one repository.
type Forge struct {
	*pulls.Forge
	host *host
}

var _ forge.Forge = (*Forge)(nil)

// New returns the forge of one repository.
func New(o Options) (*Forge, error) {
	if o.Client == nil || o.Owner == "" || o.Repo == "" {
		return nil, errors.New("github: a client and the name of a repository are needed")
	}
	if o.Server == "" {
		o.Server = publicHost
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	h := &host{client: o.Client, server: o.Server, owner: o.Owner, repo: o.Repo, bot: o.Bot, policy: o.Policy, warn: o.Warn, store: o.Store, pusher: o.Pusher}
	if o.Host = h; o.Commits {
		o.Options.Commits = h
	}
	f, err := pulls.Make(o.Options)
	if err != nil {
		return nil, fmt.Errorf("github: %w", err)
	}
	return &Forge{f, h}, nil
}
