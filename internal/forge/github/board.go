package github

import (
	"context"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/retrosweep/retrosweep/internal/forge/pulls"
)

var _ pulls.Editors = (*host)(nil)

// Issues implements [pulls.Host].
func (h *host) Issues(ctx context.Context) ([]pulls.Issue, error) {
	all, err := h.issues(ctx, "asc")
	var out []pulls.Issue
	for _, i := range all {
		if !i.IsPullRequest() {
			out = append(out, pulls.Issue{Number: i.GetNumber(), Body: i.GetBody(), Author: identity(i.GetUser()), Open: i.GetState() == "open"})
		}
	}
	return out, err
}

// Post implements [pulls.Host].
func (h *host) Post(ctx context.Context, number int, title, body string) error {
	var err error
	if number == 0 {
		_, _, err = h.client.Issues.Create(ctx, h.owner, h.repo, &github.IssueRequest{Title: &title, Body: &body})
	} else {
		_, _, err = h.client.Issues.Edit(ctx, h.owner, h.repo, number, &github.IssueRequest{Body: &body})
	}
	return failure(err)
}

// maxEdits is how many edits of the dashboard are asked for; who made more than
// that since ours is not known.
const maxEdits = 50

// Editors implements [pulls.Editors]: it asks who edited an issue since we did: the host tells it in GraphQL
// alone, the newest first.
func (h *host) Editors(ctx context.Context, number int) ([]string, error) {
	const query = `query($owner: String!, $name: String!, $number: Int!, $first: Int!) { repository(owner: $owner, name: $name) { issue(number: $number) { userContentEdits(first: $first) { totalCount nodes { editor { __typename login } } } } } }`
	var answer struct {
		Repository struct {
			Issue struct {
				UserContentEdits struct {
					TotalCount int
					Nodes      []struct{ Editor editor }
				}
			}
		}
	}
	vars := map[string]any{"owner": h.owner, "name": h.repo, "number": number, "first": maxEdits}
	if err := graphQL(ctx, h.client, query, vars, &answer); err != nil {
		return nil, err
	}
	edits := answer.Repository.Issue.UserContentEdits
	var out []string
	for _, e := range edits.Nodes {
		if h.isEditor(e.Editor) {
			return out, nil
		}
		out = append(out, e.Editor.Login)
	}
	if edits.TotalCount > len(edits.Nodes) {
		out = append(out, "") // somebody whom we do not see
	}
	return out, nil
}

// editor is an account as GraphQL has it; an app's without [bot] in its login.
type editor struct {
	Type  string `json:"__typename"`
	Login string
}

// isEditor reports whether we edited. A person may be called as an app is.
func (h *host) isEditor(e editor) bool {
	name, app := strings.CutSuffix(h.bot.Login, "[bot]")
	return strings.EqualFold(e.Login, name) && app == (e.Type == "Bot")
}
