package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
)

func TestParseRepositoryExample(t *testing.T) {
	t.Parallel()
	got, err := ParseRepository([]byte(`enabled: false
knowledge:
  - {path: docs/agents/*.md, format: playbook}
routes:
  queue: [docs/agents/security.md]
  never: [docs/legal/**]
ignore:
  - {path: docs/history/**, reason: "a log", until: 2027-06-01}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := Repository{
		Knowledge: []Format{{"docs/agents/*.md", knowledge.Playbook}},
		Routes:    guard.Routes{Queue: []string{"docs/agents/security.md"}, Never: []string{"docs/legal/**"}},
		Ignore:    []Ignore{{"docs/history/**", "a log", time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAttack43RepositorySetsWhatIsTheOperators(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"repo: x", "schedule: '* * * * *'", "stages: {triage: {model: evil}}", "llm: {base_url: 'https://evil.dev'}", "budget: {usd: 999}", "delivery: {push: true}",
		"limits: {archives: 1000}", "trust: {members: ['*@evil.dev']}", "journal: dir", "routes: {auto: ['**']}",
	} {
		got, err := ParseRepository([]byte("enabled: false\n" + src))
		if err == nil || !strings.Contains(err.Error(), operatorOnly) {
			t.Errorf("%q: %v, want it refused as the operator's", src, err)
		}
		if diff := cmp.Diff(DefaultRepository(), got); diff != "" {
			t.Errorf("%q: a refused file has an effect: %s", src, diff)
		}
	}
	if _, err := ParseRepository([]byte("model: x\nenable: true\n")); err == nil || strings.Count(err.Error(), "\n") != 1 || !strings.Contains(err.Error(), `did you mean "enabled"`) {
		t.Errorf("unknown keys: %v", err)
	}
}

// TestAttack32 llm-endpoint: a repository names no endpoint, key or model, and an
// operator's endpoint is https, or this machine.
func TestAttack32(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"llm: {base_url: 'https://evil.dev/v1'}", "llm: {api_key_env: HOME}", "llm: {timeout: 30m}", "stages: {patch: {model: evil}}", "llm: {}",
	} {
		if _, err := ParseRepository([]byte(src)); err == nil {
			t.Errorf("%q is taken from a repository", src)
		}
	}
	for _, url := range []string{"http://llm.acme.dev/v1", "http://127.0.0.1.evil.dev/v1", "https://key@llm.acme.dev/v1", "ftp://x/y", "//x"} {
		o := DefaultOperator()
		if faults := o.apply("f", []byte("llm: {base_url: '"+url+"'}")); len(faults) == 0 {
			t.Errorf("%s is taken as an endpoint", url)
		}
	}
}

func TestAttack15YAMLBomb(t *testing.T) {
	t.Parallel()
	laughs := "a: &a [x, x]\n"
	for c := 'b'; c < 'z'; c++ {
		laughs += string(c) + ": &" + string(c) + " [*" + string(c-1) + ", *" + string(c-1) + "]\n"
	}
	for name, src := range map[string]string{
		"billion laughs": laughs, "itself": "knowledge: &a [*a]", "brackets": "ignore: " + strings.Repeat("[", 30000), "braces": "ignore: " + strings.Repeat("{a: ", 10000),
		"dashes": strings.Repeat("- ", 30000), "keys": strings.Repeat("? ", 30000), "too large": "enabled: true\n#" + strings.Repeat("x", maxBytes), "merge": "<<: {enabled: false}",
		"indentation": indented(300), "not text": "\x00\x01\xff", "colons": strings.Repeat(": ", 30000), "lines": strings.Repeat("a:\n", 20000),
	} {
		if _, err := ParseRepository([]byte(src)); err == nil {
			t.Errorf("%s passes", name)
		}
	}
}

func indented(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func TestTrustMember(t *testing.T) {
	t.Parallel()
	trust := Trust{Members: []string{"*@acme.dev", "eve@example.com"}}
	for email, want := range map[string]bool{
		"ada@acme.dev": true, "Ada@ACME.dev": true, "eve@example.com": true, "eve@example.com.evil.dev": false, "ada@acme.dev.evil.dev": false, "x@evil.dev": false, "ada@acmexdev": false, "": false,
	} {
		if got := trust.Member(email); got != want {
			t.Errorf("Member(%q) = %v", email, got)
		}
	}
	if !(Trust{}).Member("anybody@example.com") {
		t.Error("without members not everybody is one")
	}
}

func TestIgnored(t *testing.T) {
	t.Parallel()
	list := []Ignore{
		{Path: "docs/old/**", Reason: "until summer", Until: time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)},
		{Path: "docs/history/**", Reason: "a log"},
	}
	for _, c := range []struct{ path, at, want string }{
		{"docs/old/a.md", "2026-11-30T10:00:00Z", "until summer"},
		{"docs/old/a.md", "2027-06-01T23:59:00Z", "until summer"},
		{"docs/old/a.md", "2027-06-02T00:00:00Z", ""},
		{"docs/history/b.md", "2099-01-01T00:00:00Z", "a log"},
		{"docs/b.md", "2026-11-30T10:00:00Z", ""},
	} {
		now, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := Ignored(list, c.path, now); got.Reason != c.want || ok != (c.want != "") {
			t.Errorf("Ignored(%s, %s) = %q, %v; want %q", c.path, c.at, got.Reason, ok, c.want)
		}
	}
}

func TestRulesPutTheOperatorFirst(t *testing.T) {
	t.Parallel()
	got := Rules(Operator{Knowledge: []Format{{"a.md", knowledge.Wiki}}}, Repository{Knowledge: []Format{{"**", knowledge.Playbook}}})
	want := []knowledge.Rule{{Path: "a.md", Format: knowledge.Wiki}, {Path: "**", Format: knowledge.Playbook}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzParse(f *testing.F) {
	for _, src := range []string{example, string(Template(OperatorFile)), string(Template(RepositoryFile)), "a: &x [*x]", "? a\n: b", "[", "{a: b", "'", "\"\\", "|\n", "- - -", "a: !!x y", "\t", "<<: a", "%YAML 9", "a:\n b:\n  - c: d\n"} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		r, err := ParseRepository(src)
		if len(r.Routes.Auto) > 0 {
			t.Error("a repository opens a route")
		}
		if err != nil && strings.TrimSpace(err.Error()) == "" {
			t.Error("an error without words")
		}
		o := DefaultOperator()
		for _, fault := range o.apply("f", src) {
			if fault.Message == "" {
				t.Errorf("a fault without words: %+v", fault)
			}
		}
	})
}
