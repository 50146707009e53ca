package githubfake

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// User is an account.
type User struct {
	Login string
	ID    int64
	App   bool // it may not read /user, and is a bot
}

// The bot of a new fake, a person, and the token of the bot.
var (
	Bot = User{Login: "retrosweep-bot", ID: 1001}
	Ada = User{Login: "ada", ID: 7}
)

// Token is what the bot signs in with.
const Token = "ghp_" + "fakefakefakefakefakefakefakefakefake"

// Options are what a fake is made of.
type Options struct {
	Repo        *repo.Repo // bare, with the branches
	Owner, Name string     // default acme/shop
	Default     string     // branch; default main
	Now         func() time.Time
	Tokens      map[string]User // default: [Token] of [Bot]
	App         *App            // nil: none is installed

	// Accounts are the accounts behind addresses of commits; one without a login:
	// the host knows nobody. An address that is not there has an account that is
	// called as what stands before its @.
	Accounts map[string]User
	// Permissions are admin, write, read or none, by login; "": there is no such
	// account. One that is not there may write.
	Permissions map[string]string

	NoDrafts  bool // drafts are refused, as on some private repositories
	NoIssues  bool // issues are turned off
	NoCreate  bool // Actions may not create pull requests
	NoMerge   bool // a rule of the host is in the way of every merge
	Protected []string
	Rules     []Rule // of branches, in the words that a push is told
	NoPush    bool   // git pushes of branches are refused
}

// GitHub is the fake. Its fields may be changed between requests.
type GitHub struct {
	Options
	Remote *Remote // the repository as git sees it

	// StaleIssues and StalePulls leave the newest entries out of lists.
	StaleIssues, StalePulls int

	mu         sync.Mutex
	pulls      []*Pull
	issues     map[int]Issue
	faults     []*Fault
	requests   []Request
	violations []string
	checked    map[[sha256.Size]byte]bool // answers that are as the description says
	verified   sync.Map                   // what was signed, by commit
}

// Request is one request as it came in.
type Request struct {
	Method, Path, Query string
	Header              http.Header
	Body                string
	Status              int
}

// IsWrite reports whether the request changes anything.
func (r Request) IsWrite() bool {
	return r.Method != http.MethodGet && !strings.Contains(r.Body, "viewer") && !strings.HasPrefix(r.Body, `{"query":"query(`) && !strings.HasSuffix(r.Path, "/access_tokens")
}

// New returns a fake of a repository without pull requests.
func New(o Options) *GitHub {
	if o.Owner == "" {
		o.Owner, o.Name = "acme", "shop"
	}
	if o.Default == "" {
		o.Default = "main"
	}
	if o.Now == nil {
		o.Now = func() time.Time { return time.Date(2026, 11, 30, 4, 30, 0, 0, time.UTC) }
	}
	if o.Tokens == nil {
		o.Tokens = map[string]User{Token: Bot}
	}
	g := &GitHub{Options: o}
	g.Remote = &Remote{repo: o.Repo, fake: g}
	return g
}

// Start serves the fake until the test ends, which fails when anything was not
// as GitHub describes it. It returns the base address of the API.
func (g *GitHub) Start(t testing.TB) string {
	t.Helper()
	s := httptest.NewServer(g)
	t.Cleanup(func() {
		s.Close()
		for _, v := range g.Violations() {
			t.Errorf("GitHub's description of its API: %s", v)
		}
	})
	return s.URL + "/"
}

// ServeHTTP implements [http.Handler].
func (g *GitHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	n := g.record(r, body)
	r.URL.Path = strings.TrimPrefix(r.URL.Path, "/api/v3")
	a := g.serve(r, body)
	g.mu.Lock()
	g.requests[n].Status = a.status
	g.mu.Unlock()
	a.conditional(r).write(w)
}

func (g *GitHub) record(r *http.Request, body []byte) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.requests = append(g.requests, Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header.Clone(), Body: string(body)})
	return len(g.requests) - 1
}

// serve answers one request: by a fault that is switched on, or in earnest.
func (g *GitHub) serve(r *http.Request, body []byte) answer {
	fault := g.fault(r)
	if fault != nil && fault.Hook != nil {
		fault.Hook()
	}
	if fault != nil && fault.Hang {
		<-r.Context().Done()
		return answer{status: http.StatusGatewayTimeout}
	}
	if fault != nil && fault.Status != 0 && !fault.After {
		return fault.answer()
	}
	a := g.answer(r, body)
	if fault != nil {
		return fault.bend(a)
	}
	return a
}

