package night_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// deeds are what people do. Each says whether it found anything to do.
func (y *year) deeds() map[string]func() bool {
	all := map[string]func() bool{
		"move": y.move, "merge": y.mergeOne, "squash": y.squashOne, "close": y.closeOne, "edit": y.editOne, "revert": y.revert,
		"force": y.force, "rewrite": y.rewrite, "rename": y.rename, "fix": y.fix, "write": y.writeOther, "undo": y.undo, "finish": y.finish,
	}
	if y.fake != nil {
		all["retarget"], all["hand back"], all["retitle"], all["tick"] = y.retarget, y.handBack, y.retitle, y.tickOne
	}
	return all
}

// person does one thing; who finds nothing to do does something else. In the last
// week of four nobody looks at proposals, and they pile up.
func (y *year) person() {
	deeds := y.deeds()
	if y.nights%28 >= 21 {
		maps.DeleteFunc(deeds, func(name string, _ func() bool) bool {
			return !slices.Contains([]string{"move", "rename", "fix", "write", "rewrite"}, name)
		})
	}
	names := slices.Sorted(maps.Keys(deeds))
	names = append(names, "move", "move", "move", "merge", "merge", "merge", "undo", "finish") // what people do most
	for range 4 {
		name := names[y.dice.IntN(len(names))]
		if deeds[name] == nil {
			continue
		}
		y.told("people do %s", name)
		if deeds[name]() {
			y.did[name]++
			return
		}
	}
}

// one of what is open and as we left it.
func (y *year) any() (proposal.Existing, bool) {
	return y.pick(func(x proposal.Existing) bool {
		return !x.Touched && x.Base == "main" && (x.Number > 0 || y.fake == nil)
	})
}

func (y *year) pick(is func(proposal.Existing) bool) (proposal.Existing, bool) {
	open := slices.DeleteFunc(y.open(), func(x proposal.Existing) bool { return !is(x) })
	if len(open) == 0 {
		return proposal.Existing{}, false
	}
	x := open[y.dice.IntN(len(open))]
	y.told("to %s of %v", x.Branch, x.Files)
	return x, true
}

// told keeps a diary of the last days, for when a night is wrong.
func (y *year) told(format string, args ...any) {
	y.diary = append(y.diary, fmt.Sprintf("night %d: ", y.nights)+fmt.Sprintf(format, args...))
}

func (y *year) move() bool {
	y.moveScript(y.dice.IntN(yearScripts))
	return true
}

func (y *year) mergeOne() bool  { return y.land(false) }
func (y *year) squashOne() bool { return y.land(true) }

func (y *year) land(squash bool) bool {
	x, ok := y.any()
	if !ok {
		return false
	}
	y.merge(x, squash)
	delete(y.titled, x.Number)
	if squash && y.fake == nil { // people delete the branch of a squash
		y.world.no(x)
	}
	y.landed[y.ref("refs/heads/main")] = x
	if x.Kind == proposal.KindUpkeep {
		y.did["merge of upkeep"]++
	}
	return true
}

func (y *year) closeOne() bool {
	x, ok := y.any()
	if ok {
		y.world.no(x)
		y.refuse(x)
		delete(y.titled, x.Number)
	}
	return ok
}

func (y *year) editOne() bool {
	x, ok := y.any()
	if ok {
		y.theirs[x.Branch] = y.commit(x.Branch, map[string][]byte{"mine.txt": []byte(fmt.Sprint(y.did))})
	}
	return ok
}

// force puts a person's own commit where ours was.
func (y *year) force() bool {
	x, ok := y.any()
	if ok {
		y.theirs[x.Branch] = y.write(x.Branch, map[string][]byte{"forced.txt": []byte(x.Branch)}, "forced", y.ref("refs/heads/main"))
	}
	return ok
}

// finish ends what people took over: they merge it, or throw it away.
func (y *year) finish() bool {
	x, ok := y.pick(func(x proposal.Existing) bool {
		return x.Touched && x.Base == "main" && (x.Number > 0 || y.fake == nil)
	})
	if !ok {
		return false
	}
	delete(y.theirs, x.Branch)
	delete(y.titled, x.Number)
	if y.dice.IntN(2) == 0 {
		y.merge(x, false)
		y.landed[y.ref("refs/heads/main")] = x // with what we had written, but for a force-push
		if !strings.Contains(y.read("main", "forced.txt"), x.Branch) {
			return true
		}
		y.commit("main", map[string][]byte{"forced.txt": nil})
		for _, e := range x.Edits() {
			y.maybe[x.Slot+proposal.EditKey(e)] = true
		}
		y.until[x.Slot] = y.now.AddDate(0, 0, 31)
		return true
	}
	y.throwAway(x)
	return true
}

