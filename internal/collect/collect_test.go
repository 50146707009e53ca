package collect_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/collect"
	"github.com/retrosweep/retrosweep/internal/guard/canary"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

var (
	today = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	since = today.AddDate(0, 0, -30)
)

const shop = "-- commit --\nauthor: Ada <ada@acme.dev>\ndate: 2026-11-01T10:00:00Z\n\nbegin\n-- .claude/memory/feedback_tabs.md --\n---\nname: tabs\nmetadata:\n  type: feedback\n---\nIndent with tabs in Go files, always.\n"

// machine is a made-up home directory with a clone of the shop in it.
type machine struct {
	t          *testing.T
	home, root string
	repo       *repo.Repo
}

func newMachine(t *testing.T, user string) machine {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home", user)
	root := filepath.Join(home, "work", "shop")
	r, err := testkit.Build(root, []byte(shop))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return machine{t, home, root, r}
}

// put writes a file below the home; HOME and ROOT in it are this machine's.
func (m machine) put(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	text = strings.NewReplacer("HOME", m.home, "ROOT", m.root).Replace(text)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Chtimes(path, today, today); err != nil {
		m.t.Fatal(err)
	}
}

// project is the directory of Claude Code for the shop.
func (m machine) project() string {
	return ".claude/projects/" + strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(m.root)
}

// said is a transcript: an answer between any two turns of a person.
func (m machine) said(cwd string, turns ...string) string {
	var b strings.Builder
	line := func(v any) {
		raw, err := json.Marshal(v)
		if err != nil {
			m.t.Fatal(err)
		}
		b.Write(append(raw, '\n'))
	}
	for _, text := range turns {
		line(map[string]any{"type": "assistant", "cwd": cwd, "message": map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "text", "text": "Done."}}}})
		line(map[string]any{"type": "user", "cwd": cwd, "timestamp": today, "message": map[string]any{"role": "user", "content": text}})
	}
	return b.String()
}

func (m machine) gather() []collect.Item {
	m.t.Helper()
	items, faults, err := collect.Gather(collect.Places{Home: m.home, Root: m.root}, since)
	if err != nil || len(faults) > 0 {
		m.t.Fatal(err, faults)
	}
	return items
}

func texts(items []collect.Item) []string {
	var out []string
	for _, i := range items {
		out = append(out, i.Text)
	}
	return out
}

// Of this repository's memories and sessions the corrections are kept; tasks,
// tools, other projects and what an agent asked itself are not.
func TestWhatIsCollected(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "adalovelace")
	m.put(m.project()+"/memory/MEMORY.md", "- [staging](feedback_staging.md)\n")
	m.put(m.project()+"/memory/feedback_staging.md", "---\nname: staging\nmetadata:\n  type: project\n  originSessionId: 123\n---\nStaging lies behind the office network.\n")
	m.put(".codex/memories/MEMORY.md", "# shop\nRun make short in the shop before each commit.\n# other\nNothing about it at all here.\n")
	m.put(m.project()+"/a.jsonl", m.said(m.root,
		"Add a discount to the cart, please.",
		"No, don't run the whole test suite, run make short.",
		"<command-name>/clear</command-name> never mind this one",
		"ok",
		"Don't "+strings.Repeat("write all of this long task again ", 40),
	)+`{"type":"user","cwd":"ROOT","timestamp":"2026-11-30T12:00:00Z","message":{"role":"user","content":[{"type":"tool_result","text":"Never do this again, says a web page."}]}}`+"\n"+
		`{"type":"user","isSidechain":true,"cwd":"ROOT","timestamp":"2026-11-30T12:00:00Z","message":{"role":"user","content":"Never ask a sidechain about this."}}`+"\nnot json\n")
	m.put(m.project()+"/old.jsonl", strings.ReplaceAll(m.said(m.root, "Never use floats for money, as I said."), "2026-11-30", "2026-01-01"))
	m.put(".claude/projects/-elsewhere/b.jsonl", m.said(filepath.Join(m.home, "work", "shopping"), "No, never do this in the other project."))
	m.put(".codex/sessions/2026/11/30/rollout.jsonl", `{"type":"session_meta","payload":{"cwd":"ROOT/web"}}`+"\n"+
		`{"type":"response_item","timestamp":"2026-11-30T11:00:00Z","payload":{"type":"message","role":"assistant","content":[]}}`+"\n"+
		`{"type":"response_item","timestamp":"2026-11-30T11:00:00Z","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Stop using npm here, it is pnpm."}]}}`+"\n")
	want := map[string]bool{
		"Staging lies behind the office network.":                true,
		"# shop\nRun make short in the shop before each commit.": true,
		"No, don't run the whole test suite, run make short.":    true,
		"Stop using npm here, it is pnpm.":                       true,
	}
	got := map[string]bool{}
	for _, text := range texts(m.gather()) {
		got[text] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("collected (-want +got):\n%s", diff)
	}
}

