package signal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/retro/signal/signaltest"
)

// What came before decides the class: a change turned round, a fix mended while
// it is young, a person's word against an agent's.
func TestClassesThatThePastDecides(t *testing.T) {
	t.Parallel()
	r, commits := signaltest.File(t, "past.txtar")
	got := map[string]string{}
	for _, s := range extract(t, r, commits[:len(commits)-1], Options{Past: commits[len(commits)-1:]}).Signals {
		got[subjectOf(s.Commit.Message)+": "+s.Path] = strings.TrimSuffix(line(s), s.Path)
	}
	want := map[string]string{
		"feat: wait longer for the server: client.go":       "change member ",
		"Wait as before: client.go":                         "revert member ",
		"fix: retry five times: client.go":                  "change member ",
		"fix: retry twice, five were too many: client.go":   "fix-again member ",
		"feat: cache, and a line for the guide: cache.go":   "change member ",
		"feat: cache, and a line for the guide: lessons.md": "lesson member lessons.md explicit",
		"Cache only what is read twice: cache.go":           "agent-edit member ",
		"Cache only what is read twice: lessons.md":         "agent-edit member lessons.md explicit",
		"feat: pool: pool.go":                               "note member ",
		"feat: pool: later.go":                              "change member ",
		"ci: fix the flaky job: .github/workflows/ci.yml":   "ci-fix member ",
		"fix: retry once: client.go":                        "change member ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
}

// A mend that an agent makes of its own text is no person's word.
func TestAgentsMendTheirOwn(t *testing.T) {
	t.Parallel()
	r, commits := signaltest.File(t, "past.txtar")
	for _, s := range extract(t, r, commits, Options{Trust: func(repo.Commit) Trust { return Agent }}).Signals {
		if s.Class == AgentEdit || s.Explicit {
			t.Errorf("%s", line(s))
		}
	}
}

// The past alone, without the range, teaches the same.
func TestPastBeforeTheRange(t *testing.T) {
	t.Parallel()
	r, commits := signaltest.File(t, "past.txtar")
	at := len(commits) - 5 // the second fix
	with := extract(t, r, commits[at:at+1], Options{Past: commits[at+1:]}).Signals
	without := extract(t, r, commits[at:at+1], Options{}).Signals
	if len(with) != 1 || len(without) != 1 || with[0].Class != FixAgain || without[0].Class != Change || with[0].ID != without[0].ID {
		t.Errorf("with %v, without %v", with, without)
	}
}

// A reviewer's word raises what it is about; an outsider's is shown and raises
// nothing.
func TestRemarks(t *testing.T) {
	t.Parallel()
	r, commits := signaltest.File(t, "past.txtar")
	id := commits[2].Hash.String() // the pool
	for _, tt := range []struct {
		name   string
		remark Remark
		want   []string
	}{
		{"of a line", Remark{Path: "later.go", Trust: Member}, []string{"review member later.go", "note member pool.go"}},
		{"changes requested", Remark{Path: "later.go", Trust: Member, Requested: true}, []string{"review member later.go explicit", "note member pool.go"}},
		{"of the whole", Remark{Trust: Member}, []string{"review member pool.go", "change member later.go"}},
		{"by an outsider", Remark{Path: "later.go", Trust: Outsider, Requested: true}, []string{"note member pool.go", "change member later.go"}},
		{"of another file", Remark{Path: "gone.go", Trust: Member}, []string{"note member pool.go", "change member later.go"}},
	} {
		tt.remark.Commits, tt.remark.Text = []string{id}, "Say why."
		var got []string
		for _, s := range extract(t, r, commits[2:3], Options{Remarks: []Remark{tt.remark}}).Signals {
			got = append(got, line(s))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A block that moves, and moves back, was not wrong.
func TestMovedLinesAreNoRevert(t *testing.T) {
	t.Parallel()
	one, two := "func encode() {}", "func decode() {}"
	for _, tt := range []struct {
		name  string
		hunks []repo.Hunk
		want  bool
	}{
		{"moved", []repo.Hunk{{Removed: []string{one, ""}}, {Added: []string{"", "\t}", one}}}, true},
		{"moved and changed", []repo.Hunk{{Removed: []string{one}}, {Added: []string{two}}}, false},
		{"removed", []repo.Hunk{{Removed: []string{one}}}, false},
		{"added", []repo.Hunk{{Added: []string{one}}}, false},
		{"braces", []repo.Hunk{{Removed: []string{"}"}, Added: []string{"})"}}}, false},
	} {
		if got := moves(tt.hunks); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
