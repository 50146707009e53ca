package githubfake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// firstIssue is where issues that are made through the API begin: pull requests
// have the numbers below.
const firstIssue = 1000

// EditIssue lets an account change the body of an issue.
func (g *GitHub) EditIssue(number int, by User, change func(body string) string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := g.issues[number]
	i.Body = change(i.Body)
	i.Edits = append(i.Edits, by)
	g.issues[number] = i
}

// Issues are the issues that were made through the API, oldest first.
func (g *GitHub) Issues() []Issue {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.made()
}

func (g *GitHub) made() []Issue {
	var out []Issue
	for n := firstIssue; ; n++ {
		i, there := g.issues[n]
		if !there {
			return out
		}
		out = append(out, i)
	}
}

func (g *GitHub) createIssue(c *call) answer {
	var in struct{ Title, Body string }
	if err := json.Unmarshal(c.body, &in); err != nil || in.Title == "" {
		return invalid("title", "")
	}
	if !g.isHere(c) || g.NoIssues {
		return refuse(http.StatusGone, "Issues has been disabled in this repository.")
	}
	if g.issues == nil {
		g.issues = map[int]Issue{}
	}
	i := Issue{Number: firstIssue + len(g.made()), State: "open", Title: in.Title, Body: in.Body, Author: c.user}
	g.issues[i.Number] = i
	return answer{status: http.StatusCreated, body: g.issueJSON(i)}
}

func (g *GitHub) updateIssue(c *call) answer {
	n, err := strconv.Atoi(c.params["issue_number"])
	i, there := g.issues[n]
	if err != nil || !g.isHere(c) || !there {
		return notFound
	}
	var in struct{ Title, Body, State *string }
	if err := json.Unmarshal(c.body, &in); err != nil {
		return invalid("body", "")
	}
	set(&i.Title, in.Title)
	set(&i.State, in.State)
	if in.Body != nil && *in.Body != i.Body {
		i.Body, i.Edits = *in.Body, append(slices.Clone(i.Edits), c.user)
	}
	g.issues[n] = i
	return ok(g.issueJSON(i))
}

// editsJSON answers who edited an issue, the newest first.
func (g *GitHub) editsJSON(number, first int) answer {
	i, there := g.issues[number]
	if !there {
		return ok(object{"data": nil, "errors": []any{object{"message": fmt.Sprintf("Could not resolve to an Issue with the number of %d.", number)}}})
	}
	nodes := []object{}
	for _, u := range slices.Backward(i.Edits) {
		if len(nodes) < first {
			kind, _ := u.json()["type"].(string)
			nodes = append(nodes, object{"editor": object{"login": strings.TrimSuffix(u.Login, "[bot]"), "__typename": kind}})
		}
	}
	edits := object{"totalCount": len(i.Edits), "nodes": nodes}
	return ok(object{"data": object{"repository": object{"issue": object{"userContentEdits": edits}}}})
}
