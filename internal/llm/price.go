package llm

import (
	"regexp"
	"strings"
)

// Price is in US dollars a million tokens. Cached is that of prompt tokens which
// the endpoint had read before, 0: as Prompt.
type Price struct{ Prompt, Completion, Cached float64 }

// PricesAsOf is the day on which the built-in table was last held against what
// the vendors publish. A list price changes without notice: Options.Prices
// overrides it.
const PricesAsOf = "2026-11-30"

// Where the built-in prices were read. Those of OpenAI were read in copies of its
// page of 2026, which agree.
const (
	openAI    = "https://developers.openai.com/api/docs/pricing"
	anthropic = "https://platform.claude.com/docs/en/about-claude/pricing"
	google    = "https://ai.google.dev/gemini-api/docs/pricing"
)

// listed is a price with where it was read.
type listed struct {
	Price
	source string
}

// prices is the built-in table: list prices without the discount for batches. A
// model that stands neither here nor in Options.Prices has no price: its USD
// budget cannot hold, only its token budget does, and Client.Warnings says so
// once. Gemini's is that of its long prompts, so a cost is counted high rather
// than low.
var prices = map[string]listed{
	"gpt-5":             {Price{1.25, 10, 0.125}, openAI},
	"gpt-5-mini":        {Price{0.25, 2, 0.025}, openAI},
	"gpt-5-nano":        {Price{0.05, 0.40, 0.005}, openAI},
	"gpt-5.1":           {Price{1.25, 10, 0.125}, openAI},
	"gpt-5.2":           {Price{1.75, 14, 0.175}, openAI},
	"gpt-5.4":           {Price{2.50, 15, 0.25}, openAI},
	"gpt-4.1":           {Price{2, 8, 0.50}, openAI},
	"gpt-4.1-mini":      {Price{0.40, 1.60, 0.10}, openAI},
	"gpt-4.1-nano":      {Price{0.10, 0.40, 0.025}, openAI},
	"gpt-4o":            {Price{2.50, 10, 1.25}, openAI},
	"gpt-4o-mini":       {Price{0.15, 0.60, 0.075}, openAI},
	"o1":                {Price{15, 60, 7.50}, openAI},
	"o3":                {Price{2, 8, 1}, openAI},
	"o3-mini":           {Price{1.10, 4.40, 0.55}, openAI},
	"o4-mini":           {Price{1.10, 4.40, 0.55}, openAI},
	"claude-opus-5":     {Price{5, 25, 0.50}, anthropic},
	"claude-opus-4-8":   {Price{5, 25, 0.50}, anthropic},
	"claude-opus-4-7":   {Price{5, 25, 0.50}, anthropic},
	"claude-opus-4-6":   {Price{5, 25, 0.50}, anthropic},
	"claude-opus-4-5":   {Price{5, 25, 0.50}, anthropic},
	"claude-opus-4-1":   {Price{15, 75, 1.50}, anthropic},
	"claude-opus-4":     {Price{15, 75, 1.50}, anthropic},
	"claude-sonnet-4-6": {Price{3, 15, 0.30}, anthropic},
	"claude-sonnet-4-5": {Price{3, 15, 0.30}, anthropic},
	"claude-sonnet-4":   {Price{3, 15, 0.30}, anthropic},
	"claude-haiku-4-5":  {Price{1, 5, 0.10}, anthropic},
	"claude-3-5-haiku":  {Price{0.80, 4, 0.08}, anthropic},
	"gemini-2.5-pro":    {Price{2.50, 15, 0}, google},
}

// dated finds the date that vendors put behind a model's name.
var dated = regexp.MustCompile(`-(20\d\d-\d\d-\d\d|20\d{6}|latest)$`)

// batchShare is what a batch costs of the list price, by where that was read: half
// by OpenAI's page of the same day. Others sell batches for half as well, over
// protocols of their own; what is not known here is counted in full.
var batchShare = map[string]float64{openAI: 0.5}

// batched is a price as it is in a batch.
func (l listed) batched() Price {
	share, ok := batchShare[l.source]
	if !ok {
		return l.Price
	}
	return Price{l.Prompt * share, l.Completion * share, l.Cached * share}
}

// priceOf looks a model up by its own name, then without the vendor a gateway
// puts in front and without a date behind. A name that only begins like a known
// one ("gpt-5-pro") is unknown: a wrong price is worse than none.
func priceOf(model string, own map[string]Price) (listed, bool) {
	name := strings.ToLower(model)
	short := dated.ReplaceAllString(name[strings.LastIndex(name, "/")+1:], "")
	for _, key := range []string{model, name, short} {
		if p, ok := own[key]; ok {
			return listed{Price: p}, true
		}
	}
	for _, key := range []string{name, short} {
		if p, ok := prices[key]; ok {
			return p, true
		}
	}
	return listed{}, false
}

// cost is what tokens cost at this price, in US dollars. cached are those of the
// prompt that were read before.
func (p Price) cost(prompt, completion, cached int) float64 {
	if p.Cached == 0 || cached < 0 || cached > prompt {
		cached = 0
	}
	return (float64(prompt-cached)*p.Prompt + float64(cached)*p.Cached + float64(completion)*p.Completion) / 1e6
}
