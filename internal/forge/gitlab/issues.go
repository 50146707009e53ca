package gitlab

import (
	"context"
	"fmt"
	"net/http"
	"time"

	gitlab "gitlab.com/gitlab-org/api/client-go"

	"github.com/retrosweep/retrosweep/internal/forge/pulls"
)

// issue is what is read of one. The library's own type is not used: it panics
// where an answer has no id, and leaves out what the issue is a duplicate of.
type issue struct {
	IID         int        `json:"iid"`
	State       string     `json:"state"`
	Description string     `json:"description"`
	ClosedAt    *time.Time `json:"closed_at"`
	Author      struct {
		ID       int64  `json:"id"`
		Username string `json:"username"`
	} `json:"author"`
	Links struct {
		Duplicate string `json:"closed_as_duplicate_of"`
	} `json:"_links"`
}

func (h *host) issue(ctx context.Context, project string, number int) (i issue, err error) {
	_, err = h.call(ctx, http.MethodGet, fmt.Sprintf("projects/%s/issues/%d", gitlab.PathEscape(project), number), nil, &i)
	return i, err
}

func (h *host) call(ctx context.Context, method, at string, body, into any) (*gitlab.Response, error) {
	req, err := h.client.NewRequest(method, at, body, []gitlab.RequestOptionFunc{gitlab.WithContext(ctx)})
	if err != nil {
		return nil, err
	}
	resp, err := h.client.Do(req, into)
	return resp, failure(resp, err)
}

// made asks for the issues of one account.
type made struct {
	Author  string `url:"author_username"`
	Scope   string `url:"scope"`
	Page    int64  `url:"page"`
	PerPage int64  `url:"per_page"`
}

// Issues implements [pulls.Host].
func (h *host) Issues(ctx context.Context) ([]pulls.Issue, error) {
	o := made{Author: h.bot, Scope: "all", Page: 1, PerPage: pageSize}
	var out []pulls.Issue
	for {
		var some []issue
		resp, err := h.call(ctx, http.MethodGet, "projects/"+gitlab.PathEscape(h.project)+"/issues", o, &some)
		if err != nil {
			return nil, err
		}
		for _, i := range some {
			out = append(out, pulls.Issue{Number: i.IID, Body: i.Description, Author: pulls.Identity{Login: i.Author.Username, ID: i.Author.ID}, Open: i.State == "opened"})
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

// Post implements [pulls.Host].
func (h *host) Post(ctx context.Context, number int, title, body string) error {
	method, at := http.MethodPost, "projects/"+gitlab.PathEscape(h.project)+"/issues"
	what := map[string]string{"title": title, "description": still(body)}
	if number != 0 {
		method, at = http.MethodPut, fmt.Sprintf("%s/%d", at, number)
		delete(what, "title")
	}
	_, err := h.call(ctx, method, at, what, nil)
	return err
}
