package forgetest

import (
	"errors"
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge"
)

// testTasks: every state is told from the others, in a dry run too, and reading
// writes nothing.
func testTasks(t *testing.T, w World) {
	tasks := forge.TasksOf(forge.ReadOnly(w.Forge))
	if w.Task == nil {
		if tasks != nil {
			t.Fatal("the forge has tasks, and the world makes none")
		}
		return
	}
	states := []forge.TaskState{forge.TaskOpen, forge.TaskCompleted, forge.TaskNotPlanned, forge.TaskDuplicate, forge.TaskReopened}
	refs := map[forge.TaskState]forge.TaskRef{}
	for _, s := range states {
		refs[s] = w.Task(t, s, at)
	}
	w.unchanged(t, func() {
		for _, s := range states {
			if refs[s].Number == 0 && w.HostTime {
				continue
			}
			got, err := tasks.Task(t.Context(), refs[s])
			open := s == forge.TaskOpen || s == forge.TaskReopened
			if err != nil || got.State != s || got.Closed.IsZero() != open || !open && !w.HostTime && !got.Closed.Equal(at) {
				t.Errorf("a task that is %s reads as %+v, %v", s, got, err)
			}
		}
		for _, ref := range []forge.TaskRef{{Number: 99999}, {Host: "elsewhere.example", Owner: "a", Repo: "b", Number: 1}, {Owner: "nobody", Repo: "nothing", Number: 1}} {
			if _, err := tasks.Task(t.Context(), ref); !errors.Is(err, forge.ErrNoTask) {
				t.Errorf("%+v: %v", ref, err)
			}
		}
	})
}
