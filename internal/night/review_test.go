package night_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/report"
)

func (w *world) queue() *night.Queue {
	w.t.Helper()
	q, err := night.ReadQueue(w.t.Context(), w.options())
	if err != nil {
		w.t.Fatal(err)
	}
	return &q
}

func (w *world) find(q *night.Queue, what string) *night.Entry {
	w.t.Helper()
	e, err := q.Find(what)
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

func TestReviewListsAndShows(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.moveScript(0)
		w.moveScript(1)
		w.night()
		w.now = w.now.AddDate(0, 0, 2)
		w.quiet("list and show", func() {
			q := w.queue()
			if len(q.Proposals) != 2 || q.Proposals[0].State != "open" || q.Proposals[1].State != "waiting" {
				t.Fatalf("listed: %+v", q.Proposals)
			}
			e := w.find(q, q.Proposals[0].Slot[:6])
			if err := q.Show(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			if e.Days != 3 || len(e.Files) != 1 || e.Reason == "" || !strings.Contains(e.Body, "Corrects a moved path") || !strings.Contains(e.Diff, "+Bake number") {
				t.Errorf("it is %+v", e)
			}
			if by := w.find(q, e.Branch); by.Slot != e.Slot {
				t.Error("its branch names another one")
			}
			if _, err := q.Find("ffff"); !errors.Is(err, night.ErrNoProposal) {
				t.Errorf("a slot that is none: %v", err)
			}
		})
	})
}

// A rejection by command and one by hand are the same from then on: never the
// same again, and the cooldown for the file.
func TestReviewRejectIsRememberedAsAClosedOne(t *testing.T) {
	t.Parallel()
	for _, byHand := range []bool{false, true} {
		both(t, func(t *testing.T, w *world) {
			w.moveScript(0)
			w.night()
			x := w.one()
			if byHand {
				w.no(x)
			} else {
				q := w.queue()
				if err := q.Reject(t.Context(), w.find(q, x.Slot), "we keep it"); err != nil {
					t.Fatal(err)
				}
				if h := w.ref("refs/heads/" + x.Branch); !h.IsZero() {
					t.Errorf("its branch is left at %s", h)
				}
			}
			all := func() *report.Receipt {
				o := w.options()
				o.Command.All = true
				w.now = w.now.AddDate(0, 0, 1)
				return run(t, o)
			}
			if state, why := stateOf(all(), x.Slot); state != report.ProposalRejected {
				t.Errorf("the next night says %s: %s", state, why)
			}
			w.moveScript(0) // another change of the same file
			if state, why := stateOf(all(), x.Slot); state != report.ProposalWaiting || !strings.Contains(why, "nothing new before") {
				t.Errorf("in the cooldown: %s: %s", state, why)
			}
			w.now = w.now.AddDate(0, 0, 31)
			if state, why := stateOf(all(), x.Slot); state != report.ProposalOpened {
				t.Errorf("after the cooldown: %s: %s", state, why)
			}
		})
	}
}

func TestReviewAccept(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.moveScript(0)
		w.night()
		x := w.one()
		w.moveScript(1) // the base goes on
		if w.fake != nil {
			var byHand *forge.ByHandError
			q := w.queue()
			w.quiet("accept with the bot's token", func() {
				if err := q.Accept(t.Context(), w.find(q, x.Slot)); !errors.As(err, &byHand) || byHand.Line != x.URL {
					t.Errorf("the bot merges its own: %v", err)
				}
			})
			w.account = personToken
		}
		q := w.queue()
		if err := q.Accept(t.Context(), w.find(q, x.Slot)); err != nil {
			t.Fatal(err)
		}
		if got := w.read("main", w.file[0]); !strings.Contains(got, w.at[0]) {
			t.Errorf("it is not in main:\n%s", got)
		}
		if w.read("main", w.at[1]) == "" {
			t.Error("what came to the base in between is lost")
		}
		w.account = ""
		if state, why := stateOf(w.night(), x.Slot); state != report.ProposalMerged {
			t.Errorf("the next night says %s: %s", state, why)
		}
	})
}

// What somebody else changed is theirs: it is neither rejected nor merged by us.
func TestReviewLeavesWhatIsTheirs(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.moveScript(0)
		w.night()
		x := w.one()
		w.commit(x.Branch, map[string][]byte{"mine.txt": []byte("mine\n")})
		q := w.queue()
		e := w.find(q, x.Slot)
		if e.State != "hands-off" {
			t.Errorf("it is %s", e.State)
		}
		w.quiet("reject", func() {
			if err := q.Reject(t.Context(), e, ""); !errors.Is(err, forge.ErrTouched) {
				t.Errorf("reject: %v", err)
			}
		})
		if w.fake == nil {
			var byHand *forge.ByHandError
			if err := q.Accept(t.Context(), e); !errors.As(err, &byHand) {
				t.Errorf("accept: %v", err)
			}
		}
	})
}

// A dry run decides nothing.
func TestReviewDryRun(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.moveScript(0)
		w.night()
		x := w.one()
		o := w.options()
		o.Apply = false
		q, err := night.ReadQueue(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		before := w.snapshot()
		if err := errors.Join(q.Accept(t.Context(), w.find(&q, x.Slot)), q.Reject(t.Context(), w.find(&q, x.Slot), "")); err != nil {
			t.Error(err)
		}
		if len(w.snapshot()) != len(before) || w.one().Status != proposal.Open {
			t.Error("a dry run wrote")
		}
	})
}
