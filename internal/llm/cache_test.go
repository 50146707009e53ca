package llm_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
	"github.com/retrosweep/retrosweep/prompts"
)

func cached(dir string) llm.Options {
	return llm.Options{CacheDir: dir, Repository: "acme/shop"}
}

// warm asks one question with an empty cache, so that the answer is in it.
func warm(t *testing.T, dir string) {
	t.Helper()
	c, _ := setup(t, cached(dir), llmtest.Reply{Text: good, Usage: llm.Usage{PromptTokens: 1000, CompletionTokens: 100}})
	if _, err := ask(t, c, "?"); err != nil {
		t.Fatal(err)
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestCacheAnswersWithoutACall(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "not", "yet", "there")
	warm(t, dir)
	c, fake := setup(t, cached(dir))
	got, err := ask(t, c, "?")
	if err != nil || got.Kind != "state" {
		t.Fatalf("got %+v, %v", got, err)
	}
	if n := len(fake.Requests()) + len(c.Sent()); n != 0 {
		t.Errorf("%d calls or places, want none", n)
	}
	if diff := cmp.Diff(map[string]llm.StageUsage{"triage": {Model: "gpt-5-mini", Cached: 1, Priced: true}}, c.Usage()); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
}

func TestCacheIsPrivateAndHoldsNoQuestion(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cache")
	c, _ := setup(t, cached(dir), llmtest.Reply{Text: good})
	if _, err := ask(t, c, "the canary sings"); err != nil {
		t.Fatal(err)
	}
	found := files(t, dir)
	if len(found) != 1 {
		t.Fatalf("files %q, want one and nothing half written", found)
	}
	for path, want := range map[string]fs.FileMode{found[0]: 0o600, filepath.Dir(found[0]): 0o700 | fs.ModeDir, dir: 0o700 | fs.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: mode %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
	raw, err := os.ReadFile(found[0])
	if err != nil || bytes.Contains(raw, []byte("canary")) {
		t.Errorf("the question is in the cache: %s (%v)", raw, err)
	}
}

// cross-repo: an answer serves only the very question it was given to.
func TestAttackCacheKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	warm(t, dir)
	tests := map[string]struct {
		repository string
		model      string
		change     func(*prompts.Prompt)
	}{
		"repository": {"acme/other", "gpt-5-mini", func(*prompts.Prompt) {}},
		"model":      {"acme/shop", "gpt-5", func(*prompts.Prompt) {}},
		"name":       {"acme/shop", "gpt-5-mini", func(p *prompts.Prompt) { p.Name = "patch" }},
		"version":    {"acme/shop", "gpt-5-mini", func(p *prompts.Prompt) { p.Version = "4" }},
		"system":     {"acme/shop", "gpt-5-mini", func(p *prompts.Prompt) { p.System += " Well." }},
		"user":       {"acme/shop", "gpt-5-mini", func(p *prompts.Prompt) { p.User += "?" }},
		"schema":     {"acme/shop", "gpt-5-mini", func(p *prompts.Prompt) { p.Schema = append(p.Schema, ' ') }},
		"border":     {"acme/shop", "gpt-5-mini", func(p *prompts.Prompt) { p.System, p.User = p.System+p.User, "" }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := &llmtest.Fake{Name: tt.model, Script: map[string][]llmtest.Reply{"triage": {{Text: good}}}}
			c := newClient(t, llm.Options{CacheDir: dir, Repository: tt.repository}, fake)
			p := question("?")
			tt.change(&p)
			if err := c.Ask(t.Context(), "triage", p, new(verdict)); err != nil {
				t.Fatal(err)
			}
			if len(fake.Requests()) != 1 {
				t.Errorf("another %s was answered from the cache", name)
			}
		})
	}
}

// A broken or forged cache file is a miss: what it says passes the same check.
func TestCacheFaultsAreMisses(t *testing.T) {
	t.Parallel()
	tests := map[string]func(t *testing.T, path string, whole []byte){
		"cut":   func(t *testing.T, path string, whole []byte) { put(t, path, whole[:len(whole)/2]) },
		"empty": func(t *testing.T, path string, _ []byte) { put(t, path, nil) },
		"other key": func(t *testing.T, path string, whole []byte) {
			put(t, path, bytes.Replace(whole, []byte(`"key":"`), []byte(`"key":"0`), 1))
		},
		"answer off the schema": func(t *testing.T, path string, whole []byte) {
			put(t, path, bytes.Replace(whole, []byte(`\"state\"`), []byte(`\"rumour\"`), 1))
		},
		"huge": func(t *testing.T, path string, whole []byte) {
			put(t, path, append(bytes.Repeat([]byte(" "), 2<<20), whole...))
		},
		"directory": func(t *testing.T, path string, _ []byte) {
			if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			warm(t, dir)
			path := files(t, dir)[0]
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			spoil(t, path, before)
			c, fake := setup(t, cached(dir), llmtest.Reply{Text: good})
			if _, err := ask(t, c, "?"); err != nil {
				t.Fatal(err)
			}
			if len(fake.Requests()) != 1 {
				t.Error("a spoilt file answered")
			}
		})
	}
}

// elsewhere is the same model at another endpoint.
type elsewhere struct{ *llmtest.Fake }

func (e elsewhere) Info() llm.Info {
	return llm.Info{Endpoint: "elsewhere.invalid", Model: e.Fake.Info().Model}
}

