package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// example is the operator's file of the manual, with every key in it.
const example = `
repo: https://github.com/acme/shop
schedule: "30 4 * * *"
stages:
  triage: {model: gpt-5-mini, batch: true}
  patch:  {model: gpt-5}
  judge:  {model: gpt-5-mini}
llm: {base_url: https://llm.acme.dev/v1,
      api_key_env: LLM_KEY, timeout: 90s, batch_wait: 3h, token_param: max_tokens}
budget: {usd: 2.5, tokens: 300000}
routes: {auto: [knowledge/playbooks/**], upkeep: [a.md], queue: [b.md], never: ["docs/**"]}
delivery: {auto: commit, push: true, style: conventional, draft: true, reviewers: [ada, acme/keepers]}
limits: {new_per_run: 2, open: 4, archives: 0}
trust: {members: ["*@acme.dev"]}
journal: branch
knowledge:
  - {path: docs/agents/*.md, format: playbook}
ignore:
  - {path: docs/history/**, reason: "a log", until: 2027-06-01}
`

func noEnv(string) string { return "" }

func environment(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

func write(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestLoadOperatorExample(t *testing.T) {
	t.Parallel()
	got, err := LoadOperator(write(t, example), noEnv)
	if err != nil {
		t.Fatal(err)
	}
	want := Operator{
		Enabled: true, Repo: "https://github.com/acme/shop", Schedule: "30 4 * * *",
		Stages:    Stages{Stage{Model: "gpt-5-mini", Batch: true}, Stage{Model: "gpt-5"}, Stage{Model: "gpt-5-mini"}},
		LLM:       LLM{BaseURL: "https://llm.acme.dev/v1", APIKeyEnv: "LLM_KEY", Timeout: 90 * time.Second, BatchWait: 3 * time.Hour, TokenParam: "max_tokens"},
		Budget:    Budget{2.5, 300000},
		Routes:    guard.Routes{Auto: []string{"knowledge/playbooks/**"}, Upkeep: []string{"a.md"}, Queue: []string{"b.md"}, Never: []string{"docs/**"}},
		Delivery:  Delivery{Auto: "commit", Push: true, Commits: "push", Style: "conventional", Draft: true, Reviewers: []string{"ada", "acme/keepers"}},
		Limits:    Limits{NewPerRun: 2, Open: 4, IdleDays: 30},
		Trust:     Trust{[]string{"*@acme.dev"}},
		Journal:   "branch",
		Knowledge: []Format{{"docs/agents/*.md", knowledge.Playbook}},
		Ignore:    []Ignore{{"docs/history/**", "a log", time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLoadOperatorSaysNothing(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"", "# a comment\n", "---\n", "stages:\nroutes: {}\nknowledge:\n", "\uFEFF# with a mark\n"} {
		got, err := LoadOperator(write(t, src), noEnv)
		if err != nil {
			t.Errorf("%q: %v", src, err)
		}
		if diff := cmp.Diff(DefaultOperator(), got); diff != "" {
			t.Errorf("%q: %s", src, diff)
		}
	}
}

func TestLoadOperatorFindsItsFile(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dir := filepath.Join(home, ".config", "retrosweep")
	if runtime.GOOS == "darwin" {
		dir = filepath.Join(home, "Library", "Application Support", "retrosweep")
	}
	env := map[string]string{"HOME": home, "AppData": filepath.Join(home, ".config")}
	if o, err := LoadOperator("", environment(env)); err != nil || o.Journal != "auto" {
		t.Errorf("no file: %v, %v", o.Journal, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("journal: dir\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o, err := LoadOperator("", environment(env)); err != nil || o.Journal != "dir" {
		t.Errorf("the user's file: %v, %v", o.Journal, err)
	}
	env[ConfigVariable] = write(t, "journal: ref\n")
	if o, err := LoadOperator("", environment(env)); err != nil || o.Journal != "ref" {
		t.Errorf("%s: %v, %v", ConfigVariable, o.Journal, err)
	}
	if o, err := LoadOperator(write(t, "journal: branch\n"), environment(env)); err != nil || o.Journal != "branch" {
		t.Errorf("--config: %v, %v", o.Journal, err)
	}
	missing := filepath.Join(home, "missing.yaml")
	if _, err := LoadOperator(missing, noEnv); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("a named file that is not there: %v", err)
	}
	if _, err := LoadOperator("", environment(map[string]string{ConfigVariable: missing})); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file named by the environment that is not there: %v", err)
	}
	if o, err := LoadOperator("", noEnv); err != nil || o.Repo != "." {
		t.Errorf("no home: %v, %v", o, err)
	}
}

func TestUserDirFollowsXDG(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("XDG is for other systems")
	}
	if got := userDir(environment(map[string]string{"XDG_CONFIG_HOME": "/x", "HOME": "/h"})); got != "/x" {
		t.Errorf("userDir = %q", got)
	}
	if got := userDir(environment(map[string]string{"XDG_CONFIG_HOME": "relative", "HOME": "/h"})); got != "/h/.config" {
		t.Errorf("userDir = %q", got)
	}
}

func TestEnvironmentOverrides(t *testing.T) {
	t.Parallel()
	values := map[string]string{
		"RETROSWEEP_REPO": "/srv/shop", "RETROSWEEP_SCHEDULE": "0 5 * * 1", "RETROSWEEP_TRIAGE_MODEL": "small", "RETROSWEEP_PATCH_MODEL": "large", "RETROSWEEP_JUDGE_MODEL": "judge",
		"RETROSWEEP_BASE_URL": "http://127.0.0.1:8080/v1", "RETROSWEEP_API_KEY_ENV": "OTHER_KEY", "RETROSWEEP_TIMEOUT": "30s", "RETROSWEEP_TOKEN_PARAM": "max_completion_tokens", "RETROSWEEP_PROMPTS": "/p", "RETROSWEEP_TRIAGE_BATCH": "false", "RETROSWEEP_BATCH_WAIT": "2h",
		"RETROSWEEP_BUDGET_USD": "0.5", "RETROSWEEP_BUDGET_TOKENS": "7", "RETROSWEEP_DELIVERY_AUTO": "upkeep", "RETROSWEEP_PUSH": "false", "RETROSWEEP_STYLE": "plain", "RETROSWEEP_DRAFT": "false", "RETROSWEEP_COMMITS": "api", "RETROSWEEP_AUTO_MERGE": "squash", "RETROSWEEP_ENABLED": "false", "RETROSWEEP_NAME": "gardener", "RETROSWEEP_EMAIL": "bot@acme.dev",
		"RETROSWEEP_SIGN_OFF": "Bot <bot@acme.dev>", "RETROSWEEP_SIGNING_KEY": "/k", "RETROSWEEP_IDLE_DAYS": "12",
		"RETROSWEEP_NEW_PER_RUN": "0", "RETROSWEEP_OPEN": "9", "RETROSWEEP_ARCHIVES": "8", "RETROSWEEP_JOURNAL": "dir", "RETROSWEEP_DASHBOARD": "true",
		"RETROSWEEP_FORGE": "gitea", "RETROSWEEP_FORGE_URL": "https://git.acme.dev/",
	}
	got, err := LoadOperator(write(t, example), environment(values))
	if err != nil {
		t.Fatal(err)
	}
	want, err := LoadOperator(write(t, example), noEnv)
	if err != nil {
		t.Fatal(err)
	}
	want.Repo, want.Schedule, want.Stages = "/srv/shop", "0 5 * * 1", Stages{Stage{Model: "small"}, Stage{Model: "large"}, Stage{Model: "judge"}}
	want.LLM = LLM{"http://127.0.0.1:8080/v1", "OTHER_KEY", 30 * time.Second, "max_completion_tokens", 2 * time.Hour, "/p"}
	want.Budget, want.Delivery, want.Limits, want.Journal = Budget{0.5, 7}, Delivery{
		Auto: "upkeep", Commits: "api", AutoMerge: "squash", Style: "plain", Reviewers: []string{"ada", "acme/keepers"}, Name: "gardener", Email: "bot@acme.dev", SignOff: "Bot <bot@acme.dev>", SigningKey: "/k",
	}, Limits{0, 9, 12, 8}, "dir"
	want.Enabled, want.Dashboard, want.Forge = false, true, Forge{"gitea", "https://git.acme.dev/"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(Variables()) != len(values) {
		t.Errorf("%d variables are documented, %d are tried here", len(Variables()), len(values))
	}
	for _, v := range Variables() {
		if values[v.Name] == "" {
			t.Errorf("%s is not tried", v.Name)
		}
		if !strings.Contains(string(Template(OperatorFile)), "$"+v.Name+"\n") {
			t.Errorf("%s (%s) stands in no template", v.Name, v.Key)
		}
	}
}

func TestEnvironmentFaultsNameTheVariable(t *testing.T) {
	t.Parallel()
	_, err := LoadOperator(write(t, "journal: shelf\n"), environment(map[string]string{"RETROSWEEP_PUSH": "yes", "RETROSWEEP_TIMEOUT": "90"}))
	var faults *Faults
	if !errors.As(err, &faults) || len(faults.List) != 3 {
		t.Fatalf("want three faults at once, got %v", err)
	}
	for _, want := range []string{`$RETROSWEEP_PUSH: "yes" is not true or false`, `$RETROSWEEP_TIMEOUT: "90" is not a duration`, `:1:10: unknown value "shelf"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
}

func TestTemplatesAreTheDefaults(t *testing.T) {
	t.Parallel()
	operator, err := LoadOperator(write(t, string(Template(OperatorFile))), noEnv)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(DefaultOperator(), operator); diff != "" {
		t.Error(diff)
	}
	repository, err := ParseRepository(Template(RepositoryFile))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(DefaultRepository(), repository); diff != "" {
		t.Error(diff)
	}
	if Template("other") != nil {
		t.Error("there is a third template")
	}
	for _, f := range new(Operator).fields() {
		if !strings.Contains(string(Template(OperatorFile)), f.name+":") {
			t.Errorf("the template lacks %s", f.name)
		}
	}
}

// The comments of the templates offer values: they must be good ones.
func TestTemplateCommentsParse(t *testing.T) {
	t.Parallel()
	offered := regexp.MustCompile(`(?m)^ *#? ?(\w+): .*?# ([\[{].*?[\]}])(?: +\$\w+)?$`)
	found := offered.FindAllStringSubmatch(string(Template(OperatorFile)), -1)
	if len(found) < 6 {
		t.Fatalf("only %d values are offered", len(found))
	}
	under := map[string]string{"triage": "stages", "patch": "stages", "judge": "stages", "members": "trust"}
	for _, m := range found {
		src := m[1] + ": " + m[2]
		if group := under[m[1]]; group != "" {
			src = group + ": {" + src + "}"
		}
		if _, err := LoadOperator(write(t, src), noEnv); err != nil {
			t.Errorf("%s: %v", src, err)
		}
	}
}

// A stage may be bounded by itself, in the file.
func TestStageBudget(t *testing.T) {
	t.Parallel()
	got, err := LoadOperator(write(t, "stages:\n  judge: {model: small, usd: 0.25, tokens: 9000}\n"), noEnv)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Stage{Model: "small", Budget: Budget{USD: 0.25, Tokens: 9000}}); got.Stages.Judge != want {
		t.Errorf("judge = %+v, want %+v", got.Stages.Judge, want)
	}
	if _, err := LoadOperator(write(t, "stages:\n  judge: {tokens: -1}\n"), noEnv); err == nil {
		t.Error("a negative budget is taken")
	}
}
