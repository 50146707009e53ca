package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"

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
	if err != nil {
		return proposal.Existing{}, fmt.Errorf("open %s: %w", d.Branch, err)
	}
	if place.there == nil {
		place.there, err = f.open(ctx, d, place.head)
	} else if place.there.marker.Stage != marker.Settled {
		*place.there, err = f.settle(ctx, place.there.GetNumber(), place.there.marker.Fresh(), d)
	}
	if err != nil {
		return proposal.Existing{}, fmt.Errorf("open %s: %w", d.Branch, err)
	}
	x, _ := f.existing(*place.there, d.Head)
	return x, nil
}

// place is where a new proposal goes.
type place struct {
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
	for _, pr := range prs {
		p, ours := f.mine(pr)
		switch {
		case pr.GetState() == "open" && ours && head == d.Head && p.marker.Says(d):
			return place{head: head, there: &p}, nil
		case pr.GetState() == "open":
			return place{}, fmt.Errorf("%w: pull request %d is open", forge.ErrTaken, pr.GetNumber())
		case ours && head == marker.Hash(p.marker.Head):
			left = true
		}
	}
	if !left && !(len(prs) == 0 && f.written(ctx, head, d.Base)) {
		return place{}, fmt.Errorf("%w: rename or delete it", forge.ErrTaken)
	}
	return place{head: head}, nil
}

func (f *Forge) open(ctx context.Context, d proposal.Draft, old repo.Hash) (*pull, error) {
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
	p, err := f.settle(ctx, pr.GetNumber(), true, d)
	return &p, err
}

// create makes the pull request. When the host says that there is one, or does
// not say whether it made one, the branch is looked at again.
func (f *Forge) create(ctx context.Context, d proposal.Draft, m marker.Marker) (*github.PullRequest, error) {
	body := marker.Island(d.Body, m)
	draft := f.Policy.Draft
	n := &github.NewPullRequest{Title: &d.Title, Head: &d.Branch, Base: &d.Base.Name, Body: &body, Draft: &draft}
	pr, _, err := f.Client.PullRequests.Create(ctx, f.Owner, f.Repo, n)
	if draft && isStatus(err, http.StatusUnprocessableEntity) && mentions(err, "draft") {
		f.warn("%s is ready for review at once: this repository has no drafts", d.Branch)
		draft = false
		pr, _, err = f.Client.PullRequests.Create(ctx, f.Owner, f.Repo, n)
	}
	if err == nil {
		return pr, nil
	}
	err = fmt.Errorf("create the pull request: %w", hint(err))
	if isStatus(err, http.StatusUnprocessableEntity) && !mentions(err, "already exists") || isStatus(err, http.StatusForbidden, http.StatusUnauthorized, http.StatusNotFound) {
		return nil, err
	}
	there, again := f.onBranch(ctx, d.Branch)
	for _, pr := range there {
		if p, ok := f.mine(pr); ok && pr.GetState() == "open" && p.marker.Says(d) {
			return pr, nil
		}
	}
	return nil, errors.Join(err, again)
}

// withdraw takes the branch of a pull request back that the host will not make.
// After an error that may pass it stays, for the next run to go on from.
func (f *Forge) withdraw(ctx context.Context, d proposal.Draft, cause error) error {
	if !isStatus(cause, http.StatusUnprocessableEntity, http.StatusForbidden, http.StatusNotFound) || mentions(cause, "already exists") {
		return nil
	}
	return f.push(ctx, move{branch: d.Branch, old: d.Head, recorded: true})
}

// mentions reports whether the host's answer holds a phrase: some of its
// refusals differ in nothing else.
func mentions(err error, phrase string) bool {
	var e *github.ErrorResponse
	if !errors.As(err, &e) {
		return false
	}
	text := e.Message
	for _, d := range e.Errors {
		text += "\n" + d.Message
	}
	return strings.Contains(strings.ToLower(text), phrase)
}

// hint says what to do about a refusal that people meet.
func hint(err error) error {
	switch {
	case mentions(err, "not permitted to create"):
		return fmt.Errorf("%w: allow it under Settings, Actions, General, Workflow permissions", err)
	case isStatus(err, http.StatusForbidden):
		return fmt.Errorf("%w: the token needs write access to contents and pull requests", err)
	}
	return err
}

// dress adds labels, asks the configured people for a review and turns on
// auto-merge. None of it is worth a failed run.
func (f *Forge) dress(ctx context.Context, number int, d proposal.Draft) {
	if len(d.Labels) > 0 {
		if err := f.label(ctx, number, d.Labels); err != nil {
			f.warn("pull request %d has no labels: %v", number, err)
		}
	}
	if people := f.Policy; len(people.Reviewers)+len(people.Teams) > 0 {
		_, _, err := f.Client.PullRequests.RequestReviewers(ctx, f.Owner, f.Repo, number, github.ReviewersRequest{Reviewers: people.Reviewers, TeamReviewers: people.Teams})
		if err != nil {
			f.warn("pull request %d has no reviewers: %v", number, err)
		}
	}
	if f.Policy.AutoMerge == "" || d.Kind != proposal.KindUpkeep {
		return
	}
	if err := f.autoMerge(ctx, number); err != nil {
		f.warn("pull request %d will not merge by itself: %v", number, err)
	}
}

// label adds labels. The client library sends a bare list, which the API no
// longer describes.
func (f *Forge) label(ctx context.Context, number int, labels []string) error {
	at := fmt.Sprintf("repos/%s/%s/issues/%d/labels", f.Owner, f.Repo, number)
	req, err := f.Client.NewRequest(http.MethodPost, at, map[string][]string{"labels": labels})
	if err != nil {
		return fmt.Errorf("add labels: %w", err)
	}
	_, err = f.Client.Do(ctx, req, nil)
	return err
}

var mergeMethods = []string{"MERGE", "SQUASH", "REBASE"}

// autoMerge asks for a merge once the checks pass: the host offers it in GraphQL
// alone.
func (f *Forge) autoMerge(ctx context.Context, number int) error {
	if !slices.Contains(mergeMethods, f.Policy.AutoMerge) {
		return fmt.Errorf("%q is none of %s", f.Policy.AutoMerge, strings.Join(mergeMethods, ", "))
	}
	p, err := f.own(ctx, number)
	if err != nil {
		return err
	}
	const mutation = `mutation($id: ID!, $method: PullRequestMergeMethod!) { enablePullRequestAutoMerge(input: {pullRequestId: $id, mergeMethod: $method}) { clientMutationId } }`
	return graphQL(ctx, f.Client, mutation, map[string]any{"id": p.GetNodeID(), "method": f.Policy.AutoMerge}, nil)
}

// oneLine sets a reason as prose that is no markup.
func oneLine(reason string) string { return markup.Prose(reason) }
