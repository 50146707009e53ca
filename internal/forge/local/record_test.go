package local

import (
	"errors"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

// scene is a repository with drafts to open, for tests of what a crash leaves.
type scene struct {
	*Forge
	t    *testing.T
	base proposal.Base
}

func newScene(t *testing.T) scene {
	t.Helper()
	r, err := testkit.Build(t.TempDir(), []byte("-- commit --\nauthor: Ada Byron <ada@acme.dev>\ndate: 2026-11-02T10:00:00Z\n\nfeat: begin\n-- a.md --\n# A\n"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	h, _, err := r.Ref(heads + "main")
	if err != nil {
		t.Fatal(err)
	}
	return scene{New(r, proposal.DefaultIdentity), t, proposal.Base{Name: "main", Commit: h}}
}

func (s scene) draft(text string) proposal.Draft {
	s.t.Helper()
	at := time.Date(2026, 11, 30, 4, 30, 0, 0, time.UTC)
	h, err := proposal.Commit(s.repo, s.base.Commit, map[string][]byte{"a.md": []byte(text)}, text, s.id, at)
	if err != nil {
		s.t.Fatal(err)
	}
	return proposal.Draft{Slot: "s", Content: text, Kind: "rules", Branch: "retrosweep/rules/a-00000000", Base: s.base, Head: h, At: at}
}

func (s scene) list() []proposal.Existing {
	s.t.Helper()
	all, err := s.List(s.t.Context(), s.base)
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

// plant writes a record as a crash would have left it.
func (s scene) plant(rec record) {
	s.t.Helper()
	_, at, err := s.current(rec.Branch)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.write(rec, at); err != nil {
		s.t.Fatal(err)
	}
}

func TestOpenCutShort(t *testing.T) {
	t.Parallel()
	for _, moved := range []bool{false, true} {
		s := newScene(t)
		d := s.draft("one")
		rec := newRecord(d)
		rec.Pending = true
		s.plant(rec)
		if moved {
			if err := s.repo.UpdateRef(heads+d.Branch, repo.Hash{}, d.Head); err != nil {
				t.Fatal(err)
			}
		} else if all := s.list(); len(all) != 0 {
			t.Errorf("what was never opened is listed: %+v", all)
		}
		x, err := s.Open(t.Context(), d)
		if err != nil || x.Status != proposal.Open || x.Touched {
			t.Fatalf("branch there %v: %+v, %v", moved, x, err)
		}
		if rec, _, err := s.record(d.Branch); err != nil || rec.Pending {
			t.Errorf("branch there %v: it is not confirmed: %v", moved, err)
		}
	}
}

func TestUpdateCutShort(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	one, two := s.draft("one"), s.draft("two")
	if _, err := s.Open(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	rec := newRecord(two)
	rec.Pending, rec.Previous = true, one.Head.String()
	s.plant(rec)
	all := s.list()
	if len(all) != 1 || all[0].Touched || all[0].Content != "" || all[0].Head != one.Head {
		t.Fatalf("before the branch moved: %+v", all)
	}
	x, err := s.Update(t.Context(), all[0], two)
	if err != nil || x.Head != two.Head || x.Content != "two" {
		t.Errorf("done again: %+v, %v", x, err)
	}
}

func TestCloseCutShort(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	d := s.draft("one")
	x, err := s.Open(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	rec := newRecord(d)
	rec.Closing = true
	s.plant(rec)
	if all := s.list(); len(all) != 1 || all[0].Status != proposal.Open || all[0].Touched {
		t.Errorf("before the branch is gone: %+v", all)
	}
	if err := s.repo.DeleteRef(heads+d.Branch, d.Head); err != nil {
		t.Fatal(err)
	}
	if all := s.list(); len(all) != 0 {
		t.Errorf("our own closing reads as a person's no: %+v", all)
	}
	if err := s.Close(t.Context(), x, ""); err != nil {
		t.Errorf("done again: %v", err)
	}
}

// TestDamagedRecord: a branch whose record cannot be read is somebody else's.
func TestDamagedRecord(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"no JSON": "{", "a later version": `{"version":9,"branch":"retrosweep/rules/a-00000000"}`, "another branch": `{"version":1,"branch":"main"}`} {
		s := newScene(t)
		d := s.draft("one\n\nRetrosweep-Run: r\nRetrosweep-Slot: s\nRetrosweep-Content: one")
		x, err := s.Open(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		_, at, err := s.current(d.Branch)
		if err != nil {
			t.Fatal(err)
		}
		bad, err := proposal.Commit(s.repo, s.base.Commit, map[string][]byte{recordFile: []byte(content)}, "x", s.id, d.At)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.repo.UpdateRef(recordRef(d.Branch), at, bad); err != nil {
			t.Fatal(err)
		}
		if all := s.list(); len(all) != 1 || !all[0].Touched || all[0].Slot != "s" {
			t.Errorf("%s: %+v", name, all)
		}
		if _, err := s.Update(t.Context(), x, s.draft("two")); !errors.Is(err, forge.ErrTouched) {
			t.Errorf("%s: it is updated: %v", name, err)
		}
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	const id = "3f2a1b9c4d5e6f708192a3b4c5d6e7f801234567"
	if got := hash(id).String(); got != id {
		t.Errorf("it is %s", got)
	}
	for _, bad := range []string{"", "3f2a", "zz", id + "00"} {
		if !hash(bad).IsZero() {
			t.Errorf("%q is a commit", bad)
		}
	}
}
