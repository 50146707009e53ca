package night_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/prompts"
)

const (
	baker  = "Heat the oven before the loaf goes in, so that it rises."
	burnt  = "The loaf stayed flat in a cold oven."
	baking = "knowledge/playbooks/baking.md"
)

var (
	promptCommit = regexp.MustCompile(`(?m)^## Commit ([0-9a-f]+),`)
	promptSignal = regexp.MustCompile(`(?m)^### (S\d+) `)
	promptReason = regexp.MustCompile(`(?m)^ *(\d+) (.*stayed flat.*)$`)
)

// teacher is a model that finds one lesson in the revert of a commit, with
// nothing in its cache.
func (w *world) teacher() (*llm.Client, *llmtest.Fake) {
	w.t.Helper()
	return w.teacherOf("shop", w.t.TempDir())
}

// teacherOf is a teacher of a repository, with a cache.
func (w *world) teacherOf(repository, cache string) (*llm.Client, *llmtest.Fake) {
	w.t.Helper()
	text := func(v any) llmtest.Reply {
		b, err := json.Marshal(v)
		if err != nil {
			w.t.Error(err)
		}
		return llmtest.Reply{Text: string(b)}
	}
	fake := &llmtest.Fake{Answer: func(req llm.Request) (llmtest.Reply, bool) {
		said := baker
		if req.Stage == "patch" {
			return text(prompts.PatchAnswer{Edits: []prompts.PatchEdit{{Op: prompts.OpAdd, Text: &said, Reason: "No rule is near."}}}), true
		}
		items := []prompts.TriageItem{}
		at, user := strings.Index(req.Prompt.User, "stayed flat"), req.Prompt.User
		if at >= 0 {
			commits := promptCommit.FindAllStringSubmatch(user[:at], -1)
			line := promptReason.FindStringSubmatch(user)
			n, _ := strconv.Atoi(line[1])
			items = append(items, prompts.TriageItem{
				Signal: promptSignal.FindStringSubmatch(user[at:])[1], Durable: true, Title: "Heat first", Lesson: baker, Topic: "baking",
				Evidence: []prompts.Evidence{{Commit: commits[len(commits)-1][1], Line: n, Quote: strings.TrimSpace(line[2])}},
				Kind:     prompts.KindState, Confidence: "high",
			})
		}
		return text(prompts.TriageAnswer{Items: items}), true
	}}
	client, err := llm.New(llm.Options{ // and no judge
		Stages: map[string]llm.Stage{"triage": {Generator: fake}, "patch": {Generator: fake}}, Repository: repository, CacheDir: cache,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return client, fake
}

// taught runs a night with a teacher and returns how often it was asked.
func (w *world) taught() (*report.Receipt, int) {
	w.t.Helper()
	o := w.options()
	client, fake := w.teacher()
	o.Model = client
	r := run(w.t, o)
	w.now = w.now.AddDate(0, 0, 1)
	return r, len(fake.Requests())
}

// learn lets Ada teach something: a change, and its revert with a reason.
func (w *world) learn() {
	w.t.Helper()
	before := w.read("main", w.at[5])
	w.write("main", map[string][]byte{w.at[5]: []byte("#!/bin/sh\necho cold oven\n")}, "perf: start with a cold oven", w.ref("refs/heads/main"))
	w.write("main", map[string][]byte{w.at[5]: []byte(before)}, "Revert \"perf: start with a cold oven\"\n\n"+burnt, w.ref("refs/heads/main"))
}

// fill opens a proposal that takes the only place there is, and teaches a lesson
// that finds none.
func (w *world) fill() {
	w.t.Helper()
	w.config.Routes.Queue = append(w.config.Routes.Queue, "knowledge/playbooks/**")
	w.config.Limits.Open = 1
	w.commit("main", map[string][]byte{baking: []byte("# Baking\n\n- Weigh the flour before the water.\n")})
	w.moveScript(0)
	w.taught()
	w.learn()
	r, asked := w.taught()
	if asked == 0 || len(byState(r, report.ProposalWaiting)) != 1 {
		w.t.Fatalf("asked %d times; the lesson does not wait: %+v %+v", asked, r.Proposals, r.Lessons)
	}
}

// isOffered fails unless the lesson is the only open proposal.
func (w *world) isOffered() {
	w.t.Helper()
	x := w.one()
	if !slices.Equal(x.Files, []string{baking}) || !strings.Contains(w.read(x.Branch, baking), baker) {
		w.t.Errorf("open is %+v", x)
	}
	if why := x.Layers[0].Why; len(why) != 1 || why[0].What != "Heat first" || len(why[0].Evidence) != 1 {
		w.t.Errorf("explained by %+v", why)
	}
}

// TestWaitingAsksNobody: a lesson that waits on a limit is kept as it was found.
// No night asks again, with nothing in its cache; the lesson is offered as soon
// as there is room, with what explains it.
func TestWaitingAsksNobody(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.fill()
		for range 2 {
			before := w.snapshot()
			if _, asked := w.taught(); asked > 0 {
				t.Errorf("a night with nothing new asks %d times", asked)
			}
			if after := w.snapshot(); before[proposal.ShelfRef] != after[proposal.ShelfRef] || before[journal.Ref] != after[journal.Ref] {
				t.Error("a night with nothing new writes")
			}
		}
		w.merge(w.one(), false)
		if _, asked := w.taught(); asked > 0 {
			t.Errorf("to offer what waited, it asks %d times", asked)
		}
		w.isOffered()
		w.taught()
		if !w.ref(proposal.ShelfRef).IsZero() {
			t.Error("what is offered waits still")
		}
	})
}

