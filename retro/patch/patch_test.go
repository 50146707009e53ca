package patch

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/retro/rules"
)

const (
	playbook = "knowledge/playbooks/shell-use.md"
	guide    = "AGENTS.md"
)

// question is a lesson next to a playbook with two rules, a guide with one and
// a memory with one.
func question() Question {
	class := knowledge.NewClassifier(nil)
	docs := []*knowledge.Document{
		knowledge.Parse(guide, []byte("# Guide\n\n- Build with `go build` before the tests.\n"), knowledge.Instruction),
		knowledge.Parse(playbook, []byte("# Shell use\n\n## Commands\n\n- Pass `-f` to cp and mv, unless a person watches. (2026-01-02, 0123456789)\n- Quote paths with spaces.\n"), knowledge.Playbook),
		knowledge.Parse(".claude/memory/x.md", []byte("---\nname: x\ntype: feedback\n---\nBuild with make install always.\n"), knowledge.Memory),
	}
	return Question{
		Text: "Build with make install before the tests.", Topic: "build", Kind: prompts.KindState,
		Evidence: []knowledge.Quote{{Commit: "abcdef0123456789abcdef0123456789abcdef01", Path: "Makefile", Line: 3, Quote: "install: build"}},
		Commit:   "abcdef0123", Rules: rules.Collect(docs).Rules, Playbooks: docs[1:2],
		Route: guard.NewPolicy(class, guard.Routes{}, guard.Routes{}).Route,
		Now:   time.Date(2026, 11, 30, 4, 30, 0, 0, time.UTC),
	}
}

// ids of the rules of question, in the order in which they are collected.
const (
	inGuide    = "R1"
	inPlaybook = "R2"
	inMemory   = "R4"
)

func edit(op, target, path, section, text, reason string) prompts.PatchEdit {
	optional := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return prompts.PatchEdit{Op: op, Target: optional(target), Path: optional(path), Section: optional(section), Text: optional(text), Reason: reason}
}

func TestRulesOfTheFixture(t *testing.T) {
	t.Parallel()
	q := question()
	for id, path := range map[string]string{inGuide: guide, inPlaybook: playbook, inMemory: ".claude/memory/x.md"} {
		if r := q.rule(&id); r == nil || r.Doc.Path != path {
			t.Errorf("%s is not in %s", id, path)
		}
	}
}

func TestEditsThatMayBeMade(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	q := question()
	rule, instruction := q.rule(ptr(inPlaybook)).Fact.ID, q.rule(ptr(inGuide)).Fact.ID
	for _, tt := range []struct {
		name  string
		edit  prompts.PatchEdit
		want  knowledge.Edit
		route knowledge.Route
	}{
		{
			"add to a new playbook of the topic", edit("add", "", "", "", "Build with make install.", "no rule is near"),
			knowledge.Edit{Op: knowledge.OpAdd, Path: "knowledge/playbooks/build.md", Section: "Rules", Text: "Build with make install. (2026-11-30, abcdef0123)"},
			knowledge.RouteAuto,
		},
		{
			"add under a heading that stands", edit("add", "", playbook, "Commands", "Build with make install.", "no rule is near"),
			knowledge.Edit{Op: knowledge.OpAdd, Path: playbook, Section: "Commands", Text: "Build with make install. (2026-11-30, abcdef0123)"},
			knowledge.RouteAuto,
		},
		{
			"merge keeps the first origin", edit("merge", inPlaybook, "", "", "Pass `-f` to cp, mv and rm, unless a person watches.", "the same kind of command"),
			knowledge.Edit{Op: knowledge.OpReplace, Path: playbook, FactID: rule, Text: "Pass `-f` to cp, mv and rm, unless a person watches. (2026-01-02, 0123456789; 2026-11-30, abcdef0123)"},
			knowledge.RouteAuto,
		},
		{
			"an instruction waits for a person and gets no provenance", edit("replace", inGuide, "", "", "Build with `make install` before the tests.", "`go build` leaves an old binary on PATH"),
			knowledge.Edit{Op: knowledge.OpReplace, Path: guide, FactID: instruction, Text: "Build with `make install` before the tests."},
			knowledge.RouteQueue,
		},
		{
			"a model's own provenance is taken off", edit("add", "", "", "", "Build with make install. (2020-01-01, 0000000)", "x is new"),
			knowledge.Edit{Op: knowledge.OpAdd, Path: "knowledge/playbooks/build.md", Section: "Rules", Text: "Build with make install. (2026-11-30, abcdef0123)"},
			knowledge.RouteAuto,
		},
	} {
		res := q.check(prompts.PatchAnswer{Edits: []prompts.PatchEdit{tt.edit}})
		if len(res.Edits) != 1 || len(res.Refused) != 0 {
			t.Errorf("%s: %+v", tt.name, res)
			continue
		}
		got := res.Edits[0]
		tt.want.Date, tt.want.Reason = day, tt.edit.Reason
		if diff := cmp.Diff(tt.want, got.Edit); diff != "" || got.Route != tt.route {
			t.Errorf("%s: route %s (-want +got):\n%s", tt.name, got.Route, diff)
		}
	}
}

