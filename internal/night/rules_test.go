package night_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
)

// The twenty rules of the queue, on the fake GitHub and without a host. What only
// a host has (markers, drafts, labels) is told apart in internal/forge/github,
// under the same names.

// pull is the newest pull request.
func (w *world) pull() githubfake.Pull {
	w.t.Helper()
	all := w.fake.Pulls()
	if len(all) == 0 {
		w.t.Fatal("there is no pull request")
	}
	return all[len(all)-1]
}

// all runs a night that looks at every fact.
func (w *world) all() *report.Receipt {
	w.t.Helper()
	o := w.options()
	o.Command.All = true
	w.now = w.now.AddDate(0, 0, 1)
	return run(w.t, o)
}

func (w *world) commitOf(branch string) repo.Commit {
	w.t.Helper()
	c, err := w.repo.Commit(w.ref("refs/heads/" + branch))
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// TestQueueRule01: one slot, one branch; the content decides whether to update.
func TestQueueRule01(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.moveScript(0)
		w.night()
		x := w.one()
		w.moveScript(0)
		w.all()
		y := w.one()
		if x.Slot != y.Slot || x.Branch != y.Branch || x.Content == y.Content {
			t.Errorf("slot %s to %s, content %s to %s", x.Slot, y.Slot, x.Content, y.Content)
		}
		if tr, ok := proposal.ParseTrailers(w.commitOf(y.Branch).Message); !ok || tr.Slot != y.Slot || tr.Content != y.Content {
			t.Errorf("the commit names %+v", tr)
		}
	})
}

// TestQueueRule02: titles find nothing; a branch of somebody else under our
// prefix is theirs.
func TestQueueRule02(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.moveScript(0)
		w.night()
		x := w.one()
		if w.fake != nil {
			w.fake.Edit(x.Number, func(p *githubfake.Pull) { p.Title = "Renamed by a person" })
		}
		w.quiet("another title", func() { w.all() })
		forged := w.commitOf(x.Branch)
		w.write("retrosweep/memory/forged-00000000", nil, forged.Message, w.ref("refs/heads/main"))
		w.quiet("a forged branch", func() { w.all() })
	})
}

var branchName = regexp.MustCompile(`^retrosweep/[a-z0-9-]+/[a-z0-9-]+-[0-9a-f]{8}$`)

// TestQueueRule03: the name of a branch is ours, whatever the file is called; it
// holds one commit, and is built again from the base.
func TestQueueRule03(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		odd := ".claude/memory/Über_Größe" + strings.Repeat("_Straße", 12) + ".md"
		w.commit("main", map[string][]byte{odd: []byte(strings.ReplaceAll(w.read("main", w.file[0]), "reference_bake0", "odd")), w.file[0]: nil})
		w.moveScript(0)
		w.night()
		x := w.one()
		if !branchName.MatchString(x.Branch) || len(x.Branch) > 80 {
			t.Errorf("the branch is %q", x.Branch)
		}
		w.moveScript(0)
		w.all()
		c := w.commitOf(x.Branch)
		if len(c.Parents) != 1 || c.Parents[0] != w.ref("refs/heads/main") {
			t.Errorf("it is not one commit on the base: %v", c.Parents)
		}
	})
}

// TestQueueRule04: the same content is no write at all.
func TestQueueRule04(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.moveScript(0)
		w.night()
		for range 3 {
			w.quiet("the same again", func() { w.all() })
		}
		w.commit("main", map[string][]byte{"other.txt": []byte("other\n")})
		w.quiet("a base that went on elsewhere", func() { w.all() })
	})
}

