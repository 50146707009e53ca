package night_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/guard"
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
	for _, hosted := range []bool{true, false} {
		t.Run(map[bool]string{true: "GitHub", false: "local"}[hosted], func(t *testing.T) {
			t.Parallel()
			y := newYear(t, hosted)
			for n := range *yearNights {
				for range 1 + y.dice.IntN(3) {
					y.person()
				}
				y.worker(n)
				if t.Failed() {
					t.Fatalf("night %d of seed %d; people did %v; of late:\n%s", n, *yearSeed, y.did, strings.Join(y.diary[max(0, len(y.diary)-60):], "\n"))
				}
			}
			y.busy()
			y.rest()
			t.Logf("%d nights: people did %v; nights saw %v", *yearNights, y.did, y.saw)
		})
	}
}

// A year has scripts whose memory files wait for a person each (the first ones),
// and some that ride in the upkeep branch.
const (
	yearScripts = 12
	yearQueued  = 8
	loaves      = ".claude/memory/reference_loaves.md" // too large to be offered
	vault       = "KNOWLEDGE_VAULT.md"
	yearEntries = 24 // of the vault; each ends in the course of the year
)

type year struct {
	*world
	dice   *rand.Rand
	no     map[string]time.Time            // slot and edit that a person said no to
	maybe  map[string]bool                 // the same, where our words were replaced and theirs merged
	until  map[string]time.Time            // slot: when its cooldown ends
	landed map[repo.Hash]proposal.Existing // what the merges on main brought
	theirs map[string]repo.Hash            // branches that people took over, where they left them
	titled map[int]string                  // what people call our pull requests
	did    map[string]int                  // what people did, how often
	saw    map[string]int                  // what the nights met, how often
	nights int
	diary  []string
}

func newYear(t *testing.T, hosted bool) *year {
	t.Helper()
	y := &year{
		world: worldOf(t, hosted, yearScripts), dice: rand.New(rand.NewPCG(*yearSeed, 1)), no: map[string]time.Time{}, maybe: map[string]bool{}, until: map[string]time.Time{},
		landed: map[repo.Hash]proposal.Existing{}, theirs: map[string]repo.Hash{}, titled: map[int]string{}, did: map[string]int{}, saw: map[string]int{},
	}
	y.config.Routes.Queue = []string{fmt.Sprintf(".claude/memory/reference_bake[0-%d]{.md,_*.md}", yearQueued-1), loaves}
	y.config.Dashboard = true
	var many, entries strings.Builder
	many.WriteString("---\nname: loaves\ndescription: \"every loaf\"\ntype: reference\n---\n\n")
	for i := range 210 {
		fmt.Fprintf(&many, "Loaf number %d is baked by `scripts/loaf.sh`,\n", i) // one paragraph: one edit
	}
	entries.WriteString("# Knowledge vault\n\n### CONTEXTUAL_WARNINGS\n\n")
	for i := range yearEntries {
		fmt.Fprintf(&entries, "- **ID**: %s\n- **Tags**: oven\n- **Issue**: door %d jams\n- **Mitigation**: kick it\n- **First Seen**: 2026-01-01 (ada)\n- **TTL**: %d days\n- **Last Verified**: 2026-01-01\n\n", entryName(i), i, 3+i*14)
	}
	y.commit("main", map[string][]byte{"scripts/loaf.sh": []byte("#!/bin/sh\necho a loaf\n"), loaves: []byte(many.String()), vault: []byte(entries.String())})
	y.commit("main", map[string][]byte{"scripts/loaf.sh": nil, "hearth/loaf.sh": []byte("#!/bin/sh\necho a loaf\n")})
	y.commit("main", map[string][]byte{"notes.txt": []byte("so it begins\n")}) // what may be reverted
	return y
}

func entryName(i int) string { return fmt.Sprintf("door-%02d", i) }

// worker runs a night and looks at what it did.
func (y *year) worker(n int) {
	y.nights = n
	before, openBefore, main, asked := y.snapshot(), y.open(), y.ref("refs/heads/main"), y.asked()
	all := n%5 == 4 // now and then somebody wants every fact looked at
	look := y.night
	if all {
		look = y.all
	}
	y.told("the worker, all facts: %t", all)
	r := look()
	for _, p := range r.Proposals {
		y.told("  %s %s: %s", p.Branch, p.State, p.Reason)
	}
	standing := y.list()
	open := slices.DeleteFunc(slices.Clone(standing), func(x proposal.Existing) bool { return x.Status != proposal.Open })
	y.isOurs(n, main)
	y.limits(n, openBefore, open)
	y.explained(n, r, before, y.snapshot(), asked)
	y.repeated(n, open)
	y.listed(n, r, open)
	if all {
		y.lost(n, r, standing)
	}
	if n%7 == 3 {
		y.settled(n, r)
	}
	if blocked := byState(r, report.ProposalBlocked); len(blocked) > 0 {
		y.t.Errorf("night %d: blocked: %+v", n, brief(blocked))
	}
}

