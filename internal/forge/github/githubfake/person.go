package githubfake

import (
	"fmt"
	"slices"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// Pulls are copies of all pull requests, oldest first.
func (g *GitHub) Pulls() []Pull {
	g.mu.Lock()
	defer g.mu.Unlock()
	_ = g.reconcile() // a repository that cannot be read fails the next request
	out := make([]Pull, len(g.pulls))
	for i, p := range g.pulls {
		out[i] = *p
		out[i].Labels = slices.Clone(p.Labels)
	}
	return out
}

// Edit lets a person change a pull request in any way.
func (g *GitHub) Edit(number int, change func(*Pull)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(g.pulls[number-1])
}

// Close lets a person close a pull request, as a no.
func (g *GitHub) Close(number int) {
	g.Edit(number, func(p *Pull) { p.State, p.Closed = "closed", g.Now() })
}

// Open adds a pull request of anybody; HeadOwner names a fork.
func (g *GitHub) Open(p Pull) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.add(&p).Number
}

// Method is how a person merges.
type Method string

// How a person merges.
const (
	MergeCommit Method = "merge"
	Squash      Method = "squash"
)

// Merge lets a person merge the open pull request of a branch. It returns where
// the base is after it.
func (g *GitHub) Merge(branch string, by Method) (repo.Hash, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.reconcile(); err != nil {
		return repo.Hash{}, err
	}
	i := slices.IndexFunc(g.pulls, func(p *Pull) bool { return p.State == "open" && p.Head == branch && p.HeadOwner == "" })
	if i < 0 {
		return repo.Hash{}, fmt.Errorf("merge %s: no open pull request", branch)
	}
	p := g.pulls[i]
	h, err := g.merge(p, by)
	if err != nil {
		return repo.Hash{}, fmt.Errorf("merge %s: %w", branch, err)
	}
	p.State, p.Closed, p.Merged = "closed", g.Now(), g.Now()
	return h, nil
}

func (g *GitHub) merge(p *Pull, by Method) (repo.Hash, error) {
	base := g.tip(p.Base)
	tree, err := g.joined(base, p.HeadHash)
	if err != nil {
		return repo.Hash{}, err
	}
	parents := []repo.Hash{base, p.HeadHash}
	if by == Squash {
		parents = parents[:1]
	}
	sig := repo.Signature{Name: "Ada Byron", Email: "ada@acme.dev", When: g.Now()}
	h, err := g.Repo.WriteCommit(repo.NewCommit{Tree: tree, Parents: parents, Author: sig, Committer: sig, Message: p.Title})
	if err != nil {
		return repo.Hash{}, err
	}
	p.MergeHash = h
	return h, g.Repo.UpdateRef("refs/heads/"+p.Base, base, h)
}

// joined is the tree of base with what the branch changed since it left it.
func (g *GitHub) joined(base, head repo.Hash) (repo.Hash, error) {
	fork, _, err := g.Repo.MergeBase(testContext, base, head)
	if err != nil {
		return repo.Hash{}, err
	}
	changed, err := g.Repo.Diff(testContext, fork, head)
	if err != nil {
		return repo.Hash{}, err
	}
	over := map[string][]byte{}
	for _, c := range changed {
		if c.To.Path == "" {
			over[c.From.Path] = nil
			continue
		}
		if over[c.To.Path], err = g.Repo.Blob(c.To.Hash, 1<<20); err != nil {
			return repo.Hash{}, err
		}
	}
	return g.Repo.WriteTree(base, over)
}
