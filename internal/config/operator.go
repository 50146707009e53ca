package config

import (
	"time"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Operator is the operator's configuration. See [DefaultOperator] for what
// holds where the file is silent.
type Operator struct {
	Repo      string       // path or clone URL; default "."
	Schedule  string       // five cron fields, for serve; default none
	Stages    Stages       // which model each stage uses; default none: no model is called
	LLM       LLM          // where the models are
	Budget    Budget       // what one run may spend
	Routes    guard.Routes // where edits may go, over the built-in defaults
	Delivery  Delivery
	Limits    Limits
	Trust     Trust
	Journal   string // auto, ref, branch or dir; default auto
	Knowledge []Format
	Ignore    []Ignore
}

// Stages names the model of each stage; an empty name leaves the stage out.
type Stages struct{ Triage, Patch, Judge Stage }

// Stage is the configuration of one stage that asks a model.
type Stage struct {
	Model string // default none
}

// LLM is an OpenAI-compatible endpoint.
type LLM struct {
	BaseURL    string        // https, or http on loopback; default https://api.openai.com/v1
	APIKeyEnv  string        // the variable that holds the key; default OPENAI_API_KEY
	Timeout    time.Duration // of one call; default 120s
	TokenParam string        // auto, max_tokens or max_completion_tokens; default auto
}

// Budget bounds what one run spends on models.
type Budget struct {
	USD    float64 // default 2; 0 is no limit
	Tokens int     // prompt and completion; default 400000; 0 is no limit
}

// Delivery says how edits leave.
type Delivery struct {
	Auto  string // commit (on the base branch) or branch; default branch
	Push  bool   // default false
	Style string // of titles: auto, conventional or plain; default auto
}

// Limits bound what one run does.
type Limits struct {
	NewPerRun int // new proposals; default 1
	Open      int // open proposals; default 3
	Archives  int // facts archived without asking; default 10
}

// Trust says whose corrections count as a member's.
type Trust struct {
	Members []string // e-mail addresses, with * for any run; default every human author
}

// Format declares files as knowledge.
type Format struct {
	Path   string // glob
	Format knowledge.Format
}

// Ignore leaves files out of the sweep.
type Ignore struct {
	Path   string    // glob
	Reason string    // required
	Until  time.Time // last day; zero: for good
}

// Repository is what the reviewed repository's .retrosweep.yaml says.
type Repository struct {
	Enabled   bool // default true
	Knowledge []Format
	Routes    guard.Routes // Auto is always empty
	Ignore    []Ignore
}
