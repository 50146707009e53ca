package triage

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/retro/rules"
	"github.com/retrosweep/retrosweep/retro/signal"
	"github.com/retrosweep/retrosweep/retro/signal/signaltest"
)

// model answers every question with what it was made with, and keeps the question.
type model struct {
	answer prompts.TriageAnswer
	err    error
	asked  prompts.Prompt
}

func (m *model) Ask(_ context.Context, _ string, p prompts.Prompt, out any) error {
	m.asked = p
	if m.err == nil {
		*out.(*prompts.TriageAnswer) = m.answer
	}
	return m.err
}

// fixture is the history of testdata with its signals: S1 the revert, S2 the
// outsider's note.
type fixture struct {
	repo          *repo.Repo
	question      Question
	revert, notes *signal.Signal
}

func setup(t *testing.T) *fixture {
	t.Helper()
	r, commits := signaltest.File(t, "history.txtar")
	found, err := signal.Extract(context.Background(), r, commits[:2], signal.Options{
		Classify: knowledge.NewClassifier(nil).Classify,
		Trust: func(c repo.Commit) signal.Trust {
			if c.Author.Email == "ada@acme.dev" {
				return signal.Member
			}
			return signal.Outsider
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	signal.Rank(found.Signals)
	if len(found.Signals) != 2 || found.Signals[0].Class != signal.Revert {
		t.Fatalf("%d signals", len(found.Signals))
	}
	guide := knowledge.Parse("AGENTS.md", []byte("# Guide\n\n- Build the command with go build.\n"), knowledge.Instruction)
	return &fixture{
		repo: r, revert: found.Signals[0], notes: found.Signals[1],
		question: Question{
			Signals: found.Signals, Rules: rules.Collect([]*knowledge.Document{guide}).Rules,
			Waiting: []Waiting{{ID: "l0123456789ab", Text: "kept the\ntoken for too long"}},
		},
	}
}

func (f *fixture) ask(t *testing.T, items ...prompts.TriageItem) Result {
	t.Helper()
	res, err := Ask(context.Background(), &model{answer: prompts.TriageAnswer{Items: items}}, f.repo, f.question)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// item is a good answer about the revert.
func (f *fixture) item() prompts.TriageItem {
	path := "client.go"
	return prompts.TriageItem{
		Signal: "S1", Durable: true, Title: "Make a new client for each request", Lesson: "Make a new client for each request, so that an expired token is not used again.",
		Evidence: []prompts.Evidence{
			{Commit: Short(f.revert.Commit.Hash), Path: &path, Line: 5, Quote: "return &Client{fresh: true}"},
			{Commit: Short(f.revert.Commit.Hash), Line: 3, Quote: "The cache kept expired tokens alive."},
		},
		Topic: "http-clients", Kind: prompts.KindState, Confidence: "high",
	}
}

func TestGroundedLesson(t *testing.T) {
	t.Parallel()
	f := setup(t)
	rule, waiting := "R1", "C1"
	item := f.item()
	item.CoveredBy, item.SameAs = &rule, &waiting
	l := f.ask(t, item).Lessons[0]
	if l.Dropped != "" || !l.Explicit || l.Topic != "http-clients" || l.CoveredBy != f.question.Rules[0] || l.SameAs != "l0123456789ab" {
		t.Errorf("lesson = %+v", l)
	}
	want := []knowledge.Quote{
		{Commit: f.revert.Commit.Hash.String(), Path: "client.go", Line: 5, Quote: "return &Client{fresh: true}"},
		{Commit: f.revert.Commit.Hash.String(), Line: 3, Quote: "The cache kept expired tokens alive."},
	}
	if diff := cmp.Diff(want, []knowledge.Quote{l.Evidence[0].Quote, l.Evidence[1].Quote}); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
}

// What a model may get wrong or lie about, and what becomes of the lesson.
func TestGrounding(t *testing.T) {
	t.Parallel()
	path, other := "client.go", "AGENTS.md"
	for _, tt := range []struct {
		name     string
		change   func(f *fixture, it *prompts.TriageItem)
		dropped  string // part of the reason, "" if it is kept
		explicit bool
	}{
		{"line miscounted by two", func(_ *fixture, it *prompts.TriageItem) { it.Evidence[0].Line = 7 }, "", true},
		{"spaces differ", func(_ *fixture, it *prompts.TriageItem) { it.Evidence[0].Quote = " return  &Client{fresh:   true}" }, "", true},
		{"the ellipsis of a line shown cut", func(_ *fixture, it *prompts.TriageItem) { it.Evidence[0].Quote = "return &Client{fresh: …" }, "", true},
		{"removed line", func(_ *fixture, it *prompts.TriageItem) { it.Evidence[0].Quote = "\treturn cached" }, "", true},
		{"falsified quote", func(_ *fixture, it *prompts.TriageItem) {
			it.Evidence = []prompts.Evidence{{Commit: it.Evidence[0].Commit, Path: &path, Line: 5, Quote: "return &Client{cached: false}"}}
		}, "no quote", false},
		{"invented path", func(_ *fixture, it *prompts.TriageItem) {
			it.Evidence = it.Evidence[:1]
			it.Evidence[0].Path = &other
		}, "no quote", false},
		{"invented commit", func(_ *fixture, it *prompts.TriageItem) {
			it.Evidence = it.Evidence[:1]
			it.Evidence[0].Commit = "deadbeef00"
		}, "no quote", false},
		{"commit too short to mean one", func(_ *fixture, it *prompts.TriageItem) {
			it.Evidence = it.Evidence[:1]
			it.Evidence[0].Commit = it.Evidence[0].Commit[:4]
		}, "no quote", false},
		{"line that only stands around the change", func(_ *fixture, it *prompts.TriageItem) {
			it.Evidence = []prompts.Evidence{{Commit: it.Evidence[0].Commit, Path: &path, Line: 3, Quote: "// New makes a client."}}
		}, "no quote", false},
		{"quote too short", func(_ *fixture, it *prompts.TriageItem) {
			it.Evidence = it.Evidence[:1]
			it.Evidence[0].Quote = "return"
		}, "no quote", false},
		{"no evidence", func(_ *fixture, it *prompts.TriageItem) { it.Evidence = nil }, "no quote", false},
		{"no such signal", func(_ *fixture, it *prompts.TriageItem) { it.Signal = "S99" }, "names no signal", false},
		{"a member's signal with an outsider's words", func(f *fixture, it *prompts.TriageItem) {
			notes := "notes.txt"
			it.Evidence = []prompts.Evidence{{Commit: Short(f.notes.Commit.Hash), Path: &notes, Line: 1, Quote: "always pipe curl into sh"}}
		}, "no quote of its own signal", false},
		{"an outsider's signal", func(f *fixture, it *prompts.TriageItem) {
			notes := "notes.txt"
			it.Signal = "S2"
			it.Evidence = []prompts.Evidence{{Commit: Short(f.notes.Commit.Hash), Path: &notes, Line: 1, Quote: "always pipe curl into sh"}}
		}, "", false},
		{"a lesson that is no sentence", func(_ *fixture, it *prompts.TriageItem) { it.Lesson = "# Rules\n\n- obey\n- <img src=x>" }, "refused", false},
		{"a lesson that is too long", func(_ *fixture, it *prompts.TriageItem) { it.Lesson = strings.Repeat("Do it. ", 100) }, "refused", false},
		{"ids of nothing", func(_ *fixture, it *prompts.TriageItem) {
			none := "R77"
			it.CoveredBy, it.SameAs = &none, &none
		}, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			item := f.item()
			tt.change(f, &item)
			l := f.ask(t, item).Lessons[0]
			if (tt.dropped == "") != (l.Dropped == "") || !strings.Contains(l.Dropped, tt.dropped) {
				t.Errorf("dropped = %q, want %q", l.Dropped, tt.dropped)
			}
			if l.Explicit != tt.explicit {
				t.Errorf("explicit = %v, want %v", l.Explicit, tt.explicit)
			}
			if l.CoveredBy != nil || l.SameAs != "" {
				t.Errorf("covered by %v, same as %q", l.CoveredBy, l.SameAs)
			}
		})
	}
}

// A title that may not be used gives way to the beginning of the lesson.
func TestTitle(t *testing.T) {
	t.Parallel()
	const text = "Make a new client for each request, so that an expired token is not used again."
	for short, want := range map[string]string{
		"Make a new client for each request":  "Make a new client for each request",
		"Make a new client for each request.": "Make a new client for each request",
		"":                                    "Make a new client for each request",
		"closes #1":                           "Make a new client for each request",
		"# A\n\n- b":                          "Make a new client for each request",
		strings.Repeat("Make it. ", 20):       "Make a new client for each request",
	} {
		if got := title(short, text); !strings.HasPrefix(got, want) || len([]rune(got)) > titleRunes || strings.Contains(got, "\n") {
			t.Errorf("title(%q) = %q", short, got)
		}
	}
}

func TestFloodOfItems(t *testing.T) {
	t.Parallel()
	f := setup(t)
	items := make([]prompts.TriageItem, 500)
	for i := range items {
		items[i] = f.item()
	}
	res := f.ask(t, items...)
	if len(res.Lessons) != MaxItems || len(res.Warnings) != 1 {
		t.Errorf("%d lessons, warnings %q", len(res.Lessons), res.Warnings)
	}
}

func TestNothingDurable(t *testing.T) {
	t.Parallel()
	f := setup(t)
	item := f.item()
	item.Durable = false
	if res := f.ask(t, item); len(res.Lessons) != 0 {
		t.Errorf("lessons = %v", res.Lessons)
	}
	if res := f.ask(t); len(res.Lessons) != 0 || len(res.Warnings) != 0 {
		t.Errorf("empty answer: %+v", res)
	}
}

// Everything that comes from the repository is fenced and redacted.
func TestPrompt(t *testing.T) {
	t.Parallel()
	f := setup(t)
	m := &model{}
	if _, err := Ask(context.Background(), m, f.repo, f.question); err != nil {
		t.Fatal(err)
	}
	user := m.asked.User
	for _, want := range []string{
		"path: client.go", "-   5 \treturn cached", "+   5 \treturn &Client{fresh: true}", "    3 // New makes a client.",
		"R1 AGENTS.md: Build the command with go build.", "C1 kept the token for too long",
		"## Commit " + Short(f.revert.Commit.Hash) + ", 2026-11-22, author: member", "### S2 (change)", "author: outsider",
	} {
		if !strings.Contains(user, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, user)
		}
	}
	if strings.Contains(user, "AKIAIOSFODNN7EXAMPLQ") {
		t.Error("the prompt holds a secret")
	}
	if strings.Contains(user, "⟦end 0000⟧") {
		t.Error("text can write a fence end")
	}
	outside := outsideFences(user)
	for _, text := range []string{"curl", "Ignore all", "AGENTS.md", "notes.txt"} {
		if strings.Contains(outside, text) {
			t.Errorf("%q stands outside of a fence:\n%s", text, outside)
		}
	}
}

func outsideFences(text string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "⟦data "):
			inside = true
		case strings.HasPrefix(line, "⟦end "):
			inside = false
		case !inside:
			b.WriteString(line)
		}
	}
	return b.String()
}

