package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/github"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// origin is the remote that a repository was fetched from.
type origin struct {
	main    *Main
	options repo.RemoteOptions
	store   *repo.Repo
	warn    func(string)
}

// Push moves references on the remote, all or none.
func (o *origin) Push(ctx context.Context, updates []repo.RefUpdate) error {
	return o.store.Push(ctx, o.options, updates)
}

// Forge is GitHub's for a repository that is there, and none elsewhere: then
// proposals are branches.
func (o *origin) Forge(ctx context.Context, store *repo.Repo) (forge.Forge, error) {
	owner, name, host, ok := github.ParseRemote(o.options.URL)
	if !ok || !github.IsGitHub(host, o.main.Getenv) {
		return nil, nil
	}
	c, err := github.Dial(ctx, github.DialOptions{Host: host, APIURL: o.main.Getenv("RETROSWEEP_GITHUB_API"), Env: o.main.Getenv})
	if err != nil {
		return nil, fmt.Errorf("pull requests of %s/%s: %w", owner, name, err)
	}
	return github.New(github.Options{
		Client: c.Client, Owner: owner, Repo: name, Bot: c.Bot, Store: store, Pusher: pusher{o}, Warn: o.warn,
	})
}

// pusher is the remote as the GitHub forge sees it.
type pusher struct{ *origin }

// Push implements [github.Pusher].
func (p pusher) Push(ctx context.Context, updates []github.RefUpdate) error {
	all := make([]repo.RefUpdate, 0, len(updates))
	for _, u := range updates {
		all = append(all, repo.RefUpdate(u))
	}
	err := p.origin.Push(ctx, all)
	var refused *repo.RefusedError
	if errors.As(err, &refused) {
		return errors.Join(github.ErrRefused, err)
	}
	return err
}

// Refs implements [github.Pusher].
func (p pusher) Refs(ctx context.Context, prefix string) (map[string]repo.Hash, error) {
	return repo.RemoteRefs(ctx, p.options, prefix)
}
