package github

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/retrosweep/retrosweep/internal/forge"
)

var _ forge.Reviewed = (*Forge)(nil)

// maxReviewed bounds the merged pull requests that one night asks about: three
// requests each.
const maxReviewed = 30

// Remarks implements [forge.Reviewed].
func (f *Forge) Remarks(ctx context.Context, since time.Time) ([]forge.Remark, string, error) {
	prs, more, err := f.merged(ctx, since)
	if err != nil {
		return nil, "", fmt.Errorf("list merged pull requests: %w", err)
	}
	var out []forge.Remark
	for _, pr := range prs {
		all, err := f.remarksOf(ctx, pr)
		if err != nil {
			return nil, "", fmt.Errorf("read the review of pull request %d: %w", pr.GetNumber(), err)
		}
		out = append(out, all...)
	}
	slices.SortStableFunc(out, func(a, b forge.Remark) int { return a.At.Compare(b.At) })
	warning := ""
	if more {
		warning = fmt.Sprintf("reviews: only those of the %d pull requests that were touched last are read", maxReviewed)
	}
	return out, warning, nil
}

// merged are the pull requests of others that were merged after since, the one
// touched last first. One page is asked for: a night has no more.
func (f *Forge) merged(ctx context.Context, since time.Time) (out []*github.PullRequest, more bool, err error) {
	all, _, err := f.host.client.PullRequests.List(ctx, f.host.owner, f.host.repo, &github.PullRequestListOptions{
		State: "closed", Sort: "updated", Direction: "desc", ListOptions: github.ListOptions{PerPage: 100},
	})
	if err != nil {
		return nil, false, err
	}
	for _, pr := range all {
		if pr.MergedAt == nil || pr.GetMergedAt().Before(since) || f.host.bot.Is(identity(pr.GetUser())) {
			continue
		}
		if len(out) == maxReviewed {
			return out, true, nil
		}
		out = append(out, pr)
	}
	return out, false, nil
}

// remarksOf reads what was said of one pull request by others than its author.
func (f *Forge) remarksOf(ctx context.Context, pr *github.PullRequest) ([]forge.Remark, error) {
	page := github.ListOptions{PerPage: 100}
	reviews, _, err := f.host.client.PullRequests.ListReviews(ctx, f.host.owner, f.host.repo, pr.GetNumber(), &page)
	if err != nil {
		return nil, err
	}
	requested := map[int64]bool{}
	var out []forge.Remark
	for _, r := range reviews {
		requested[r.GetID()] = r.GetState() == "CHANGES_REQUESTED"
		if r.GetState() == "CHANGES_REQUESTED" {
			out = f.said(out, pr, r.GetUser(), r.GetAuthorAssociation(), "", r.GetBody(), true, r.GetSubmittedAt())
		}
	}
	comments, _, err := f.host.client.PullRequests.ListComments(ctx, f.host.owner, f.host.repo, pr.GetNumber(), &github.PullRequestListCommentsOptions{ListOptions: page})
	if err != nil {
		return nil, err
	}
	for _, c := range comments {
		out = f.said(out, pr, c.GetUser(), c.GetAuthorAssociation(), c.GetPath(), c.GetBody(), requested[c.GetPullRequestReviewID()], c.GetCreatedAt())
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, f.commitsOf(ctx, pr, out)
}

// said adds a remark, but for the author's own and empty ones.
func (f *Forge) said(all []forge.Remark, pr *github.PullRequest, by *github.User, role, path, text string, requested bool, at github.Timestamp) []forge.Remark {
	if strings.TrimSpace(text) == "" || strings.EqualFold(by.GetLogin(), pr.GetUser().GetLogin()) {
		return all
	}
	return append(all, forge.Remark{
		Pull: pr.GetNumber(), Path: path, Text: text, Login: by.GetLogin(), Author: pr.GetUser().GetLogin(),
		Writes: role == "OWNER" || role == "MEMBER" || role == "COLLABORATOR", Bot: by.GetType() == "Bot",
		Requested: requested, At: at.UTC(),
	})
}

// commitsOf gives remarks the commits of their change: those of its branch, and
// the one that merged or squashed it.
func (f *Forge) commitsOf(ctx context.Context, pr *github.PullRequest, all []forge.Remark) error {
	commits, _, err := f.host.client.PullRequests.ListCommits(ctx, f.host.owner, f.host.repo, pr.GetNumber(), &github.ListOptions{PerPage: 100})
	if err != nil {
		return err
	}
	ids := []string{}
	if merge := pr.GetMergeCommitSHA(); merge != "" {
		ids = append(ids, merge)
	}
	for _, c := range commits {
		ids = append(ids, c.GetSHA())
	}
	for i := range all {
		all[i].Commits = ids
	}
	return nil
}
