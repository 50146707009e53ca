package github

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/retrosweep/retrosweep/internal/forge/pulls"
	"github.com/retrosweep/retrosweep/internal/proposal"
)

var _ pulls.Dresser = (*host)(nil)

// Dress implements [pulls.Dresser]: it asks the configured people for a review and
// turns on auto-merge.
func (h *host) Dress(ctx context.Context, number int, kind string) error {
	var all []error
	if people := h.policy; len(people.Reviewers)+len(people.Teams) > 0 {
		_, _, err := h.client.PullRequests.RequestReviewers(ctx, h.owner, h.repo, number, github.ReviewersRequest{Reviewers: people.Reviewers, TeamReviewers: people.Teams})
		if err != nil {
			all = append(all, fmt.Errorf("it has no reviewers: %w", failure(err)))
		}
	}
	if h.policy.AutoMerge != "" && kind == proposal.KindUpkeep {
		if err := h.autoMerge(ctx, number); err != nil {
			all = append(all, fmt.Errorf("it will not merge by itself: %w", err))
		}
	}
	return errors.Join(all...)
}

var mergeMethods = []string{"MERGE", "SQUASH", "REBASE"}

// autoMerge asks for a merge once the checks pass: the host offers it in GraphQL
// alone.
func (h *host) autoMerge(ctx context.Context, number int) error {
	if !slices.Contains(mergeMethods, h.policy.AutoMerge) {
		return fmt.Errorf("%q is none of %s", h.policy.AutoMerge, strings.Join(mergeMethods, ", "))
	}
	pr, _, err := h.client.PullRequests.Get(ctx, h.owner, h.repo, number)
	if err != nil {
		return failure(err)
	}
	const mutation = `mutation($id: ID!, $method: PullRequestMergeMethod!) { enablePullRequestAutoMerge(input: {pullRequestId: $id, mergeMethod: $method}) { clientMutationId } }`
	return graphQL(ctx, h.client, mutation, map[string]any{"id": pr.GetNodeID(), "method": h.policy.AutoMerge}, nil)
}
