package pulls

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/marker"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

var _ forge.Forge = (*Forge)(nil)

// List implements [forge.Forge]. Of the pull requests of one slot the open one
// is listed, else the newest. What we took back, and what was tidied up after a
// merge, is not listed; a branch under our prefix without a pull request of ours
// is listed as changed by somebody else, unless it is what a run that was cut
// short has left.
func (f *Forge) List(ctx context.Context, base proposal.Base) ([]proposal.Existing, error) {
	heads, err := f.heads(ctx)
	if err != nil {
		return nil, fmt.Errorf("list proposals: %w", err)
	}
	known, err := f.pulls(ctx, heads)
	if err != nil {
		return nil, fmt.Errorf("list proposals: %w", err)
	}
	var out []proposal.Existing
	rest := maps.Clone(heads)
	for _, p := range known {
		branch := p.Head
		delete(rest, branch)
		if x, ok := f.existing(p, heads[branch]); ok {
			out = append(out, x)
		}
	}
	delete(rest, proposal.Prefix)
	for branch, head := range rest {
		x, ok, err := f.stray(ctx, branch, head, base)
		if err != nil {
			return nil, fmt.Errorf("list proposals: %s: %w", branch, err)
		}
		if ok {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b proposal.Existing) int { return strings.Compare(a.Branch, b.Branch) })
	return out, nil
}

// existing reads how a pull request of ours stands; ok is false for one that is
// taken back or tidied up.
func (f *Forge) existing(p pull, head repo.Hash) (proposal.Existing, bool) {
	m := p.marker.For(head)
	layers, damaged := f.records().Layers(m)
	x := proposal.Existing{
		Slot: m.Slot, Content: m.Content, Kind: m.Kind, Branch: p.Head, Base: p.Base, Fork: marker.Hash(m.Fork), Head: head,
		Title: p.Title, Labels: p.Labels, URL: p.URL, Number: p.Number, Layers: layers, Files: m.Files, Run: m.Run, At: m.At,
	}
	switch {
	case !p.Merged.IsZero():
		x.Status, x.Ended = proposal.Merged, p.Merged
		return x, m.Stage != marker.Closed
	case !p.Open:
		x.Status, x.Ended, x.ClosedBy = proposal.Closed, p.Ended, proposal.ByPerson
		return x, m.Stage != marker.Closed && m.Stage != marker.Closing
	case head.IsZero():
		x.Status = proposal.Closed // the host has not noticed yet that the branch is gone
		x.ClosedBy = proposal.ByPerson
		return x, m.Stage != marker.Closing
	}
	x.Status = proposal.Open
	x.Touched = head != marker.Hash(m.Head) || damaged != nil || m.Stage == marker.Closed // closed by us, and a person opened it again
	if p.marker.Stage != marker.Settled {
		x.Content = "" // something is left to be completed
	}
	return x, true
}

// stray describes a branch under our prefix that no listed pull request is
// about.
func (f *Forge) stray(ctx context.Context, branch string, head repo.Hash, base proposal.Base) (proposal.Existing, bool, error) {
	prs, err := f.onBranch(ctx, branch)
	if err != nil {
		return proposal.Existing{}, false, err
	}
	for _, pr := range prs {
		if p, ok := f.mine(pr); ok { // the list was behind
			x, ok := f.existing(p, head)
			return x, ok, nil
		}
	}
	if len(prs) == 0 && f.written(ctx, head, base) {
		return proposal.Existing{}, false, nil
	}
	x, ok := f.foreign(branch, head, base)
	if len(prs) > 0 {
		f.about(&x, prs[0])
	}
	return x, ok, nil
}

// foreign describes a branch that somebody else wrote. It is listed where its
// trailers name a slot, so that the slot is left alone.
func (f *Forge) foreign(branch string, head repo.Hash, base proposal.Base) (proposal.Existing, bool) {
	kind, _, _ := strings.Cut(strings.TrimPrefix(branch, proposal.Prefix+"/"), "/")
	if proposal.IsUpkeep(branch) {
		kind = proposal.KindUpkeep
	}
	x := proposal.Existing{Kind: kind, Branch: branch, Base: base.Name, Head: head, Status: proposal.Open, Touched: true}
	if c, err := f.Store.Commit(head); err == nil {
		t, _ := proposal.ParseTrailers(c.Message)
		x.Slot, x.Content, x.Run, x.At = t.Slot, t.Content, t.Run, c.Committer.When.UTC()
	}
	return x, x.Slot != "" || kind == proposal.KindUpkeep
}

// about tells of the pull request that is on a branch of somebody else. One that
// our account made has lost its marker: closed, it is a person's no all the same.
func (f *Forge) about(x *proposal.Existing, pr Pull) {
	x.Title, x.URL, x.Number = pr.Title, pr.URL, pr.Number
	if f.opened(pr) && !pr.Open && pr.Merged.IsZero() {
		x.Status, x.Touched, x.ClosedBy, x.Ended = proposal.Closed, false, proposal.ByPerson, pr.Ended
	}
}

// maxOwn is how many commits of a branch are looked at.
const maxOwn = 100

// written reports whether every commit of a branch is one that we wrote: no
// person committed to it. Only a branch without a pull request is asked about.
func (f *Forge) written(ctx context.Context, head repo.Hash, base proposal.Base) bool {
	in, err := f.Store.Range(ctx, base.Commit, head, maxOwn)
	if err != nil || in.Truncated || len(in.Missing) > 0 || len(in.Commits) == 0 {
		return false
	}
	for _, c := range in.Commits {
		t, ok := proposal.ParseTrailers(c.Message)
		if !ok || t.Slot == "" || !f.isOurs(ctx, c) {
			return false
		}
	}
	return true
}

func (f *Forge) isOurs(ctx context.Context, c repo.Commit) bool {
	if f.isAuthor(c.Author) && f.isAuthor(c.Committer) {
		return true
	}
	if f.Commits == nil {
		return false
	}
	made, err := f.Commits.Made(ctx, c.Hash)
	return made && err == nil
}

func (f *Forge) isAuthor(s repo.Signature) bool {
	return s.Name == f.Author.Name && s.Email == f.Author.Email
}
