package llm

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
