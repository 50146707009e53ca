package retro

import (
	"context"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/knowledge/corpus"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/retro/signal/signaltest"
)

var tonight = time.Date(2026, 11, 30, 4, 30, 0, 0, time.UTC)

// input builds a history of testdata and the input for its last n commits (0:
// all but the first). People at acme.dev are members.
func input(t *testing.T, file string, n int) Input {
	t.Helper()
	r, commits := signaltest.File(t, file)
	return at(t, Input{
		Repo: r, Now: tonight, State: &journal.State{},
		Members: members,
	}, commits[0].Hash, n)
}

func members(c repo.Commit) Trust {
	email := c.Author.Email
	switch {
	case strings.HasSuffix(email, "@acme.dev"):
		return Member
	case strings.Contains(email, "[bot]"):
		return Agent
	}
	return Outsider
}

// at sets the range to the n newest commits of head.
func at(t *testing.T, in Input, head repo.Hash, n int) Input {
	t.Helper()
	ctx := context.Background()
	res, err := in.Repo.Range(ctx, repo.Hash{}, head, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		n = len(res.Commits) - 1
	}
	in.Head, in.From, in.Commits = head, res.Commits[min(n, len(res.Commits)-1)].Hash, res.Commits[:n]
	tree, err := in.Repo.Tree(head)
	if err != nil {
		t.Fatal(err)
	}
	if in.Corpus, err = corpus.Load(ctx, in.Repo, tree, knowledge.NewClassifier(nil), corpus.Options{}); err != nil {
		t.Fatal(err)
	}
	return in
}

// model is a model whose triage and patch are functions of what they are shown.
type model struct {
	triage func(user string) []prompts.TriageItem
	patch  func(user string) []prompts.PatchEdit
	fault  llmtest.Fault
	fake   llmtest.Fake
}

func (m *model) client(t *testing.T, o llm.Options) *llm.Client {
	t.Helper()
	m.fake.Answer = func(req llm.Request) (llmtest.Reply, bool) {
		if m.fault != llmtest.None {
			return llmtest.Reply{Fault: m.fault}, true
		}
		if req.Stage == "triage" {
			items := m.triage(req.Prompt.User)
			if items == nil {
				items = []prompts.TriageItem{}
			}
			return reply(t, prompts.TriageAnswer{Items: items}), true
		}
		return reply(t, prompts.PatchAnswer{Edits: m.patch(req.Prompt.User)}), true
	}
	o.Default.Generator = &m.fake
	if o.Retry.Sleep == nil {
		o.Retry.Sleep = func(context.Context, time.Duration) error { return nil }
	}
	c, err := llm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func reply(t *testing.T, answer any) llmtest.Reply {
	t.Helper()
	b, err := json.Marshal(answer)
	if err != nil {
		t.Error(err)
	}
	return llmtest.Reply{Text: string(b)}
}

func (m *model) calls() int { return len(m.fake.Requests()) }

func run(t *testing.T, in Input) Result {
	t.Helper()
	res, err := Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

var (
	commitLine = regexp.MustCompile(`^## Commit ([0-9a-f]+),`)
	signalLine = regexp.MustCompile(`^### (S\d+) `)
	pathLine   = regexp.MustCompile(`^path: (\S+)`)
	textLine   = regexp.MustCompile(`^([-+ ]?) *(\d+) (.*)$`)
)

// shows finds a line of a triage prompt and says where it stands, as a model
// that reads the prompt would. In a message, it is the first signal of its
// commit.
func shows(user, text string) (signal string, e prompts.Evidence, ok bool) {
	path := ""
	inMessage := false
	for line := range strings.Lines(user) {
		line = strings.TrimRight(line, "\n")
		if m := commitLine.FindStringSubmatch(line); m != nil {
			if ok && signal != "" {
				return signal, e, true
			}
			if !ok {
				e.Commit, inMessage, path, signal = m[1], true, "", ""
			}
		}
		if m := signalLine.FindStringSubmatch(line); m != nil {
			if ok && signal == "" {
				return m[1], e, true
			}
			signal, inMessage = m[1], false
		}
		if m := pathLine.FindStringSubmatch(line); m != nil && !inMessage {
			path = m[1]
		}
		if m := textLine.FindStringSubmatch(line); m != nil && !ok && strings.Contains(line, text) && e.Commit != "" {
			e.Line, _ = strconv.Atoi(m[2])
			e.Quote, ok = strings.TrimSpace(m[3]), true
			if !inMessage {
				e.Path = &path
				return signal, e, true
			}
			signal = ""
		}
	}
	return signal, e, ok && signal != ""
}

// lesson is an honest item about the line of a prompt that holds text, none
// where it is not shown.
func lesson(user, text, says, topic string) []prompts.TriageItem {
	signal, e, ok := shows(user, text)
	if !ok {
		return nil
	}
	return []prompts.TriageItem{{
		Signal: signal, Durable: true, Title: "Keep it", Lesson: says, Evidence: []prompts.Evidence{e}, Topic: topic, Kind: prompts.KindState, Confidence: "high",
	}}
}

// add is an honest addition.
func add(text string) []prompts.PatchEdit {
	return []prompts.PatchEdit{{Op: prompts.OpAdd, Text: &text, Reason: "No rule is near."}}
}
