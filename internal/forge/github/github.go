package github

import (
	"context"
	"errors"
	"fmt"
	"github.com/retrosweep/retrosweep/internal/forge/marker"

	"github.com/google/go-github/v62/github"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// RefUpdate moves one reference of the remote.
type RefUpdate = repo.RefUpdate

// Host is where people read the pull requests of a repository.
func Host(host, owner, name string) proposal.Host {
	return proposal.Host{Web: "https://" + host + "/" + owner + "/" + name, Plain: "?plain=1", SayNo: "Close this pull request."}
}

// Pusher is the remote repository as git sees it.
type Pusher interface {
	// Push makes all updates or none. It fails with [repo.ErrRefMoved] when a
	// reference is not where its update says, and with [ErrRefused] or a
	// [repo.RefusedError] when a rule of the host forbids it.
	Push(ctx context.Context, updates []RefUpdate) error
	// Refs reads the references under a prefix of their full names, from the
	// remote and not from a copy.
	Refs(ctx context.Context, prefix string) (map[string]repo.Hash, error)
}

// ErrRefused is in the chain of what [Pusher.Push] returns when a rule of the
// host (a protected branch, a ruleset) forbids an update.
var ErrRefused = errors.New("a rule of the host refuses the push")

// Identity is an account. An id of 0 is not known: then the login decides.
type Identity struct {
	Login string
	ID    int64
}

// Policy is how pull requests are made.
type Policy struct {
	Draft     bool     // where the repository has drafts; default: ready for review
	Reviewers []string // logins; none but these are ever asked
	Teams     []string // slugs of teams to ask for a review
	AutoMerge string   // of the upkeep pull request: MERGE, SQUASH or REBASE; default none
}

// Options are what a forge is made of.
type Options struct {
	Client      *github.Client // see [Dial]
	Host        string         // as in the address of the repository; "": github.com
	Owner, Repo string
	Bot         Identity          // the account behind the client: only its pull requests are ours
	Account     Identity          // who the token belongs to; zero: the bot
	Author      proposal.Identity // of our commits; zero: [proposal.DefaultIdentity]
	Store       *repo.Repo        // where drafts are written, fetched in this run
	Pusher      Pusher
	Policy      Policy
	Warn        func(string) // what went wrong without harm; nil: nobody hears it
}

// Forge keeps proposals as pull requests.
type Forge struct{ Options }

var _ forge.Forge = (*Forge)(nil)

// New returns the forge of one repository.
func New(o Options) (*Forge, error) {
	switch {
	case o.Client == nil || o.Store == nil || o.Pusher == nil:
		return nil, errors.New("github: a client, a store and a pusher are needed")
	case o.Owner == "" || o.Repo == "":
		return nil, errors.New("github: no repository is named")
	case o.Bot.Login == "":
		return nil, errors.New("github: without the account behind the token, nothing can be known as ours")
	}
	if o.Author == (proposal.Identity{}) {
		o.Author = proposal.DefaultIdentity
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	return &Forge{o}, nil
}

// isRefused reports whether a rule of the host stood in the way of a push.
func isRefused(err error) bool {
	var refused *repo.RefusedError
	return errors.Is(err, ErrRefused) || errors.As(err, &refused)
}

func (f *Forge) warn(format string, args ...any) { f.Warn(fmt.Sprintf(format, args...)) }

// records are where the edits of proposals are kept.
func (f *Forge) records() marker.Records { return marker.Records{Store: f.Store, Author: f.Author} }
