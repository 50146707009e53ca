package night_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
)

var (
	yearNights = flag.Int("year.nights", 28, "how many nights people and the worker live together; CI says 365")
	yearSeed   = flag.Uint64("year.seed", 7, "what people do")
)

// TestYear: people merge, squash, close, edit, revert, retarget, force-push and
// rename between nights. Nothing is lost, nothing is repeated, limits hold, what
// is theirs stays theirs, and every write is one that the receipt explains.
func TestYear(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		y := &year{world: w, dice: rand.New(rand.NewPCG(*yearSeed, 1)), refused: map[string]bool{}, landed: map[repo.Hash]proposal.Existing{}, theirs: map[string]repo.Hash{}, taken: map[string]bool{}, did: map[string]int{}}
		for n := range *yearNights {
			for range 1 + y.dice.IntN(3) {
				y.person()
			}
			y.worker(n)
			if t.Failed() {
				t.Fatalf("night %d of seed %d; people did %v", n, *yearSeed, y.did)
			}
		}
		y.rest()
		t.Logf("%d nights: people did %v", *yearNights, y.did)
	})
}

type year struct {
	*world
	dice    *rand.Rand
	refused map[string]bool                 // slot and content that a person said no to
	landed  map[repo.Hash]proposal.Existing // what the merges on main brought
	theirs  map[string]repo.Hash            // branches that people took over, where they left them
	taken   map[string]bool                 // the files of these
	did     map[string]int
	nights  int
}

// person does one thing; what finds nothing to do does nothing.
func (y *year) person() {
	deeds := map[string]func() bool{
		"move": y.move, "merge": y.mergeOne, "squash": y.squashOne, "close": y.closeOne, "edit": y.editOne, "revert": y.revert,
		"retarget": y.retarget, "force": y.force, "rewrite": y.rewrite, "rename": y.rename, "fix": y.fix, "write": y.writeOther, "undo": y.undo,
	}
	names := slices.Sorted(maps.Keys(deeds))
	names = append(names, "move", "move", "merge", "merge", "undo") // what people do most
	name := names[y.dice.IntN(len(names))]
	if deeds[name]() {
		y.did[name]++
	}
}

func (y *year) any() (proposal.Existing, bool) {
	open := slices.DeleteFunc(y.open(), func(x proposal.Existing) bool { return x.Touched || x.Base != "main" || x.Number == 0 && y.fake != nil })
	if len(open) == 0 {
		return proposal.Existing{}, false
	}
	return open[y.dice.IntN(len(open))], true
}

func (y *year) move() bool {
	y.moveScript(y.dice.IntN(scripts))
	return true
}

func (y *year) mergeOne() bool  { return y.land(false) }
func (y *year) squashOne() bool { return y.land(true) }

func (y *year) land(squash bool) bool {
	x, ok := y.any()
	if ok {
		y.merge(x, squash)
		y.landed[y.ref("refs/heads/main")] = x
	}
	return ok
}

func (y *year) closeOne() bool {
	x, ok := y.any()
	if ok {
		y.no(x)
		y.refused[x.Slot+x.Content] = true
	}
	return ok
}

func (y *year) editOne() bool {
	x, ok := y.any()
	if ok {
		y.take(x)
		y.theirs[x.Branch] = y.commit(x.Branch, map[string][]byte{"mine.txt": []byte(fmt.Sprint(y.did))})
	}
	return ok
}

// take remembers whose files stand on a branch that is theirs now.
func (y *year) take(x proposal.Existing) {
	for _, f := range x.Files {
		y.taken[f] = true
	}
}

// force puts a person's own commit where ours was.
func (y *year) force() bool {
	x, ok := y.any()
	if ok {
		y.take(x)
		y.theirs[x.Branch] = y.write(x.Branch, map[string][]byte{"forced.txt": []byte(fmt.Sprint(y.did))}, "forced", y.ref("refs/heads/main"))
	}
	return ok
}

func (y *year) retarget() bool {
	x, ok := y.any()
	if !ok || y.fake == nil {
		return false
	}
	if y.ref("refs/heads/dev").IsZero() {
		y.write("dev", nil, "dev", y.ref("refs/heads/main"))
	}
	y.fake.Edit(x.Number, func(p *githubfake.Pull) { p.Base = "dev" })
	y.take(x)
	y.theirs[x.Branch] = x.Head
	return true
}

// undo merges a proposal and, perhaps not before the next night, takes it back.
func (y *year) undo() bool {
	if !y.land(y.dice.IntN(2) == 0) {
		return false
	}
	if y.dice.IntN(2) == 0 {
		y.worker(y.nights)
	}
	return y.revert()
}

