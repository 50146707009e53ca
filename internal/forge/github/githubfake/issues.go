package githubfake

import (
	"fmt"
	"strconv"
	"time"
)

// Issue is an issue of the fake. Its number is not that of a pull request.
type Issue struct {
	Number int
	State  string // open or closed
	Reason string // completed, not_planned, duplicate, reopened; "" for none
	Closed time.Time

	Title, Body string
	Author      User
	Edits       []User // who edited the body, oldest first
}

// AddIssue lets a person file an issue, or change the one of that number.
func (g *GitHub) AddIssue(i Issue) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.issues == nil {
		g.issues = map[int]Issue{}
	}
	g.issues[i.Number] = i
}

// getIssue answers for issues, and for pull requests as the issues that they
// are too.
func (g *GitHub) getIssue(c *call) answer {
	n, err := strconv.Atoi(c.params["issue_number"])
	if err != nil || !g.isHere(c) {
		return notFound
	}
	if i, there := g.issues[n]; there {
		return ok(g.issueJSON(i))
	}
	if p := g.find(c, "issue_number"); p != nil {
		return ok(g.asIssue(p))
	}
	return notFound
}

func (g *GitHub) issueJSON(i Issue) object {
	out := object{
		"id": 9000 + i.Number, "number": i.Number, "state": i.State, "title": "an issue", "created_at": stamp(g.Now()),
		"html_url":  fmt.Sprintf("https://github.com/%s/%s/issues/%d", g.Owner, g.Name, i.Number),
		"closed_at": stamp(i.Closed), "author_association": "NONE",
	}
	if i.Title != "" {
		out["title"], out["body"], out["user"] = i.Title, i.Body, i.Author.json()
	}
	if i.Reason != "" {
		out["state_reason"] = i.Reason
	}
	return out
}

// asIssue is a pull request as an issue.
func (g *GitHub) asIssue(p *Pull) object {
	j := g.pullJSON(p)
	issue := object{"pull_request": object{"merged_at": j["merged_at"]}}
	for _, k := range []string{"id", "number", "html_url", "state", "title", "body", "draft", "user", "labels", "created_at", "closed_at", "author_association"} {
		issue[k] = j[k]
	}
	return issue
}
