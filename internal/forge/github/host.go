package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/retrosweep/retrosweep/internal/forge/pulls"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// host is the API of one repository.
type host struct {
	client      *github.Client
	server      string
	owner, repo string
	bot         Identity // whose pull requests are ours
	policy      Policy
	warn        func(string)
	store       *repo.Repo
	pusher      pulls.Pusher
	id          string // of the repository, for GraphQL
	unsigned    bool   // it was said that the host does not sign
}

// Own implements [pulls.Host]: it asks for the issues that our account made, which
// pull requests are too. That is a page where a list of all pull requests may be a
// hundred.
func (h *host) Own(ctx context.Context) ([]pulls.Pull, error) {
	issues, err := h.issues(ctx, "desc")
	if pulls.IsStatus(err, http.StatusGone, http.StatusNotFound) { // a repository without issues
		return h.list(ctx, &github.PullRequestListOptions{State: "all", Sort: "created", Direction: "desc"})
	}
	var out []pulls.Pull
	for _, i := range issues {
		if i.IsPullRequest() {
			out = append(out, pulls.Pull{Number: i.GetNumber(), Body: i.GetBody(), Author: identity(i.GetUser()), Open: i.GetState() == "open"})
		}
	}
	return out, err
}

// issues are those that our account made.
func (h *host) issues(ctx context.Context, direction string) ([]*github.Issue, error) {
	o := &github.IssueListByRepoOptions{Creator: h.bot.Login, State: "all", Sort: "created", Direction: direction}
	return pages(func(page github.ListOptions) ([]*github.Issue, *github.Response, error) {
		o.ListOptions = page
		return h.client.Issues.ListByRepo(ctx, h.owner, h.repo, o)
	})
}

// OnBranch implements [pulls.Host].
func (h *host) OnBranch(ctx context.Context, branch string) ([]pulls.Pull, error) {
	return h.list(ctx, &github.PullRequestListOptions{State: "all", Head: h.owner + ":" + branch})
}

func (h *host) list(ctx context.Context, o *github.PullRequestListOptions) ([]pulls.Pull, error) {
	all, err := pages(func(page github.ListOptions) ([]*github.PullRequest, *github.Response, error) {
		o.ListOptions = page
		return h.client.PullRequests.List(ctx, h.owner, h.repo, o)
	})
	var out []pulls.Pull
	for _, pr := range all {
		out = append(out, pullOf(pr))
	}
	return out, err
}

// Get implements [pulls.Host].
func (h *host) Get(ctx context.Context, number int) (pulls.Pull, error) {
	pr, _, err := h.client.PullRequests.Get(ctx, h.owner, h.repo, number)
	return pullOf(pr), failure(err)
}

// Create implements [pulls.Host]. Where the repository has no drafts it is ready
// for review at once.
func (h *host) Create(ctx context.Context, n pulls.New) (pulls.Pull, error) {
	draft := h.policy.Draft
	o := &github.NewPullRequest{Title: &n.Title, Head: &n.Head, Base: &n.Base, Body: &n.Body, Draft: &draft}
	pr, _, err := h.client.PullRequests.Create(ctx, h.owner, h.repo, o)
	if err = failure(err); draft && pulls.IsStatus(err, http.StatusUnprocessableEntity) && mentions(err, "draft") {
		h.warn(n.Head + " is ready for review at once: this repository has no drafts")
		draft = false
		pr, _, err = h.client.PullRequests.Create(ctx, h.owner, h.repo, o)
		err = failure(err)
	}
	return pullOf(pr), hint(err)
}

// Edit implements [pulls.Host].
func (h *host) Edit(ctx context.Context, number int, e pulls.Edit) (pulls.Pull, error) {
	patch := &github.PullRequest{Body: &e.Body}
	if e.Title != "" {
		patch.Title = &e.Title
	}
	if e.Close {
		patch.State = github.String("closed")
	}
	pr, _, err := h.client.PullRequests.Edit(ctx, h.owner, h.repo, number, patch)
	return pullOf(pr), failure(err)
}

// Label implements [pulls.Host]. The client library sends a bare list, which the
// API no longer describes.
func (h *host) Label(ctx context.Context, number int, labels []string) error {
	at := fmt.Sprintf("repos/%s/%s/issues/%d/labels", h.owner, h.repo, number)
	req, err := h.client.NewRequest(http.MethodPost, at, map[string][]string{"labels": labels})
	if err != nil {
		return fmt.Errorf("add labels: %w", err)
	}
	_, err = h.client.Do(ctx, req, nil)
	return failure(err)
}

// Merge implements [pulls.Host]. Of a refusal the host's words are enough.
func (h *host) Merge(ctx context.Context, number int, head string) error {
	result, _, err := h.client.PullRequests.Merge(ctx, h.owner, h.repo, number, "", &github.PullRequestOptions{SHA: head})
	var refused *github.ErrorResponse
	switch {
	case errors.As(err, &refused) && refused.Response != nil:
		return &pulls.StatusError{Status: refused.Response.StatusCode, Err: errors.New(refused.Message)}
	case err == nil && !result.GetMerged():
		return fmt.Errorf("the host did not merge it: %q", result.GetMessage())
	}
	return err
}

// mentions reports whether the host's answer holds a phrase: some of its
// refusals differ in nothing else.
func mentions(err error, phrase string) bool {
	var e *github.ErrorResponse
	if !errors.As(err, &e) {
		return false
	}
	text := e.Message
	for _, d := range e.Errors {
		text += "\n" + d.Message
	}
	return strings.Contains(strings.ToLower(text), phrase)
}

// hint says what to do about a refusal that people meet.
func hint(err error) error {
	switch {
	case mentions(err, "not permitted to create"):
		return fmt.Errorf("%w: allow it under Settings, Actions, General, Workflow permissions", err)
	case pulls.IsStatus(err, http.StatusForbidden):
		return fmt.Errorf("%w: the token needs write access to contents and pull requests", err)
	}
	return err
}

// failure gives an error of the library the status that the host answered with.
func failure(err error) error {
	var e *github.ErrorResponse
	if errors.As(err, &e) && e.Response != nil {
		return &pulls.StatusError{Status: e.Response.StatusCode, Err: err}
	}
	return err
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
			return nil, failure(err)
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

func identity(u *github.User) Identity { return Identity{Login: u.GetLogin(), ID: u.GetID()} }

// pullOf reads an answer. A fork may have a branch of the same name.
func pullOf(pr *github.PullRequest) pulls.Pull {
	head, base := pr.GetHead(), pr.GetBase()
	p := pulls.Pull{
		Number: pr.GetNumber(), Title: pr.GetTitle(), Body: pr.GetBody(), URL: pr.GetHTMLURL(), Head: head.GetRef(), Base: base.GetRef(),
		Here: head.GetRepo().GetID() != 0 && head.GetRepo().GetID() == base.GetRepo().GetID(), Author: identity(pr.GetUser()), Open: pr.GetState() == "open",
	}
	if pr == nil {
		return p
	}
	p.Merged, p.Ended = when(pr.MergedAt), when(pr.ClosedAt)
	for _, l := range pr.Labels {
		p.Labels = append(p.Labels, l.GetName())
	}
	return p
}

func when(t *github.Timestamp) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
