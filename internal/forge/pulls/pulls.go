package pulls

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/marker"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// Identity is an account. An id of 0 is not known: then the login decides.
type Identity struct {
	Login string
	ID    int64
}

// Is reports whether both are one account.
func (i Identity) Is(who Identity) bool {
	if i.ID != 0 {
		return i.ID == who.ID
	}
	return strings.EqualFold(i.Login, who.Login)
}

// Pull is a pull request or a merge request as its host knows it.
type Pull struct {
	Number     int
	Title      string
	Body       string
	URL        string // for a browser
	Head, Base string // branches
	Here       bool   // the branch lies in the repository itself, not in a fork
	Author     Identity
	Labels     []string
	Open       bool
	Merged     time.Time // zero: it was not
	Ended      time.Time // merged or closed; zero while it is open
}

// New is a request that is to be made.
type New struct{ Title, Body, Head, Base string }

// Edit changes a request; an empty title stays.
type Edit struct {
	Title string
	Body  string
	Close bool
}

// Host is the API of one repository's host. Its errors bear the host's status
// as a [StatusError] where it gave one.
type Host interface {
	// Own returns what our account made, in every state: number, body, author and
	// whether it is open.
	Own(ctx context.Context) ([]Pull, error)
	// OnBranch returns the open requests from a branch, and ours from it in every
	// state. It may return more.
	OnBranch(ctx context.Context, branch string) ([]Pull, error)
	Get(ctx context.Context, number int) (Pull, error)
	Create(ctx context.Context, n New) (Pull, error)
	Edit(ctx context.Context, number int, e Edit) (Pull, error)
	Label(ctx context.Context, number int, labels []string) error
	// Issues returns the issues that our account made, in every state. It may
	// return more.
	Issues(ctx context.Context) ([]Issue, error)
	// Post makes an issue say body; number 0 makes a new one.
	Post(ctx context.Context, number int, title, body string) error
	// Merge puts a request into its base while its branch stands at head.
	Merge(ctx context.Context, number int, head string) error
}

// Dresser is a host that does more for a new request than to label it.
type Dresser interface {
	// Dress does it, as far as it goes.
	Dress(ctx context.Context, number int) error
}

// Ways for a request to get into its base by itself.
const (
	MergeCommit = "merge"
	Squash      = "squash"
	Rebase      = "rebase"
)

// Later is a host that merges a request by itself once its checks pass. It never
// merges one at once, where nothing has to pass.
type Later interface {
	MergeLater(ctx context.Context, p Pull, head, method string) error
}

// StatusError is a refusal of the host.
type StatusError struct {
	Status int // of HTTP
	Err    error
}

// Error implements error.
func (e *StatusError) Error() string { return fmt.Sprintf("%v (status %d)", e.Err, e.Status) }

// Unwrap returns the cause.
func (e *StatusError) Unwrap() error { return e.Err }

// IsStatus reports whether the host answered with one of these.
func IsStatus(err error, codes ...int) bool {
	var e *StatusError
	return errors.As(err, &e) && slices.Contains(codes, e.Status)
}

// Pusher is the remote repository as git sees it.
type Pusher interface {
	// Push makes all updates or none. It fails with [repo.ErrRefMoved] when a
	// reference is not where its update says, and with a [repo.RefusedError] when
	// a rule of the host forbids it.
	Push(ctx context.Context, updates []repo.RefUpdate) error
	// Refs reads the references under a prefix of their full names, from the
	// remote and not from a copy.
	Refs(ctx context.Context, prefix string) (map[string]repo.Hash, error)
}

// Options are what a forge is made of.
type Options struct {
	Host    Host
	Bot     Identity          // only the requests of this account are ours
	Account Identity          // who the token belongs to; zero: the bot
	Author  proposal.Identity // of our commits; zero: [proposal.DefaultIdentity]
	Store   *repo.Repo        // where drafts are written, fetched in this run
	Pusher  Pusher
	Commits Committer    // makes the commits of proposals, and moves their branches; nil: they are pushed
	Auto    string       // of the upkeep request: how it is merged once its checks pass; "": a person merges it
	Warn    func(string) // what went wrong without harm; nil: nobody hears it
}

// Forge keeps proposals as pull requests.
type Forge struct{ Options }

var (
	_ forge.Forge    = (*Forge)(nil)
	_ forge.Reviewer = (*Forge)(nil)
)

// Make returns the forge of one repository.
func Make(o Options) (*Forge, error) {
	switch {
	case o.Host == nil || o.Store == nil || o.Pusher == nil:
		return nil, errors.New("a host, a store and a pusher are needed")
	case o.Bot.Login == "":
		return nil, errors.New("without the account behind the token, nothing can be known as ours")
	}
	if o.Author == (proposal.Identity{}) {
		o.Author = proposal.DefaultIdentity
	}
	if o.Account == (Identity{}) {
		o.Account = o.Bot
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	return &Forge{o}, nil
}

// isRefused reports whether a rule of the host stood in the way of a push.
func isRefused(err error) bool {
	var refused *repo.RefusedError
	return errors.As(err, &refused)
}

func (f *Forge) warn(format string, args ...any) { f.Warn(fmt.Sprintf(format, args...)) }

// records are where the edits of proposals are kept.
func (f *Forge) records() marker.Records { return marker.Records{Store: f.Store, Author: f.Author} }
