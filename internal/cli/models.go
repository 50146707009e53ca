package cli

import (
	"cmp"
	"fmt"
	"os"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/openai"
	"github.com/retrosweep/retrosweep/prompts"
)

// models makes the client for the stages that name a model. No name, no
// client: a key in the environment is not consent.
func (m *Main) models(f *flags, c config.Operator, identity string) (*llm.Client, error) {
	named := map[string]config.Stage{"triage": c.Stages.Triage, "patch": c.Stages.Patch, "judge": c.Stages.Judge}
	stages := map[string]llm.Stage{}
	for stage, configured := range named {
		name := cmp.Or(f.model, configured.Model)
		if name == "" || name == "none" {
			continue
		}
		g, err := m.generator(f, c, name)
		if err != nil {
			return nil, err
		}
		of := llm.Stage{Generator: g, Budget: stageBudget(stage, configured.Budget, c.Budget)}
		if configured.Batch {
			of.Batch = c.LLM.BatchWait
		}
		stages[stage] = of
	}
	if len(stages) == 0 {
		return nil, nil
	}
	if c.LLM.Prompts != "" { // a file of the operator, never of the repository
		if err := prompts.Override(os.DirFS(c.LLM.Prompts)); err != nil {
			return nil, usageError{err}
		}
	}
	dir, err := llm.DefaultCacheDir()
	if err != nil {
		dir = "" // no home: every question is asked
	}
	return llm.New(llm.Options{
		Stages:     stages,
		Budget:     llm.Budget{Tokens: c.Budget.Tokens, USD: c.Budget.USD},
		Repository: identity,
		CacheDir:   cmp.Or(m.Getenv("RETROSWEEP_CACHE"), dir),
	})
}

// stageBudget is what one stage may spend. The judge, who is asked before the
// retro, leaves most of the run's budget to it unless the operator says more.
func stageBudget(stage string, own, run config.Budget) llm.Budget {
	if stage == "judge" {
		own.Tokens, own.USD = cmp.Or(own.Tokens, run.Tokens/4), cmp.Or(own.USD, run.USD/4)
	}
	return llm.Budget{Tokens: own.Tokens, USD: own.USD}
}

func (m *Main) generator(f *flags, c config.Operator, model string) (llm.Generator, error) {
	g, err := openai.New(openai.Options{
		BaseURL:    cmp.Or(f.baseURL, c.LLM.BaseURL),
		Model:      model,
		APIKey:     openai.Secret(m.Getenv(c.LLM.APIKeyEnv)),
		Timeout:    c.LLM.Timeout,
		TokenParam: openai.TokenParam(c.LLM.TokenParam),
	})
	if err != nil {
		return nil, usageError{fmt.Errorf("model %s: %w", model, err)}
	}
	return g, nil
}