// TestQueueRule05: what a person refused never comes back, and nothing else for
// the file before the cooldown is over; merging is the end of it.
func TestQueueRule05(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.moveScript(0)
		w.night()
		x := w.one()
		w.no(x)
		w.all()
		for range 40 {
			w.all()
		}
		if open := w.open(); len(open) > 0 {
			t.Fatalf("the same is offered again: %+v", open)
		}
		w.moveScript(0)
		w.all()
		y := w.one() // another content, long after
		if y.Content == x.Content || y.Slot != x.Slot {
			t.Errorf("offered is %+v", y)
		}
		w.merge(y, true)
		w.all()
		w.quiet("after the merge", func() { w.all() })
	})
}

// TestQueueRule06: a branch that anybody else changed is theirs for ever.
func TestQueueRule06(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.moveScript(0)
		w.night()
		x := w.one()
		at := w.commit(x.Branch, map[string][]byte{w.file[0]: []byte("mine\n")})
		w.moveScript(0)
		for range 3 {
			if state, _ := stateOf(w.all(), x.Slot); state != report.ProposalHandsOff {
				t.Errorf("it is %s", state)
			}
		}
		if now := w.ref("refs/heads/" + x.Branch); now != at {
			t.Error("their commit was overwritten")
		}
	})
}

// TestQueueRule07: what a person set stays: the title, the base, a label.
func TestQueueRule07(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	w.moveScript(0)
	w.night()
	x := w.one()
	w.fake.Edit(x.Number, func(p *githubfake.Pull) { p.Title, p.Labels, p.Draft = "Mine", []string{"mine"}, true })
	w.moveScript(0)
	w.all()
	if p := w.pull(); p.Title != "Mine" || !slices.Equal(p.Labels, []string{"mine"}) || !p.Draft {
		t.Errorf("it is %+v", p)
	}
	local := newWorld(t, false) // there the message of the commit is all there is, and a changed one is a touched branch
	local.moveScript(0)
	local.night()
	y := local.one()
	c := local.commitOf(y.Branch)
	local.write(y.Branch, nil, "My own words", c.Parents[0])
	local.quiet("another message", func() { local.all() })
}

// TestQueueRule08: a branch is rebuilt only when it conflicts, and one for
// another base is left where it is.
func TestQueueRule08(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.moveScript(0)
		w.night()
		x := w.one()
		text := strings.Replace(w.read("main", w.file[0]), "Bake number 0", "Knead first.\n\nBake number 0", 1)
		w.commit("main", map[string][]byte{w.file[0]: []byte(text)})
		w.all()
		y := w.one()
		if y.Head == x.Head || !strings.Contains(w.read(y.Branch, w.file[0]), "Knead first.\n\nBake number 0 with `"+w.at[0]) {
			t.Errorf("a conflict is not built again:\n%s", w.read(y.Branch, w.file[0]))
		}
		if w.fake == nil {
			return
		}
		w.write("dev", nil, "dev", w.ref("refs/heads/main"))
		w.fake.Edit(y.Number, func(p *githubfake.Pull) { p.Base = "dev" })
		w.quiet("retargeted", func() { w.all() })
	})
}

// TestQueueRule09: what became needless is taken back with its branch.
func TestQueueRule09(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.moveScript(0)
		w.night()
		x := w.one()
		w.commit("main", map[string][]byte{w.file[0]: []byte(w.read(x.Branch, w.file[0]))})
		if state, why := stateOf(w.all(), x.Slot); state != report.ProposalClosed || why == "" {
			t.Errorf("it is %s: %s", state, why)
		}
		if !w.ref("refs/heads/"+x.Branch).IsZero() || len(w.open()) != 0 {
			t.Error("it is still there")
		}
		w.quiet("closed", func() { w.all() })
	})
}