func TestAttackCacheKeyEndpoint(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	warm(t, dir)
	fake := &llmtest.Fake{Name: "gpt-5-mini", Script: map[string][]llmtest.Reply{"triage": {{Text: good}}}}
	c := newClient(t, cached(dir), elsewhere{fake})
	if _, err := ask(t, c, "?"); err != nil || len(fake.Requests()) != 1 {
		t.Errorf("%v, %d calls: another endpoint's answer was taken from the cache", err, len(fake.Requests()))
	}
}

func TestPruneCacheRemovesOnlyOldAnswers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, _ := setup(t, cached(dir), llmtest.Reply{Text: good}, llmtest.Reply{Text: good})
	for _, user := range []string{"old", "new"} {
		if _, err := ask(t, c, user); err != nil {
			t.Fatal(err)
		}
	}
	foreign := filepath.Join(dir, "answers", "note.txt")
	put(t, foreign, []byte("not ours"))
	now := time.Date(2026, 11, 30, 4, 30, 0, 0, time.UTC)
	for i, path := range files(t, dir) {
		age := now
		if i == 0 || path == foreign {
			age = now.AddDate(0, 0, -90)
		}
		if err := os.Chtimes(path, age, age); err != nil {
			t.Fatal(err)
		}
	}
	n, err := llm.PruneCache(dir, now.AddDate(0, 0, -60))
	if left := files(t, dir); err != nil || n != 1 || len(left) != 2 {
		t.Errorf("PruneCache removed %d (%v), left %q; want the old answer gone alone", n, err, left)
	}
	if n, err := llm.PruneCache(filepath.Join(dir, "none"), now); n != 0 || err != nil {
		t.Errorf("a cache that is not there: %d, %v", n, err)
	}
}

func put(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A cache that cannot be written costs the cache, not the answer, and is said
// once.
func TestUnwritableCacheOnlyCostsTheCache(t *testing.T) {
	t.Parallel()
	blocked := filepath.Join(t.TempDir(), "file")
	put(t, blocked, []byte("in the way"))
	c, _ := setup(t, cached(filepath.Join(blocked, "cache")), llmtest.Reply{Text: good}, llmtest.Reply{Text: good})
	for range 2 {
		if _, err := ask(t, c, "?"); err != nil {
			t.Fatal(err)
		}
	}
	if w := c.Warnings(); len(w) != 1 || !strings.Contains(w[0], "not remembered") {
		t.Errorf("warnings %q", w)
	}
}

func TestNoCacheWithoutDirectoryOrRepository(t *testing.T) {
	t.Parallel()
	c, fake := setup(t, llm.Options{}, llmtest.Reply{Text: good}, llmtest.Reply{Text: good})
	for range 2 {
		if _, err := ask(t, c, "?"); err != nil {
			t.Fatal(err)
		}
	}
	if len(fake.Requests()) != 2 {
		t.Error("answers were remembered without a cache")
	}
	if _, err := llm.New(llm.Options{CacheDir: t.TempDir()}); err == nil {
		t.Error("a cache without a repository's identity would mix repositories")
	}
}

// An apply after a dry run takes its answers from the cache, and its budget must
// end at the same question, or it would do more than was shown.
func TestApplyStopsWhereTheDryRunStopped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	options := cached(dir)
	options.Budget, options.Default.MaxTokens = llm.Budget{Tokens: 5_000}, 400
	used := llm.Usage{PromptTokens: 900, CompletionTokens: 100}
	dry, err := askUntil(t, newClient(t, options, always("gpt-5-mini", used)), 100)
	if dry != 5 || !errors.Is(err, llm.ErrBudget) {
		t.Fatalf("dry run: %d answers, %v", dry, err)
	}
	fake := always("gpt-5-mini", used)
	c := newClient(t, options, fake)
	applied, err := askUntil(t, c, 100)
	if applied != dry || !errors.Is(err, llm.ErrBudget) || len(fake.Requests()) != 0 {
		t.Errorf("apply: %d answers, %d calls, %v; want %d answers without a call", applied, len(fake.Requests()), err, dry)
	}
	if u := c.Usage()["triage"]; u.Cached != 5 || u.PromptTokens != 0 || u.USD != 0 {
		t.Errorf("usage %+v: nothing was spent", u)
	}
}

func TestRepairedAnswerIsRememberedAsTheAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, _ := setup(t, cached(dir), llmtest.Reply{Text: "Sure!"}, llmtest.Reply{Text: good, Recorded: true})
	if _, err := ask(t, c, "?"); err != nil {
		t.Fatal(err)
	}
	c, fake := setup(t, cached(dir))
	if _, err := ask(t, c, "?"); err != nil || len(fake.Requests()) != 0 {
		t.Errorf("%v, %d calls", err, len(fake.Requests()))
	}
	if u := c.Usage()["triage"]; u.Cached != 1 || u.Recorded != 1 {
		t.Errorf("usage %+v: a cached recording stays a recording", u)
	}
}

func TestDefaultCacheDir(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/somewhere/cache")
	t.Setenv("HOME", "/somewhere")
	if dir, err := llm.DefaultCacheDir(); err != nil || filepath.Base(dir) != "retrosweep" || !filepath.IsAbs(dir) {
		t.Errorf("DefaultCacheDir() = %q, %v", dir, err)
	}
}
