package gitlabfake

import (
	"net/http"
	"slices"
	"strconv"
)

func (g *GitLab) findIssue(r *http.Request) *Issue {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n < 1 || n > len(g.issues) {
		return nil
	}
	return &g.issues[n-1]
}

func (g *GitLab) issue(_ http.ResponseWriter, r *http.Request) (int, any) {
	if i := g.findIssue(r); i != nil {
		return http.StatusOK, i
	}
	return message(http.StatusNotFound, "404 Not found")
}

// listIssues lists the newest first.
func (g *GitLab) listIssues(w http.ResponseWriter, r *http.Request) (int, any) {
	q := g.filters(r, "author_username", "scope", "page", "per_page")
	out := []Issue{}
	for _, i := range slices.Backward(g.issues) {
		if who := q.Get("author_username"); who == "" || i.Author.Username == who {
			out = append(out, i)
		}
	}
	return http.StatusOK, page(w, q, g.PageSize, out)
}

func (g *GitLab) createIssue(_ http.ResponseWriter, r *http.Request) (int, any) {
	var n struct {
		Title string `json:"title"`
		Body  string `json:"description"`
	}
	if err := g.read(r, &n); err != nil || n.Title == "" {
		return message(http.StatusBadRequest, "title is missing")
	}
	g.quiet(n.Body)
	i := Issue{IID: len(g.issues) + 1, Title: n.Title, Description: n.Body, State: "opened", Author: User{botID, BotName}}
	g.issues = append(g.issues, i)
	return http.StatusCreated, i
}

func (g *GitLab) updateIssue(_ http.ResponseWriter, r *http.Request) (int, any) {
	var n struct {
		Body string `json:"description"`
	}
	i := g.findIssue(r)
	if i == nil {
		return message(http.StatusNotFound, "404 Not found")
	}
	if err := g.read(r, &n); err != nil {
		return message(http.StatusBadRequest, err.Error())
	}
	g.quiet(n.Body)
	i.Description = n.Body
	return http.StatusOK, *i
}
