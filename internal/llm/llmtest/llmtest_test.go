package llmtest_test

import (
	"testing"

	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
)

func TestFakeConforms(t *testing.T) {
	t.Parallel()
	llmtest.Suite(t, func(_ *testing.T, replies ...llmtest.Reply) llm.Generator {
		return &llmtest.Fake{Script: map[string][]llmtest.Reply{llmtest.StageName: replies}}
	})
}

func TestFakeConformsInBatches(t *testing.T) {
	t.Parallel()
	llmtest.BatchSuite(t, func(_ *testing.T, b llmtest.Batch) (llm.Batcher, func() []string) {
		f := &llmtest.Fake{Batch: b}
		return f, f.Calls
	})
}

func TestFakeAnswersByRequestBeforeScript(t *testing.T) {
	t.Parallel()
	f := &llmtest.Fake{
		Name: "gpt-5-mini",
		Answer: func(r llm.Request) (llmtest.Reply, bool) {
			return llmtest.Reply{Text: "by request"}, r.Stage == "triage"
		},
		Script: map[string][]llmtest.Reply{"patch": {{Text: "by script"}}},
	}
	for stage, want := range map[string]string{"triage": "by request", "patch": "by script"} {
		r, err := f.Generate(t.Context(), llm.Request{Stage: stage})
		if err != nil || r.Text != want || r.Model != "gpt-5-mini" {
			t.Errorf("%s: %+v, %v", stage, r, err)
		}
	}
	if _, err := f.Generate(t.Context(), llm.Request{Stage: "patch"}); err == nil {
		t.Error("a script that ran out must fail, not repeat itself")
	}
	if n := len(f.Requests()); n != 3 {
		t.Errorf("%d requests noted, want 3", n)
	}
}
