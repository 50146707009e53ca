package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// faultsOf reads src as the operator's file and returns its faults, without
// the file's name.
func faultsOf(src string) string {
	o := DefaultOperator()
	err := asError(o.apply("f", []byte(src)))
	if err == nil {
		return ""
	}
	return strings.ReplaceAll("\n"+err.Error(), "\nf:", "\n")[1:]
}

func TestOperatorFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ src, want string }{
		{"stagse: {}", `1:1: unknown key "stagse"; did you mean "stages"?`},
		{"llm: {baseUrl: x}", `1:7: unknown key "baseUrl"; did you mean "base_url"?`},
		{"llm:\n  api-key-env: X", `2:3: unknown key "api-key-env"; did you mean "api_key_env"?`},
		{"budget: {euros: 2}", `1:10: unknown key "euros"; known are usd and tokens`},
		{"journal: ref\njournal: dir", `2:1: "journal" is set twice, first in line 1`},
		{"limits: {open: 1, open: 2}", `1:19: "open" is set twice, first in line 1`},
		{"llm: https://x", `1:6: "llm" must hold keys: base_url, api_key_env, timeout, batch_wait, token_param and prompts`},
		{"repo: 5", `1:7: 5 is not text; put it into quotes`},
		{"repo:", `1:7: has no value; give one or leave the key out`},
		{"repo: ''", `1:7: has no value; give one or leave the key out`},
		{"repo: [a]", `1:7: must be a single value`},
		{"routes: {auto: a.md}", `1:16: must be a list: [a, b]`},
		{"routes: {auto: [a, 5]}", `1:20: 5 is not text; put it into quotes`},
		{"knowledge: [a.md]", `1:13: must hold keys: path and format`},
		{"knowledge: [{format: playbok}]", "1:13: \"path\" is missing\n" + `1:22: unknown value "playbok"; known are playbook, memory, memoryindex, vault, archive, anchored, wiki, instruction and docs; did you mean "playbook"?`},
		{"ignore: [{path: a.md}]", `1:10: "reason" is missing`},
		{"ignore: [{path: a.md, reason: x, until: 1.6.2027}]", `1:41: "1.6.2027" is not a day; write it as 2027-06-01`},
		{"ignore: [{path: a.md, reason: x, until: 2027-02-30}]", `1:41: "2027-02-30" is not a day; write it as 2027-06-01`},
		{"routes: {queue: ['a[b']}", `1:18: "a[b" is not a glob: a bracket or brace is not closed`},
		{"routes: {never: [/a, ../b, '!c', d/]}", "1:18: \"/a\" begins with a slash; globs are relative to the repository root\n1:22: \"../b\" leaves the repository\n1:28: \"!c\" begins with an exclamation mark; globs do not negate\n" + `1:34: "d/" names a directory; write "d/**" for the files in it`},
		{"llm: {timeout: 120}", `1:16: "120" is not a duration; write it with its unit, as 90s or 2m`},
		{"llm: {timeout: 5h}", `1:16: 5h is out of bounds: from 1s to 30m0s`},
		{"llm: {base_url: 'http://llm.acme.dev/v1'}", `1:17: scheme "http" is not allowed; use https (http on loopback only)`},
		{"llm: {base_url: llm.acme.dev}", `1:17: is not a URL; write it as https://host/v1`},
		{"llm: {base_url: 'https://a:b@c/v1'}", `1:17: holds credentials; name the variable that holds the key in api_key_env`},
		{"llm: {base_url: 'https://c/v1?k=1'}", `1:17: holds a query or fragment`},
		{"llm: {api_key: abc}", `1:16: "api_key" never stands in a configuration; name the variable that holds it in api_key_env`},
		{"llm: {token_param: max-tokens}", `1:20: unknown value "max-tokens"; known are auto, max_tokens and max_completion_tokens; did you mean "max_tokens"?`},
		{"budget: {usd: 2 EUR}", `1:15: "2 EUR" is not an amount of US dollars from 0 to 10000, written as a number alone`},
		{"budget: {usd: -1, tokens: 1e3}", "1:15: \"-1\" is not an amount of US dollars from 0 to 10000, written as a number alone\n" + `1:27: "1e3" is not a whole number from 0 to 100000000`},
		{"limits: {open: 10000000000000000000000}", `1:16: "10000000000000000000000" is not a whole number from 0 to 1000`},
		{"delivery: {push: yes}", `1:18: "yes" is not true or false`},
		{"delivery: {auto: comit}", `1:18: unknown value "comit"; known are commit and upkeep; did you mean "commit"?`},
		{"schedule: 0 2 31 2 *", `1:11: schedule "0 2 31 2 *": it never comes, as its day and month do not meet: write a day that its month has, such as 30 4 1 * * (the first of every month)`},
		{"schedule: CRON_TZ=UTC", `1:11: schedule "CRON_TZ=UTC": a zone and five fields belong together: write CRON_TZ=Europe/Berlin 30 4 * * *`},
		{"trust: {members: [acme.dev]}", `1:19: "acme.dev" is not an e-mail address or a pattern of one, as *@acme.dev`},
		{"repo: https://u:p@github.com/acme/shop", `1:7: holds credentials; they come from the environment or git's credential helper`},
		{"repo: --upload-pack=x", `1:7: "--upload-pack=x" begins like an option`},
		{"- a\n- b", `1:1: must be a mapping of keys to values`},
		{"just text", `1:1: must be a mapping of keys to values`},
		{"a: [1\nb: 2", `2:1: ',' or ']' must be specified`},
		{"repo: a\n---\nrepo: b", `3:5: a second document; one file holds one configuration`},
		{"repo: &x a\njournal: *x", "1:7: anchors (&name) are not read here; write the value out\n2:10: aliases (*name) are not read here; write the value out"},
		{"limits:\n  <<: {open: 1}", `2:3: merge keys (<<) are not read here; write the values out`},
		{"repo: !!binary aGk=", `1:7: tags (!name) are not read here`},
	} {
		if diff := cmp.Diff(c.want, faultsOf(c.src)); diff != "" {
			t.Errorf("%q:\n%s", c.src, diff)
		}
	}
}

func TestAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	const src = `repo: 5
stages:
  triag: {model: x}
budget:
  usd: lots
routes:
  auto: [ok.md, "bad["]
unknown: 1
journal: shelf
`
	got := faultsOf(src)
	if lines := strings.Split(got, "\n"); len(lines) != 6 {
		t.Errorf("%d faults, want 6:\n%s", len(lines), got)
	}
	for i, line := range []int{1, 3, 5, 7, 8, 9} {
		if lines := strings.Split(got, "\n"); i < len(lines) && !strings.HasPrefix(lines[i], fmt.Sprintf("%d:", line)) {
			t.Errorf("fault %d is %q, want it in line %d", i, lines[i], line)
		}
	}
}

func TestVeryManyFaultsAreCounted(t *testing.T) {
	t.Parallel()
	got := strings.Split(faultsOf(strings.Repeat("a: 1\n", 150)), "\n")
	if len(got) != maxPrinted+1 || got[maxPrinted] != "and 50 more" {
		t.Errorf("%d lines, the last is %q", len(got), got[len(got)-1])
	}
}

func TestFaultsRepeatNoSecret(t *testing.T) {
	t.Parallel()
	key := "sk" + "-proj-" + strings.Repeat("aB3", 16)
	for _, src := range []string{"llm: {api_key: " + key + "}", "llm: {api_key_env: " + key + "}", "repo: https://x:" + key + "@h/y", "llm: {base_url: 'https://x:" + key + "@h/v1'}"} {
		if got := faultsOf(src); got == "" || strings.Contains(got, key) {
			t.Errorf("faults %q: want some, without the key", got)
		}
	}
}

func TestFaultsAreSafeToPrint(t *testing.T) {
	t.Parallel()
	f := Fault{File: "a\x1b[2Jb", Line: 1, Column: 2, Message: "key \u202E\nforged: line " + strings.Repeat("x", 2000)}
	if got := f.String(); strings.ContainsAny(got, "\x1b\u202E\n") || len(got) > 3*maxFault {
		t.Errorf("String = %q", got)
	}
}
