package github

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/marker"
)

var _ forge.Board = (*Forge)(nil)

// Notice implements [forge.Board]. Of several the oldest counts.
func (f *Forge) Notice(ctx context.Context, marker string) (forge.Notice, error) {
	issues, err := f.host.issues(ctx, "asc")
	if err != nil {
		return forge.Notice{}, fmt.Errorf("look for the dashboard: %w", err)
	}
	for _, i := range issues {
		if i.IsPullRequest() || !f.host.bot.Is(identity(i.GetUser())) || !strings.HasPrefix(i.GetBody(), marker) {
			continue
		}
		n := forge.Notice{Number: i.GetNumber(), Body: i.GetBody(), Closed: i.GetState() != "open"}
		if n.Editors, err = f.editors(ctx, n.Number); err != nil {
			return n, fmt.Errorf("read who edited issue %d: %w", n.Number, err)
		}
		return n, nil
	}
	return forge.Notice{}, nil
}

// maxEdits is how many edits of the dashboard are asked for; who made more than
// that since ours is not known.
const maxEdits = 50

// editors asks who edited an issue since we did: the host tells it in GraphQL
// alone, the newest first.
func (f *Forge) editors(ctx context.Context, number int) ([]string, error) {
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
	vars := map[string]any{"owner": f.host.owner, "name": f.host.repo, "number": number, "first": maxEdits}
	if err := graphQL(ctx, f.host.client, query, vars, &answer); err != nil {
		return nil, err
	}
	edits := answer.Repository.Issue.UserContentEdits
	var out []string
	for _, e := range edits.Nodes {
		if f.isEditor(e.Editor) {
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
func (f *Forge) isEditor(e editor) bool {
	name, app := strings.CutSuffix(f.Bot.Login, "[bot]")
	return strings.EqualFold(e.Login, name) && app == (e.Type == "Bot")
}

// Post implements [forge.Board].
func (f *Forge) Post(ctx context.Context, number int, title, body string) error {
	if len(body) > marker.MaxBody {
		return errors.New("write the dashboard: it is too long")
	}
	var err error
	if number == 0 {
		_, _, err = f.host.client.Issues.Create(ctx, f.host.owner, f.host.repo, &github.IssueRequest{Title: &title, Body: &body})
	} else {
		_, _, err = f.host.client.Issues.Edit(ctx, f.host.owner, f.host.repo, number, &github.IssueRequest{Body: &body})
	}
	if err != nil {
		return fmt.Errorf("write the dashboard: %w", err)
	}
	return nil
}
