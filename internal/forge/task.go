package forge

import (
	"context"
	"errors"
	"time"
)

// ErrNoTask says that there is no such issue or pull request, or that the
// credential may not see it.
var ErrNoTask = errors.New("no such issue or pull request, or none that may be seen")

// TaskRef names an issue or a pull request. What is empty is that of the
// repository itself.
type TaskRef struct {
	Host, Owner, Repo string
	Number            int
}

// TaskState is how a task stands.
type TaskState string

// States of a task. A pull request is completed when it is merged, and not
// planned when it is closed without that.
const (
	TaskOpen       TaskState = "open"
	TaskCompleted  TaskState = "completed"
	TaskNotPlanned TaskState = "not planned"
	TaskDuplicate  TaskState = "duplicate"
	TaskReopened   TaskState = "reopened"
)

// Task is an issue or a pull request.
type Task struct {
	State  TaskState
	Closed time.Time // zero while it is open
}

// Tasks is a forge that has issues and pull requests.
type Tasks interface {
	// Task returns how a task stands. It fails with [ErrNoTask] where there is
	// none, and writes nothing.
	Task(ctx context.Context, ref TaskRef) (Task, error)
}

// TasksOf returns the tasks of a forge, nil where it has none.
func TasksOf(f Forge) Tasks { return as[Tasks](f) }
