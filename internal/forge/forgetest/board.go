package forgetest

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/forge"
)

// testBoard: a dashboard is found again by its marker, says who edited it since
// it was written, and takes nothing in a dry run.
func testBoard(t *testing.T, w World) {
	board := forge.BoardOf(w.Forge)
	if w.Tick == nil {
		if board != nil {
			t.Fatal("the forge has a board, and nobody ticks there")
		}
		return
	}
	const marker = "<!-- test -->"
	dry := forge.BoardOf(forge.ReadOnly(w.Forge))
	w.unchanged(t, func() {
		if n, err := board.Notice(t.Context(), marker); err != nil || n.Number != 0 {
			t.Errorf("before there is one: %+v, %v", n, err)
		}
		if err := dry.Post(t.Context(), 0, "Title", marker); !errors.Is(err, forge.ErrReadOnly) {
			t.Errorf("a dry run writes: %v", err)
		}
	})
	if err := board.Post(t.Context(), 0, "Title", marker+"\n- [ ] one\n"); err != nil {
		t.Fatal(err)
	}
	n, err := board.Notice(t.Context(), marker)
	if err != nil || n.Number == 0 || n.Closed || len(n.Editors) > 0 {
		t.Fatalf("written: %+v, %v", n, err)
	}
	w.Tick(t, n.Number, "ada")
	w.Tick(t, n.Number, "mallory")
	want := forge.Notice{Number: n.Number, Body: marker + "\n- [x] one\n", Editors: []string{"mallory", "ada"}}
	if w.Unsaid {
		want.Editors = nil
	}
	got, err := dry.Notice(t.Context(), marker)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("ticked: %v\n%s", err, diff)
	}
	if err := board.Post(t.Context(), n.Number, "Title", marker+"\nother\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := board.Notice(t.Context(), marker); err != nil || got.Number != n.Number || len(got.Editors) > 0 {
		t.Errorf("written again: %+v, %v", got, err)
	}
}
