package openai_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
)

func TestConformsInBatches(t *testing.T) {
	t.Parallel()
	llmtest.BatchSuite(t, func(t *testing.T, b llmtest.Batch) (llm.Batcher, func() []string) {
		s := llmtest.NewBatchServer("qwen3", b)
		return start(t, s).(llm.Batcher), s.Calls
	})
}

// A question in a batch is word for word what it is in a call.
func TestBatchOnTheWire(t *testing.T) {
	t.Parallel()
	s := llmtest.NewBatchServer("qwen3", llmtest.Batch{Replies: []llmtest.Reply{{Text: "a"}, {Text: "b"}}, Broken: true})
	g := start(t, s).(llm.Batcher)
	second := question()
	second.Prompt.User = "Why?\nNow."
	id, err := g.Submit(t.Context(), []llm.Request{question(), second})
	if err != nil {
		t.Fatal(err)
	}
	plain := llmtest.NewServer("qwen3", llmtest.Reply{Text: "a"})
	if _, err := start(t, plain).Generate(t.Context(), question()); err != nil {
		t.Fatal(err)
	}
	var line struct {
		ID     string          `json:"custom_id"`
		Method string          `json:"method"`
		URL    string          `json:"url"`
		Body   json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal([]byte(s.Asked()[0]), &line); err != nil {
		t.Fatal(err)
	}
	if line.ID != "q0" || line.Method != "POST" || line.URL != "/v1/chat/completions" {
		t.Errorf("%+v", line)
	}
	if diff := cmp.Diff(strings.TrimSpace(string(plain.Seen()[0].Body)), string(line.Body)); diff != "" {
		t.Errorf("the body (-call +batch):\n%s", diff)
	}
	// Lines that are none, or name no question, are no answers.
	standing, err := g.Look(t.Context(), id)
	if err != nil || !standing.Ended || len(standing.Answers) != 2 || standing.Answers[0].Response.Text != "a" || standing.Answers[1].Response.Text != "b" {
		t.Errorf("%+v, %v", standing, err)
	}
	if diff := cmp.Diff([]string{"upload", "submit", "look", "read", "read", "delete file-in", "delete file-out", "delete file-errors"}, s.Calls()); diff != "" {
		t.Errorf("what was sent is left behind:\n%s", diff)
	}
}

// What an endpoint names cannot lead elsewhere, and what it says shows no key.
func TestBatchNamesAndErrors(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"a path":      `{"id": "../../v1/models", "status": "in_progress"}`,
		"nothing":     `{"status": "in_progress"}`,
		"another URL": `{"id": "x?redirect=https://evil.example", "status": "in_progress"}`,
	} {
		var paths []string
		g := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			paths = append(paths, r.URL.Path)
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(body))
		})).(llm.Batcher)
		if _, err := g.Submit(t.Context(), []llm.Request{question()}); !errors.Is(err, llm.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Equal(paths, []string{"/v1/files", "/v1/batches"}) {
			t.Errorf("%s: %v", name, paths)
		}
	}
	g := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"id": "b", "status": "failed", "errors": {"data": [{"message": "key ` + canary + ` may not"}]}}`))
	})).(llm.Batcher)
	if s, err := g.Look(t.Context(), "b"); err != nil || !s.Failed || strings.Contains(s.Why, canary) || !strings.Contains(s.Why, "may not") {
		t.Errorf("%+v, %v", s, err)
	}
}
