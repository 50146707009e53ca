// Package gitlabfake owns a GitLab for tests: the calls that the adapter makes,
// as GitLab's documentation of its REST API describes them, over a bare
// repository. What the documentation does not name in a request is a violation.
package gitlabfake

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// Token is what the bot signs in with, and Project where everything is.
const (
	Token   = "glpat-" + "fakefakefakefakefake"
	Project = "acme/team/shop"
	BotName = "retrosweep-bot"
	botID   = 1001
)

// Request is one merge request, with the words of the API.
type Request struct {
	IID          int        `json:"iid"`
	Title        string     `json:"title"`
	Description  string     `json:"description"`
	State        string     `json:"state"` // opened, closed or merged
	SourceBranch string     `json:"source_branch"`
	TargetBranch string     `json:"target_branch"`
	Source       int        `json:"source_project_id"`
	Target       int        `json:"target_project_id"`
	Labels       []string   `json:"labels"`
	Author       User       `json:"author"`
	SHA          string     `json:"sha"`
	WebURL       string     `json:"web_url"`
	MergedAt     *time.Time `json:"merged_at"`
	ClosedAt     *time.Time `json:"closed_at"`
	Auto         bool       `json:"merge_when_pipeline_succeeds"`
}

// User is an account.
type User struct {
	ID       int    `json:"id"`
	Username string `json:"username"`
}

// Issue is one issue.
type Issue struct {
	IID         int        `json:"iid"`
	Title       string     `json:"title"`
	Description string     `json:"description"`
	State       string     `json:"state"` // opened or closed
	Author      User       `json:"author"`
	ClosedAt    *time.Time `json:"closed_at"`
	Links       Links      `json:"_links"`
}

// Links are addresses of an issue.
type Links struct {
	Duplicate *string `json:"closed_as_duplicate_of"`
}

// Fault is an answer instead of the host's own, to the next request of a method.
type Fault struct {
	Method string
	Status int
	Header map[string]string
	Body   string
}

// GitLab is the fake.
type GitLab struct {
	Repo      *repo.Repo
	PageSize  int  // default: as asked for
	MustPass  bool // a pipeline has to succeed before a merge, and none has yet
	mu        sync.Mutex
	requests  []*Request
	issues    []Issue
	faults    []Fault
	seen      []*http.Request
	violation []string
	at        time.Time
}

// New returns a fake of a project without merge requests.
func New(r *repo.Repo) *GitLab {
	return &GitLab{Repo: r, at: time.Date(2026, 11, 30, 4, 30, 0, 0, time.UTC)}
}

// Start serves the fake until the test ends, which fails when a request was not
// as it is documented. It returns the address of the server.
func (g *GitLab) Start(t testing.TB) string {
	t.Helper()
	mux := http.NewServeMux()
	const project = "/api/v4/projects/{id}"
	for pattern, h := range map[string]func(http.ResponseWriter, *http.Request) (int, any){
		"GET /api/v4/user":                             g.user,
		"GET " + project:                               g.project,
		"GET " + project + "/merge_requests":           g.list,
		"POST " + project + "/merge_requests":          g.create,
		"GET " + project + "/merge_requests/{n}":       g.get,
		"PUT " + project + "/merge_requests/{n}":       g.update,
		"PUT " + project + "/merge_requests/{n}/merge": g.accept,
		"GET " + project + "/issues":                   g.listIssues,
		"POST " + project + "/issues":                  g.createIssue,
		"GET " + project + "/issues/{n}":               g.issue,
		"PUT " + project + "/issues/{n}":               g.updateIssue,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { g.serve(w, r, h) })
	}
	s := httptest.NewServer(mux)
	t.Cleanup(func() {
		s.Close()
		for _, v := range g.violation {
			t.Errorf("the documentation of GitLab's API: %s", v)
		}
	})
	return s.URL + "/"
}

func message(status int, text string) (int, any) { return status, map[string]any{"message": text} }

