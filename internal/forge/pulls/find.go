package pulls

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/forge/marker"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// heads are the branches under our prefix, and a branch that is called like the
// prefix itself, as the remote has them now.
func (f *Forge) heads(ctx context.Context) (map[string]repo.Hash, error) {
	refs, err := f.Pusher.Refs(ctx, headRefs+proposal.Prefix)
	if err != nil {
		return nil, fmt.Errorf("read the branches: %w", err)
	}
	out := map[string]repo.Hash{}
	for name, h := range refs {
		branch := strings.TrimPrefix(name, headRefs)
		if branch == proposal.Prefix || strings.HasPrefix(branch, proposal.Prefix+"/") {
			out[branch] = h
		}
	}
	return out, nil
}

const headRefs = "refs/heads/"

// pull is a pull request of ours with what it remembers.
type pull struct {
	Pull
	marker marker.Marker
}

// mine reads a pull request as one of ours: the account made it, in this
// repository and from it, from a branch of ours, and the marker can be read.
func (f *Forge) mine(pr Pull) (pull, bool) {
	m, err := marker.Parse(pr.Body)
	return pull{pr, m}, err == nil && m.Branch == pr.Head && f.opened(pr)
}

// opened reports whether our account opened the pull request, from a branch of ours.
func (f *Forge) opened(pr Pull) bool {
	return f.Bot.Is(pr.Author) && pr.Here && strings.HasPrefix(pr.Head, proposal.Prefix+"/")
}

// pulls returns our pull requests, the one that counts of each branch. What is
// tidied up, and whose branch is gone, has nothing more to tell and is not read
// again: there is more of it every month.
func (f *Forge) pulls(ctx context.Context, heads map[string]repo.Hash) ([]pull, error) {
	own, err := f.Host.Own(ctx)
	if err != nil {
		return nil, fmt.Errorf("list what %s made: %w", f.Bot.Login, err)
	}
	best := map[string]candidate{}
	for _, pr := range own {
		if m, err := marker.Parse(pr.Body); err == nil && f.Bot.Is(pr.Author) {
			_, there := heads[m.Branch]
			best[m.Branch] = best[m.Branch].or(candidate{pr.Number, pr.Open, m.Stage == marker.Closed && !pr.Open && !there})
		}
	}
	var out []pull
	for _, c := range slices.SortedFunc(maps.Values(best), func(a, b candidate) int { return a.number - b.number }) {
		if c.over {
			continue
		}
		pr, err := f.get(ctx, c.number)
		if err != nil {
			return nil, err
		}
		if p, ok := f.mine(pr); ok {
			out = append(out, p)
		}
	}
	return out, nil
}

// candidate is one of several pull requests of a branch.
type candidate struct {
	number int
	open   bool
	over   bool // ended, and tidied up
}

// or prefers the open one, then the newest.
func (c candidate) or(d candidate) candidate {
	if c.open == d.open && d.number > c.number || d.open && !c.open {
		return d
	}
	return c
}

// onBranch are all pull requests from a branch of the repository, newest first.
func (f *Forge) onBranch(ctx context.Context, branch string) ([]Pull, error) {
	all, err := f.Host.OnBranch(ctx, branch)
	if err != nil {
		return nil, fmt.Errorf("list what is on %s: %w", branch, err)
	}
	all = slices.DeleteFunc(all, func(pr Pull) bool { return pr.Head != branch || !pr.Here })
	slices.SortFunc(all, func(a, b Pull) int { return b.Number - a.Number })
	return slices.CompactFunc(all, func(a, b Pull) bool { return a.Number == b.Number }), nil
}

func (f *Forge) get(ctx context.Context, number int) (Pull, error) {
	pr, err := f.Host.Get(ctx, number)
	if err == nil && pr.Number != number {
		err = fmt.Errorf("the answer is about number %d", pr.Number)
	}
	if err != nil {
		return pr, fmt.Errorf("read request %d: %w", number, err)
	}
	return pr, nil
}
