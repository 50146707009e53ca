package cli

import (
	"testing"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/llm"
)

// The judge, who is asked first, leaves most of a run's budget to the retro.
func TestStageBudget(t *testing.T) {
	t.Parallel()
	run := config.Budget{USD: 2, Tokens: 400000}
	for _, tt := range []struct {
		stage    string
		own, run config.Budget
		want     llm.Budget
	}{
		{"judge", config.Budget{}, run, llm.Budget{Tokens: 100000, USD: 0.5}},
		{"judge", config.Budget{Tokens: 5000}, run, llm.Budget{Tokens: 5000, USD: 0.5}},
		{"judge", config.Budget{}, config.Budget{}, llm.Budget{}}, // no bound is none here either
		{"triage", config.Budget{}, run, llm.Budget{}},
		{"patch", config.Budget{USD: 0.1}, run, llm.Budget{USD: 0.1}},
	} {
		if got := stageBudget(tt.stage, tt.own, tt.run); got != tt.want {
			t.Errorf("stageBudget(%s, %+v, %+v) = %+v, want %+v", tt.stage, tt.own, tt.run, got, tt.want)
		}
	}
}

// Only triage is gathered: edits are asked one after another, each beside the last.
func TestBatchIsForTriage(t *testing.T) {
	t.Parallel()
	m := &Main{Getenv: func(name string) string {
		if name == "RETROSWEEP_CACHE" {
			return t.TempDir()
		}
		return ""
	}}
	c := config.DefaultOperator()
	c.LLM.BaseURL = "http://127.0.0.1:1/v1"
	c.Stages.Triage, c.Stages.Patch = config.Stage{Model: "small", Batch: true}, config.Stage{Model: "large"}
	model, err := m.models(&flags{}, c, "acme/shop")
	if err != nil {
		t.Fatal(err)
	}
	if !model.Batches("triage") || model.Batches("patch") || model.Batches("judge") {
		t.Errorf("triage %v, patch %v, judge %v", model.Batches("triage"), model.Batches("patch"), model.Batches("judge"))
	}
}