func (g *GitLab) serve(w http.ResponseWriter, r *http.Request, h func(http.ResponseWriter, *http.Request) (int, any)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen = append(g.seen, r.Clone(context.Background()))
	w.Header().Set("Content-Type", "application/json")
	if i := slices.IndexFunc(g.faults, func(f Fault) bool { return f.Method == "" || f.Method == r.Method }); i >= 0 {
		f := g.faults[i]
		g.faults = slices.Delete(g.faults, i, i+1)
		for k, v := range f.Header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, f.Body)
		return
	}
	status, body := message(http.StatusUnauthorized, "401 Unauthorized")
	switch {
	case r.Header.Get("Authorization") != "Bearer "+Token:
	case r.PathValue("id") != "" && r.PathValue("id") != Project:
		status, body = message(http.StatusNotFound, "404 Project Not Found")
	default:
		g.refresh()
		status, body = h(w, r)
	}
	b, err := json.Marshal(body)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte(`{}`)
	}
	w.WriteHeader(status)
	_, _ = w.Write(b)
}

// refresh closes what lost its branch, and follows branches, as the host does
// after a push.
func (g *GitLab) refresh() {
	for _, m := range g.requests {
		if m.State != "opened" {
			continue
		}
		h, _, err := g.Repo.Ref("refs/heads/" + m.SourceBranch)
		if err == nil && h.IsZero() {
			m.State, m.ClosedAt = "closed", &g.at
		} else if err == nil {
			m.SHA = h.String()
		}
	}
}

func (g *GitLab) user(http.ResponseWriter, *http.Request) (int, any) {
	return http.StatusOK, User{botID, BotName}
}

func (g *GitLab) project(http.ResponseWriter, *http.Request) (int, any) {
	return http.StatusOK, map[string]any{
		"id": 1, "path_with_namespace": Project, "default_branch": "main", "merge_requests_access_level": "enabled",
		"only_allow_merge_if_pipeline_succeeds": g.MustPass,
		"permissions":                           map[string]any{"project_access": map[string]any{"access_level": 30}, "group_access": nil},
	}
}

// list filters and pages.
func (g *GitLab) list(w http.ResponseWriter, r *http.Request) (int, any) {
	q := g.filters(r, "state", "scope", "author_username", "source_branch", "page", "per_page")
	out := []*Request{}
	for _, m := range slices.Backward(g.requests) {
		if branch := q.Get("source_branch"); branch != "" && m.SourceBranch != branch {
			continue
		}
		if who := q.Get("author_username"); who == "" || m.Author.Username == who {
			out = append(out, m)
		}
	}
	return http.StatusOK, page(w, q, g.PageSize, out)
}

// filters are those of a list, which are documented.
func (g *GitLab) filters(r *http.Request, known ...string) url.Values {
	q := r.URL.Query()
	for name := range q {
		if !slices.Contains(known, name) {
			g.violation = append(g.violation, "no filter "+name)
		}
	}
	return q
}

// page cuts the page that is asked for out of a list.
func page[T any](w http.ResponseWriter, q url.Values, size int, all []T) []T {
	number, _ := strconv.Atoi(q.Get("page"))
	if n, err := strconv.Atoi(q.Get("per_page")); err == nil && size == 0 {
		size = n
	}
	from := min((number-1)*size, len(all))
	if to := from + size; to < len(all) {
		w.Header().Set("X-Next-Page", strconv.Itoa(number+1))
		return all[from:to]
	}
	return all[from:]
}

// quiet looks for quick actions, which the host would carry out.
func (g *GitLab) quiet(text string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "/") {
			g.violation = append(g.violation, "an order to the host: "+line)
		}
	}
}

// read takes a body with no other fields than into has.
func (g *GitLab) read(r *http.Request, into any) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		g.violation = append(g.violation, fmt.Sprintf("%s %s: %v", r.Method, r.URL.Path, err))
		return err
	}
	return nil
}

