package night_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/prompts"
)

const tip = "Heat the oven before the dough has risen."

// writtenBy lets somebody commit to a branch from their own desk.
func (w *world) writtenBy(email, branch, file, text string) {
	w.t.Helper()
	at := w.ref("refs/heads/" + branch)
	parent := at
	if at.IsZero() {
		parent = w.ref("refs/heads/main")
	}
	tree, err := w.repo.WriteTree(parent, map[string][]byte{file: []byte(text)})
	if err != nil {
		w.t.Fatal(err)
	}
	sig := repo.Signature{Name: "Eve", Email: email, When: w.now}
	h, err := w.repo.WriteCommit(repo.NewCommit{Tree: tree, Parents: []repo.Hash{parent}, Author: sig, Committer: sig, Message: "bake: a tip\n"})
	if err == nil {
		err = w.repo.UpdateRef("refs/heads/"+branch, at, h)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// corrected merges a pull request in which Eve says the same thing on two days.
func (w *world) corrected() {
	w.t.Helper()
	for i := range 2 {
		w.writtenBy("eve@bakers.example", "tips", fmt.Sprintf("notes/tip%d.md", i), tip+"\n")
		w.now = w.now.AddDate(0, 0, 1)
	}
	w.fake.Open(githubfake.Pull{Title: "tips", Head: "tips", Base: "main", Author: githubfake.User{Login: "eve", ID: 9}})
	if _, err := w.fake.Merge("tips", githubfake.MergeCommit); err != nil {
		w.t.Fatal(err)
	}
	w.now = w.now.Add(time.Hour)
}

var shown = regexp.MustCompile(`(?m)^## Commit ([0-9a-f]+),|^### (S\d+) |^path: (\S+)|(` + regexp.QuoteMeta(tip) + `)`)

// learns is a model that finds the tip wherever it is shown, and makes a rule of
// it.
func learns(t *testing.T) *llm.Client {
	t.Helper()
	fake := &llmtest.Fake{Name: "small", Answer: func(req llm.Request) (llmtest.Reply, bool) {
		var answer any
		if text := tip; req.Stage == "triage" {
			answer = prompts.TriageAnswer{Items: tips(req.Prompt.User)}
		} else {
			answer = prompts.PatchAnswer{Edits: []prompts.PatchEdit{{Op: prompts.OpAdd, Text: &text, Reason: "No rule is near."}}}
		}
		b, err := json.Marshal(answer)
		return llmtest.Reply{Text: string(b)}, err == nil
	}}
	client, err := llm.New(llm.Options{Default: llm.Stage{Generator: fake}, Repository: "kitchen"})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func tips(user string) []prompts.TriageItem {
	item := prompts.TriageItem{Durable: true, Title: "Heat early", Lesson: tip, Topic: "baking", Kind: prompts.KindState, Confidence: "high"}
	var commit, signal, path string
	for _, m := range shown.FindAllStringSubmatch(user, -1) {
		switch {
		case m[1] != "":
			commit = m[1]
		case m[2] != "":
			signal = m[2]
		case m[3] != "":
			path = m[3]
		default:
			at := path
			item.Signal = signal
			item.Evidence = append(item.Evidence, prompts.Evidence{Commit: commit, Path: &at, Line: 1, Quote: tip})
		}
	}
	if item.Signal == "" {
		return []prompts.TriageItem{}
	}
	return []prompts.TriageItem{item}
}

// asks are the requests of a kind that a host saw.
func (w *world) asks(suffix string) (n int) {
	for _, r := range w.fake.Requests() {
		if strings.HasSuffix(r.Path, suffix) {
			n++
		}
	}
	return n
}

// learnt runs a night with a model and returns the branch of the rule.
func (w *world) learnt() (branch string, r *report.Receipt) {
	w.t.Helper()
	o := w.options()
	o.Model = learns(w.t)
	r = run(w.t, o)
	for _, p := range r.Proposals {
		for _, f := range p.Files {
			if strings.HasPrefix(f, "knowledge/playbooks/") {
				branch = p.Branch
			}
		}
	}
	return branch, r
}

// What a person without write access says in a change that was merged waits for
// a member; what a member says does not. A list of the operator's own decides
// without asking, and a host that says nothing vouches for nobody.
func TestMembersAreWhoMayWrite(t *testing.T) {
	t.Parallel()
	refused := githubfake.Fault{Path: "/permission$", Status: http.StatusForbidden, Body: `{"message":"Must have push access to view collaborator permission."}`}
	for name, tt := range map[string]struct {
		permission string
		account    map[string]githubfake.User
		members    []string
		fault      *githubfake.Fault
		auto       bool
		asked      int // for accounts
		says       string
	}{
		"may write":                {permission: "write", auto: true, asked: 3},
		"administers":              {permission: "admin", auto: true, asked: 3},
		"may read":                 {permission: "read", asked: 3},
		"is nobody":                {account: map[string]githubfake.User{"eve@bakers.example": {}}, asked: 3, says: "no account of 1 author"},
		"the host refuses":         {permission: "write", fault: &refused, asked: 1, says: "not known tonight"},
		"is named by the operator": {permission: "read", members: []string{"*@bakers.example"}, auto: true},
		"is not named":             {permission: "write", members: []string{"ada@kitchen.example"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, true)
			w.fake.Permissions, w.fake.Accounts, w.config.Trust.Members = map[string]string{"eve": tt.permission}, tt.account, tt.members
			if tt.fault != nil {
				w.fake.Inject(*tt.fault)
			}
			w.corrected()
			branch, r := w.learnt()
			if branch == "" || (branch == proposal.UpkeepBranch) != tt.auto {
				t.Errorf("the rule is on %q: %+v\n%v", branch, r.Lessons, r.Warnings)
			}
			warned := strings.Join(r.Warnings, "\n")
			if n := w.asks("/commits"); n != tt.asked || !strings.Contains(warned, tt.says) || strings.Contains(warned, "outsiders") != (tt.says != "") {
				t.Errorf("asked for %d authors, and told: %q", n, warned)
			}
			if strings.Contains(warned, "eve") {
				t.Errorf("the receipt names somebody: %q", warned)
			}
		})
	}
}

// A night asks about so many authors and no more.
func TestMembersAreAskedForWithinBounds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	for i := range 53 {
		for range 2 {
			w.now = w.now.Add(time.Minute)
			w.writtenBy(fmt.Sprintf("eve%d@bakers.example", i), "main", "notes/tips.md", fmt.Sprintf("tip %d at %v\n", i, w.now))
		}
	}
	w.now = w.now.Add(time.Hour)
	_, r := w.learnt()
	if a, b := w.asks("/commits"), w.asks("/permission"); a != 50 || b != 50 {
		t.Errorf("%d accounts and %d permissions are asked for", a, b)
	}
	if warned := strings.Join(r.Warnings, "\n"); !strings.Contains(warned, "4 authors more count as outsiders") {
		t.Errorf("it is told: %q", warned)
	}
	if w.night(); w.asks("/commits") != 50 {
		t.Error("a night without a model asks")
	}
}
