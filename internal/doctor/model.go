package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/prompts"
)

// Model asks one model for one token. Key names the variable of the key, and
// empty says whether it holds none.
func Model(g llm.Generator, key string, empty bool) Check {
	info := g.Info()
	return Check{"model " + info.Model, func(ctx context.Context) Result {
		ctx, cancel := context.WithTimeout(ctx, modelTimeout)
		defer cancel()
		_, err := g.Generate(ctx, oneToken)
		remedy := "look at llm.base_url and the name of the model, and at the key in " + key
		if empty {
			remedy = "put the key into " + key + ", which is empty; or look at llm.base_url and the name of the model"
		}
		switch {
		case errors.Is(err, llm.ErrRefused):
			return warn(err.Error(), "the endpoint and the key are good; this model turns small questions away")
		case err != nil:
			return fail(err, remedy)
		}
		return ok("%s answers", info.Endpoint)
	}}
}

const modelTimeout = 60 * time.Second

// oneToken is the cheapest question there is, in the shape of a night's.
var oneToken = llm.Request{
	Stage: "doctor", MaxTokens: 1,
	Prompt: prompts.Prompt{
		Name: "doctor", Version: "1", User: `Answer {"ok":true}.`,
		Schema: []byte(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}`),
	},
}

// NoModel says that no model is named, which needs nothing.
func NoModel() Check {
	return Check{"model", func(context.Context) Result {
		return ok("none named: nights sweep, and their retros wait for a model")
	}}
}

// BadModel says why an endpoint cannot be asked at all.
func BadModel(name string, err error) Check {
	return Check{"model " + name, func(context.Context) Result {
		return fail(fmt.Errorf("%s: %w", name, err), "correct llm in the operator's configuration, or --base-url")
	}}
}
