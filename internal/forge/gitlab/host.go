package gitlab

import (
	"context"
	"errors"
	"regexp"
	"time"

	gitlab "gitlab.com/gitlab-org/api/client-go"

	"github.com/retrosweep/retrosweep/internal/forge/pulls"
)

// host is the API of one project.
type host struct {
	*Connection
	project string // acme/team/shop
	bot     string // login of the account whose requests are ours
}

const (
	pageSize = 100
	maxPages = 200 // 20,000 entries are no list of proposals
)

var errLoop = errors.New("the pages of the list do not end")

// list collects all pages. An answer that names a page before the next one would
// be read for ever, so it is an error.
func (h *host) list(ctx context.Context, o gitlab.ListProjectMergeRequestsOptions) (out []pulls.Pull, err error) {
	defer readable(&err)
	o.State, o.Scope, o.ListOptions = gitlab.Ptr("all"), gitlab.Ptr("all"), gitlab.ListOptions{Page: 1, PerPage: pageSize}
	for {
		some, resp, err := h.client.MergeRequests.ListProjectMergeRequests(h.project, &o, gitlab.WithContext(ctx))
		if err = failure(resp, err); err != nil {
			return nil, err
		}
		for _, mr := range some {
			out = append(out, pullOf(mr))
		}
		switch {
		case resp.NextPage == 0:
			return out, nil
		case resp.NextPage <= o.Page || resp.NextPage > maxPages:
			return nil, errLoop
		}
		o.Page = resp.NextPage
	}
}

// Own implements [pulls.Host].
func (h *host) Own(ctx context.Context) ([]pulls.Pull, error) {
	return h.list(ctx, gitlab.ListProjectMergeRequestsOptions{AuthorUsername: &h.bot})
}

// OnBranch implements [pulls.Host].
func (h *host) OnBranch(ctx context.Context, branch string) ([]pulls.Pull, error) {
	return h.list(ctx, gitlab.ListProjectMergeRequestsOptions{SourceBranch: &branch})
}

// Get implements [pulls.Host].
func (h *host) Get(ctx context.Context, number int) (p pulls.Pull, err error) {
	defer readable(&err)
	return one(h.client.MergeRequests.GetMergeRequest(h.project, int64(number), nil, gitlab.WithContext(ctx)))
}

// MergeLater implements [pulls.Later]. Where the project does not require a
// pipeline to succeed, the host would merge at once what none has looked at yet.
func (h *host) MergeLater(ctx context.Context, r pulls.Pull, head, method string) (err error) {
	defer readable(&err)
	p, resp, err := h.client.Projects.GetProject(h.project, nil, gitlab.WithContext(ctx))
	switch err = failure(resp, err); {
	case err != nil:
		return err
	case p == nil || !p.OnlyAllowMergeIfPipelineSucceeds:
		return errors.New("the project merges without a pipeline that succeeded, and would do so at once")
	case method == pulls.Rebase:
		return errors.New("whether to rebase is a setting of the project")
	}
	_, err = one(h.client.MergeRequests.AcceptMergeRequest(h.project, int64(r.Number), &gitlab.AcceptMergeRequestOptions{
		AutoMerge: gitlab.Ptr(true), SHA: &head, Squash: gitlab.Ptr(method == pulls.Squash),
	}, gitlab.WithContext(ctx)))
	return err
}

var order = regexp.MustCompile(`(?m)^([ \t]*)/`)

// still is a text that orders nothing: the host takes a line that begins with a
// slash (/merge, /approve) as an order, given in our name.
func still(text string) string { return order.ReplaceAllString(text, `$1\/`) }

// Create implements [pulls.Host].
func (h *host) Create(ctx context.Context, n pulls.New) (p pulls.Pull, err error) {
	defer readable(&err)
	return one(h.client.MergeRequests.CreateMergeRequest(h.project, &gitlab.CreateMergeRequestOptions{
		Title: &n.Title, Description: gitlab.Ptr(still(n.Body)), SourceBranch: &n.Head, TargetBranch: &n.Base,
	}, gitlab.WithContext(ctx)))
}

// Edit implements [pulls.Host].
func (h *host) Edit(ctx context.Context, number int, e pulls.Edit) (pulls.Pull, error) {
	o := &gitlab.UpdateMergeRequestOptions{Description: gitlab.Ptr(still(e.Body))}
	if e.Title != "" {
		o.Title = &e.Title
	}
	if e.Close {
		o.StateEvent = gitlab.Ptr("close")
	}
	return h.update(ctx, number, o)
}

// Label implements [pulls.Host]. A label that is not there is made by the host.
func (h *host) Label(ctx context.Context, number int, labels []string) error {
	_, err := h.update(ctx, number, &gitlab.UpdateMergeRequestOptions{AddLabels: gitlab.Ptr(gitlab.LabelOptions(labels))})
	return err
}

func (h *host) update(ctx context.Context, number int, o *gitlab.UpdateMergeRequestOptions) (p pulls.Pull, err error) {
	defer readable(&err)
	return one(h.client.MergeRequests.UpdateMergeRequest(h.project, int64(number), o, gitlab.WithContext(ctx)))
}

// Merge implements [pulls.Host], as the project is set up.
func (h *host) Merge(ctx context.Context, number int, head string) (err error) {
	defer readable(&err)
	_, err = one(h.client.MergeRequests.AcceptMergeRequest(h.project, int64(number), &gitlab.AcceptMergeRequestOptions{SHA: &head}, gitlab.WithContext(ctx)))
	return err
}

// readable makes an error of what the library makes of some answers that are JSON
// and not what it waits for, as a list that holds null: it panics.
func readable(err *error) {
	if r := recover(); r != nil {
		*err = errors.New("the answer cannot be read")
	}
}

// one is the answer of a call about one merge request.
func one(mr *gitlab.MergeRequest, resp *gitlab.Response, err error) (pulls.Pull, error) {
	if err = failure(resp, err); err != nil || mr == nil { // null is JSON too
		return pulls.Pull{}, err
	}
	return pullOf(&mr.BasicMergeRequest), nil
}

// pullOf reads an answer. One that is locked is being merged.
func pullOf(mr *gitlab.BasicMergeRequest) pulls.Pull {
	if mr == nil { // a list may hold null
		return pulls.Pull{}
	}
	p := pulls.Pull{
		Number: int(mr.IID), Title: mr.Title, Body: mr.Description, URL: mr.WebURL, Head: mr.SourceBranch, Base: mr.TargetBranch,
		Here: mr.SourceProjectID > 0 && mr.SourceProjectID == mr.TargetProjectID, Labels: mr.Labels,
		Open: mr.State == "opened" || mr.State == "locked", Merged: when(mr.MergedAt), Ended: when(mr.ClosedAt),
	}
	if mr.Author != nil {
		p.Author = pulls.Identity{Login: mr.Author.Username, ID: mr.Author.ID}
	}
	return p
}

func when(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
