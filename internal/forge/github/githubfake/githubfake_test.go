package githubfake_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

const history = `
-- commit --
author: Ada Byron <ada@acme.dev>
date: 2026-11-02T10:00:00Z

feat: begin
-- a.md --
# A
-- commit --
author: Ada Byron <ada@acme.dev>
date: 2026-11-03T10:00:00Z
branch: topic

feat: more
-- b.md --
# B
`

type host struct {
	*githubfake.GitHub
	t *testing.T
}

func newHost(t *testing.T) host {
	t.Helper()
	r, err := testkit.Build(t.TempDir(), []byte(history))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return host{githubfake.New(githubfake.Options{Repo: r}), t}
}

// ask makes a request and returns the status and what is said.
func (h host) ask(method, path, body string) (int, map[string]any, http.Header) {
	h.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+githubfake.Token)
	if body == "" {
		r.Body = http.NoBody
	} else {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	b, err := io.ReadAll(w.Result().Body)
	if err != nil {
		h.t.Fatal(err)
	}
	var out map[string]any
	_ = json.Unmarshal(b, &out) // a list or a page is nothing to look into
	return w.Code, out, w.Result().Header
}

// TestViolations: what GitHub's description does not allow is noticed.
func TestViolations(t *testing.T) {
	t.Parallel()
	const repo = "/repos/acme/shop"
	for name, c := range map[string]struct{ method, path, body, want string }{
		"a path that is not known":   {"GET", repo + "/nothing", "", "not in the extract"},
		"a misspelt parameter":       {"GET", repo + "/pulls?stat=all", "", "no parameter stat"},
		"a value that is none":       {"GET", repo + "/pulls?state=openn", "", "state"},
		"a misspelt field":           {"POST", repo + "/pulls", `{"title":"t","head":"topic","base":"main","drfat":true}`, "no field drfat"},
		"a missing field":            {"POST", repo + "/pulls", `{"title":"t","head":"topic"}`, "base"},
		"a field of another type":    {"POST", repo + "/pulls", `{"title":1,"head":"topic","base":"main"}`, "title"},
		"a bare list of labels":      {"POST", repo + "/issues/1/labels", `["x"]`, "object"},
		"no JSON":                    {"POST", repo + "/pulls", `{`, "decode"},
		"a body where none belongs":  {"GET", repo, `{"x":1}`, "body"},
		"an operation we do not use": {"GET", repo + "/issues/1/labels", "", "not served"},
	} {
		h := newHost(t)
		status, _, _ := h.ask(c.method, c.path, c.body)
		if v := h.Violations(); len(v) != 1 || !strings.Contains(v[0], c.want) || status != http.StatusInternalServerError {
			t.Errorf("%s: status %d, violations %q", name, status, v)
		}
	}
}

// TestPullRequests: what the host says of pull requests, in its own words.
func TestPullRequests(t *testing.T) {
	t.Parallel()
	const pulls = "/repos/acme/shop/pulls"
	h := newHost(t)
	steps := []struct {
		method, path, body string
		status             int
		key                string
		want               any
	}{
		{"POST", pulls, `{"title":"t","head":"nowhere","base":"main"}`, 422, "message", "Validation Failed"},
		{"POST", pulls, `{"title":"t","head":"main","base":"main"}`, 422, "message", "Validation Failed"},
		{"POST", pulls, `{"title":"t","head":"topic","base":"main","draft":true}`, 201, "draft", true},
		{"POST", pulls, `{"title":"t","head":"topic","base":"main"}`, 422, "message", "Validation Failed"},
		{"GET", pulls + "/1", "", 200, "merged", false},
		{"PATCH", pulls + "/1", `{"title":"u"}`, 200, "title", "u"},
		{"PATCH", pulls + "/1", `{"state":"closed"}`, 200, "state", "closed"},
		{"PATCH", pulls + "/1", `{"state":"open"}`, 200, "state", "open"},
		{"GET", pulls + "/9", "", 404, "message", "Not Found"},
		{"GET", "/repos/acme/other", "", 404, "message", "Not Found"},
		{"GET", "/repos/acme/shop", "", 200, "default_branch", "main"},
		{"GET", "/repos/acme/shop/actions/permissions/workflow", "", 200, "can_approve_pull_request_reviews", true},
		{"GET", "/rate_limit", "", 200, "message", nil},
		{"POST", "/graphql", `{"query":"{ viewer { login } }"}`, 200, "message", nil},
		{"GET", "/user", "", 200, "login", "retrosweep-bot"},
	}
	for _, s := range steps {
		status, said, _ := h.ask(s.method, s.path, s.body)
		if status != s.status || said[s.key] != s.want {
			t.Errorf("%s %s %s: %d, %v", s.method, s.path, s.body, status, said)
		}
	}
	if _, err := h.Merge("topic", githubfake.Squash); err != nil {
		t.Fatal(err)
	}
	if p := h.Pulls()[0]; p.State != "closed" || p.Merged.IsZero() {
		t.Errorf("merged, it is %+v", p)
	}
	if v := h.Violations(); len(v) > 0 {
		t.Errorf("violations: %q", v)
	}
}

// TestBranchesRule: a pull request follows its branch, and closes without it.
func TestBranchesRule(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	n := h.Open(githubfake.Pull{Title: "t", Head: "topic", Base: "main", Author: githubfake.Ada})
	at, _, err := h.Repo.Ref("refs/heads/topic")
	if err != nil || h.Pulls()[n-1].HeadHash != at {
		t.Fatalf("it is at %s, %v", h.Pulls()[n-1].HeadHash, err)
	}
	if err := h.Repo.DeleteRef("refs/heads/topic", at); err != nil {
		t.Fatal(err)
	}
	if p := h.Pulls()[n-1]; p.State != "closed" || !p.Merged.IsZero() || p.HeadHash != at {
		t.Errorf("without its branch it is %+v", p)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for range 5 {
		h.Open(githubfake.Pull{Title: "t", Head: "topic", Base: "main", Author: githubfake.Ada})
	}
	_, _, header := h.ask("GET", "/repos/acme/shop/pulls?per_page=2&page=2", "")
	if !strings.Contains(header.Get("Link"), "page=3") {
		t.Errorf("the next page is %q", header.Get("Link"))
	}
	if _, _, header := h.ask("GET", "/repos/acme/shop/pulls?per_page=2&page=3", ""); header.Get("Link") != "" {
		t.Errorf("after the last page there is %q", header.Get("Link"))
	}
	h.Inject(githubfake.Fault{Loop: true, Times: 1})
	if _, _, header := h.ask("GET", "/repos/acme/shop/pulls?per_page=2&page=3", ""); !strings.Contains(header.Get("Link"), "page=1") {
		t.Errorf("the loop is %q", header.Get("Link"))
	}
}

func TestUnknownToken(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.Tokens = nil
	for _, path := range []string{"/user", "/graphql", "/repos/acme/shop"} {
		if status, _, _ := h.ask("GET", path, ""); status != http.StatusUnauthorized {
			t.Errorf("%s: %d", path, status)
		}
	}
	for _, path := range []string{"/app", "/app/installations/1/access_tokens"} {
		method := map[bool]string{true: "POST", false: "GET"}[strings.HasSuffix(path, "tokens")]
		if status, _, _ := h.ask(method, path, ""); status == http.StatusOK || status == http.StatusCreated {
			t.Errorf("%s: %d", path, status)
		}
	}
}