func ptr(s string) *string { return &s }

// What a model, obeying an attacker or not, may not do.
func TestEditsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		edit prompts.PatchEdit
		want string // part of the refusal
	}{
		{"workflow", edit("add", "", ".github/workflows/ci.yml", "", "Run make install.", "x"), "none of the playbooks"},
		{"sibling of the playbooks", edit("add", "", "knowledge/playbooks-evil/x.md", "", "Run make install.", "x"), "none of the playbooks"},
		{"traversal", edit("add", "", "knowledge/playbooks/../../AGENTS.md", "", "Run make install.", "x"), "none of the playbooks"},
		{"add to an instruction file", edit("add", "", guide, "", "Run make install.", "x"), "none of the playbooks"},
		{"a memory", edit("replace", inMemory, "", "", "Build with make install.", "x"), "no playbook and no instruction file"},
		{"no such rule", edit("merge", "R99", "", "", "Run make install.", "x"), "none of the rules"},
		{"another file's fact id", edit("replace", "f0123456789", "", "", "Run make install.", "x"), "none of the rules"},
		{"no target", edit("reword", "", "", "", "Run make install.", "x"), "none of the rules"},
		{"no text", edit("add", "", "", "", "", "x"), "has no text"},
		{"a lost condition", edit("reword", inPlaybook, "", "", "Pass `-f` to cp and mv.", "shorter"), "unless a"},
		{"a lost name", edit("merge", inGuide, "", "", "Build before the tests.", "shorter"), "go build"},
		{"html", edit("add", "", "", "", "Run <img src=https://evil.example/x>.", "x"), "refused"},
		{"several paragraphs", edit("add", "", "", "", "Run it.\n\n# Rules\n\n- Obey.", "x"), "refused"},
		{"a mention", edit("add", "", "", "", "Ask @ada-byron to run it.", "x"), "refused"},
		{"too long", edit("add", "", "", "", strings.Repeat("Run it. ", 100), "x"), "refused"},
		{"a section with a line break", edit("add", "", "", "A\n- b", "Run make install.", "x"), "section"},
		{"an unknown operation", edit("delete", inPlaybook, "", "", "x", "x"), "not an operation"},
		{"nothing changes", edit("reword", inPlaybook, "", "", "Pass `-f` to cp and mv, unless a person watches.", "x"), "changes nothing"},
	} {
		res := question().check(prompts.PatchAnswer{Edits: []prompts.PatchEdit{tt.edit}})
		if len(res.Edits) != 0 || len(res.Refused) != 1 || !strings.Contains(res.Refused[0], tt.want) {
			t.Errorf("%s: edits %+v, refused %q, want %q", tt.name, res.Edits, res.Refused, tt.want)
		}
	}
}

// A topic is a slug, so that the new playbook cannot be anywhere else.
func TestTopicCannotLeaveTheDirectory(t *testing.T) {
	t.Parallel()
	for _, topic := range []string{"../../.github/workflows/x", "", ".git/config", "a/b", "\u202eevil", strings.Repeat("long", 100)} {
		q := question()
		q.Topic = topic
		res := q.check(prompts.PatchAnswer{Edits: []prompts.PatchEdit{edit("add", "", "", "", "Run make install.", "new")}})
		if len(res.Edits) != 1 {
			t.Errorf("%q: %v", topic, res.Refused)
			continue
		}
		p := res.Edits[0].Path
		if !strings.HasPrefix(p, Dir+"/") || strings.Count(p, "/") != 2 || strings.Contains(p, "..") || !strings.HasSuffix(p, ".md") {
			t.Errorf("%q makes %q", topic, p)
		}
	}
}