// revert takes the last commit on main back.
func (y *year) revert() bool {
	c := y.commitOf("main")
	if len(c.Parents) == 0 {
		return false
	}
	diff, err := proposal.DiffTrees(y.t.Context(), y.repo, c.Parents[0], c.Hash)
	if err != nil {
		y.t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, p := range diff.Parts {
		files[p.Path] = nil
		if p.OldMode != "" {
			files[p.Path] = p.Old
		}
	}
	y.commit("main", files)
	if x, merged := y.landed[c.Hash]; merged && x.Kind != proposal.KindUpkeep {
		y.refused[x.Slot+x.Content] = true
		y.did["revert of ours"]++
	}
	y.look()
	return true
}

// rewrite force-pushes main: its last commit gets another id.
func (y *year) rewrite() bool {
	c := y.commitOf("main")
	if len(c.Parents) == 0 {
		return false
	}
	y.write("main", map[string][]byte{"rewritten.txt": []byte(fmt.Sprint(y.did))}, c.Message+"\n\nrewritten", c.Parents...)
	if at := y.commitOf("main"); at.Tree != c.Tree { // the tree of the last commit stays, as after an amend
		y.writeTree("main", c, c.Message+" (amended "+fmt.Sprint(y.did["rewrite"])+")")
	}
	return true
}

func (y *year) writeTree(branch string, c repo.Commit, message string) {
	y.t.Helper()
	ada := repo.Signature{Name: "Ada Byron", Email: "ada@kitchen.example", When: y.now}
	h, err := y.repo.WriteCommit(repo.NewCommit{Tree: c.Tree, Parents: c.Parents, Author: ada, Committer: ada, Message: message})
	if err == nil {
		err = y.repo.UpdateRef("refs/heads/"+branch, y.ref("refs/heads/"+branch), h)
	}
	if err != nil {
		y.t.Fatal(err)
	}
}

func (y *year) rename() bool {
	i := y.dice.IntN(scripts)
	text := y.read("main", y.file[i])
	if text == "" {
		return false
	}
	y.moves++
	to := fmt.Sprintf(".claude/memory/reference_bake%d_%d.md", i, y.moves)
	y.commit("main", map[string][]byte{y.file[i]: nil, to: []byte(text)})
	y.file[i] = to
	return true
}

// fix corrects a path by hand.
func (y *year) fix() bool {
	i := y.dice.IntN(scripts)
	text := y.read("main", y.file[i])
	at := strings.LastIndex(text, "with `")
	if at < 0 {
		return false
	}
	y.commit("main", map[string][]byte{y.file[i]: []byte(text[:at] + "with `" + y.at[i] + "`.\n")})
	return true
}

func (y *year) writeOther() bool {
	y.commit("main", map[string][]byte{"notes.txt": []byte(fmt.Sprint(y.did))})
	return true
}

// look finds out where everything is after history went back.
func (y *year) look() {
	y.t.Helper()
	tree, err := y.repo.Tree(y.ref("refs/heads/main"))
	if err != nil {
		y.t.Fatal(err)
	}
	files, err := tree.Files(y.t.Context())
	if err != nil {
		y.t.Fatal(err)
	}
	for _, f := range files {
		p := f.Path
		for i := range scripts {
			if strings.HasSuffix(p, fmt.Sprintf("/bake%d.sh", i)) {
				y.at[i] = p
			}
			if strings.HasPrefix(p, fmt.Sprintf(".claude/memory/reference_bake%d", i)) {
				y.file[i] = p
			}
		}
	}
}

// worker runs a night and looks at what it did.
func (y *year) worker(n int) {
	y.nights = n
	before, openBefore, main := y.snapshot(), y.open(), y.ref("refs/heads/main")
	writes := 0
	if y.fake != nil {
		writes = len(y.fake.Writes())
	}
	look := y.night
	if n%5 == 4 {
		look = y.all // now and then somebody wants every fact looked at
	}
	r := look()
	after := y.snapshot()
	y.isOurs(n, main)
	y.limits(n, openBefore)
	y.explained(n, r, before, after)
	for _, p := range byState(r, report.ProposalOpened) {
		if y.refused[p.Slot+p.Content] {
			y.t.Errorf("night %d: %s is offered again although a person said no to it", n, p.Branch)
		}
	}
	if y.fake != nil && *yearNights > 0 && len(y.fake.Writes())-writes > 30 {
		y.t.Errorf("night %d: %d writes", n, len(y.fake.Writes())-writes)
	}
	if len(byState(r, report.ProposalBlocked)) > 0 {
		y.t.Errorf("night %d: blocked: %+v", n, byState(r, report.ProposalBlocked))
	}
}

// isOurs: what is theirs was not moved.
func (y *year) isOurs(n int, main repo.Hash) {
	if now := y.ref("refs/heads/main"); now != main {
		y.t.Errorf("night %d: main moved", n)
	}
	for branch, at := range y.theirs {
		if now := y.ref("refs/heads/" + branch); !now.IsZero() && now != at {
			y.t.Errorf("night %d: %s was theirs at %s and is at %s", n, branch, at, now)
		}
	}
}

func (y *year) limits(n int, before []proposal.Existing) {
	open := slices.DeleteFunc(y.open(), func(x proposal.Existing) bool { return x.Kind == proposal.KindUpkeep })
	fresh, ours := 0, 0
	files := map[string]int{}
	for _, x := range open {
		if !x.Touched {
			ours++
		}
		if !slices.ContainsFunc(before, func(b proposal.Existing) bool { return b.Branch == x.Branch }) {
			fresh++
		}
		for _, f := range x.Files {
			files[f]++
		}
	}
	if fresh > 1 || ours > 3 {
		y.t.Errorf("night %d: %d new, %d open", n, fresh, ours)
	}
	for f, k := range files {
		if k > 1 {
			y.t.Errorf("night %d: %d are open for %s", n, k, f)
		}
	}
}

// explained: every branch and pull request that changed is one that the receipt
// says was opened, updated, closed or tidied up.
func (y *year) explained(n int, r *report.Receipt, before, after map[string]string) {
	moved := map[string]bool{}
	for _, p := range r.Proposals {
		switch p.State {
		case report.ProposalOpened, report.ProposalUpdated, report.ProposalClosed, report.ProposalMerged:
			moved[p.Branch] = true
		}
	}
	for name := range after {
		if before[name] == after[name] || name == "writes" || name == "refs/retrosweep/journal" {
			continue
		}
		known := false
		for branch := range moved {
			known = known || strings.HasSuffix(name, strings.TrimPrefix(branch, "retrosweep")) || strings.HasPrefix(name, "pull ") && strings.Contains(after[name], branch)
		}
		if !known {
			y.t.Errorf("night %d: %s changed, and the receipt does not say why: %+v", n, name, r.Proposals)
		}
	}
	if len(moved) == 0 && before["writes"] != after["writes"] {
		y.t.Errorf("night %d: writes for nothing: %s to %s", n, before["writes"], after["writes"])
	}
}

// rest: people only merge from now on, until nothing is left; then every path is
// right, but where a person said no or took the branch.
func (y *year) rest() {
	y.config.Limits.IdleDays = 0
	var r *report.Receipt
	for range 4 * scripts {
		for _, x := range y.open() {
			if !x.Touched && x.Base == "main" {
				y.merge(x, false)
			} else if x.Number > 0 || y.fake == nil { // theirs: they give it up
				y.no(x)
				y.refused[x.Slot+x.Content] = true
			}
		}
		r = y.all()
		y.now = y.now.AddDate(0, 0, 31) // cooldowns end
		if len(byState(r, report.ProposalOpened))+len(byState(r, report.ProposalWaiting))+len(byState(r, report.ProposalUpdated)) == 0 && len(y.open()) == 0 {
			break
		}
	}
	for i := range scripts {
		text := y.read("main", y.file[i])
		if text == "" || strings.Contains(text, y.at[i]) || y.isHeld(y.file[i]) {
			continue
		}
		offered := slices.ContainsFunc(r.Proposals, func(p report.Proposal) bool { return slices.Contains(p.Files, y.file[i]) })
		if !y.isTold(r, y.file[i]) && !offered {
			for _, f := range r.Findings {
				y.t.Logf("finding: %s %s: %s %+v", f.Rule, f.Fact.File, f.Reason, f.Action)
			}
			y.t.Errorf("%s does not name %s, nothing is open, refused or theirs for it, and no finding leaves it to a person:\n%s", y.file[i], y.at[i], text)
		}
	}
}

// isTold reports whether the sweep leaves a file to a person: history that went
// back may know no way from the old path to the new one.
func (y *year) isTold(r *report.Receipt, file string) bool {
	return slices.ContainsFunc(r.Findings, func(f knowledge.Finding) bool {
		return f.Fact.File == file && (f.Action == nil || f.Action.Edit == nil)
	})
}

// isHeld reports whether a person stands in the way of a file.
func (y *year) isHeld(file string) bool {
	for key := range y.refused {
		for _, kind := range []string{"memory", "wiki"} {
			if strings.HasPrefix(key, proposal.Slot("github.com/acme/shop", "main", kind, file)) {
				return true
			}
		}
	}
	return slices.ContainsFunc(y.list(), func(x proposal.Existing) bool { return x.Status == proposal.Open && slices.Contains(x.Files, file) }) || y.taken[file]
}
