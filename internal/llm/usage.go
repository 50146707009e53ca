package llm

import (
	"maps"
	"slices"
	"sync"
)

// StageUsage is what a stage asked and spent in this run.
type StageUsage struct {
	Model            string  `json:"model"`
	Calls            int     `json:"calls"`  // requests sent, retries and repairs included
	Cached           int     `json:"cached"` // answers taken from the cache instead
	Retried          int     `json:"retried,omitempty"`
	Repaired         int     `json:"repaired,omitempty"`
	Recorded         int     `json:"recorded,omitempty"` // answers that came from a recording
	PromptTokens     int     `json:"prompt_tokens"`
	CompletionTokens int     `json:"completion_tokens"`
	USD              float64 `json:"usd"`
	Priced           bool    `json:"priced"` // false: no price is known, USD says nothing
}

// Sent is one place that prompts were sent to.
type Sent struct {
	Stage    string `json:"stage"`
	Endpoint string `json:"endpoint"`
	Model    string `json:"model"`
	Recorded bool   `json:"recorded,omitempty"`
}

// books keep what was asked, spent, sent and said.
type books struct {
	mu    sync.Mutex
	usage map[string]StageUsage
	sent  []place
	notes []string
}

// place is where prompts went, and which kinds of answers came back.
type place struct {
	Sent
	live, recorded bool
}

func newBooks() *books { return &books{usage: map[string]StageUsage{}} }

func (b *books) stages() map[string]StageUsage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.usage)
}

func (b *books) places() []Sent {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]Sent, len(b.sent))
	for i, p := range b.sent {
		out[i] = p.Sent
		out[i].Recorded = p.recorded && !p.live
	}
	return out
}

func (b *books) warnings() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.notes)
}

func (b *books) note(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.notes, text) {
		b.notes = append(b.notes, text)
	}
}

func (b *books) change(stage string, by func(u *StageUsage)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	u := b.usage[stage]
	by(&u)
	b.usage[stage] = u
}

func (b *books) open(q question) {
	b.change(q.stage, func(u *StageUsage) { u.Model, u.Priced = q.info.Model, q.priced })
}

func (b *books) retried(q question) {
	b.change(q.stage, func(u *StageUsage) { u.Retried++ })
}

func (b *books) repaired(q question) {
	b.change(q.stage, func(u *StageUsage) { u.Repaired++ })
}

func (b *books) cached(q question, recorded bool) {
	b.change(q.stage, func(u *StageUsage) {
		u.Cached++
		if recorded {
			u.Recorded++
		}
	})
}

// asked notes one request that went out, answered or not.
func (b *books) asked(q question, used Usage, usd float64, answered, recorded bool) {
	b.change(q.stage, func(u *StageUsage) {
		u.Calls++
		u.PromptTokens += used.PromptTokens
		u.CompletionTokens += used.CompletionTokens
		u.USD += usd
		if recorded {
			u.Recorded++
		}
	})
	b.went(Sent{Stage: q.stage, Endpoint: q.info.Endpoint, Model: q.info.Model}, answered, recorded)
}

// went notes a place. It is called recorded when all its answers were.
func (b *books) went(to Sent, answered, recorded bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.sent, func(p place) bool { return p.Sent == to })
	if i < 0 {
		i = len(b.sent)
		b.sent = append(b.sent, place{Sent: to})
	}
	b.sent[i].live = b.sent[i].live || answered && !recorded
	b.sent[i].recorded = b.sent[i].recorded || recorded
}
