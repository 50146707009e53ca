package retro

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
)

// inBatches is a client whose triage is asked as a batch, with a clock of its own.
func inBatches(t *testing.T, m *model, o llm.Options) *llm.Client {
	t.Helper()
	now := tonight
	o.Now = func() time.Time { return now }
	o.Retry.Sleep = func(ctx context.Context, d time.Duration) error {
		now = now.Add(d)
		return ctx.Err()
	}
	o.Stages = map[string]llm.Stage{"triage": {Generator: &m.fake, Batch: time.Hour}}
	return m.client(t, o)
}

// All windows of a night are one batch; the edits are asked as ever. What one
// window finds, another of the same batch is not shown.
func TestWindowsAsOneBatch(t *testing.T) {
	t.Parallel()
	in := input(t, "recurs.txtar", 0)
	in.Limits.Window = 1
	m := scripted()
	in.Model = inBatches(t, m, llm.Options{})
	res := run(t, in)
	if !res.Complete || res.Judged != 2 || len(res.Backlog) != 0 || len(res.Warnings) != 0 {
		t.Fatalf("%+v", res)
	}
	if diff := cmp.Diff([]string{"submit", "look"}, m.fake.Calls()); diff != "" {
		t.Error(diff)
	}
	for _, req := range m.fake.Requests() {
		if req.Stage == "triage" && strings.Contains(req.Prompt.User, "\nC1 ") {
			t.Error("a window sees what another found tonight")
		}
	}
	// The same words in both: the second is joined to the first all the same.
	if diff := cmp.Diff([]string{"candidate", "promoted"}, statuses(res.Lessons)); diff != "" || len(res.Edits) != 1 {
		t.Errorf("%s %+v", diff, res.Edits)
	}
}

// A batch that is not answered in time costs nothing and loses nothing: its
// signals wait, and the next night asks about each once.
func TestBatchThatComesTooLate(t *testing.T) {
	t.Parallel()
	in := input(t, "recurs.txtar", 0)
	in.Limits.Window = 1
	var shown []string
	m := silent(&shown)
	m.fake.Batch = llmtest.Batch{Replies: []llmtest.Reply{{Text: `{"items": []}`}}, End: "never"}
	in.Model = inBatches(t, m, llm.Options{})
	res := run(t, in)
	if !res.Complete || res.Judged != 1 || len(res.Backlog) != 1 || !strings.Contains(strings.Join(res.Warnings, "\n"), "in time") {
		t.Fatalf("%+v", res)
	}
	if calls := m.fake.Calls(); calls[len(calls)-2] != "cancel" || strings.Count(strings.Join(calls, " "), "submit") != 1 {
		t.Errorf("%v", calls)
	}
	if u := in.Model.Usage()["triage"]; u.Calls != 1 {
		t.Errorf("%d questions were paid for", u.Calls)
	}
	in.State, in.Commits = &journal.State{Backlog: res.Backlog}, nil
	next := silent(&shown)
	in.Model = inBatches(t, next, llm.Options{})
	if again := run(t, in); again.Judged != 1 || len(again.Backlog) != 0 || len(shown) != 1 || shown[0] != res.Backlog[0].Path {
		t.Errorf("%v %+v", shown, again)
	}
}

// An endpoint that takes no batch is a dead endpoint: the watermark stays.
func TestBatchThatIsNotTaken(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]llmtest.Batch{"failed": {End: "failed"}, "not let in": {Submit: llmtest.Unauthorized}} {
		in := input(t, "recurs.txtar", 0)
		m := scripted()
		m.fake.Batch = b
		in.Model = inBatches(t, m, llm.Options{})
		if res := run(t, in); res.Complete || len(res.Edits)+len(res.Backlog) != 0 || res.Signals != 2 {
			t.Errorf("%s: %+v", name, res)
		}
	}
}

// A budget that holds for a part of the windows leaves the rest for a later night.
func TestBatchWithinTheBudget(t *testing.T) {
	t.Parallel()
	in := input(t, "recurs.txtar", 0)
	in.Limits.Window = 1
	var shown []string
	in.Model = inBatches(t, silent(&shown), llm.Options{Budget: llm.Budget{Tokens: 6500}})
	if res := run(t, in); !res.Complete || len(shown) != 1 || len(res.Backlog) != 1 || res.Judged != 1 {
		t.Errorf("shown %v, %+v", shown, res)
	}
}
