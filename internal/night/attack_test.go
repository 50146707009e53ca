package night_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
)

// hostile are repositories that want something of whoever looks at them. Each is
// prepared in a world, and its night must go on as if nothing were there.
var hostile = map[string]func(t *testing.T, w *world, canary string){
	"19 config":     attackConfig,
	"20 hooks":      attackHooks,
	"21 attributes": attackAttributes,
	"22 dashes":     attackDashes,
	"23 refspecs":   attackRefspecs,
	"24 shell":      attackShell,
	"26 history":    attackHistory,
}

// besiege runs nights over one of them; nothing of it may run.
func besiege(t *testing.T, name string) (*world, *report.Receipt) {
	t.Helper()
	w := newWorld(t, false)
	w.moveScript(0)
	canary := filepath.Join(t.TempDir(), "canary")
	hostile[name](t, w, canary)
	r := w.night()
	if _, err := os.Stat(canary); err == nil {
		t.Error("something of the repository ran")
	}
	if len(byState(r, report.ProposalOpened)) != 1 {
		t.Errorf("the night offers %+v, %v", r.Proposals, r.Warnings)
	}
	return w, r
}

func script(t *testing.T, path, canary string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\ntouch '"+canary+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

func attackConfig(t *testing.T, w *world, canary string) {
	t.Helper()
	evil := filepath.Join(t.TempDir(), "evil.sh")
	script(t, evil, canary)
	f, err := os.OpenFile(filepath.Join(w.repo.GitDir(), "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(f, "\n[core]\n\tfsmonitor = %[1]s\n\tsshCommand = %[1]s\n\tpager = %[1]s\n\teditor = %[1]s\n\thooksPath = %[2]s\n[diff]\n\texternal = %[1]s\n[filter \"x\"]\n\tclean = %[1]s\n\tsmudge = %[1]s\n\tprocess = %[1]s\n[credential]\n\thelper = %[1]s\n[gpg]\n\tprogram = %[1]s\n[url \"ext::%[1]s\"]\n\tinsteadOf = https://github.com/\n", evil, filepath.Dir(evil))
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	w.commit("main", map[string][]byte{".gitattributes": []byte("* filter=x diff=x merge=x\n")})
}

func attackHooks(t *testing.T, w *world, canary string) {
	t.Helper()
	for _, hook := range []string{"reference-transaction", "post-checkout", "pre-commit", "commit-msg", "post-commit", "update", "pre-receive", "post-update", "pre-push", "post-index-change"} {
		script(t, filepath.Join(w.repo.GitDir(), "hooks", hook), canary)
	}
	w.commit("main", map[string][]byte{"buried/HEAD": []byte("ref: refs/heads/main\n"), "buried/config": []byte("[core]\n\tbare = true\n\tfsmonitor = touch " + canary + "\n"), "buried/objects/x": []byte("x")})
}

func attackAttributes(_ *testing.T, w *world, _ string) {
	w.commit("main", map[string][]byte{".gitattributes": []byte("*.md -diff binary linguist-generated export-ignore working-tree-encoding=UTF-16 diff=x merge=ours\n")})
}

func attackDashes(t *testing.T, w *world, canary string) {
	t.Helper()
	for _, name := range []string{"--upload-pack=touch " + canary, "--evil", "-d"} {
		at := filepath.Join(w.repo.GitDir(), "refs", "heads", filepath.FromSlash(strings.ReplaceAll(name, "/", "_")))
		if err := os.WriteFile(at, []byte(w.ref("refs/heads/main").String()+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func attackRefspecs(t *testing.T, w *world, _ string) {
	t.Helper()
	main := w.ref("refs/heads/main")
	for _, name := range []string{"refs/tags/main", "refs/heads/refs/heads/x", "refs/heads/" + main.String(), "refs/replace/" + main.String(), "refs/heads/HEAD"} {
		if err := w.repo.UpdateRef(name, repo.Hash{}, w.commitOf("main").Parents[0]); err != nil {
			t.Logf("%s cannot be made: %v", name, err)
		}
	}
	w.commit("main", map[string][]byte{strings.Repeat("a", 40): []byte("x"), "a:b": []byte("x"), "+x^y*z@{1}~": []byte("x")})
}

func attackShell(t *testing.T, w *world, canary string) {
	t.Helper()
	files := map[string][]byte{}
	for _, name := range []string{"$(touch " + filepath.Base(canary) + ").md", "a;b`id`.md", "new\nline.md", "tab\t\"quote\".md", "-rf.md", "*?[.md"} {
		files[".claude/memory/"+name] = []byte("Bake with `scripts/bake0.sh`.\n")
	}
	tree, err := w.repo.WriteTree(w.ref("refs/heads/main"), files)
	if err != nil {
		t.Fatal(err)
	}
	evil := repo.Signature{Name: "$(touch x)`id`; rm", Email: "-oProxyCommand=x", When: w.now}
	h, err := w.repo.WriteCommit(repo.NewCommit{Tree: tree, Parents: []repo.Hash{w.ref("refs/heads/main")}, Author: evil, Committer: evil, Message: "$(touch x)\n\x1b[31m; `id`"})
	if err == nil {
		err = w.repo.UpdateRef("refs/heads/main", w.ref("refs/heads/main"), h)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.config.Limits.NewPerRun = 1
}

func attackHistory(t *testing.T, w *world, _ string) {
	t.Helper()
	main := w.ref("refs/heads/main")
	for i, when := range []time.Time{time.Unix(0, 0), time.Unix(1<<31, 0), time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)} {
		sig := repo.Signature{Name: "Ada Byron", Email: "ada@kitchen.example", When: when}
		tree := w.commitOf("main").Tree
		parents := []repo.Hash{w.ref("refs/heads/main"), main}
		if i == 2 { // an octopus with an orphan
			orphan, err := w.repo.WriteCommit(repo.NewCommit{Tree: tree, Author: sig, Committer: sig, Message: "orphan"})
			if err != nil {
				t.Fatal(err)
			}
			parents = append(parents, orphan)
		}
		h, err := w.repo.WriteCommit(repo.NewCommit{Tree: tree, Parents: parents, Author: sig, Committer: sig, Message: "clock"})
		if err == nil {
			err = w.repo.UpdateRef("refs/heads/main", w.ref("refs/heads/main"), h)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestAttack19 git-config-exec: no program of the clone's configuration runs.
func TestAttack19(t *testing.T) { t.Parallel(); besiege(t, "19 config") }

// TestAttack20 git-hooks, git-buried-bare: no hook runs.
func TestAttack20(t *testing.T) { t.Parallel(); besiege(t, "20 hooks") }

// TestAttack21 git-attributes-hide: attributes hide no line from a reviewer.
func TestAttack21(t *testing.T) {
	t.Parallel()
	_, r := besiege(t, "21 attributes")
	if p := r.Proposals[0]; !strings.Contains(p.Diff, "\n+Bake number 0") || !strings.Contains(p.Body, "\n+ Bake number 0") {
		t.Errorf("the lines are hidden:\n%s\n%s", p.Diff, p.Body)
	}
}

// TestAttack22 git-ref-dash: a branch is no option, neither one that is there
// nor one that is named.
func TestAttack22(t *testing.T) {
	t.Parallel()
	w, _ := besiege(t, "22 dashes")
	for _, name := range []string{"--upload-pack=touch x", "-d", "--evil/../main"} {
		o := w.options()
		o.Branch = name
		if _, err := night.Run(t.Context(), o); err == nil && name != "-d" {
			t.Errorf("--branch %q is taken", name)
		}
	}
}

// TestAttack23 git-refspec: only our own references move, whatever others are
// called.
func TestAttack23(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	w.moveScript(0)
	attackRefspecs(t, w, "")
	before := w.snapshot()
	w.night()
	for name, at := range w.snapshot() {
		if before[name] != at && !strings.HasPrefix(name, "refs/heads/retrosweep/") && !strings.HasPrefix(name, "refs/retrosweep/") {
			t.Errorf("%s moved", name)
		}
	}
	for _, name := range []string{"main:refs/heads/x", "+main", "main^", "*", "main@{1}", "..", "main~1", "refs/heads/*"} {
		o := w.options()
		o.Branch = name
		if _, err := night.Run(t.Context(), o); err == nil {
			t.Errorf("--branch %q is taken", name)
		}
	}
}

// TestAttack24 git-shell: names are bytes, and there is no shell to read them.
func TestAttack24(t *testing.T) {
	t.Parallel()
	w, r := besiege(t, "24 shell")
	b, err := json.Marshal(r)
	if err != nil || strings.Contains(string(b), "\\u001b[31m") {
		t.Errorf("an escape reaches the receipt: %v", err)
	}
	if !branchName.MatchString(w.one().Branch) {
		t.Errorf("the branch is %q", w.one().Branch)
	}
	err = filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testkit") {
			return nil
		}
		src, err := os.ReadFile(path)
		for _, shell := range []string{`"sh", "-c"`, `"bash", "-c"`, `"cmd", "/c"`, `"/bin/sh"`} {
			if strings.Contains(string(src), shell) {
				t.Errorf("%s calls a shell: %s", path, shell)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAttack26 git-history: odd dates, octopuses, orphans, and a base that was
// pushed over: nothing is lost, nothing ends before its time.
func TestAttack26(t *testing.T) {
	t.Parallel()
	w, _ := besiege(t, "26 history")
	gone := w.commitOf("main")
	w.write("main", map[string][]byte{"x": []byte("x")}, "pushed over", gone.Parents[0])
	w.moveScript(1)
	w.config.Limits.NewPerRun = 2
	r := w.night()
	if r.Range.Basis == report.BasisWatermark && !strings.Contains(fmt.Sprint(r.Warnings), "rewritten") {
		t.Logf("the range begins by %s: %v", r.Range.Basis, r.Warnings)
	}
	if len(w.open()) != 2 {
		t.Errorf("%d are open: %+v", len(w.open()), r.Proposals)
	}
}

// TestAttack27 git-race: a person pushes to our branch between our reading and
// our writing: theirs stays, and the receipt says so.
func TestAttack27(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	w.moveScript(0)
	w.night()
	x := w.one()
	w.moveScript(0)
	var mine repo.Hash
	w.fake.Remote.Before = func(int) error {
		if mine.IsZero() {
			mine = w.commit(x.Branch, map[string][]byte{"mine.txt": []byte("mine\n")})
		}
		return nil
	}
	r := w.all()
	if state, why := stateOf(r, x.Slot); state != report.ProposalBlocked || why == "" || r.Outcome != report.Partial {
		t.Errorf("it is %s: %s; the night ends %s", state, why, r.Outcome)
	}
	if now := w.ref("refs/heads/" + x.Branch); now != mine || mine.IsZero() {
		t.Error("their commit was overwritten")
	}
}

// TestAttack30 token-leak: a host that sends the token back finds it nowhere
// else: not in errors, receipts, bodies, references.
func TestAttack30(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	w.moveScript(0)
	w.fake.Inject(githubfake.Fault{Path: "/pulls$", Method: http.MethodPost, Status: http.StatusForbidden, Body: `{"message":"bad token ` + githubfake.Token + `"}`, Times: 1})
	_, err := night.Run(t.Context(), w.options())
	r := w.night()
	b, jsonErr := json.Marshal(r)
	if jsonErr != nil {
		t.Fatal(jsonErr)
	}
	bodies, _ := json.Marshal(w.fake.Pulls())
	for where, s := range map[string]string{"error": fmt.Sprint(err), "receipt": string(b), "pull requests": string(bodies), "warnings": strings.Join(w.warned, "\n"), "journal": fmt.Sprint(w.snapshot())} {
		if strings.Contains(s, githubfake.Token) {
			t.Errorf("the token stands in the %s", where)
		}
	}
}

// TestAttack45 spoofed-state: markers, labels and branches of others change
// nothing of what we do.
func TestAttack45(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	w.moveScript(0)
	w.night()
	mine, slot := w.pull(), w.one().Slot
	w.write("retrosweep/memory/other-00000000", map[string][]byte{"x": []byte("x")}, "x", w.ref("refs/heads/main"))
	for name, p := range map[string]githubfake.Pull{
		"another author": {Author: githubfake.Ada, Head: "ada/x"},
		"our prefix":     {Author: githubfake.Ada, Head: "retrosweep/memory/other-00000000"},
		"a fork":         {Author: githubfake.Bot, Head: mine.Head, HeadOwner: "mallory"},
		"a lookalike":    {Author: githubfake.User{Login: "retrosweep-b0t", ID: 666}, Head: mine.Head},
		"a stop label":   {Author: githubfake.Ada, Head: "ada/y", Labels: []string{proposal.StopLabel}},
	} {
		p.Title, p.Body, p.Base = mine.Title, mine.Body, "main"
		n := w.fake.Open(p)
		w.quiet(name, func() { w.all() })
		w.fake.Close(n)
		w.quiet(name+", closed", func() {
			if state, why := stateOf(w.all(), slot); state != report.ProposalUnchanged {
				t.Errorf("%s, closed: ours is %s: %s", name, state, why)
			}
		})
	}
	if x := w.one(); x.Number != mine.Number {
		t.Errorf("open is number %d", x.Number)
	}
	w.moveScript(1)
	if r := w.all(); len(byState(r, report.ProposalOpened)) != 1 {
		t.Errorf("somebody else's label stops us: %+v", r.Proposals)
	}
}

// TestAttack46 forge-hostile: whatever the host answers, nothing is offered
// twice and nothing of theirs is touched; when it is well again, the work is
// done.
func TestAttack46(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]githubfake.Fault{
		"HTML":     {Path: "/(pulls|issues)", Status: 200, Body: "<html>", HTML: true},
		"huge":     {Path: "/issues", Method: http.MethodGet, Status: 200, Body: "[" + strings.Repeat(" ", 40<<20) + "]"},
		"loop":     {Path: "/issues", Method: http.MethodGet, Loop: true},
		"moved":    {Path: "/issues", Method: http.MethodGet, Status: 301, Header: map[string]string{"Location": "https://evil.example/"}},
		"error":    {Path: "/pulls", Method: http.MethodPost, Status: 500},
		"done 502": {Path: "/pulls$", Method: http.MethodPost, Status: 502, After: true},
		"lies":     {Path: "/issues", Method: http.MethodGet, Status: 304},
		"empty":    {Path: "/issues", Method: http.MethodGet, Status: 200, Body: "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, true)
			w.moveScript(0)
			w.night()
			w.moveScript(1)
			w.fake.Inject(fault)
			receipt, err := night.Run(t.Context(), w.options())
			t.Logf("the night: %v, %v", err, receipt != nil)
			w.fake.Heal()
			w.all()
			w.all()
			if open := w.open(); len(open) != 2 {
				t.Errorf("%d are open", len(open))
			}
			for _, x := range w.open() {
				if x.Touched {
					t.Errorf("%s counts as theirs", x.Branch)
				}
			}
		})
	}
}

// TestAttack47 dry-run-pure: whatever is in the repository, a dry run writes
// nothing.
func TestAttack47(t *testing.T) {
	t.Parallel()
	for name, prepare := range hostile {
		both(t, func(t *testing.T, w *world) {
			w.moveScript(0)
			canary := filepath.Join(t.TempDir(), "canary")
			prepare(t, w, canary)
			before := w.snapshot()
			o := w.options()
			o.Apply = false
			run(t, o)
			if fmt.Sprint(before) != fmt.Sprint(w.snapshot()) {
				t.Errorf("%s: a dry run writes", name)
			}
			if _, err := os.Stat(canary); err == nil {
				t.Errorf("%s: something ran", name)
			}
		})
	}
}
