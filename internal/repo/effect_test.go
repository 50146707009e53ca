package repo_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

func TestOnEffectSeesEachEffectAndStopsIt(t *testing.T) {
	t.Parallel()
	r, err := testkit.Build(t.TempDir(), []byte("-- commit --\nauthor: Ada <ada@acme.dev>\ndate: 2026-03-02T10:00:00Z\n\nbegin\n-- a.md --\na\n"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	_, head, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	died := errors.New("killed")
	var seen []string
	dead := false
	r.OnEffect(func(kind, subject string) error {
		if dead {
			return died
		}
		seen = append(seen, kind+" "+subject)
		return nil
	})
	if _, err := r.WriteBlob([]byte("b\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.WriteBlob([]byte("a\n")); err != nil { // is there already
		t.Fatal(err)
	}
	if _, err := r.Scratch().WriteBlob([]byte("c\n")); err != nil {
		t.Fatal(err)
	}
	if err := r.UpdateRef("refs/heads/x", repo.Hash{}, head); err != nil {
		t.Fatal(err)
	}
	if err := r.DeleteRef("refs/heads/x", head); err != nil {
		t.Fatal(err)
	}
	want := []string{"object blob", "reference refs/heads/x", "reference refs/heads/x"}
	if !slices.Equal(seen, want) {
		t.Errorf("seen are %q, made were %q", seen, want)
	}
	dead = true
	if _, err := r.WriteBlob([]byte("c\n")); !errors.Is(err, died) {
		t.Errorf("an object of a dead process: %v", err)
	}
	if err := r.UpdateRef("refs/heads/x", repo.Hash{}, head); !errors.Is(err, died) {
		t.Errorf("a reference of a dead process: %v", err)
	}
	if _, there, err := r.Ref("refs/heads/x"); there || err != nil {
		t.Errorf("the reference of a dead process is there: %v, %v", there, err)
	}
}
