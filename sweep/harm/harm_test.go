package harm_test

import (
	"testing"
	"testing/quick"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/harm"
)

var now = time.Date(2026, 11, 30, 4, 30, 0, 0, time.UTC)

func doc(name, text string) *knowledge.Document {
	format, _, _ := knowledge.NewClassifier(nil).Classify(name)
	return knowledge.Parse(name, []byte(text), format)
}

func TestWhatMisleadsMostComesFirst(t *testing.T) {
	t.Parallel()
	docs := []*knowledge.Document{
		doc("CLAUDE.md", "- Read [limits](knowledge/playbooks/limits.md) and [[limits]].\n"),
		doc("knowledge/playbooks/limits.md", "- Three fit.\n"),
		doc("knowledge/playbooks/lonely.md", "- Nobody leads here, see [limits](limits.md).\n"),
	}
	s := harm.New(docs, []string{"CLAUDE.md", "knowledge/playbooks/limits.md", "knowledge/playbooks/lonely.md"})
	if got := s.Reach("knowledge/playbooks/limits.md"); got != 2 {
		t.Errorf("two documents lead there, not %d", got)
	}
	if s.Names(&docs[1].Facts[0]) || !s.Names(&docs[0].Facts[0]) {
		t.Error("what a fact names is not told from what it does not")
	}
	of := func(d *knowledge.Document) float64 { return s.Of(&d.Facts[len(d.Facts)-1], time.Time{}, now) }
	if of(docs[0]) <= of(docs[1]) || of(docs[1]) <= of(docs[2]) {
		t.Errorf("startup %.2f, reached %.2f, lonely %.2f", of(docs[0]), of(docs[1]), of(docs[2]))
	}
	f := &docs[1].Facts[0]
	if s.Of(f, now.AddDate(0, -6, 0), now) >= s.Of(f, now.AddDate(-2, 0, 0), now) || s.Of(f, now.AddDate(-2, 0, 0), now) > s.Of(f, time.Time{}, now) {
		t.Error("doubt does not grow with time")
	}
}

func TestStatusGovernsRank(t *testing.T) {
	t.Parallel()
	day := func(ago int) time.Time { return now.AddDate(0, 0, -ago) }
	with := func(l knowledge.Lifecycle) float64 { return harm.Standing(&knowledge.Fact{Life: l}, now) }
	holds := with(knowledge.Lifecycle{})
	fresh := with(knowledge.Lifecycle{Status: "Done (shipped)", Created: day(0)})
	month := with(knowledge.Lifecycle{SupersededBy: "x", Created: day(30)})
	old := with(knowledge.Lifecycle{Status: "archived", Created: day(900)})
	if holds != 1 || fresh < 0.9 || month > 0.51 || month < 0.49 || old >= month {
		t.Errorf("holds %.2f, done today %.2f, a month ago %.2f, long ago %.2f", holds, fresh, month, old)
	}
}

// TestNothingIsHidden: whatever a fact says of itself, it keeps a rank, and no
// larger one than a fact that holds.
func TestNothingIsHidden(t *testing.T) {
	t.Parallel()
	property := func(status string, superseded bool, created, renewed int32, event bool) bool {
		f := &knowledge.Fact{Event: event, Life: knowledge.Lifecycle{Status: status, Created: time.Unix(int64(created), 0), Renewed: time.Unix(int64(renewed), 0)}}
		if superseded {
			f.Life.SupersededBy = "x"
		}
		got := harm.Standing(f, now)
		return got > 0 && got <= 1
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}
