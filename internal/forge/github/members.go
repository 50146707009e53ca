package github

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/google/go-github/v62/github"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/pulls"
)

var _ forge.Members = (*Forge)(nil)

// AuthorOf implements [forge.Members]. A list of one commit is asked for: the
// commit alone would come with its patches.
func (f *Forge) AuthorOf(ctx context.Context, commit string) (string, error) {
	all, _, err := f.host.client.Repositories.ListCommits(ctx, f.host.owner, f.host.repo, &github.CommitsListOptions{
		SHA: commit, ListOptions: github.ListOptions{PerPage: 1},
	})
	switch {
	case pulls.IsStatus(failure(err), http.StatusNotFound, http.StatusUnprocessableEntity):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("read who wrote commit %.7s: %w", commit, err)
	case len(all) == 0 || all[0].GetSHA() != commit:
		return "", nil
	}
	return all[0].GetAuthor().GetLogin(), nil
}

// MayWrite implements [forge.Members]. The host counts the role maintain as
// write, and triage as read.
func (f *Forge) MayWrite(ctx context.Context, login string) (bool, error) {
	p, _, err := f.host.client.Repositories.GetPermissionLevel(ctx, f.host.owner, f.host.repo, url.PathEscape(login))
	switch {
	case pulls.IsStatus(failure(err), http.StatusNotFound):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read what %q may do: %w", login, err)
	}
	return p.GetPermission() == "admin" || p.GetPermission() == "write", nil
}