// answer is what the host says when all is well.
func (g *GitHub) answer(r *http.Request, body []byte) answer {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.reconcile(); err != nil {
		return g.violate(err)
	}
	user, known := g.account(r)
	if strings.HasSuffix(r.URL.Path, "/graphql") {
		if !known {
			return refuse(http.StatusUnauthorized, "Bad credentials")
		}
		return g.graphQL(body, user)
	}
	c, err := newCall(r, body)
	if err != nil {
		return g.violate(err)
	}
	if c.user = user; !known && !strings.HasPrefix(r.URL.Path, "/app") {
		return refuse(http.StatusUnauthorized, "Bad credentials")
	}
	if err := c.checkRequest(r.Context()); err != nil {
		return g.violate(err)
	}
	handle := handlers[c.operation]
	if handle == nil {
		return g.violate(fmt.Errorf("%s is not served", c.operation))
	}
	a := handle(g, c)
	if a.body = c.fill(a.status, a.body); a.body != nil && a.raw == nil {
		a.raw = a.bytes() // written once: it is told, held against the description, and tagged
	}
	if err := g.checkOnce(r, c, a); err != nil {
		return g.violate(err)
	}
	return a
}

// checkOnce holds an answer against the description, unless the same one was held
// against it before: most of what a night reads is as it was the night before.
func (g *GitHub) checkOnce(r *http.Request, c *call, a answer) error {
	key := sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%v\n%s", c.operation, a.status, a.headers(), a.bytes()))
	if g.checked[key] {
		return nil
	}
	if err := c.checkAnswer(r.Context(), a.status, a.headers(), a.bytes()); err != nil {
		return err
	}
	if g.checked == nil {
		g.checked = map[[sha256.Size]byte]bool{}
	}
	g.checked[key] = true
	return nil
}

func (g *GitHub) violate(err error) answer {
	g.violations = append(g.violations, err.Error())
	return refuse(http.StatusInternalServerError, err.Error())
}

func (g *GitHub) account(r *http.Request) (User, bool) {
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	u, ok := g.Tokens[token]
	if g.App != nil && token == g.App.Token {
		return g.App.User, true
	}
	return u, ok
}

// Violations are what was not as GitHub describes its API.
func (g *GitHub) Violations() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.violations)
}

// Requests are all requests so far.
func (g *GitHub) Requests() []Request {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.requests)
}

// Writes are the requests that change anything.
func (g *GitHub) Writes() []Request {
	return slices.DeleteFunc(g.Requests(), func(r Request) bool { return !r.IsWrite() })
}

// Snapshot is everything that a write would change, with the number of writes.
func (g *GitHub) Snapshot() (map[string]string, error) {
	refs, err := g.Repo.Refs("refs/")
	if err != nil {
		return nil, err
	}
	out := map[string]string{"writes": fmt.Sprint(len(g.Writes()))}
	for name, h := range refs {
		out[name] = h.String()
	}
	for _, i := range g.Issues() {
		out[fmt.Sprintf("issue %d", i.Number)] = fmt.Sprint(i)
	}
	for _, p := range g.Pulls() {
		b, err := json.Marshal(p)
		if err != nil {
			return nil, err
		}
		out[fmt.Sprintf("pull %d", p.Number)] = string(b)
	}
	return out, nil
}

// handlers serve the operations of the description.
var handlers = map[string]func(*GitHub, *call) answer{
	"apps/create-installation-access-token":                              (*GitHub).makeToken,
	"apps/get-authenticated":                                             (*GitHub).getApp,
	"actions/get-github-actions-default-workflow-permissions-repository": (*GitHub).getWorkflowPermissions,
	"issues/add-labels":                                                  (*GitHub).addLabels,
	"issues/create":                                                      (*GitHub).createIssue,
	"issues/update":                                                      (*GitHub).updateIssue,
	"issues/get":                                                         (*GitHub).getIssue,
	"issues/list-for-repo":                                               (*GitHub).listIssues,
	"git/create-blob":                                                    (*GitHub).createBlob,
	"git/create-commit":                                                  (*GitHub).createCommit,
	"git/create-tree":                                                    (*GitHub).createTree,
	"pulls/create":                                                       (*GitHub).createPull,
	"pulls/get":                                                          (*GitHub).getPull,
	"pulls/merge":                                                        (*GitHub).mergePull,
	"pulls/list-commits":                                                 (*GitHub).listCommits,
	"pulls/list-review-comments":                                         (*GitHub).listReviewComments,
	"pulls/list-reviews":                                                 (*GitHub).listReviews,
	"pulls/list":                                                         (*GitHub).listPulls,
	"pulls/request-reviewers":                                            (*GitHub).requestReviewers,
	"pulls/update":                                                       (*GitHub).updatePull,
	"rate-limit/get":                                                     (*GitHub).getRateLimit,
	"repos/get":                                                          (*GitHub).getRepo,
	"repos/list-commits":                                                 (*GitHub).listAllCommits,
	"repos/get-collaborator-permission-level":                            (*GitHub).getPermission,
	"users/get-authenticated":                                            (*GitHub).getUser,
}