// TestQueueRule10: one new a night, three open, one a file; what waits is kept,
// and the longest waiting comes first.
func TestQueueRule10(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		for i := range 5 {
			w.moveScript(i)
		}
		for n := range 5 {
			r := w.night()
			if open := len(w.open()); open != min(n+1, 3) {
				t.Errorf("after night %d, %d are open", n+1, open)
			}
			if waiting := len(byState(r, report.ProposalWaiting)); waiting != max(4-n, 2) {
				t.Errorf("in night %d, %d wait", n+1, waiting)
			}
		}
		if w.fake != nil { // what is open counts, not what the journal knows of it
			if err := w.repo.DeleteRef("refs/retrosweep/journal", w.ref("refs/retrosweep/journal")); err != nil {
				t.Fatal(err)
			}
			w.night()
			if open := len(w.open()); open != 3 {
				t.Errorf("without a journal, %d are open", open)
			}
		}
		w.moveScript(5) // the newcomer
		for range 2 {
			w.merge(w.open()[0], false)
			w.night()
		}
		for _, x := range w.open() {
			if slices.Contains(x.Files, w.file[5]) {
				t.Error("the newcomer is offered before those that waited longer")
			}
		}
	})
}

func byState(r *report.Receipt, state report.ProposalState) []report.Proposal {
	return slices.DeleteFunc(slices.Clone(r.Proposals), func(p report.Proposal) bool { return p.State != state })
}

// TestQueueRule11: one decision a file: edits of one file go together, those of
// two files apart.
func TestQueueRule11(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		text := w.read("main", w.file[0]) + "\nServe with `" + w.at[1] + "`.\n"
		w.commit("main", map[string][]byte{w.file[0]: []byte(text)})
		w.moveScript(0)
		w.moveScript(1)
		w.config.Limits.NewPerRun = 3
		w.night()
		open := w.open()
		if len(open) != 2 {
			t.Fatalf("%d are open", len(open))
		}
		for _, x := range open {
			if len(x.Files) != 1 || x.Files[0] == w.file[0] && len(x.Edits()) != 2 {
				t.Errorf("it changes %v by %d edits", x.Files, len(x.Edits()))
			}
		}
	})
}

// TestQueueRule12: nothing is merged or approved by us, in a whole month.
func TestQueueRule12(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.config.Delivery.AutoMerge = "squash"
		w.moveScript(0)
		main := w.ref("refs/heads/main")
		for range 30 {
			w.night()
		}
		if w.ref("refs/heads/main") != main {
			t.Error("main moved")
		}
		if w.fake == nil {
			return
		}
		if p := w.pull(); p.Draft || p.AutoMerge != "" || len(p.Reviewers) > 0 {
			t.Errorf("it is %+v", p)
		}
		for _, r := range w.fake.Writes() {
			if strings.HasSuffix(r.Path, "/merge") || strings.HasSuffix(r.Path, "/reviews") {
				t.Errorf("%s %s", r.Method, r.Path)
			}
		}
	})
}

// TestQueueRule14: a title has the style of the history, and where that has none,
// the default one.
func TestQueueRule14(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.moveScript(1)
		w.night()
		if x := w.one(); x.Title != "docs(agents): correct a moved path in reference_bake1.md" {
			t.Errorf("without a habit, the title is %q", x.Title)
		}
		w.merge(w.one(), false)
		for i := range 6 {
			w.write("main", map[string][]byte{"n": {byte('0' + i)}}, fmt.Sprintf("notes: line %d", i), w.ref("refs/heads/main"))
		}
		w.moveScript(0)
		w.night()
		if x := w.one(); x.Title != "agents: correct a moved path in reference_bake0.md" {
			t.Errorf("the title is %q", x.Title)
		}
	})
}

// TestQueueRule15: the order of a body: what, the lines, why, how to check, how
// to say no, how it was made.
func TestQueueRule15(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.moveScript(0)
		body := w.night().Proposals[0].Body
		at := -1
		for _, part := range []string{"Corrects a moved path", "```diff\n- Bake", "+ Bake", "\nSince 20", "\nSeen in ", "**Check it**", "**To say no**", "<details><summary>How this was made", "Made by [retrosweep]"} {
			i := strings.Index(body, part)
			if i <= at {
				t.Errorf("%q stands at %d, after %d:\n%s", part, i, at, body)
			}
			at = i
		}
		if links := strings.Contains(body, "](https://github.com/acme/shop/blob/"); links != (w.fake != nil) {
			t.Errorf("permalinks: %t:\n%s", links, body)
		}
	})
}

