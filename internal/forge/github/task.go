package github

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/pulls"
)

var _ forge.Tasks = (*Forge)(nil)

// Task implements [forge.Tasks]. A pull request is an issue too, so one request
// does for both.
func (f *Forge) Task(ctx context.Context, ref forge.TaskRef) (forge.Task, error) {
	owner, name := f.host.owner, f.host.repo
	if ref.Owner != "" {
		owner, name = ref.Owner, ref.Repo
	}
	where := fmt.Sprintf("%s/%s#%d", owner, name, ref.Number)
	if ref.Host != "" && !strings.EqualFold(ref.Host, f.host.server) {
		return forge.Task{}, fmt.Errorf("read %s on %s: %w", where, ref.Host, forge.ErrNoTask)
	}
	i, _, err := f.host.client.Issues.Get(ctx, owner, name, ref.Number)
	switch {
	case pulls.IsStatus(failure(err), http.StatusNotFound, http.StatusGone):
		return forge.Task{}, fmt.Errorf("read %s: %w", where, forge.ErrNoTask)
	case err != nil:
		return forge.Task{}, fmt.Errorf("read %s: %w", where, err)
	case i.GetNumber() != ref.Number: // it was moved to another repository
		return forge.Task{}, fmt.Errorf("read %s: the answer is about number %d: %w", where, i.GetNumber(), forge.ErrNoTask)
	}
	return forge.Task{State: taskState(i), Closed: i.GetClosedAt().Time}, nil
}

func taskState(i *github.Issue) forge.TaskState {
	reason := i.GetStateReason()
	switch {
	case i.GetState() == "open" && reason == "reopened":
		return forge.TaskReopened
	case i.GetState() == "open":
		return forge.TaskOpen
	case i.IsPullRequest() && i.PullRequestLinks.MergedAt == nil, reason == "not_planned":
		return forge.TaskNotPlanned
	case reason == "duplicate":
		return forge.TaskDuplicate
	}
	return forge.TaskCompleted
}
