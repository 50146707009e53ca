package githubfake

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// testContext is for reading objects, which nobody cancels.
var testContext = context.Background()

// repositoryID is that of GraphQL.
const repositoryID = "R_42"

func (g *GitHub) repoJSON() object {
	return object{
		"id": 42, "node_id": repositoryID, "name": g.Name, "full_name": g.Owner + "/" + g.Name, "default_branch": g.Default, "private": false, "fork": false,
		"has_issues": !g.NoIssues, "html_url": "https://github.com/" + g.Owner + "/" + g.Name, "owner": object{"login": g.Owner, "id": 1},
		"permissions": object{"admin": false, "push": true, "pull": true},
	}
}

func (g *GitHub) getRepo(c *call) answer {
	if !g.isHere(c) {
		return notFound
	}
	return ok(g.repoJSON())
}

func (g *GitHub) getUser(c *call) answer {
	if c.user.App {
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	out := c.user.json()
	out["user_view_type"] = "private"
	return ok(out)
}

func (g *GitHub) getRateLimit(*call) answer {
	limit := object{"limit": 5000, "remaining": 4999, "reset": g.Now().Unix() + 3600, "used": 1}
	return ok(object{"resources": object{"core": limit, "search": limit}, "rate": limit})
}

func (g *GitHub) getWorkflowPermissions(*call) answer {
	return ok(object{"default_workflow_permissions": "write", "can_approve_pull_request_reviews": !g.NoCreate})
}

// listIssues lists pull requests as the issues that they are too.
func (g *GitHub) listIssues(c *call) answer {
	if g.NoIssues {
		return notFound
	}
	q := c.URL.Query()
	fits := func(by User, state string) bool {
		creator := q.Get("creator")
		return (creator == "" || strings.EqualFold(creator, by.Login)) && matches(q.Get("state"), state)
	}
	some := []object{}
	for _, p := range g.newest(g.StaleIssues) {
		if fits(p.Author, p.State) {
			some = append(some, g.asIssue(p))
		}
	}
	for _, i := range g.made() {
		if fits(i.Author, i.State) {
			some = append(some, g.issueJSON(i))
		}
	}
	some, header := page(c, some)
	a := ok(some)
	a.header = header
	return a
}

func (g *GitHub) addLabels(c *call) answer {
	p := g.find(c, "issue_number")
	if p == nil {
		return notFound
	}
	var in struct{ Labels []string }
	if err := json.Unmarshal(c.body, &in); err != nil && json.Unmarshal(c.body, &in.Labels) != nil {
		return invalid("labels", "")
	}
	labels := []object{}
	for _, l := range in.Labels {
		if !slices.Contains(p.Labels, l) {
			p.Labels = append(p.Labels, l)
		}
	}
	for i, l := range p.Labels {
		labels = append(labels, object{"id": i + 1, "name": l})
	}
	return ok(labels)
}

// autoMerge is the input of enablePullRequestAutoMerge.
type autoMerge struct{ PullRequestID, MergeMethod, ExpectedHeadOid string }

// graphQL serves the queries that are asked; GitHub describes them nowhere
// that could be held against them here.
func (g *GitHub) graphQL(body []byte, u User) answer {
	var in struct {
		Query     string
		Variables json.RawMessage
	}
	var with struct {
		Number, First int
		Input         autoMerge
	}
	err := json.Unmarshal(body, &in)
	if err == nil && in.Variables != nil {
		err = json.Unmarshal(in.Variables, &with)
	}
	if err != nil {
		return refuse(http.StatusBadRequest, "Problems parsing JSON")
	}
	if strings.Contains(in.Query, "viewer") {
		return ok(object{"data": object{"viewer": object{"login": u.Login, "databaseId": u.ID}}})
	}
	if strings.Contains(in.Query, "userContentEdits") {
		return g.editsJSON(with.Number, with.First)
	}
	if strings.Contains(in.Query, "updateRefs(") {
		return g.updateRefs(in.Variables)
	}
	if strings.Contains(in.Query, "repository(owner: $owner, name: $name) { id }") {
		return ok(object{"data": object{"repository": object{"id": repositoryID}}})
	}
	number, err := strconv.Atoi(strings.TrimPrefix(with.Input.PullRequestID, "PR_"))
	if err != nil || number < 1 || number > len(g.pulls) || !strings.Contains(in.Query, "enablePullRequestAutoMerge") {
		return ok(object{"data": nil, "errors": []any{object{"message": "Could not resolve to a node"}}})
	}
	if p := g.pulls[number-1]; with.Input.ExpectedHeadOid != p.HeadHash.String() {
		return ok(object{"data": nil, "errors": []any{object{"message": "Head sha didn't match"}}})
	}
	g.pulls[number-1].AutoMerge = with.Input.MergeMethod
	return ok(object{"data": object{"enablePullRequestAutoMerge": object{"clientMutationId": nil}}})
}