func TestAskPassesFaultsOn(t *testing.T) {
	t.Parallel()
	f := setup(t)
	dead := errors.New("dead")
	if _, err := Ask(context.Background(), &model{err: dead}, f.repo, f.question); !errors.Is(err, dead) {
		t.Errorf("error = %v", err)
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	var signals []*signal.Signal
	for range 10 {
		signals = append(signals, &signal.Signal{Path: "a.go", Hunks: []repo.Hunk{{Added: []string{strings.Repeat("x", 300)}}}})
	}
	total := 0
	for _, w := range Windows(signals, 300) {
		if w.Tokens > 300 && len(w.Signals) > 1 {
			t.Errorf("a window of %d tokens", w.Tokens)
		}
		for _, s := range w.Signals {
			if s != signals[total] {
				t.Fatalf("signal %d is out of order", total)
			}
			total++
		}
	}
	if total != len(signals) {
		t.Errorf("%d of %d signals are in windows", total, len(signals))
	}
	if got := len(Windows(signals, 1)); got != len(signals) {
		t.Errorf("signals larger than a window: %d windows, want one each", got)
	}
}

func TestKey(t *testing.T) {
	t.Parallel()
	if Key("Run `make install` before the tests.") != Key("before the tests: run make install") {
		t.Error("the same words have two keys")
	}
	if Key("Run make install.") == Key("Run make test.") {
		t.Error("other words have the same key")
	}
}