// isOurs: what is theirs was not moved, nor renamed.
func (y *year) isOurs(n int, main repo.Hash) {
	if now := y.ref("refs/heads/main"); now != main {
		y.t.Errorf("night %d: main moved", n)
	}
	for branch, at := range y.theirs {
		if now := y.ref("refs/heads/" + branch); now != at {
			y.t.Errorf("night %d: %s was theirs at %s and is at %s", n, branch, at, now)
		}
	}
	for number, title := range y.titled {
		if p := y.fake.Pulls()[number-1]; p.Title != title {
			y.t.Errorf("night %d: a person called pull request %d %q, and it is called %q", n, number, title, p.Title)
		}
	}
}

// limits: one new a night, three open, one a file, twenty files and four hundred
// lines each.
func (y *year) limits(n int, before, open []proposal.Existing) {
	open = slices.DeleteFunc(slices.Clone(open), func(x proposal.Existing) bool { return x.Kind == proposal.KindUpkeep })
	fresh, ours := 0, 0
	files := map[string]int{}
	for _, x := range open {
		if !x.Touched {
			ours++
			y.size(n, x)
		}
		if !slices.ContainsFunc(before, func(b proposal.Existing) bool { return b.Branch == x.Branch && b.Number == x.Number }) {
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
	if ours == 3 {
		y.saw["three open"]++
	}
}

func (y *year) size(n int, x proposal.Existing) {
	diff, err := proposal.DiffTrees(y.t.Context(), y.repo, x.Fork, x.Head)
	if err != nil {
		y.t.Fatal(err)
	}
	var all []guard.FileChange
	for _, p := range diff.Parts {
		all = append(all, guard.FileChange{Path: p.Path, OldMode: p.OldMode, NewMode: p.NewMode, Old: p.Old, New: p.New})
	}
	if files, lines := guard.Reading(all); files == 0 || files > 20 || lines == 0 || lines > 400 {
		y.t.Errorf("night %d: %s has %d files and %d lines to read", n, x.Branch, files, lines)
	}
}

// repeated: nothing of ours holds an edit that a person said no to.
func (y *year) repeated(n int, open []proposal.Existing) {
	for _, x := range open {
		if x.Touched || x.Base != "main" {
			continue
		}
		for _, e := range x.Edits() {
			if at, ok := y.no[x.Slot+proposal.EditKey(e)]; ok {
				y.t.Errorf("night %d: %s offers again what a person said no to on %s: %+v", n, x.Branch, at.Format(time.DateOnly), e)
			}
		}
	}
}

// refuse notes a person's no to a proposal, until the cooldown is over where it
// is about a file of its own.
func (y *year) refuse(x proposal.Existing) {
	for _, e := range x.Edits() {
		if x.Kind != proposal.KindUpkeep || e.Op == knowledge.OpRewrite || e.Op == knowledge.OpArchive {
			y.no[x.Slot+proposal.EditKey(e)] = y.now
		}
	}
	if x.Kind != proposal.KindUpkeep {
		y.until[x.Slot] = y.now.AddDate(0, 0, 31)
	}
}

// listed: what waits and what is open stands on the dashboard, the file that is
// too large among it.
func (y *year) listed(n int, r *report.Receipt, open []proposal.Existing) {
	waiting := byState(r, report.ProposalWaiting)
	large := slices.ContainsFunc(waiting, func(p report.Proposal) bool {
		return slices.Contains(p.Files, loaves) && strings.Contains(p.Reason, "too large to review")
	})
	if !large {
		y.t.Errorf("night %d: what is too large is not listed: %+v", n, brief(waiting))
	}
	if len(waiting) > 1 {
		y.saw["others wait"]++
	}
	if y.fake == nil {
		return
	}
	page := y.page()
	if !strings.Contains(page, fmt.Sprintf("### Waiting (%d)", len(waiting))) {
		y.t.Errorf("night %d: %d wait, and the dashboard says:\n%s", n, len(waiting), page)
	}
	for _, x := range open {
		if x.URL != "" && !strings.Contains(page, "("+x.URL+")") {
			y.t.Errorf("night %d: %s is not on the dashboard:\n%s", n, x.URL, page)
		}
	}
	if strings.Contains(page, "Went wrong") {
		y.t.Errorf("night %d: something went wrong:\n%s", n, page)
	}
}

// lost: a night that looked at every fact accounts for each wrong one, and each
// entry of the vault is there or in the archive.
func (y *year) lost(n int, r *report.Receipt, standing []proposal.Existing) {
	for i := range yearScripts {
		how := y.accounted(i, r, standing)
		if y.saw[how]++; how == "" {
			for _, f := range r.Findings {
				y.t.Logf("finding: %s %s: %s %+v", f.Rule, f.Fact.File, f.Reason, f.Action)
			}
			y.t.Errorf("night %d: %s does not name %s, and nothing is open, waits, was refused or is left to a person:\n%s\n%+v", n, y.file[i], y.at[i], y.read("main", y.file[i]), brief(r.Proposals))
		}
	}
	kept := y.read("main", vault) + y.read("main", "ARCHIVED_KNOWLEDGE.md")
	for i := range yearEntries {
		if strings.Count(kept, "- **ID**: "+entryName(i)+"\n") != 1 {
			y.t.Errorf("night %d: entry %s is not there once:\n%s", n, entryName(i), kept)
		}
	}
}

// accounted says what became of a memory file; "" where nobody knows.
func (y *year) accounted(i int, r *report.Receipt, all []proposal.Existing) string {
	text := y.read("main", y.file[i])
	mine := func(files []string) bool { return slices.Contains(files, y.file[i]) }
	switch {
	case text == "" || strings.Contains(text, y.at[i]):
		return "right"
	case y.read("main", named(text)) != "":
		return "right" // a merge of rewritten history brought the old place back, and the text names it
	case slices.ContainsFunc(all, func(x proposal.Existing) bool { return x.Status == proposal.Open && mine(x.Files) }):
		return "open"
	case slices.ContainsFunc(byState(r, report.ProposalWaiting), func(p report.Proposal) bool { return mine(p.Files) }):
		return "waiting"
	case y.isRefused(i, r):
		return "refused"
	case slices.ContainsFunc(r.Findings, func(f knowledge.Finding) bool {
		return f.Fact.File == y.file[i] && (f.Action == nil || f.Action.Edit == nil)
	}):
		return "left to a person" // history that went back may know no way from the old path to the new one
	}
	return ""
}

// named is the path that a memory file names.
func named(text string) string {
	_, after, _ := strings.Cut(text, "with `")
	path, _, _ := strings.Cut(after, "`")
	return path
}

// isRefused reports whether the edit that the night found for a file is one that
// a person said no to, or its slot cools down.
func (y *year) isRefused(i int, r *report.Receipt) bool {
	kind, target := "memory", y.file[i]
	if i >= yearQueued {
		kind, target = proposal.KindUpkeep, ""
	}
	slot := proposal.Slot("github.com/acme/shop", "main", kind, target)
	if y.until[slot].After(y.now) {
		return true
	}
	return slices.ContainsFunc(r.Findings, func(f knowledge.Finding) bool {
		if f.Fact.File != y.file[i] || f.Action == nil || f.Action.Edit == nil {
			return false
		}
		key := slot + proposal.EditKey(*f.Action.Edit)
		_, no := y.no[key]
		return no || y.maybe[key]
	})
}

// settled: the same night once more has nothing left to write, not even in the
// journal, unless something found no room.
func (y *year) settled(n int, r *report.Receipt) {
	for _, p := range byState(r, report.ProposalWaiting) {
		if strings.Contains(p.Reason, "limit:") || strings.Contains(p.Reason, "next run") || strings.Contains(p.Reason, "is open for") {
			return
		}
	}
	y.now = y.now.AddDate(0, 0, -1)
	o := y.options()
	run(y.t, o) // the dashboard tells of the run before
	before := y.snapshot()
	run(y.t, o)
	y.now = y.now.AddDate(0, 0, 1)
	y.saw["the same night again"]++
	if after := y.snapshot(); !maps.Equal(before, after) {
		for name := range after {
			if before[name] != after[name] {
				y.t.Errorf("night %d once more: %s was %s and is %s", n, name, before[name], after[name])
			}
		}
	}
}

// rest: people only merge from now on, until nothing is left; then every path is
// right, but where a person said no.
func (y *year) rest() {
	y.config.Limits.IdleDays = 0
	var r *report.Receipt
	for range 4 * yearScripts {
		for _, x := range y.open() {
			if !x.Touched && x.Base == "main" {
				y.merge(x, false)
			} else if x.Number > 0 || y.fake == nil { // theirs: they give it up
				y.throwAway(x)
			}
		}
		r = y.all()
		y.now = y.now.AddDate(0, 0, 31) // cooldowns end
		waiting := len(byState(r, report.ProposalWaiting)) - 1
		if len(byState(r, report.ProposalOpened))+waiting+len(byState(r, report.ProposalUpdated)) == 0 && len(y.open()) == 0 {
			break
		}
	}
	standing := y.list()
	for i := range yearScripts {
		if how := y.accounted(i, r, standing); how != "right" && how != "refused" && how != "left to a person" {
			y.t.Errorf("in the end %s, which does not name %s, is %q:\n%s", y.file[i], y.at[i], how, y.read("main", y.file[i]))
		}
	}
}

// busy: in a full year people did everything, and often, and the limits were felt.
func (y *year) busy() {
	if *yearNights < 365 {
		return
	}
	for name := range y.deeds() {
		if y.did[name] < 5 {
			y.t.Errorf("people did %s %d times in %d nights", name, y.did[name], *yearNights)
		}
	}
	for _, what := range []string{"revert of ours", "revert of upkeep"} {
		if y.did[what] < 5 {
			y.t.Errorf("%s: %d times", what, y.did[what])
		}
	}
	for _, what := range []string{"three open", "others wait", "open", "waiting", "refused", "the same night again"} {
		if y.saw[what] < 5 {
			y.t.Errorf("%s: in %d nights of %d", what, y.saw[what], *yearNights)
		}
	}
}

// asked is how many requests of ours have changed anything at the host.
func (y *year) asked() int {
	if y.fake == nil {
		return 0
	}
	return len(y.fake.Writes())
}
