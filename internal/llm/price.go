package llm

import (
	"regexp"
	"strings"
)

// Price is in US dollars a million tokens.
type Price struct{ Prompt, Completion float64 }

// prices is the built-in table: list prices as published up to mid 2025, without
// discounts for cached prompts or batches, so a cost is counted high rather than
// low. Options.Prices adds to it and overrides it. A model that stands in
// neither has no price: its USD budget cannot hold, only its token budget does,
// and Client.Warnings says so once.
var prices = map[string]Price{
	"gpt-5":             {1.25, 10},
	"gpt-5-mini":        {0.25, 2},
	"gpt-5-nano":        {0.05, 0.40},
	"gpt-4.1":           {2, 8},
	"gpt-4.1-mini":      {0.40, 1.60},
	"gpt-4.1-nano":      {0.10, 0.40},
	"gpt-4o":            {2.50, 10},
	"gpt-4o-mini":       {0.15, 0.60},
	"o1":                {15, 60},
	"o3":                {2, 8},
	"o3-mini":           {1.10, 4.40},
	"o4-mini":           {1.10, 4.40},
	"claude-opus-4":     {15, 75},
	"claude-sonnet-4":   {3, 15},
	"claude-3-5-haiku":  {0.80, 4},
	"gemini-2.5-pro":    {2.50, 15},
	"gemini-2.5-flash":  {0.30, 2.50},
	"gemini-2.0-flash":  {0.10, 0.40},
	"mistral-medium-3":  {0.40, 2},
	"mistral-small-3.1": {0.10, 0.30},
}

// dated finds the date that vendors put behind a model's name.
var dated = regexp.MustCompile(`-(20\d\d-\d\d-\d\d|20\d{6}|latest)$`)

// priceOf looks a model up by its own name, then without the vendor a gateway
// puts in front and without a date behind. A name that only begins like a known
// one ("gpt-5-pro") is unknown: a wrong price is worse than none.
func priceOf(model string, own map[string]Price) (Price, bool) {
	name := strings.ToLower(model)
	short := dated.ReplaceAllString(name[strings.LastIndex(name, "/")+1:], "")
	for _, key := range []string{model, name, short} {
		if p, ok := own[key]; ok {
			return p, true
		}
	}
	for _, key := range []string{name, short} {
		if p, ok := prices[key]; ok {
			return p, true
		}
	}
	return Price{}, false
}

// cost is what tokens cost at this price, in US dollars.
func (p Price) cost(prompt, completion int) float64 {
	return (float64(prompt)*p.Prompt + float64(completion)*p.Completion) / 1e6
}
