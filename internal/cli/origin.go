package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/github"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/repo/credentials"
	"github.com/retrosweep/retrosweep/internal/repo/remote"
)

// Variables that say how a remote is reached.
const (
	apiVariable        = "RETROSWEEP_GITHUB_API"  // another address of GitHub's API than the one that belongs to the host
	sshKeyVariable     = "RETROSWEEP_SSH_KEY"     // a private key file, instead of the agent and the usual ones
	knownHostsVariable = "RETROSWEEP_KNOWN_HOSTS" // a file, instead of ~/.ssh/known_hosts
)

// origin is the remote that a repository was fetched from.
type origin struct {
	options repo.RemoteOptions
	store   *repo.Repo
	service service // nil: the host has no pull requests for us
	ledger  *ledger
	author  proposal.Identity // of our commits
	byAPI   bool              // the host makes the commits of proposals
	auto    string            // how the upkeep pull request merges by itself
	people  github.Policy     // how pull requests are made on GitHub
	warn    func(string)
}

// connect finds out what the remote is and how to sign in. A host without a
// credential can still be read: then proposals are not looked at.
func (m *Main) connect(ctx context.Context, address string, c config.Forge, apply bool) (*origin, error) {
	o, err := m.dial(ctx, address, c)
	switch {
	case noCredential(err) && apply:
		return nil, usageError{err}
	case noCredential(err):
		m.warn(err.Error() + "; pull requests are not looked at, and every human author counts as a member")
	case err != nil:
		return nil, err
	}
	return o, nil
}

// dial is [Main.connect] for who only reads: where there is no credential it
// returns, with the error, an origin that can be tried as anybody.
func (m *Main) dial(ctx context.Context, address string, c config.Forge) (*origin, error) {
	o := &origin{warn: m.warn, options: repo.RemoteOptions{
		URL: address, Auth: credentials.FromEnvironment(m.Getenv),
		SSHKey: m.Getenv(sshKeyVariable), KnownHosts: m.Getenv(knownHostsVariable),
	}}
	at := placeOf(address, c, m.Getenv)
	s, err := m.signIn(ctx, at)
	if at.branchesAlone(err) {
		m.warn(err.Error() + "; proposals are branches there, and nobody is asked to review them")
		return o, nil
	}
	if err != nil || s == nil {
		return o, err
	}
	o.service, o.options.Auth = s, s.Auth()
	return o, nil
}

// commitBy says who makes the commits of proposals. GitHub alone does it for us.
func (o *origin) commitBy(who string, apply bool) error {
	_, able := o.service.(onGitHub)
	o.byAPI = able && who == "api"
	if who == "api" && !able && apply {
		return errors.New("delivery.commits: api: GitHub alone makes commits for us; push is for every host")
	}
	return nil
}

// deepen is how a night over a person's own shallow clone gets at older history:
// from the remote named origin, into the clone itself where it may write there,
// else into a copy in the cache. It is nil where there is no such remote.
func (m *Main) deepen(f *flags, c config.Forge, src source) night.Deepen {
	address := src.repo.RemoteURL()
	if src.remote != nil || !remote.IsURL(address) {
		return nil
	}
	return func(ctx context.Context, r *repo.Repo, apply bool, enough func(*repo.Repo) bool) (*repo.Repo, error) {
		o, err := m.dial(ctx, address, c)
		if err != nil && !noCredential(err) {
			return nil, err
		}
		o.options.Progress = m.progress(f)
		if !apply {
			cache, err := m.cacheDir()
			if err != nil {
				return nil, usageError{err}
			}
			if r, err = r.Borrow(ctx, filepath.Join(cache, borrowedDir)); err != nil {
				return nil, err
			}
		}
		err = r.Deepen(ctx, o.options, repo.Until{Enough: func() bool { return enough(r) }})
		if err != nil && !apply {
			err = errors.Join(err, r.Close())
		}
		return r, err
	}
}

// warn tells a person what does no harm.
func (m *Main) warn(text string) { fmt.Fprintf(m.Stderr, "retrosweep: %s\n", text) }

// Push moves references on the remote, all or none.
func (o *origin) Push(ctx context.Context, updates []repo.RefUpdate) error {
	return o.ledger.push(ctx, updates, func(ctx context.Context, updates []repo.RefUpdate) error {
		return o.store.Push(ctx, o.options, updates)
	})
}

// Forge is that of the host, and none where it has no pull requests for us: then
// proposals are branches.
func (o *origin) Forge(_ context.Context, store *repo.Repo) (forge.Forge, error) {
	if o.service == nil {
		return nil, nil
	}
	return o.service.forge(o, store)
}

// Host is where people read proposals: pull requests, or branches.
func (o *origin) Host() proposal.Host {
	if o.service == nil {
		return proposal.Host{}
	}
	return o.service.page()
}

// pusher is the remote as a forge sees it.
type pusher struct{ *origin }

// Push implements [pulls.Pusher].
func (p pusher) Push(ctx context.Context, updates []repo.RefUpdate) error {
	return p.store.Push(ctx, p.options, updates)
}

// Refs implements [pulls.Pusher].
func (p pusher) Refs(ctx context.Context, prefix string) (map[string]repo.Hash, error) {
	return repo.RemoteRefs(ctx, p.options, prefix)
}
