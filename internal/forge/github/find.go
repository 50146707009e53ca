package github

import (
	"context"
	"errors"
	"fmt"
	"github.com/retrosweep/retrosweep/internal/forge/marker"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// heads are the branches under our prefix, and a branch that is called like the
// prefix itself, as the remote has them now.
func (f *Forge) heads(ctx context.Context) (map[string]repo.Hash, error) {
	refs, err := f.Pusher.Refs(ctx, headRefs+proposal.Prefix)
	if err != nil {
		return nil, fmt.Errorf("read the branches: %w", err)
	}
	out := map[string]repo.Hash{}
	for name, h := range refs {
		branch := strings.TrimPrefix(name, headRefs)
		if branch == proposal.Prefix || strings.HasPrefix(branch, proposal.Prefix+"/") {
			out[branch] = h
		}
	}
	return out, nil
}

const headRefs = "refs/heads/"

// pull is a pull request of ours with what it remembers.
type pull struct {
	*github.PullRequest
	marker marker.Marker
}

// mine reads a pull request as one of ours: the account made it, in this
// repository and from it, from a branch of ours, and the marker can be read.
func (f *Forge) mine(pr *github.PullRequest) (pull, bool) {
	m, err := marker.Parse(pr.GetBody())
	return pull{pr, m}, err == nil && m.Branch == pr.GetHead().GetRef() && f.made(pr)
}

// made reports whether our account made the pull request from a branch of ours.
func (f *Forge) made(pr *github.PullRequest) bool {
	return f.isBot(pr.GetUser()) && f.here(pr) && strings.HasPrefix(pr.GetHead().GetRef(), proposal.Prefix+"/")
}

// here reports whether the branch lies in the repository itself: a fork may have
// one of the same name.
func (f *Forge) here(pr *github.PullRequest) bool {
	head, base := pr.GetHead().GetRepo(), pr.GetBase().GetRepo()
	return head.GetID() != 0 && head.GetID() == base.GetID()
}

func (f *Forge) isBot(u *github.User) bool {
	if f.Bot.ID != 0 {
		return u.GetID() == f.Bot.ID
	}
	return strings.EqualFold(u.GetLogin(), f.Bot.Login)
}

// pulls returns our pull requests, the one that counts of each branch.
func (f *Forge) pulls(ctx context.Context) ([]pull, error) {
	numbers, err := f.numbers(ctx)
	if isStatus(err, http.StatusGone, http.StatusNotFound) { // a repository without issues
		return f.scan(ctx)
	}
	if err != nil {
		return nil, err
	}
	var out []pull
	for _, n := range numbers {
		pr, err := f.get(ctx, n)
		if err != nil {
			return nil, err
		}
		if p, ok := f.mine(pr); ok {
			out = append(out, p)
		}
	}
	return out, nil
}

// numbers asks the host for what our account made, and reads the markers there:
// that is a page where a list of all pull requests may be a hundred.
func (f *Forge) numbers(ctx context.Context) ([]int, error) {
	o := &github.IssueListByRepoOptions{Creator: f.Bot.Login, State: "all", Sort: "created", Direction: "desc"}
	issues, err := pages(func(page github.ListOptions) ([]*github.Issue, *github.Response, error) {
		o.ListOptions = page
		return f.Client.Issues.ListByRepo(ctx, f.Owner, f.Repo, o)
	})
	if err != nil {
		return nil, fmt.Errorf("list what %s made: %w", f.Bot.Login, err)
	}
	best := map[string]candidate{}
	for _, i := range issues {
		m, err := marker.Parse(i.GetBody())
		if err != nil || !i.IsPullRequest() || !f.isBot(i.GetUser()) {
			continue
		}
		best[m.Branch] = best[m.Branch].or(candidate{i.GetNumber(), i.GetState() == "open"})
	}
	var out []int
	for _, c := range best {
		out = append(out, c.number)
	}
	slices.Sort(out)
	return out, nil
}

// scan reads all pull requests.
func (f *Forge) scan(ctx context.Context) ([]pull, error) {
	all, err := f.listed(ctx, &github.PullRequestListOptions{State: "all", Sort: "created", Direction: "desc"})
	if err != nil {
		return nil, err
	}
	best, of := map[string]candidate{}, map[int]pull{}
	for _, pr := range all {
		if p, ok := f.mine(pr); ok {
			of[pr.GetNumber()] = p
			best[p.marker.Branch] = best[p.marker.Branch].or(candidate{pr.GetNumber(), pr.GetState() == "open"})
		}
	}
	var out []pull
	for _, c := range best {
		out = append(out, of[c.number])
	}
	return out, nil
}

// candidate is one of several pull requests of a branch.
type candidate struct {
	number int
	open   bool
}

// or prefers the open one, then the newest.
func (c candidate) or(d candidate) candidate {
	if c.open == d.open && d.number > c.number || d.open && !c.open {
		return d
	}
	return c
}

// onBranch are all pull requests from a branch of the repository, newest first.
func (f *Forge) onBranch(ctx context.Context, branch string) ([]*github.PullRequest, error) {
	all, err := f.listed(ctx, &github.PullRequestListOptions{State: "all", Head: f.Owner + ":" + branch})
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(pr *github.PullRequest) bool { return pr.GetHead().GetRef() != branch || !f.here(pr) })
	slices.SortFunc(all, func(a, b *github.PullRequest) int { return b.GetNumber() - a.GetNumber() })
	return all, nil
}

func (f *Forge) listed(ctx context.Context, o *github.PullRequestListOptions) ([]*github.PullRequest, error) {
	all, err := pages(func(page github.ListOptions) ([]*github.PullRequest, *github.Response, error) {
		o.ListOptions = page
		return f.Client.PullRequests.List(ctx, f.Owner, f.Repo, o)
	})
	if err != nil {
		return nil, fmt.Errorf("list pull requests: %w", err)
	}
	return all, nil
}

func (f *Forge) get(ctx context.Context, number int) (*github.PullRequest, error) {
	pr, _, err := f.Client.PullRequests.Get(ctx, f.Owner, f.Repo, number)
	if err == nil && pr.GetNumber() != number {
		err = fmt.Errorf("the answer is about number %d", pr.GetNumber())
	}
	if err != nil {
		return nil, fmt.Errorf("read pull request %d: %w", number, err)
	}
	return pr, nil
}

// maxPages bounds a list: 20,000 entries are no list of proposals.
const maxPages = 200

var errLoop = errors.New("the pages of the list do not end")

// pages collects all pages of a list. An answer that names a page before the
// next one would be read for ever, so it is an error.
func pages[T any](read func(github.ListOptions) ([]T, *github.Response, error)) ([]T, error) {
	var all []T
	o := github.ListOptions{PerPage: 100, Page: 1}
	for {
		some, resp, err := read(o)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		switch {
		case resp.NextPage == 0:
			return all, nil
		case resp.NextPage <= o.Page || resp.NextPage > maxPages:
			return nil, errLoop
		}
		o.Page = resp.NextPage
	}
}

// isStatus reports whether the host answered with one of these.
func isStatus(err error, codes ...int) bool {
	var e *github.ErrorResponse
	return errors.As(err, &e) && e.Response != nil && slices.Contains(codes, e.Response.StatusCode)
}
