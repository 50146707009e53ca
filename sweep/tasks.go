package sweep

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/sweep/expire"
)

// Bounds of one run: the references come from anybody's text.
const (
	maxAsked    = 50      // issues and pull requests asked for
	maxTaskFile = 1 << 20 // bytes of a list of tasks
	maxBack     = 20000   // commits searched for when a box was ticked
)

// tasks looks at the tasks that facts wait for, each once.
type tasks struct {
	run   *run
	ctx   context.Context
	seen  map[expire.Ref]expire.Task
	asked int
}

// of is how the task of a fact stands.
func (t *tasks) of(f *knowledge.Fact) expire.Task {
	ref, ok := expire.ParseRef(f.Life.RetireWhen)
	if !ok {
		return expire.Task{State: expire.Unread}
	}
	if ref.Box() {
		ref.Path = t.file(ref.Path, f.File)
	}
	task, known := t.seen[ref]
	if !known {
		if ref.Box() {
			task = t.box(ref)
		} else {
			task = t.issue(ref)
		}
		t.seen[ref] = task
	}
	return task
}

// issue asks the forge.
func (t *tasks) issue(ref expire.Ref) expire.Task {
	switch {
	case t.run.in.Tasks == nil:
		return expire.Task{State: expire.Unreachable, Why: "the repository has no forge here that has issues"}
	case t.asked >= maxAsked:
		return expire.Task{State: expire.Unreachable, Why: fmt.Sprintf("more than %d were asked for in one run", maxAsked)}
	}
	t.asked++
	got, err := t.run.in.Tasks.Task(t.ctx, forge.TaskRef{Host: ref.Host, Owner: ref.Owner, Repo: ref.Repo, Number: ref.Number})
	switch {
	case errors.Is(err, forge.ErrNoTask):
		return expire.Task{State: expire.Unreachable, Why: "there is none of that number, or none that may be seen"}
	case err != nil:
		return expire.Task{State: expire.Unreachable, Why: "the forge did not answer"}
	}
	return expire.Task{State: taskStates[got.State], Done: got.Closed}
}

var taskStates = map[forge.TaskState]expire.TaskState{
	forge.TaskOpen: expire.Open, forge.TaskCompleted: expire.Completed, forge.TaskNotPlanned: expire.NotPlanned,
	forge.TaskDuplicate: expire.Duplicate, forge.TaskReopened: expire.Reopened,
}

// file is where a list of tasks is: from the root, else beside the fact.
func (t *tasks) file(name, doc string) string {
	name = path.Clean(name)
	beside := path.Join(path.Dir(doc), name)
	if tree, err := t.run.in.Repo.Tree(t.run.in.To.Tree); err == nil {
		if _, ok, err := tree.Entry(name); (err != nil || !ok) && beside != name {
			if _, ok, err := tree.Entry(beside); err == nil && ok {
				return beside
			}
		}
	}
	return name
}

// box reads a line of a list of tasks, and since when it is ticked.
func (t *tasks) box(ref expire.Ref) expire.Task {
	state, why := t.boxAt(t.run.in.To, ref)
	task := expire.Task{State: state, Why: why}
	if state != expire.Completed {
		return task
	}
	back := 0
	var since time.Time
	err := t.run.in.Repo.FirstParents(t.ctx, t.run.in.To.Hash, func(c repo.Commit) bool {
		back++
		if s, _ := t.boxAt(c, ref); s != expire.Completed {
			task.Done = since
			return false
		}
		since = c.Committer.When
		return back < maxBack
	})
	if err == nil && back < maxBack && task.Done.IsZero() {
		task.Done = since // it was ticked when it came
	}
	return task
}

// boxAt is how a box stands in a commit.
func (t *tasks) boxAt(c repo.Commit, ref expire.Ref) (expire.TaskState, string) {
	tree, err := t.run.in.Repo.Tree(c.Tree)
	if err != nil {
		return expire.Unreachable, "the tree cannot be read"
	}
	e, ok, err := tree.Entry(ref.Path)
	switch {
	case err != nil:
		return expire.Unreachable, "the tree cannot be read"
	case !ok:
		return expire.Missing, ref.Path + " is not there"
	}
	if s, known := t.run.boxes[boxKey{e.Hash, ref.Text}]; known {
		return s, ""
	}
	src, err := t.run.in.Repo.Blob(e.Hash, maxTaskFile)
	if err != nil {
		return expire.Unreachable, ref.Path + " cannot be read"
	}
	s, why := boxIn(string(src), ref.Text)
	if t.run.boxes == nil {
		t.run.boxes = map[boxKey]expire.TaskState{}
	}
	t.run.boxes[boxKey{e.Hash, ref.Text}] = s
	return s, why
}

// boxKey is a line of one version of a file.
type boxKey struct {
	blob repo.Hash
	text string
}

var taskLine = regexp.MustCompile(`^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\][ \t]+(.*)$`)

// boxIn finds the box whose line says text; else the only one whose line holds
// it.
func boxIn(src, text string) (expire.TaskState, string) {
	want := plainTask(text)
	var exact, part []string
	for line := range strings.Lines(src) {
		m := taskLine.FindStringSubmatch(strings.TrimRight(line, " \t\r\n"))
		if m == nil {
			continue
		}
		switch got := plainTask(m[2]); {
		case got == want:
			exact = append(exact, m[1])
		case strings.Contains(got, want):
			part = append(part, m[1])
		}
	}
	found := exact
	if len(found) == 0 {
		found = part
	}
	switch len(found) {
	case 0:
		return expire.Missing, "no box says so"
	case 1:
		if found[0] == " " {
			return expire.Open, ""
		}
		return expire.Completed, ""
	}
	return expire.Missing, "several boxes say so"
}

// plainTask is a line of tasks without emphasis, links' targets and case.
func plainTask(s string) string {
	s = taskLink.ReplaceAllString(s, "$1")
	return strings.ToLower(strings.Join(strings.Fields(strings.NewReplacer("*", "", "`", "", "_", " ", "~", "").Replace(s)), " "))
}

var taskLink = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