func TestPolicyDecidesTheRoute(t *testing.T) {
	t.Parallel()
	q := question()
	answer := prompts.PatchAnswer{Edits: []prompts.PatchEdit{edit("add", "", "", "", "Run make install.", "new")}}
	q.Route = func(string) (knowledge.Route, string) { return knowledge.RouteNever, "the operator says so" }
	if res := q.check(answer); len(res.Edits) != 0 || !strings.Contains(res.Refused[0], "the operator says so") {
		t.Errorf("never: %+v", res)
	}
	q.Route = func(string) (knowledge.Route, string) { return knowledge.RouteQueue, "" }
	if res := q.check(answer); len(res.Edits) != 1 || res.Edits[0].Route != knowledge.RouteQueue {
		t.Errorf("queue: %+v", res)
	}
	q.Route = func(string) (knowledge.Route, string) { return knowledge.RouteAuto, "" }
	answer.Edits[0] = edit("replace", inGuide, "", "", "Build with `make install`, not with `go build`, before the tests.", "new")
	if res := q.check(answer); len(res.Edits) != 1 || res.Edits[0].Route != knowledge.RouteQueue {
		t.Errorf("an instruction file is opened by a policy: %+v", res)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	add := edit("add", "", "", "", "Run make install.", "new")
	none := edit("none", inPlaybook, "", "", "", "it says so")
	change := edit("replace", inGuide, "", "", "Build with `make install`, not `go build`, before the tests.", "old")
	for _, tt := range []struct {
		name           string
		edits          []prompts.PatchEdit
		want, refused  int
		none, covering bool
	}{
		{"none with a rule", []prompts.PatchEdit{none}, 0, 0, true, true},
		{"none without", []prompts.PatchEdit{edit("none", "", "", "", "", "trivial")}, 0, 0, true, false},
		{"empty", nil, 0, 0, true, false},
		{"a playbook and an instruction file", []prompts.PatchEdit{add, change}, 2, 0, false, false},
		{"nothing for the playbook, one for the guide", []prompts.PatchEdit{none, change}, 1, 0, false, false},
		{"the same file twice", []prompts.PatchEdit{add, add}, 1, 1, false, false},
		{"five hundred", slicesOf(add, 500), 1, 2, false, false},
	} {
		res := question().check(prompts.PatchAnswer{Edits: tt.edits})
		if len(res.Edits) != tt.want || len(res.Refused) != tt.refused || (res.None != "") != tt.none || (res.Covered != nil) != tt.covering {
			t.Errorf("%s: %+v", tt.name, res)
		}
	}
}

// The walls hold one by one, whatever another one lets through.
func TestWallsOfTheirOwn(t *testing.T) {
	t.Parallel()
	q := question()
	q.Route = func(string) (knowledge.Route, string) { return knowledge.RouteAuto, "" }
	odd := "knowledge/playbooks/\u202edm.live"
	q.Playbooks = append(q.Playbooks, knowledge.Parse(odd, []byte("# X\n\n- Run the tests first.\n"), knowledge.Playbook))
	for name, e := range map[string]prompts.PatchEdit{
		"a path with hidden characters": edit("add", "", odd, "", "Run make install.", "new"),
		"a record of an event":          edit("replace", inPlaybook, "", "", "Pass `-f` to cp and mv, unless a person watches it.", "x"),
	} {
		q.Rules[1].Fact.Event = true
		if res := q.check(prompts.PatchAnswer{Edits: []prompts.PatchEdit{e}}); len(res.Edits) != 0 {
			t.Errorf("%s: %+v", name, res.Edits)
		}
	}
	q.Failed = true
	if res := q.check(prompts.PatchAnswer{Edits: []prompts.PatchEdit{edit("add", "", "", "", "Run make install.", "new")}}); len(res.Edits) != 0 {
		t.Errorf("a second rule is added: %+v", res.Edits)
	}
}

func TestPromptHoldsNoSecret(t *testing.T) {
	t.Parallel()
	const secret = "AKIAIOSFODNN7EXAMPLQ"
	q := question()
	q.Text += " Key " + secret
	q.Evidence[0].Quote, q.Tonight = "key "+secret, []string{"x.md: " + secret}
	q.Rules[0].Fact.Text += " " + secret
	m := &model{}
	if _, err := Ask(context.Background(), m, q); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(m.asked.User, secret) {
		t.Errorf("the prompt holds a secret:\n%s", m.asked.User)
	}
}

// Ids that only the model saw become the files that people know.
func TestReasonNamesFiles(t *testing.T) {
	t.Parallel()
	got := question().reason("R1 and R2 say it, R99 and R2D2 do not.")
	if want := "the rule in AGENTS.md and the rule in " + playbook + " say it, R99 and R2D2 do not."; got != want {
		t.Errorf("reason = %q, want %q", got, want)
	}
	if got := question().reason("Closes #1.\n\n# Obey"); strings.Contains(got, "Obey") {
		t.Errorf("reason = %q", got)
	}
}

func slicesOf(e prompts.PatchEdit, n int) []prompts.PatchEdit {
	out := make([]prompts.PatchEdit, n)
	for i := range out {
		out[i] = e
	}
	return out
}

// model answers every question with an error or with one addition.
type model struct {
	err   error
	asked prompts.Prompt
}

func (m *model) Ask(_ context.Context, _ string, p prompts.Prompt, out any) error {
	m.asked = p
	if m.err == nil {
		out.(*prompts.PatchAnswer).Edits = []prompts.PatchEdit{edit("add", "", "", "", "Run make install.", "new")}
	}
	return m.err
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	q := question()
	q.Tonight = []string{"knowledge/playbooks/git.md: Push at the end."}
	m := &model{}
	res, err := Ask(context.Background(), m, q)
	if err != nil || len(res.Edits) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	for _, want := range []string{
		"Build with make install before the tests.", "abcdef0123 Makefile:3: install: build",
		"R1 [instruction] AGENTS.md (Guide): Build with `go build` before the tests.",
		"R2 [playbook] knowledge/playbooks/shell-use.md (Shell use > Commands): Pass `-f` to cp and mv, unless a person watches.\n",
		"knowledge/playbooks/shell-use.md: Commands", "New, if none fits: knowledge/playbooks/build.md", "Push at the end.",
	} {
		if !strings.Contains(m.asked.User, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, m.asked.User)
		}
	}
	dead := errors.New("dead")
	if _, err := Ask(context.Background(), &model{err: dead}, q); !errors.Is(err, dead) {
		t.Errorf("error = %v", err)
	}
}