func (g *GitLab) create(_ http.ResponseWriter, r *http.Request) (int, any) {
	var n struct {
		Title  string `json:"title"`
		Body   string `json:"description"`
		Source string `json:"source_branch"`
		Target string `json:"target_branch"`
	}
	if err := g.read(r, &n); err != nil || n.Title == "" || n.Source == "" || n.Target == "" {
		return message(http.StatusBadRequest, "title, source_branch and target_branch are missing")
	}
	g.quiet(n.Body)
	if h, _, err := g.Repo.Ref("refs/heads/" + n.Source); err != nil || h.IsZero() {
		return message(http.StatusBadRequest, "source branch does not exist")
	}
	for _, m := range g.requests {
		if m.State == "opened" && m.SourceBranch == n.Source && m.TargetBranch == n.Target {
			return message(http.StatusConflict, fmt.Sprintf("Another open merge request already exists for this source branch: !%d", m.IID))
		}
	}
	m := &Request{Title: n.Title, Description: n.Body, SourceBranch: n.Source, TargetBranch: n.Target, Author: User{botID, BotName}}
	g.add(m)
	return http.StatusCreated, m
}

func (g *GitLab) add(m *Request) {
	m.IID, m.State, m.Source, m.Target, m.Labels = len(g.requests)+1, "opened", 1, 1, []string{}
	m.WebURL = fmt.Sprintf("https://gitlab.example/%s/-/merge_requests/%d", Project, m.IID)
	g.requests = append(g.requests, m)
	g.refresh()
}

func (g *GitLab) find(r *http.Request) *Request {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n < 1 || n > len(g.requests) {
		return nil
	}
	return g.requests[n-1]
}

func (g *GitLab) get(_ http.ResponseWriter, r *http.Request) (int, any) {
	if m := g.find(r); m != nil {
		return http.StatusOK, m
	}
	return message(http.StatusNotFound, "404 Not found")
}

func (g *GitLab) update(_ http.ResponseWriter, r *http.Request) (int, any) {
	var n struct {
		Title  *string `json:"title"`
		Body   *string `json:"description"`
		Event  string  `json:"state_event"`
		Labels string  `json:"add_labels"`
	}
	m := g.find(r)
	if m == nil {
		return message(http.StatusNotFound, "404 Not found")
	}
	if err := g.read(r, &n); err != nil {
		return message(http.StatusBadRequest, err.Error())
	}
	if n.Title != nil {
		m.Title = *n.Title
	}
	if n.Body != nil {
		g.quiet(*n.Body)
		m.Description = *n.Body
	}
	for l := range strings.SplitSeq(n.Labels, ",") {
		if l != "" && !slices.Contains(m.Labels, l) {
			m.Labels = append(m.Labels, l)
		}
	}
	if n.Event == "close" && m.State == "opened" {
		m.State, m.ClosedAt = "closed", &g.at
	}
	return http.StatusOK, m
}

func (g *GitLab) accept(_ http.ResponseWriter, r *http.Request) (int, any) {
	var n struct {
		SHA    string `json:"sha"`
		Auto   bool   `json:"auto_merge"`
		Squash bool   `json:"squash"`
	}
	m := g.find(r)
	switch err := g.read(r, &n); {
	case m == nil:
		return message(http.StatusNotFound, "404 Not found")
	case err != nil || m.State != "opened":
		return message(http.StatusMethodNotAllowed, "405 Method Not Allowed")
	case n.SHA != m.SHA:
		return message(http.StatusConflict, "SHA does not match HEAD of source branch: "+m.SHA)
	}
	switch {
	case g.MustPass && n.Auto:
		m.Auto = true
		return http.StatusOK, m
	case g.MustPass:
		return message(http.StatusMethodNotAllowed, "405 Method Not Allowed")
	}
	if _, err := g.land(m, n.Squash); err != nil {
		return message(http.StatusInternalServerError, err.Error())
	}
	return http.StatusOK, m
}