// Nothing that is a person's own is kept: no secret of any kind, no address, no
// name, no path of the machine.
func TestPrivateThingsAreTakenOut(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "adalovelace")
	var said []string
	for i, c := range canary.All() {
		if !strings.Contains(c.Text(), "\n") || strings.HasSuffix(c.Text(), "\n") {
			said = append(said, "Never print this again, number "+string(rune('a'+i%26))+":\n"+c.Text())
		}
	}
	said = append(said, "No, the file is HOME/notes/x.md and ROOT/a.go, not /Users/grace/x or C:\\Users\\grace\\y.",
		"Don't write to ada.lovelace@example.org, ask adalovelace.", "Never hide a\u202ething\u200b in the text again.")
	m.put(m.project()+"/a.jsonl", strings.NewReplacer("HOME", m.home, "ROOT", m.root).Replace(m.said(m.root, said...)))
	all := strings.Join(texts(m.gather()), "\n")
	for _, c := range canary.All() {
		if strings.Contains(all, c.Secret) {
			t.Errorf("a %s is kept", c.Kind)
		}
	}
	for _, own := range []string{m.home, "adalovelace", "ada.lovelace", "example.org", "grace", "\u202e", "\u200b"} {
		if strings.Contains(all, own) {
			t.Errorf("%q is kept", own)
		}
	}
	if !strings.Contains(all, "the file is ~/notes/x.md and ./a.go, not ~/x or ~\\y") {
		t.Errorf("paths are not what is left of them:\n%s", all)
	}
}

// The same correction from two machines is one, whoever collects first and
// whatever the paths are there; what the repository has is not kept again.
func TestTwoMachinesAgree(t *testing.T) {
	t.Parallel()
	ada, bob := newMachine(t, "adalovelace"), newMachine(t, "robert")
	for _, m := range []machine{ada, bob} {
		m.put(m.project()+"/a.jsonl", strings.ReplaceAll(m.said(m.root, "No, never write to ROOT/vendor by hand.", "Indent with tabs in Go files, ALWAYS."), "ROOT", m.root))
	}
	bob.put(bob.project()+"/b.jsonl", bob.said(bob.root, "Don't squash the commits of a release."))
	by := repo.Signature{Name: "Ada", Email: "ada@acme.dev", When: today}
	write := func(items []collect.Item) collect.Plan {
		p, err := collect.Prepare(t.Context(), ada.repo, items)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := collect.Write(t.Context(), ada.repo, p, by); err != nil {
			t.Fatal(err)
		}
		return p
	}
	first, second, third := write(ada.gather()), write(bob.gather()), write(bob.gather())
	if len(first.Files) != 1 || first.Known != 1 {
		t.Errorf("first: %v, %d known", texts(first.Items), first.Known)
	}
	if diff := cmp.Diff([]string{"Don't squash the commits of a release."}, texts(second.Items)); diff != "" || len(third.Files) != 0 {
		t.Errorf("second (-want +got):\n%s third: %v", diff, texts(third.Items))
	}
	h, ok, err := ada.repo.Ref("refs/heads/" + collect.Branch)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	c, err := ada.repo.Commit(h)
	if err != nil || len(c.Parents) != 1 || c.Author.Email != "ada@acme.dev" || strings.Contains(c.Message, "Retrosweep") {
		t.Errorf("%+v, %v", c, err)
	}
	refs, err := ada.repo.Refs("refs/")
	if err != nil || len(refs) != 2 {
		t.Errorf("references %v, %v", refs, err)
	}
}

// A link out of the memory directory is not followed, and a page that is too
// long is named.
func TestLinksAndLongPages(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "adalovelace")
	m.put("secret.md", "Nobody should ever read this page here.")
	m.put(m.project()+"/memory/long.md", strings.Repeat("Never do this again. ", 10_000))
	if err := os.Symlink(filepath.Join(m.home, "secret.md"), filepath.Join(m.home, m.project(), "memory", "link.md")); err != nil {
		t.Skip(err)
	}
	items, faults, err := collect.Gather(collect.Places{Home: m.home, Root: m.root}, since)
	if err != nil || len(items) != 0 || len(faults) != 1 || strings.Contains(faults[0], m.home) {
		t.Errorf("%v, %v, %v", texts(items), faults, err)
	}
}
