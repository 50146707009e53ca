package night_test

import (
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/report"
)

// takeBack puts a file back as it was.
func (w *world) takeBack(file, text string) {
	w.t.Helper()
	w.write("main", map[string][]byte{file: []byte(text)}, "Revert \"docs\"", w.ref("refs/heads/main"))
}

// TestRevertIsANo: what was merged and taken back is remembered like what a
// person closed, whether a night came between or not: never the same again, and
// nothing else for the file before the cooldown is over.
func TestRevertIsANo(t *testing.T) {
	t.Parallel()
	for _, seen := range []bool{true, false} {
		for _, squash := range []bool{true, false} {
			both(t, func(t *testing.T, w *world) {
				before := w.read("main", w.file[0])
				w.moveScript(0)
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
				w.night()
				w.moveScript(0)
				if state, why := stateOf(w.all(), x.Slot); state != report.ProposalWaiting || !strings.Contains(why, "was rejected") {
					t.Errorf("seen %t, squash %t: another correction is %s: %s", seen, squash, state, why)
				}
				w.now = w.now.AddDate(0, 0, 31)
				w.all()
				y := w.one()
				if y.Content == x.Content || y.Slot != x.Slot {
					t.Errorf("offered is %+v", y)
				}
			})
		}
	}
}

// TestRevertOfTheSame: without another move, it is never offered again.
func TestRevertOfTheSame(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		before := w.read("main", w.file[0])
		w.moveScript(0)
		w.night()
		x := w.one()
		w.merge(x, false)
		w.night()
		w.takeBack(w.file[0], before)
		for range 40 {
			w.all()
		}
		if open := w.open(); len(open) > 0 {
			t.Errorf("offered again: %+v", open)
		}
		if state, _ := stateOf(w.all(), x.Slot); state != report.ProposalRejected {
			t.Errorf("it is %s", state)
		}
	})
}

// TestHandThatFollowsTheCode: a person who puts the old text back because the
// script is back has refused nothing.
func TestHandThatFollowsTheCode(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		before, home := w.read("main", w.file[0]), w.at[0]
		w.moveScript(0)
		away := w.at[0]
		w.night()
		x := w.one()
		w.merge(x, false)
		w.night()
		w.commit("main", map[string][]byte{away: nil, home: []byte(w.read("main", away)), w.file[0]: []byte(before)})
		w.night()
		w.commit("main", map[string][]byte{home: nil, away: []byte(w.read("main", home))})
		w.night()
		if y := w.one(); y.Content != x.Content {
			t.Errorf("offered is %+v", y)
		}
	})
}

// TestRevertOfALesson: a rule that was merged and taken out again is a no; one
// that a person wrote anew is theirs.
func TestRevertOfALesson(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		no   bool
	}{
		"taken out":     {"# Baking\n\n- Weigh the flour before the water.\n", true},
		"written anew":  {"# Baking\n\n- Weigh the flour before the water.\n- Heat the oven to 230 first.\n", false},
		"still there":   {"", false},
		"another place": {"# Baking\n\n- Knead.\n- Weigh the flour before the water.\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both(t, func(t *testing.T, w *world) {
				w.fill()
				w.merge(w.one(), false)
				w.taught()
				x := w.one()
				w.merge(x, false)
				w.taught()
				if c.text != "" {
					w.takeBack(baking, c.text)
				}
				r, _ := w.taught()
				no := strings.Contains(strings.Join(r.Warnings, "\n"), "is taken back")
				if no != c.no {
					t.Errorf("a no: %t; %v", no, r.Warnings)
				}
				if !proposal.IsUpkeep(x.Branch) && len(w.open()) > 0 {
					t.Errorf("offered again: %+v", w.open())
				}
			})
		})
	}
}
