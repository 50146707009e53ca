package signal

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/retro/signal/signaltest"
)

func extract(t *testing.T, r *repo.Repo, commits []repo.Commit, o Options) Result {
	t.Helper()
	o.Classify = knowledge.NewClassifier(nil).Classify
	res, err := Extract(context.Background(), r, commits, o)
	if err != nil {
		t.Fatal(err)
	}
	Rank(res.Signals)
	return res
}

// line is a signal in short.
func line(s *Signal) string {
	mark := ""
	if s.Explicit {
		mark = " explicit"
	}
	return string(s.Class) + " " + string(s.Trust) + " " + s.Path + mark
}

func TestClassesAndWhoSaidSo(t *testing.T) {
	t.Parallel()
	r, commits := signaltest.File(t, "classes.txtar")
	var got []string
	for _, s := range extract(t, r, commits[:len(commits)-1], Options{}).Signals {
		got = append(got, line(s))
	}
	want := []string{
		"revert member client.go explicit",
		"feedback member .claude/memory/feedback_no_fallbacks.md explicit",
		"instruction member AGENTS.md explicit",
		"lesson agent knowledge/playbooks/shell.md",
		"lesson member .claude/memory/MEMORY.md",
		"change member .gitattributes",
		"change member client.go",
		"change member hidden.go",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("signals by rank (-want +got):\n%s", diff)
	}
}

// What .gitattributes says of a file hides nothing: only the path and content do.
func TestWhatIsLeftOutIsNamed(t *testing.T) {
	t.Parallel()
	r, commits := signaltest.File(t, "classes.txtar")
	got := map[string]string{}
	for _, s := range extract(t, r, commits[:1], Options{}).Skipped {
		got[s.Path] = s.Reason
	}
	want := map[string]string{"go.sum": "lock file", "api.pb.go": "generated", "vendor/x/x.go": "vendored", "gen.go": "generated"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

// An outsider's or a bot's edit of a rule is no member's word.
func TestExplicitNeedsAMember(t *testing.T) {
	t.Parallel()
	r, commits := signaltest.File(t, "classes.txtar")
	for _, trust := range []Trust{Agent, Outsider} {
		for _, s := range extract(t, r, commits, Options{Trust: func(repo.Commit) Trust { return trust }}).Signals {
			if s.Explicit {
				t.Errorf("explicit by %s: %s", trust, line(s))
			}
		}
	}
}

func TestOwnCommitsAndOwnTextAreNoSignals(t *testing.T) {
	t.Parallel()
	r, commits := signaltest.File(t, "classes.txtar")
	own := extract(t, r, commits, Options{Own: func(repo.Commit) bool { return true }})
	if len(own.Signals) != 0 || len(own.Skipped) != len(commits) {
		t.Errorf("own commits: %d signals, %d skipped of %d", len(own.Signals), len(own.Skipped), len(commits))
	}
	ours := func(line string) bool { return strings.Contains(line, "make install") }
	for _, s := range extract(t, r, commits, Options{OwnLine: ours}).Signals {
		if s.Path == "AGENTS.md" && strings.Contains(s.Commit.Message, "make install") {
			t.Errorf("own text came back as a signal: %s", line(s))
		}
	}
}

func TestMergeShowsOnlyWhatItChangedItself(t *testing.T) {
	t.Parallel()
	r, commits := signaltest.File(t, "merge.txtar")
	signals := extract(t, r, commits[:1], Options{}).Signals
	if len(signals) != 1 || len(signals[0].Hunks) != 1 {
		t.Fatalf("got %d signals, want the one line of the merge", len(signals))
	}
	if diff := cmp.Diff([]string{"evil"}, signals[0].Hunks[0].Added); diff != "" {
		t.Errorf("added (-want +got):\n%s", diff)
	}
}

func TestSameHistorySameSignals(t *testing.T) {
	t.Parallel()
	r, commits := signaltest.File(t, "classes.txtar")
	first := ids(extract(t, r, commits, Options{}).Signals)
	shuffled := append([]repo.Commit(nil), commits...)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	if diff := cmp.Diff(first, ids(extract(t, r, shuffled, Options{}).Signals)); diff != "" {
		t.Errorf("ids depend on the order of the commits (-want +got):\n%s", diff)
	}
	seen := map[string]bool{}
	for _, id := range first {
		if seen[id] {
			t.Errorf("two signals have the id %s", id)
		}
		seen[id] = true
	}
}

func ids(signals []*Signal) []string {
	out := make([]string, 0, len(signals))
	for _, s := range signals {
		out = append(out, s.ID)
	}
	return out
}

// A commit of very many files is read up to a limit, its knowledge first, and
// the rest is said.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("-- commit --\nauthor: Ada <ada@acme.dev>\ndate: 2026-11-20T10:00:00Z\n\nimport\n")
	for i := range 40 {
		b.WriteString("-- src/f" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + ".go --\npackage src\n")
	}
	b.WriteString("-- zz/AGENTS.md --\n- Run the tests before you commit.\n")
	r, commits := signaltest.History(t, []byte(b.String()))
	res := extract(t, r, commits, Options{MaxFiles: 10})
	if len(res.Signals) != 10 || res.Signals[0].Path != "zz/AGENTS.md" {
		t.Errorf("got %d signals, first %s", len(res.Signals), res.Signals[0].Path)
	}
	if len(res.Skipped) != 1 || !strings.HasPrefix(res.Skipped[0].Reason, "31 more files") {
		t.Errorf("skipped = %v", res.Skipped)
	}
}

// A file that cannot be read is a skip; a cancelled context is an error.
func TestFaults(t *testing.T) {
	t.Parallel()
	r, commits := signaltest.File(t, "classes.txtar")
	res := extract(t, r, commits[:1], Options{MaxBytes: 5})
	if len(res.Signals) != 0 {
		t.Errorf("%d signals of files over the limit", len(res.Signals))
	}
	large := 0
	for _, s := range res.Skipped {
		if s.Reason == "too large" {
			large++
		}
	}
	if large == 0 {
		t.Errorf("no file is said to be too large: %v", res.Skipped)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Extract(ctx, r, commits, Options{}); err == nil {
		t.Error("a cancelled context is no error")
	}
}