// throwAway says no to a proposal, and deletes its branch.
func (y *year) throwAway(x proposal.Existing) {
	y.world.no(x)
	if at := y.ref("refs/heads/" + x.Branch); !at.IsZero() {
		if err := y.repo.DeleteRef("refs/heads/"+x.Branch, at); err != nil {
			y.t.Fatal(err)
		}
	}
	y.refuse(x)
}

func (y *year) retarget() bool {
	x, ok := y.any()
	if !ok {
		return false
	}
	if y.ref("refs/heads/dev").IsZero() {
		y.write("dev", nil, "dev", y.ref("refs/heads/main"))
	}
	y.fake.Edit(x.Number, func(p *githubfake.Pull) { p.Base = "dev" })
	y.theirs[x.Branch] = x.Head
	return true
}

// handBack makes main the base again.
func (y *year) handBack() bool {
	x, ok := y.pick(func(x proposal.Existing) bool { return x.Base == "dev" })
	if ok {
		y.fake.Edit(x.Number, func(p *githubfake.Pull) { p.Base = "main" })
		delete(y.theirs, x.Branch)
	}
	return ok
}

func (y *year) retitle() bool {
	x, ok := y.any()
	if ok {
		y.titled[x.Number] = fmt.Sprintf("Mine: number %d", y.did["retitle"])
		y.fake.Edit(x.Number, func(p *githubfake.Pull) { p.Title = y.titled[x.Number] })
	}
	return ok
}

var retryBox = regexp.MustCompile(`- \[ \] <!-- retry:([0-9a-f]{32}) -->`)

// tickOne asks for a refused proposal again.
func (y *year) tickOne() bool {
	issues := y.fake.Issues()
	if len(issues) == 0 {
		return false
	}
	boxes := retryBox.FindAllStringSubmatch(issues[0].Body, -1)
	if len(boxes) == 0 {
		return false
	}
	box := boxes[y.dice.IntN(len(boxes))]
	y.fake.EditIssue(issues[0].Number, githubfake.Ada, func(body string) string {
		return strings.Replace(body, box[0], strings.Replace(box[0], "[ ]", "[x]", 1), 1)
	})
	for _, x := range y.list() {
		if x.Status == proposal.Closed && x.Slot == box[1] {
			for _, e := range x.Edits() {
				delete(y.no, x.Slot+proposal.EditKey(e))
			}
		}
	}
	delete(y.until, box[1])
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
	if x, merged := y.landed[c.Hash]; merged {
		y.refuse(x)
		y.did["revert of ours"]++
		if x.Kind == proposal.KindUpkeep {
			y.did["revert of upkeep"]++
		}
	}
	y.look()
	return true
}

// rewrite force-pushes main: its last commit gets another id, as after an amend.
func (y *year) rewrite() bool {
	c := y.commitOf("main")
	if len(c.Parents) == 0 {
		return false
	}
	ada := repo.Signature{Name: "Ada Byron", Email: "ada@kitchen.example", When: y.now}
	h, err := y.repo.WriteCommit(repo.NewCommit{Tree: c.Tree, Parents: c.Parents, Author: ada, Committer: ada, Message: fmt.Sprintf("%s (amended %d)", c.Message, y.did["rewrite"])})
	if err == nil {
		err = y.repo.UpdateRef("refs/heads/main", c.Hash, h)
	}
	if err != nil {
		y.t.Fatal(err)
	}
	if x, ours := y.landed[c.Hash]; ours {
		y.landed[h] = x
	}
	return true
}

func (y *year) rename() bool {
	i := y.dice.IntN(yearScripts)
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
	i := y.dice.IntN(yearScripts)
	text := y.read("main", y.file[i])
	at := strings.LastIndex(text, "with `")
	if at < 0 || strings.Contains(text, y.at[i]) {
		return false
	}
	y.commit("main", map[string][]byte{y.file[i]: []byte(text[:at] + "with `" + y.at[i] + "`.\n")})
	return true
}

func (y *year) writeOther() bool {
	y.commit("main", map[string][]byte{"notes.txt": []byte(fmt.Sprint(y.did))})
	return true
}

var memoryOf = regexp.MustCompile(`^\.claude/memory/reference_bake(\d+)[._]`)

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
		m := memoryOf.FindStringSubmatch(f.Path)
		for i := range yearScripts {
			if strings.HasSuffix(f.Path, fmt.Sprintf("/bake%d.sh", i)) {
				y.at[i] = f.Path
			}
			if m != nil && m[1] == fmt.Sprint(i) {
				y.file[i] = f.Path
			}
		}
	}
}