// TestQueueRule16: what stands in a file, a name or a subject does nothing in a
// title, body or message: it mentions, closes, links and shows nothing.
func TestQueueRule16(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		evil := "@ada fixes #1, acme/shop#2 GH-3 ![x](https://evil.example/?q=1) <img src=//evil.example> /merge [skip ci] --> Co-authored-by: Eve <eve@evil.example>"
		text := strings.Replace(w.read("main", w.file[0]), "Bake number 0 with", evil+" Bake with", 1)
		text = strings.Replace(text, "how bread 0 is baked", strings.ReplaceAll(evil, `"`, ""), 1)
		w.commit("main", map[string][]byte{w.file[0]: []byte(text)})
		w.moves++
		to := "oven/bake0.sh"
		w.write("main", map[string][]byte{w.at[0]: nil, to: []byte(w.read("main", w.at[0]))}, "move it\n\n"+evil, w.ref("refs/heads/main"))
		w.write("main", map[string][]byte{"x": []byte("x")}, evil, w.ref("refs/heads/main"))
		r := w.night()
		if len(r.Proposals) != 1 {
			t.Fatalf("proposals: %+v", r.Proposals)
		}
		p := r.Proposals[0]
		outside := fenced.ReplaceAllString(p.Body, "")
		message := w.commitOf(p.Branch).Message
		for _, bad := range []string{"@ada", "#1", "#2", "GH-3", "](https://evil", "<img", "/merge", "[skip ci]", "Co-authored-by:"} {
			for where, s := range map[string]string{"title": p.Title, "body": outside, "message": message} {
				if strings.Contains(s, bad) {
					t.Errorf("the %s holds %q:\n%s", where, bad, s)
				}
			}
		}
	})
}

var fenced = regexp.MustCompile("(?s)```+diff\n.*?\n```+\n")

// TestQueueRule18: no comments; and our own commits are nothing to learn from,
// merged or squashed.
func TestQueueRule18(t *testing.T) {
	t.Parallel()
	for _, squash := range []bool{false, true} {
		both(t, func(t *testing.T, w *world) {
			w.moveScript(0)
			before := w.night().Signals.Found
			w.merge(w.one(), squash)
			if after := w.night().Signals.Found; after != before {
				t.Errorf("squash %t: our own commit is a signal: %d, then %d", squash, before, after)
			}
			for range 3 {
				w.quiet("after the merge", func() { w.all() })
			}
			if w.fake == nil {
				return
			}
			for _, q := range w.fake.Writes() {
				if strings.Contains(q.Path, "/comments") {
					t.Errorf("a comment: %s", q.Path)
				}
			}
		})
	}
}

// TestQueueRule19: a dry run says for each slot what an apply does, and writes
// nothing.
func TestQueueRule19(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.moveScript(0)
		w.moveScript(1)
		o := w.options()
		o.Apply = false
		var dry *report.Receipt
		before := w.snapshot()
		dry = run(t, o)
		if after := w.snapshot(); fmt.Sprint(before) != fmt.Sprint(after) {
			t.Error("a dry run writes")
		}
		wet := run(t, w.options())
		if len(dry.Proposals) != 2 {
			t.Fatalf("planned: %+v", dry.Proposals)
		}
		for i, p := range dry.Proposals {
			q := wet.Proposals[i]
			if p.Slot != q.Slot || p.State != q.State || p.Reason != q.Reason || p.Reason == "" || p.Title != q.Title || p.Branch != q.Branch || p.Body != q.Body || p.Diff != q.Diff {
				t.Errorf("planned %+v, done %+v", p, q)
			}
		}
	})
}
