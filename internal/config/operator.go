package config

import (
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Operator is the operator's configuration. See [DefaultOperator] for what
// holds where nothing is said.
type Operator struct {
	Enabled   bool   // default true; false stops every run
	Repo      string // path or clone URL; default "."
	Schedule  string // five cron fields, for serve; default none
	Stages    Stages // which model each stage asks; default none: no model is called
	LLM       LLM    // where the models are
	Budget    Budget // what one run may spend
	Routes    guard.Routes
	Delivery  Delivery
	Limits    Limits
	Trust     Trust
	Forge     Forge  // the host, where its address does not tell what it is
	Dashboard bool   // default false; an issue of the host says what is open, waits and was refused
	Journal   string // auto, ref, branch or dir; default auto
	Knowledge []Format
	Ignore    []Ignore
}

// Stages names the model of each stage.
type Stages struct{ Triage, Patch, Judge Stage }

// Stage is one stage that asks a model.
type Stage struct {
	Model  string // default none: the stage is left out
	Budget Budget // of the stage alone; default for the judge a quarter of the run's, for the others the run's
	Batch  bool   // triage alone: its questions go as one batch, for half the price where the endpoint sells it so; default false
}

// LLM is an OpenAI-compatible endpoint.
type LLM struct {
	BaseURL    string        // https, or http on loopback; default https://api.openai.com/v1
	APIKeyEnv  string        // the variable that holds the key; default OPENAI_API_KEY
	Timeout    time.Duration // of one call, 1s to 30m; default 2m
	TokenParam string        // auto, max_tokens or max_completion_tokens; default auto
	BatchWait  time.Duration // how long a batch is waited for, 1m to 24h; what it leaves waits for the next night; default 1h
	Prompts    string        // directory with templates that replace the built-in ones; default none
}

// Forge is a server of the operator's own with pull requests.
type Forge struct {
	Kind string // github, gitlab or gitea, which is Forgejo too; default none: by the host's name
	URL  string // where people see it; https, or http on loopback
}

// Budget bounds what one run spends on models; 0 is no bound.
type Budget struct {
	USD    float64 // default 2
	Tokens int     // prompt and completion together; default 400000
}

// Delivery says how edits leave.
type Delivery struct {
	Auto      string // commit (onto the base branch) or upkeep (along with the rest); default upkeep
	Push      bool   // default false: nothing leaves the machine
	Commits   string // of proposals: push, or api: GitHub makes them, and signs those of an App; default push
	AutoMerge string // of the upkeep pull request once required checks pass: merge, squash or rebase; default none: a person merges it
	Draft     bool   // new pull requests are drafts, where GitHub has them; default false: drafts tell no code owner
	Style     string // of titles: auto (as the history has it), conventional or plain; default auto

	Reviewers []string // who is asked on GitHub: accounts, and teams as organization/team; default nobody

	Name, Email string // of the author of our commits; default retrosweep, at an address that leads nowhere
	SignOff     string // of our commits, "Name <address>"; default none
	SigningKey  string // file of an SSH or armored OpenPGP key; default none: commits are not signed
}

// Limits bound what one run does without a person.
type Limits struct {
	NewPerRun int // new proposals; default 1
	Open      int // open proposals; default 3
	IdleDays  int // days without a person's decision on what is open, after which nothing new is opened; 0: no bound; default 30
	Archives  int // facts archived; more become one proposal; default 10
}

// Trust says whose corrections count as a member's.
type Trust struct {
	Members []string // e-mail addresses, * for any run of characters; default who may write by the host, without one every human author
}

// Format declares files as knowledge.
type Format struct {
	Path   string // glob
	Format knowledge.Format
}

// Ignore leaves files out of the sweep.
type Ignore struct {
	Path   string    // glob
	Reason string    // required: somebody will ask
	Until  time.Time // the last day, UTC; zero: for good
}

// DefaultOperator is the operator's configuration where nothing is said.
func DefaultOperator() Operator {
	return Operator{
		Enabled:  true,
		Repo:     ".",
		LLM:      LLM{BaseURL: "https://api.openai.com/v1", APIKeyEnv: "OPENAI_API_KEY", Timeout: 2 * time.Minute, BatchWait: time.Hour, TokenParam: "auto"},
		Budget:   Budget{USD: 2, Tokens: 400000},
		Delivery: Delivery{Auto: "upkeep", Commits: "push", Style: "auto"},
		Limits:   Limits{NewPerRun: 1, Open: 3, IdleDays: 30, Archives: 10},
		Journal:  "auto",
	}
}

// Upper bounds of counts: a typing error should not look like a wish.
const (
	maxTokens = 100_000_000
	maxLimit  = 1000
)

// fields is the schema of the operator's file, and of the environment.
func (o *Operator) fields() []field {
	return []field{
		{name: "enabled", env: "RETROSWEEP_ENABLED", set: flag(&o.Enabled)},
		{name: "repo", env: "RETROSWEEP_REPO", set: checked(&o.Repo, checkRepo)},
		{name: "schedule", env: "RETROSWEEP_SCHEDULE", set: checked(&o.Schedule, checkSchedule)},
		group("stages",
			o.Stages.Triage.group("triage", field{name: "batch", env: "RETROSWEEP_TRIAGE_BATCH", set: flag(&o.Stages.Triage.Batch)}), o.Stages.Patch.group("patch"), o.Stages.Judge.group("judge")),
		group("llm",
			field{name: "base_url", env: "RETROSWEEP_BASE_URL", set: checked(&o.LLM.BaseURL, checkEndpoint)},
			field{name: "api_key_env", env: "RETROSWEEP_API_KEY_ENV", set: checked(&o.LLM.APIKeyEnv, checkVariable)},
			field{name: "timeout", env: "RETROSWEEP_TIMEOUT", set: duration(&o.LLM.Timeout, time.Second, 30*time.Minute)},
			field{name: "batch_wait", env: "RETROSWEEP_BATCH_WAIT", set: duration(&o.LLM.BatchWait, time.Minute, 24*time.Hour)},
			field{name: "token_param", env: "RETROSWEEP_TOKEN_PARAM", set: oneOf(&o.LLM.TokenParam, "auto", "max_tokens", "max_completion_tokens")},
			field{name: "prompts", env: "RETROSWEEP_PROMPTS", set: text(&o.LLM.Prompts)},
			refusedKey("api_key", "never stands in a configuration; name the variable that holds it in api_key_env")),
		group("budget",
			field{name: "usd", env: "RETROSWEEP_BUDGET_USD", set: money(&o.Budget.USD)},
			field{name: "tokens", env: "RETROSWEEP_BUDGET_TOKENS", set: count(&o.Budget.Tokens, maxTokens)}),
		group("routes", append([]field{{name: "auto", set: globs(&o.Routes.Auto)}}, narrowing(&o.Routes)...)...),
		group("delivery",
			field{name: "auto", env: "RETROSWEEP_DELIVERY_AUTO", set: oneOf(&o.Delivery.Auto, "commit", "upkeep")},
			field{name: "push", env: "RETROSWEEP_PUSH", set: flag(&o.Delivery.Push)},
			field{name: "commits", env: "RETROSWEEP_COMMITS", set: oneOf(&o.Delivery.Commits, "push", "api")},
			field{name: "auto_merge", env: "RETROSWEEP_AUTO_MERGE", set: oneOf(&o.Delivery.AutoMerge, "merge", "squash", "rebase")},
			field{name: "draft", env: "RETROSWEEP_DRAFT", set: flag(&o.Delivery.Draft)},
			field{name: "reviewers", set: strs(&o.Delivery.Reviewers, checkReviewer)},
			field{name: "style", env: "RETROSWEEP_STYLE", set: oneOf(&o.Delivery.Style, "auto", "conventional", "plain")},
			field{name: "name", env: "RETROSWEEP_NAME", set: checked(&o.Delivery.Name, checkName)},
			field{name: "email", env: "RETROSWEEP_EMAIL", set: checked(&o.Delivery.Email, checkName)},
			field{name: "sign_off", env: "RETROSWEEP_SIGN_OFF", set: checked(&o.Delivery.SignOff, checkSignOff)},
			field{name: "signing_key", env: "RETROSWEEP_SIGNING_KEY", set: text(&o.Delivery.SigningKey)}),
		group("limits",
			field{name: "new_per_run", env: "RETROSWEEP_NEW_PER_RUN", set: count(&o.Limits.NewPerRun, maxLimit)},
			field{name: "open", env: "RETROSWEEP_OPEN", set: count(&o.Limits.Open, maxLimit)},
			field{name: "idle_days", env: "RETROSWEEP_IDLE_DAYS", set: count(&o.Limits.IdleDays, maxLimit)},
			field{name: "archives", env: "RETROSWEEP_ARCHIVES", set: count(&o.Limits.Archives, maxLimit)}),
		group("trust", field{name: "members", set: strs(&o.Trust.Members, checkMember)}),
		group("forge",
			field{name: "kind", env: "RETROSWEEP_FORGE", set: oneOf(&o.Forge.Kind, "github", "gitea", "gitlab")},
			field{name: "url", env: "RETROSWEEP_FORGE_URL", set: checked(&o.Forge.URL, checkEndpoint)}),
		{name: "dashboard", env: "RETROSWEEP_DASHBOARD", set: flag(&o.Dashboard)},
		{name: "journal", env: "RETROSWEEP_JOURNAL", set: oneOf(&o.Journal, "auto", "ref", "branch", "dir")},
		{name: "knowledge", set: formats(&o.Knowledge)},
		{name: "ignore", set: ignores(&o.Ignore)},
	}
}

// group is the schema of one stage.
func (s *Stage) group(name string, more ...field) field {
	return group(name, append([]field{
		{name: "model", env: "RETROSWEEP_" + strings.ToUpper(name) + "_MODEL", set: text(&s.Model)},
		{name: "usd", set: money(&s.Budget.USD)},
		{name: "tokens", set: count(&s.Budget.Tokens, maxTokens)},
	}, more...)...)
}

// narrowing are the routes that both files may set.
func narrowing(r *guard.Routes) []field {
	return []field{{name: "upkeep", set: globs(&r.Upkeep)}, {name: "queue", set: globs(&r.Queue)}, {name: "never", set: globs(&r.Never)}}
}

func formats(into *[]Format) setter {
	return items(func() ([]field, func()) {
		f := new(Format)
		return []field{
			{name: "path", set: glob(&f.Path), need: true},
			{name: "format", need: true, set: oneOf(&f.Format, knowledge.Playbook, knowledge.Memory, knowledge.MemoryIndex, knowledge.Vault,
				knowledge.Archive, knowledge.Anchored, knowledge.Wiki, knowledge.Instruction, knowledge.Docs)},
		}, func() { *into = append(*into, *f) }
	})
}

func ignores(into *[]Ignore) setter {
	return items(func() ([]field, func()) {
		i := new(Ignore)
		return []field{
			{name: "path", set: glob(&i.Path), need: true},
			{name: "reason", set: text(&i.Reason), need: true},
			{name: "until", set: day(&i.Until)},
		}, func() { *into = append(*into, *i) }
	})
}
