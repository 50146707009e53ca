package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge/github"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
	"github.com/retrosweep/retrosweep/internal/llm/openai"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

func check(name string, r Result) Check {
	return Check{name, func(context.Context) Result { return r }}
}

func quiet(string) {}

func names(lines []Line) []string {
	var out []string
	for _, l := range lines {
		out = append(out, l.Name+" "+string(l.Status))
	}
	return out
}

func TestExamineLooksBehindAtOnce(t *testing.T) {
	t.Parallel()
	checks := []Check{check("a", ok("yes").then(check("b", ok("yes").then(check("c", ok("yes")))), check("d", ok("yes")))), check("e", warn("no", "do"))}
	want := []string{"a ok", "b ok", "c ok", "d ok", "e warn"}
	for range 2 { // the checks are values: a second look is the same
		if got := names(Examine(t.Context(), checks, quiet)); !slices.Equal(got, want) {
			t.Errorf("looked at %q, want %q", got, want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got := names(Examine(ended, checks, quiet)); !slices.Equal(got, []string{"a unknown", "e unknown"}) {
		t.Errorf("after its end a run looked at %q", got)
	}
}

func TestOnlyAFailFails(t *testing.T) {
	t.Parallel()
	for status, want := range map[Status]bool{OK: false, Warn: false, Unknown: false, Fail: true} {
		if got := Failed([]Line{{Status: OK}, {Status: status}}); got != want {
			t.Errorf("%s fails: %v", status, got)
		}
	}
}

func TestTextShowsTheRemedyAndNoControlCharacter(t *testing.T) {
	t.Parallel()
	lines := []Line{
		{Name: "git", Status: OK, Detail: "2.47"},
		{Name: "configuration", Status: Fail, Detail: "a.yaml:1: modle\na.yaml:2: \x1b[2Jx", Remedy: "correct it"},
	}
	var out bytes.Buffer
	if err := Text(&out, lines, false); err != nil {
		t.Fatal(err)
	}
	want := "ok       git            2.47\n" +
		"fail     configuration  a.yaml:1: modle\n" +
		"                        a.yaml:2: ␛[2Jx\n" +
		"                        > correct it\n\n2 checks: 1 ok, 0 warn, 1 fail, 0 unknown\n"
	if out.String() != want {
		t.Errorf("it is\n%s\nand not\n%s", out.String(), want)
	}
	out.Reset()
	if err := Text(&out, lines, true); err != nil || !strings.Contains(out.String(), "\x1b[31mfail") {
		t.Errorf("in colour it is %q, %v", out.String(), err)
	}
	out.Reset()
	if err := JSON(&out, lines); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		OK     bool
		Checks []Line
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil || doc.OK || !slices.Equal(doc.Checks, lines) {
		t.Errorf("the JSON reads as %+v, %v", doc, err)
	}
}

func TestWritable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	cases := map[string]Status{filepath.Join(dir, "new", "one"): OK, filepath.Join(file, "below"): Fail, file: Fail}
	if os.Geteuid() != 0 { // root may write anywhere
		cases[closed], cases[filepath.Join(closed, "below")] = Fail, Fail
	}
	for path, want := range cases {
		r := Writable("x", path, "mend it").Run(t.Context())
		if r.Status != want || want == Fail && r.Remedy != "mend it" {
			t.Errorf("%s is %+v, want %s", path, r, want)
		}
	}
	if left, err := os.ReadDir(filepath.Join(dir, "new", "one")); err != nil || len(left) > 0 {
		t.Errorf("the test leaves %v, %v", left, err)
	}
}

func TestDisk(t *testing.T) {
	t.Parallel()
	for free, want := range map[uint64]Status{0: Fail, 99 << 20: Fail, 100 << 20: Warn, 1 << 30: OK, 1 << 50: OK} {
		if r := disk("/x", free); r.Status != want || want == Fail && r.Remedy == "" {
			t.Errorf("%d bytes free are %+v, want %s", free, r, want)
		}
	}
	if r := Disk("disk", filepath.Join(t.TempDir(), "none")).Run(t.Context()); r.Status != Unknown {
		t.Errorf("a directory that is not there is %+v", r)
	}
	if r := Disk("disk", t.TempDir()).Run(t.Context()); r.Detail == "" {
		t.Errorf("a directory is %+v", r)
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(nil) // answers 404, with the time
	t.Cleanup(s.Close)
	for off, want := range map[time.Duration]Status{0: OK, 4 * time.Minute: OK, -4 * time.Minute: OK, 6 * time.Minute: Fail, -time.Hour: Fail} {
		now := func() time.Time { return time.Now().Add(off) }
		if r := Clock(s.URL, now).Run(t.Context()); r.Status != want || want == Fail && r.Remedy == "" {
			t.Errorf("a clock that is %s off is %+v, want %s", off, r, want)
		}
	}
	s.Close()
	for _, address := range []string{"", s.URL} {
		if r := Clock(address, time.Now).Run(t.Context()); r.Status != Unknown {
			t.Errorf("without a host at %q the clock is %+v", address, r)
		}
	}
}

func TestModel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reply llmtest.Reply
		want  Status
	}{
		{llmtest.Reply{Text: "{", FinishReason: "length"}, OK},
		{llmtest.Reply{Fault: llmtest.Unauthorized}, Fail},
		{llmtest.Reply{Fault: llmtest.Missing}, Fail},
		{llmtest.Reply{Fault: llmtest.Garbage}, Fail},
		{llmtest.Reply{Fault: llmtest.TooLong}, Warn},
	} {
		endpoint := llmtest.NewServer("small", c.reply)
		s := httptest.NewServer(endpoint)
		t.Cleanup(s.Close)
		g, err := openai.New(openai.Options{BaseURL: s.URL + "/v1", Model: "small", APIKey: "key-that-must-not-show"})
		if err != nil {
			t.Fatal(err)
		}
		r := Model(g, "LLM_KEY", true).Run(t.Context())
		if r.Status != c.want || c.want == Fail && !strings.Contains(r.Remedy, "LLM_KEY, which is empty") || strings.Contains(r.Detail, "must-not-show") {
			t.Errorf("%+v is %+v, want %s", c.reply, r, c.want)
		}
		seen := endpoint.Seen()
		if len(seen) != 1 || !bytes.Contains(seen[0].Body, []byte(`tokens":1`)) {
			t.Errorf("%d calls, the first is %s", len(seen), seen[0].Body)
		}
	}
}

func TestAccountMayBeTooLittleOrTooMuch(t *testing.T) {
	t.Parallel()
	workflow := Host{Workflow: true, Connection: &github.Connection{Source: "GITHUB_TOKEN"}}
	person := Host{Workflow: true, Connection: &github.Connection{Source: "RETROSWEEP_TOKEN"}}
	later := time.Date(2026, 11, 30, 13, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		got  Result
		want Status
	}{
		"may push":                 {permissions(github.Access{Push: true}, "bot"), OK},
		"may only read":            {permissions(github.Access{}, "bot"), Fail},
		"no scopes":                {scopes(nil), OK},
		"repo":                     {scopes([]string{"repo"}), OK},
		"wrong scope":              {scopes([]string{"gist"}), Fail},
		"too many scopes":          {scopes([]string{"repo", "admin:org"}), Warn},
		"workflow may":             {workflow.actions(github.Access{Actions: true, MayCreate: true}), OK},
		"workflow may not":         {workflow.actions(github.Access{Actions: true}), Fail},
		"workflow may not, we may": {person.actions(github.Access{Actions: true}), OK},
		"workflow hidden":          {workflow.actions(github.Access{}), Unknown},
		"no limit":                 {limit(github.Access{}), OK},
		"much left":                {limit(github.Access{Left: 4000, Reset: later}), OK},
		"little left":              {limit(github.Access{Left: 3, Reset: later}), Warn},
		"no token":                 {Host{Err: github.ErrNoCredential}.Check().Run(t.Context()), Warn},
		"no connection":            {Host{Err: errors.New("refused")}.Check().Run(t.Context()), Fail},
	} {
		if c.got.Status != c.want || c.want == Fail && c.got.Remedy == "" {
			t.Errorf("%s: %+v, want %s", name, c.got, c.want)
		}
	}
}

const shop = "-- commit --\nauthor: Ada <ada@acme.dev>\ndate: 2026-03-02T10:00:00Z\n\nbegin\n-- a.md --\na\n"

func examine(t *testing.T, txtar string) map[string]Line {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shop.git")
	r, err := testkit.Build(dir, []byte(txtar))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	found := map[string]Line{}
	local := Local(dir, time.Now, func(r *repo.Repo) []Check {
		t.Cleanup(func() { _ = r.Close() })
		return []Check{check("more", ok("yes"))}
	})
	for _, l := range Examine(t.Context(), []Check{local}, quiet) {
		found[l.Name] = l
	}
	return found
}

func TestLocal(t *testing.T) {
	t.Parallel()
	found := examine(t, shop)
	for _, name := range []string{"repository", "branch", "history", ".retrosweep.yaml", "journal", "git directory", "more"} {
		if found[name].Status != OK {
			t.Errorf("%s is %+v", name, found[name])
		}
	}
	for file, want := range map[string]Status{"enabled: false\n": Warn, "modle: x\nroutes: {auto: ['**']}\n": Fail, "enabled: true\n": OK} {
		got := examine(t, shop+"-- .retrosweep.yaml --\n"+file)[".retrosweep.yaml"]
		if got.Status != want || want == Fail && strings.Count(got.Detail, ".retrosweep.yaml:") != 2 {
			t.Errorf("%q is %+v, want %s", file, got, want)
		}
	}
	if got := Local(filepath.Join(t.TempDir(), "none"), time.Now, nil).Run(t.Context()); got.Status != Fail || got.Remedy == "" {
		t.Errorf("no repository is %+v", got)
	}
}

func TestLocksOfTheDead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	left := filepath.Join(dir, "refs", "heads", "main.lock")
	for _, file := range []string{left, filepath.Join(dir, "retrosweep.lock"), filepath.Join(dir, "objects", "x.lock")} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	later := func() time.Time { return time.Now().Add(2 * time.Minute) }
	if r := locks(dir, time.Now).Run(t.Context()); r.Status != OK {
		t.Errorf("a lock that is held is %+v", r)
	}
	if r := locks(dir, later).Run(t.Context()); r.Status != Fail || !strings.Contains(r.Remedy, left) || strings.Contains(r.Detail, "retrosweep.lock") {
		t.Errorf("a lock that was left is %+v", r)
	}
}

func TestJournalOfAnEarlierNight(t *testing.T) {
	t.Parallel()
	r, err := testkit.Build(t.TempDir(), []byte(shop))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	_, head, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ref  string
		want Status
	}{{"refs/heads/other", OK}, {"refs/retrosweep/proposals/upkeep", Warn}, {"refs/retrosweep/journal", OK}} {
		if err := r.UpdateRef(c.ref, repo.Hash{}, head); err != nil {
			t.Fatal(err)
		}
		if got := ours(r); got.Status != c.want {
			t.Errorf("with %s the journal is %+v, want %s", c.ref, got, c.want)
		}
	}
}
