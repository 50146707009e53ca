package github

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/retrosweep/retrosweep/internal/forge/pulls"
)

var (
	_ pulls.Dresser = (*host)(nil)
	_ pulls.Later   = (*host)(nil)
)

// Dress implements [pulls.Dresser]: it asks the configured people for a review.
func (h *host) Dress(ctx context.Context, number int) error {
	people := h.policy
	if len(people.Reviewers)+len(people.Teams) == 0 {
		return nil
	}
	_, _, err := h.client.PullRequests.RequestReviewers(ctx, h.owner, h.repo, number, github.ReviewersRequest{Reviewers: people.Reviewers, TeamReviewers: people.Teams})
	if err != nil {
		return fmt.Errorf("it has no reviewers: %w", failure(err))
	}
	return nil
}

// MergeLater implements [pulls.Later]: the host offers it in GraphQL alone, and
// refuses where nothing has to pass.
func (h *host) MergeLater(ctx context.Context, p pulls.Pull, head, method string) error {
	pr, _, err := h.client.PullRequests.Get(ctx, h.owner, h.repo, p.Number)
	if err != nil {
		return failure(err)
	}
	const mutation = `mutation($input: EnablePullRequestAutoMergeInput!) { enablePullRequestAutoMerge(input: $input) { clientMutationId } }`
	input := map[string]any{"pullRequestId": pr.GetNodeID(), "mergeMethod": strings.ToUpper(method), "expectedHeadOid": head}
	return graphQL(ctx, h.client, mutation, map[string]any{"input": input}, nil)
}
