package gitlabfake

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// Push implements the pusher of a forge, on the bare repository itself.
func (g *GitLab) Push(_ context.Context, updates []repo.RefUpdate) error {
	for _, u := range updates {
		if at, _, err := g.Repo.Ref(u.Name); err != nil || at != u.Old {
			return fmt.Errorf("push %s: %w", u.Name, repo.ErrRefMoved)
		}
	}
	for _, u := range updates {
		var err error
		if u.New.IsZero() {
			err = g.Repo.DeleteRef(u.Name, u.Old)
		} else {
			err = g.Repo.UpdateRef(u.Name, u.Old, u.New)
		}
		if err != nil {
			return fmt.Errorf("push %s: %w", u.Name, err)
		}
	}
	return nil
}

// Refs implements the pusher of a forge.
func (g *GitLab) Refs(_ context.Context, prefix string) (map[string]repo.Hash, error) {
	all, err := g.Repo.Refs("refs/")
	maps.DeleteFunc(all, func(name string, _ repo.Hash) bool { return !strings.HasPrefix(name, prefix) })
	return all, err
}

// Merge lets a person merge what is open from a branch. It returns where the base
// is after it.
func (g *GitLab) Merge(branch string, squash bool) (repo.Hash, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refresh()
	i := slices.IndexFunc(g.requests, func(m *Request) bool { return m.State == "opened" && m.SourceBranch == branch })
	if i < 0 {
		return repo.Hash{}, fmt.Errorf("merge %s: nothing is open", branch)
	}
	return g.land(g.requests[i], squash)
}

// land puts the tree of a branch onto its base: nobody else changes the base
// while a branch is open.
func (g *GitLab) land(m *Request, squash bool) (repo.Hash, error) {
	base, _, err := g.Repo.Ref("refs/heads/" + m.TargetBranch)
	if err != nil {
		return base, err
	}
	head, _, err := g.Repo.Ref("refs/heads/" + m.SourceBranch)
	if err != nil {
		return head, err
	}
	c, err := g.Repo.Commit(head)
	if err != nil {
		return head, err
	}
	parents := []repo.Hash{base, head}
	if squash {
		parents = parents[:1]
	}
	ada := repo.Signature{Name: "Ada Byron", Email: "ada@acme.dev", When: g.at}
	h, err := g.Repo.WriteCommit(repo.NewCommit{Tree: c.Tree, Parents: parents, Author: ada, Committer: ada, Message: m.Title})
	if err == nil {
		err = g.Repo.UpdateRef("refs/heads/"+m.TargetBranch, base, h)
	}
	m.State, m.MergedAt = "merged", &g.at
	return h, err
}

// Add files an issue and returns its number.
func (g *GitLab) Add(i Issue) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	i.IID = len(g.issues) + 1
	g.issues = append(g.issues, i)
	return i.IID
}

// EditIssue lets a person change the text of an issue.
func (g *GitLab) EditIssue(iid int, change func(string) string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.issues[iid-1].Description = change(g.issues[iid-1].Description)
}

// Edit lets a person change a merge request in any way.
func (g *GitLab) Edit(iid int, change func(*Request)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(g.requests[iid-1])
}

// Inject makes the next request that fits get another answer.
func (g *GitLab) Inject(f Fault) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.faults = append(g.faults, f)
}

// Seen are the requests that came in.
func (g *GitLab) Seen() []*http.Request {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.seen)
}

// Snapshot is everything a write would change.
func (g *GitLab) Snapshot() (map[string]string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refresh()
	refs, err := g.Repo.Refs("refs/")
	out := map[string]string{}
	for name, h := range refs {
		out[name] = h.String()
	}
	for _, m := range g.requests {
		out[fmt.Sprintf("!%d", m.IID)] = fmt.Sprintf("%+v", *m)
	}
	for _, i := range g.issues {
		out[fmt.Sprintf("#%d", i.IID)] = fmt.Sprintf("%+v", i)
	}
	return out, err
}
