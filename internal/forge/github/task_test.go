package github_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
)

// TestPullRequestIsATask: a merged one is completed, one closed without a merge
// is not planned.
func TestPullRequestIsATask(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tasks := forge.TasksOf(w.Forge)
	state := func(number int) forge.Task {
		got, err := tasks.Task(t.Context(), forge.TaskRef{Host: "github.com", Owner: w.fake.Owner, Repo: w.fake.Name, Number: number})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	n := w.fake.Open(githubfake.Pull{Title: "one", Head: "topic", Base: "main", HeadOwner: "ada", Author: githubfake.Ada})
	if got := state(n); got.State != forge.TaskOpen || !got.Closed.IsZero() {
		t.Errorf("open: %+v", got)
	}
	w.fake.Close(n)
	if got := state(n); got.State != forge.TaskNotPlanned {
		t.Errorf("closed: %+v", got)
	}
	w.fake.Edit(n, func(p *githubfake.Pull) { p.Merged = p.Closed })
	if got := state(n); got.State != forge.TaskCompleted || got.Closed.IsZero() {
		t.Errorf("merged: %+v", got)
	}
}

// TestTaskThatCannotBeRead: a fault of the host is none of the task.
func TestTaskThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fake.Inject(githubfake.Fault{Path: "/issues/1$", Status: http.StatusForbidden, Body: `{"message":"Resource not accessible by integration"}`})
	_, err := forge.TasksOf(w.Forge).Task(t.Context(), forge.TaskRef{Number: 1})
	if err == nil || errors.Is(err, forge.ErrNoTask) {
		t.Errorf("refused: %v", err)
	}
}
