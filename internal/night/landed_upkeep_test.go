package night_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/proposal"
)

// offers reports whether an open proposal changes a file.
func (w *world) offers(file string) bool {
	w.t.Helper()
	return slices.ContainsFunc(w.open(), func(x proposal.Existing) bool { return slices.Contains(x.Files, file) })
}

// TestRevertOfUpkeep: one edit of the merged upkeep branch that a person takes
// back is not offered again, whether a night came between or not; the others
// stay, and what is new about the same file is offered.
func TestRevertOfUpkeep(t *testing.T) {
	t.Parallel()
	for _, seen := range []bool{true, false} {
		for _, squash := range []bool{true, false} {
			both(t, func(t *testing.T, w *world) {
				if w.fake == nil && squash && !seen {
					return // a branch that was deleted, and a base that lacks one of its edits: nothing shows the merge
				}
				w.config.Routes.Queue = nil
				before := w.read("main", w.file[0])
				w.moveScript(0)
				w.moveScript(1)
				w.night()
				x := w.one()
				w.merge(x, squash)
				if w.fake == nil && squash { // people delete the branch of a squash
					w.no(x)
				}
				if seen {
					w.night()
				}
				w.takeBack(w.file[0], before)
				warnings := strings.Join(w.night().Warnings, "\n")
				if !strings.Contains(warnings, w.file[0]+": what was merged is taken back") || strings.Contains(warnings, w.file[1]) {
					t.Errorf("seen %t, squash %t: %s", seen, squash, warnings)
				}
				for range 40 {
					w.all()
				}
				w.quiet("a no that stands", func() { w.all() })
				if w.offers(w.file[0]) || !strings.Contains(w.read("main", w.file[1]), w.at[1]) {
					t.Errorf("seen %t, squash %t: open is %+v", seen, squash, w.open())
				}
				w.moveScript(0)
				w.all()
				if x := w.one(); !strings.Contains(w.read(x.Branch, w.file[0]), w.at[0]) {
					t.Errorf("another place of the script is not told:\n%s", w.read(x.Branch, w.file[0]))
				}
			})
		}
	}
}

// TestRevertOfAnArchive: of two facts that were archived together, the one that a
// person puts back stays, although its time is over.
func TestRevertOfAnArchive(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.config.Routes.Queue = nil
		const vault, archive = "KNOWLEDGE_VAULT.md", "ARCHIVED_KNOWLEDGE.md"
		entry := func(id string) string {
			return "- **ID**: " + id + "\n- **Tags**: oven\n- **Issue**: the " + id + " door jams\n- **Mitigation**: kick it\n- **First Seen**: 2025-11-01 (ada)\n- **TTL**: 30 days\n- **Last Verified**: 2025-11-01\n\n"
		}
		full := "# Knowledge vault\n\n### CONTEXTUAL_WARNINGS\n\n" + entry("left") + entry("right") + strings.Replace(entry("middle"), "30 days", "indefinite", 1)
		w.commit("main", map[string][]byte{vault: []byte(full)})
		w.night()
		w.merge(w.one(), false)
		if got := w.read("main", vault); strings.Contains(got, "left") || strings.Contains(got, "right") {
			t.Fatalf("they are not archived:\n%s", got)
		}
		w.night()
		at := strings.Index(w.read("main", archive), "- **ID**: left")
		end := strings.Index(w.read("main", archive), "- **ID**: right")
		if at < 0 || end < at {
			t.Fatalf("the archive:\n%s", w.read("main", archive))
		}
		kept := w.read("main", archive)[:at] + w.read("main", archive)[end:]
		w.commit("main", map[string][]byte{vault: []byte(strings.Replace(full, entry("right"), "", 1)), archive: []byte(kept)})
		for range 3 {
			w.all()
		}
		if w.offers(vault) {
			t.Errorf("what a person put back is archived again:\n%s", w.read(w.one().Branch, vault))
		}
	})
}

// TestUpkeepHandThatFollowsTheCode: a person who puts the old text back because
// the script is back has refused nothing, however long the host lists the merge.
func TestUpkeepHandThatFollowsTheCode(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.config.Routes.Queue = nil
		before, home := w.read("main", w.file[0]), w.at[0]
		w.moveScript(0)
		away := w.at[0]
		w.night()
		w.merge(w.one(), false)
		w.night()
		w.commit("main", map[string][]byte{away: nil, home: []byte(w.read("main", away)), w.file[0]: []byte(before)})
		w.night()
		w.night()
		w.commit("main", map[string][]byte{home: nil, away: []byte(w.read("main", home))})
		w.night()
		if x := w.one(); !strings.Contains(w.read(x.Branch, w.file[0]), away) {
			t.Errorf("it is not offered again:\n%s", w.read(x.Branch, w.file[0]))
		}
	})
}

// TestUpkeepInTheirHands: what stands on an upkeep branch that a person took over
// is not offered a second time; what is new goes on beside it.
func TestUpkeepInTheirHands(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.config.Routes.Queue = nil
		w.moveScript(0)
		w.night()
		theirs := w.one()
		w.commit(theirs.Branch, map[string][]byte{"mine.txt": []byte("mine\n")})
		w.quiet("nothing new", func() { w.all() })
		w.moveScript(1)
		w.all()
		for _, x := range w.open() {
			if x.Branch != theirs.Branch && (len(x.Files) != 1 || x.Files[0] != w.file[1]) {
				t.Errorf("beside their branch, open is %s with %v", x.Branch, x.Files)
			}
		}
		if !w.offers(w.file[1]) {
			t.Error("what is new is not offered")
		}
	})
}
