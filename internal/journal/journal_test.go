package journal_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

var night = time.Date(2026, 11, 30, 4, 30, 0, 0, time.UTC)

func build(t *testing.T) *repo.Repo {
	t.Helper()
	r, err := testkit.Build(t.TempDir(), []byte("-- commit --\n\none\n-- a --\na\n"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func load(t *testing.T, r *repo.Repo) (*journal.State, repo.Hash) {
	t.Helper()
	s, h, err := journal.Load(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return s, h
}

func save(t *testing.T, r *repo.Repo, s *journal.State, old repo.Hash) repo.Hash {
	t.Helper()
	h, err := journal.Save(context.Background(), r, s, old, night)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// full is a state with something in every part.
func full() *journal.State {
	return &journal.State{
		Branches: map[string]*journal.Watermark{
			"main":     {Retro: &journal.Mark{Commit: "c1", Tree: "t1"}, Sweep: &journal.Mark{Commit: "c2", Tree: "t2"}},
			"team/x y": {Sweep: &journal.Mark{Commit: "c3", Tree: "t3"}},
		},
		Backlog:    []journal.Signal{{ID: "s1", Commit: "c1", Path: "a/b.md", Line: 3, Class: "revert", Since: night, Nights: 2}},
		Candidates: map[string]*journal.Candidate{"k1": {ID: "k1", LessonKey: "l1", Evidence: []journal.Where{{Commit: "c", Path: "p", Line: 1}}, Explicit: true, Since: night, Status: "waiting"}},
		Rejections: []journal.Rejection{{Slot: "s", Content: "c", Key: "k", At: night}},
		Verdicts: map[string][]journal.Verdict{
			"ab12": {{Claim: "ab12", Fact: "f1", Anchors: []string{"aa"}, Fingerprints: []string{"go@1:ff"}, Verdict: "fresh", Commit: "c", Tree: "t", By: "judge", At: night}},
			"ab34": {{Claim: "ab34", Verdict: "stale", At: night}}, "cd": {{Claim: "cd", At: night}}, "/": {{Claim: "/", At: night}},
		},
		Keys:     map[string]string{"aa11": "run1", "bb22": "run1", "": "run2"},
		Commits:  []string{"c9"},
		Receipts: map[string]json.RawMessage{"run1": json.RawMessage(`{"schema":"retrosweep.run/v1","started":"2026-11-30T04:30:00Z"}`)},
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	r := build(t)
	if s, h := load(t, r); !h.IsZero() || len(s.Faults) != 0 || s.Branch("main").Retro != nil {
		t.Fatalf("without a journal: %s, %+v", h, s)
	}
	h := save(t, r, full(), repo.Hash{})
	s, at := load(t, r)
	if at != h {
		t.Errorf("loaded at %s, saved as %s", at, h)
	}
	compact(t, s)
	if diff := cmp.Diff(full(), s); diff != "" {
		t.Errorf("what came back (-want +got):\n%s", diff)
	}
	if again := save(t, r, s, at); again != h {
		t.Error("a save without a change made a commit")
	}
}

// compact undoes the indentation of receipts.
func compact(t *testing.T, s *journal.State) {
	t.Helper()
	for run, raw := range s.Receipts {
		var b bytes.Buffer
		if err := json.Compact(&b, raw); err != nil {
			t.Fatal(err)
		}
		s.Receipts[run] = b.Bytes()
	}
}

// TestNothing: a first night that found nothing leaves no journal.
func TestNothing(t *testing.T) {
	t.Parallel()
	r := build(t)
	s, old := load(t, r)
	s.Branch("main") // asked for, not set
	if h := save(t, r, s, old); !h.IsZero() {
		t.Errorf("an empty journal was written: %s", h)
	}
	if _, ok, _ := r.Ref(journal.Ref); ok {
		t.Error("the reference exists")
	}
}

func TestSaveIsDeterministic(t *testing.T) {
	t.Parallel()
	a := save(t, build(t), full(), repo.Hash{})
	b := save(t, build(t), full(), repo.Hash{})
	if a != b {
		t.Errorf("the same state gave %s and %s", a, b)
	}
}

func TestSaveRemoves(t *testing.T) {
	t.Parallel()
	r := build(t)
	old := save(t, r, full(), repo.Hash{})
	s, _ := load(t, r)
	delete(s.Candidates, "k1")
	delete(s.Verdicts, "cd")
	s.Backlog = nil
	save(t, r, s, old)
	s, _ = load(t, r)
	if len(s.Candidates) != 0 || len(s.Verdicts) != 3 || s.Backlog != nil || len(s.Keys) != 3 {
		t.Errorf("left: %+v", s)
	}
}

func TestMoved(t *testing.T) {
	t.Parallel()
	r := build(t)
	mine, theirs := full(), full()
	old := save(t, r, full(), repo.Hash{})
	theirs.Commits = append(theirs.Commits, "c10")
	save(t, r, theirs, old)
	mine.Commits = append(mine.Commits, "c11")
	if _, err := journal.Save(context.Background(), r, mine, old, night); !errors.Is(err, repo.ErrRefMoved) {
		t.Errorf("save over somebody else's = %v, want ErrRefMoved", err)
	}
	if _, err := journal.Save(context.Background(), r, mine, repo.Hash{}, night); !errors.Is(err, repo.ErrRefMoved) {
		t.Errorf("first save over a journal = %v, want ErrRefMoved", err)
	}
}

// TestBrokenFiles: each broken file is named, and hides nothing else.
func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	broken := []string{"watermark.json", "backlog.json", "rejections.json", "commits.json", "candidates/k1.json", "verdicts/ab.json", "keys/aa.json", "receipts/run1.json"}
	for _, path := range broken {
		r := build(t)
		old := save(t, r, full(), repo.Hash{})
		forge(t, r, old, map[string][]byte{path: []byte("{not json")})
		s, at := load(t, r)
		if len(s.Faults) != 1 || !strings.HasPrefix(s.Faults[0], path+": ") {
			t.Errorf("%s: faults %q", path, s.Faults)
		}
		parts := []int{len(s.Branches) - 1, len(s.Backlog), len(s.Rejections), len(s.Commits), len(s.Candidates), len(s.Verdicts), len(s.Keys), len(s.Receipts)}
		empty := 0
		for _, n := range parts {
			if n <= 0 {
				empty++
			}
		}
		if empty > 1 {
			t.Errorf("%s: more than it is gone: %v", path, parts)
		}
		if h := save(t, r, s, at); h == at {
			t.Errorf("%s: the next save did not mend the journal", path)
		}
		if s, _ := load(t, r); len(s.Faults) != 0 {
			t.Errorf("%s: still faulty after a save: %q", path, s.Faults)
		}
	}
}

// forge writes files into the journal behind its back.
func forge(t *testing.T, r *repo.Repo, old repo.Hash, files map[string][]byte) {
	t.Helper()
	tree, err := r.WriteTree(old, files)
	if err != nil {
		t.Fatal(err)
	}
	s := repo.Signature{Name: "Mallory", Email: "m@example.com", When: night}
	h, err := r.WriteCommit(repo.NewCommit{Tree: tree, Parents: []repo.Hash{old}, Author: s, Committer: s})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.UpdateRef(journal.Ref, old, h); err != nil {
		t.Fatal(err)
	}
}

// TestForgedShapes: valid JSON of odd shape is read without harm.
func TestForgedShapes(t *testing.T) {
	t.Parallel()
	r := build(t)
	old := save(t, r, full(), repo.Hash{})
	forge(t, r, old, map[string][]byte{
		"watermark.json":       []byte(`{"main": null, "x": {}}`),
		"candidates/k1.json":   []byte(`{"id": "../../x"}`),
		"candidates/null.json": []byte(`null`),
		"verdicts/ab.json":     []byte(`null`),
		"later/version.json":   []byte(`{}`),
		"README":               []byte("hello"),
	})
	s, at := load(t, r)
	if s.Branch("main") == nil || s.Branch("x") == nil || s.Branches["main"] == nil {
		t.Error("a branch without a watermark is not usable")
	}
	if len(s.Candidates) != 0 {
		t.Errorf("candidates under another name than theirs: %v", s.Candidates)
	}
	s.Commits = append(s.Commits, "c10")
	h := save(t, r, s, at)
	tree, err := r.Tree(h)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"later/version.json", "README"} {
		if _, ok, _ := tree.Entry(path); !ok {
			t.Errorf("%s, which this version does not know, was removed", path)
		}
	}
}

func TestReceiptsAreBounded(t *testing.T) {
	t.Parallel()
	r := build(t)
	s := full()
	s.Receipts = map[string]json.RawMessage{}
	for i := range 40 {
		// Ids that sort the other way round: the date decides.
		s.Receipts[fmt.Sprintf("r%02d", 99-i)] = json.RawMessage(fmt.Sprintf(`{"started":%q}`, night.AddDate(0, 0, i).Format(time.RFC3339)))
	}
	save(t, r, s, repo.Hash{})
	s, _ = load(t, r)
	if len(s.Receipts) != journal.MaxReceipts || s.Receipts["r60"] == nil || s.Receipts["r99"] != nil {
		t.Errorf("%d receipts are left, the last %v, the first %v", len(s.Receipts), s.Receipts["r60"] != nil, s.Receipts["r99"] != nil)
	}
}

func TestSaveRefuses(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*journal.State){
		"a candidate that names a path":   func(s *journal.State) { s.Candidates["../x"] = &journal.Candidate{ID: "../x"} },
		"a candidate under another id":    func(s *journal.State) { s.Candidates["x"] = &journal.Candidate{ID: "y"} },
		"a candidate that is nil":         func(s *journal.State) { s.Candidates["x"] = nil },
		"a receipt that names a path":     func(s *journal.State) { s.Receipts["a/b"] = json.RawMessage(`{}`) },
		"a receipt that is not JSON":      func(s *journal.State) { s.Receipts["x"] = json.RawMessage(`{`) },
		"a date that JSON cannot express": func(s *journal.State) { s.Backlog[0].Since = time.Date(10001, 1, 1, 0, 0, 0, 0, time.UTC) },
	} {
		s := full()
		change(s)
		if h, err := journal.Save(context.Background(), build(t), s, repo.Hash{}, night); err == nil {
			t.Errorf("%s was saved as %s", name, h)
		}
	}
}

func TestHistoryGrows(t *testing.T) {
	t.Parallel()
	r := build(t)
	h := repo.Hash{}
	for i := range 3 {
		s, old := load(t, r)
		s.Commits = append(s.Commits, fmt.Sprint(i))
		h = save(t, r, s, old)
	}
	res, err := r.Range(context.Background(), repo.Hash{}, h, 0)
	if err != nil || len(res.Commits) != 3 {
		t.Errorf("the journal has %d commits, %v; want 3", len(res.Commits), err)
	}
}

func TestNoteKeepsAHistory(t *testing.T) {
	t.Parallel()
	s := &journal.State{}
	v := journal.Verdict{Claim: "c", Fact: "f", Fingerprints: []string{"go@1:ff"}, Verdict: "fresh", By: "person", At: night}
	s.Note(v)
	later := v
	later.At = night.Add(time.Hour)
	s.Note(later) // the same on the same day
	if len(s.Verdicts["c"]) != 1 {
		t.Fatalf("one check is kept as %d", len(s.Verdicts["c"]))
	}
	for i := range 2 * journal.MaxVerdicts {
		later.At = night.AddDate(0, 0, i+1)
		s.Note(later)
	}
	last, ok := s.Last("c")
	if n := len(s.Verdicts["c"]); n != journal.MaxVerdicts || !ok || !last.At.Equal(later.At) {
		t.Errorf("%d are kept, the last of %s", n, last.At)
	}
	if _, ok := s.Last("other"); ok {
		t.Error("a claim that nobody checked has a check")
	}
}