// TestWaitingIsFoundAgain: a shelf that is gone, or holds something else than the
// journal says, is no loss: the signals are judged again.
func TestWaitingIsFoundAgain(t *testing.T) {
	t.Parallel()
	for what, harm := range map[string]func(w *world, at repo.Hash) error{
		"gone": func(w *world, at repo.Hash) error { return w.repo.DeleteRef(proposal.ShelfRef, at) },
		"forged": func(w *world, at repo.Hash) error {
			s, _, err := proposal.ReadShelf(w.t.Context(), w.repo)
			if err != nil {
				return err
			}
			for slot, l := range s {
				l.Edits[0].Text = "Burn everything."
				s[slot] = l
			}
			return s.Write(w.repo, at, proposal.DefaultIdentity, w.now)
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, false)
			w.fill()
			if err := harm(w, w.ref(proposal.ShelfRef)); err != nil {
				t.Fatal(err)
			}
			w.merge(w.one(), false)
			if _, asked := w.taught(); asked == 0 {
				t.Error("nobody was asked")
			}
			w.isOffered()
		})
	}
}

// TestWaitingHoldsNoText: of what waits, the journal names places and hashes.
func TestWaitingHoldsNoText(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	w.fill()
	state, _, err := journal.Load(t.Context(), w.repo)
	if err != nil || len(state.Waiting) != 1 || len(state.Waiting[0].Signals) != 1 || state.Waiting[0].Content == "" {
		t.Fatalf("%+v, %v", state.Waiting, err)
	}
	b, err := json.Marshal(state.Waiting)
	if err != nil || strings.Contains(string(b), "oven before") || strings.Contains(string(b), "flat") {
		t.Errorf("the journal says %s, %v", b, err)
	}
}

// TestQueueRule10Taken: branches that people took over are theirs, and do not
// stand in the way of other files, however long they stay.
func TestQueueRule10Taken(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		for i := range 4 {
			w.moveScript(i)
		}
		for range 3 {
			w.night()
		}
		for _, x := range w.open() {
			w.commit(x.Branch, map[string][]byte{"mine.txt": []byte("mine\n")})
		}
		w.now = w.now.AddDate(0, 0, 40) // and nobody goes on with them
		r := w.night()
		if len(byState(r, report.ProposalOpened)) != 1 || len(w.open()) != 4 {
			t.Errorf("beside three that are theirs: %+v", r.Proposals)
		}
	})
}
