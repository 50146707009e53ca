package pulls

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/marker"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report/markup"
)

// Open implements [forge.Forge]: the branch, then the pull request, then its
// labels. Where it is cut short, opening the same again completes it.
func (f *Forge) Open(ctx context.Context, d proposal.Draft) (proposal.Existing, error) {
	place, err := f.place(ctx, d)
	d = place.draft
	if err != nil {
		return proposal.Existing{}, fmt.Errorf("open %s: %w", d.Branch, err)
	}
	if place.there == nil {
		place.there, err = f.open(ctx, d, place.head)
	} else if place.there.marker.Stage != marker.Settled {
		*place.there, err = f.settle(ctx, place.there.Number, place.there.marker.Fresh(), d)
	}
	if err != nil {
		return proposal.Existing{}, fmt.Errorf("open %s: %w", d.Branch, err)
	}
	x, _ := f.existing(*place.there, marker.Hash(place.there.marker.Head))
	return x, nil
}

// place is where a new proposal goes.
type place struct {
	draft proposal.Draft
	head  repo.Hash // of the branch; zero: there is none
	there *pull     // it is there already, just as the draft wants it
}

func (f *Forge) place(ctx context.Context, d proposal.Draft) (place, error) {
	heads, err := f.heads(ctx)
	if err != nil {
		return place{}, err
	}
	if _, taken := heads[proposal.Prefix]; taken {
		return place{}, fmt.Errorf("%w: a branch named %s leaves no room for %s/...: rename it", forge.ErrTaken, proposal.Prefix, proposal.Prefix)
	}
	prs, err := f.onBranch(ctx, d.Branch)
	if err != nil {
		return place{}, err
	}
	head := heads[d.Branch]
	left := head.IsZero() || head == d.Head // as we left it
	if d, err = f.known(d, head); err != nil {
		return place{}, err
	}
	for _, pr := range prs {
		p, ours := f.mine(pr)
		switch {
		case pr.Open && ours && head == d.Head && p.marker.Says(d):
			return place{draft: d, head: head, there: &p}, nil
		case pr.Open:
			return place{}, fmt.Errorf("%w: request %d is open", forge.ErrTaken, pr.Number)
		case ours && (head == marker.Hash(p.marker.Head) || !pr.Merged.IsZero() && f.isIn(ctx, head, d.Base)):
			left = true
		}
	}
	if !left && !(len(prs) == 0 && f.written(ctx, head, d.Base)) {
		return place{}, fmt.Errorf("%w: rename or delete it", forge.ErrTaken)
	}
	return place{draft: d, head: head}, nil
}

// isIn reports whether a base holds a commit: the branch of a merge that nobody
// deleted must not keep its file from ever being offered again.
func (f *Forge) isIn(ctx context.Context, head repo.Hash, base proposal.Base) bool {
	in, err := f.Store.IsAncestor(ctx, head, base.Commit)
	return in && err == nil
}

func (f *Forge) open(ctx context.Context, d proposal.Draft, old repo.Hash) (*pull, error) {
	d, err := f.made(ctx, d, old)
	if err != nil {
		return nil, err
	}
	m := marker.New(d, marker.Opening)
	record, err := f.records().Keep(&m, d.Layers)
	if err != nil {
		return nil, err
	}
	if err := f.push(ctx, move{branch: d.Branch, old: old, head: d.Head, record: record, recorded: !old.IsZero()}); err != nil {
		return nil, err
	}
	pr, err := f.create(ctx, d, m)
	if err != nil {
		return nil, errors.Join(err, f.withdraw(ctx, d, err))
	}
	p, err := f.settle(ctx, pr.Number, true, d)
	return &p, err
}

// create makes the pull request. When the host says that there is one, or does
// not say whether it made one, the branch is looked at again.
func (f *Forge) create(ctx context.Context, d proposal.Draft, m marker.Marker) (Pull, error) {
	pr, err := f.Host.Create(ctx, New{Title: d.Title, Body: marker.Island(d.Body, m), Head: d.Branch, Base: d.Base.Name})
	if err == nil {
		return pr, nil
	}
	err = fmt.Errorf("create the request: %w", err)
	if refuses(err) {
		return pr, err
	}
	there, again := f.onBranch(ctx, d.Branch)
	for _, pr := range there {
		if p, ok := f.mine(pr); ok && pr.Open && p.marker.Says(d) {
			return pr, nil
		}
	}
	return pr, errors.Join(err, again)
}

// refuses reports whether the host will not make a request, whenever it is
// asked; that there is one already is no such answer.
func refuses(err error) bool {
	return IsStatus(err, http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusForbidden, http.StatusUnauthorized, http.StatusNotFound) &&
		!strings.Contains(strings.ToLower(err.Error()), "already exists")
}

// withdraw takes the branch of a request back that the host will not make. After
// an error that may pass it stays, for the next run to go on from.
func (f *Forge) withdraw(ctx context.Context, d proposal.Draft, cause error) error {
	if !refuses(cause) || IsStatus(cause, http.StatusUnauthorized) {
		return nil
	}
	return f.push(ctx, move{branch: d.Branch, old: d.Head, recorded: true})
}

// dress adds labels, and what else the host has for a new request. None of it is
// worth a failed run.
func (f *Forge) dress(ctx context.Context, number int, d proposal.Draft) {
	if len(d.Labels) > 0 {
		if err := f.Host.Label(ctx, number, d.Labels); err != nil {
			f.warn("request %d has no labels: %v", number, err)
		}
	}
	if more, ok := f.Host.(Dresser); ok {
		if err := more.Dress(ctx, number); err != nil {
			f.warn("request %d: %v", number, err)
		}
	}
	if f.Auto == "" || d.Kind != proposal.KindUpkeep {
		return
	}
	if err := f.mergeLater(ctx, number, d.Head.String()); err != nil {
		f.warn("request %d will not merge by itself: %v", number, err)
	}
}

// mergeLater is asked for once: a person who calls it off has the last word.
func (f *Forge) mergeLater(ctx context.Context, number int, head string) error {
	host, ok := f.Host.(Later)
	if !ok || !slices.Contains([]string{MergeCommit, Squash, Rebase}, f.Auto) {
		return fmt.Errorf("the host knows no way %q", f.Auto)
	}
	p, err := f.own(ctx, number)
	if err != nil {
		return err
	}
	return host.MergeLater(ctx, p.Pull, head, f.Auto)
}

// oneLine sets a reason as prose that is no markup.
func oneLine(reason string) string { return markup.Prose(reason) }
