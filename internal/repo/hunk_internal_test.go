package repo

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiffLines(t *testing.T) {
	t.Parallel()
	long := func(change ...int) string {
		var b strings.Builder
		for i := 1; i <= 10; i++ {
			if slices.Contains(change, i) {
				fmt.Fprintf(&b, "new %d\n", i)
			} else {
				fmt.Fprintf(&b, "line %d\n", i)
			}
		}
		return b.String()
	}
	tests := []struct {
		name, old, new string
		want           []Hunk
	}{
		{"equal", "a\n", "a\n", nil},
		{"from nothing", "", "a\nb\n", []Hunk{{OldLine: 1, NewLine: 1, Added: []string{"a", "b"}}}},
		{"to nothing", "a\n", "", []Hunk{{OldLine: 1, NewLine: 1, Removed: []string{"a"}}}},
		{"last line end", "a\nb", "a\nb\n", []Hunk{{OldLine: 2, NewLine: 2, Removed: []string{"b"}, Added: []string{"b"}, Before: []string{"a"}}}},
		{"line ends count", "a\r\nb\n", "a\nb\n", []Hunk{{OldLine: 1, NewLine: 1, Removed: []string{"a"}, Added: []string{"a"}, After: []string{"b"}}}},
		{"context", long(), long(5), []Hunk{{OldLine: 5, NewLine: 5, Removed: []string{"line 5"}, Added: []string{"new 5"},
			Before: []string{"line 2", "line 3", "line 4"}, After: []string{"line 6", "line 7", "line 8"}}}},
		{"added before", "b\n", "a\nb\n", []Hunk{{OldLine: 1, NewLine: 1, Added: []string{"a"}, After: []string{"b"}}}},
		{"added behind", "a\n", "a\nb\n", []Hunk{{OldLine: 2, NewLine: 2, Added: []string{"b"}, Before: []string{"a"}}}},
		{"a run of two lines is one hunk", long(), long(1, 2), []Hunk{{OldLine: 1, NewLine: 1, Removed: []string{"line 1", "line 2"}, Added: []string{"new 1", "new 2"},
			After: []string{"line 3", "line 4", "line 5"}}}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, diffLines([]byte(test.old), []byte(test.new))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestDiffOfManyChanges: far more differences than the library looks for at once
// must not become one large replacement.
func TestDiffOfManyChanges(t *testing.T) {
	t.Parallel()
	var a, b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&a, "line %d\n", i)
		if i%4 == 0 {
			fmt.Fprintf(&b, "changed %d\n", i)
		} else {
			fmt.Fprintf(&b, "line %d\n", i)
		}
	}
	hunks := diffLines([]byte(a.String()), []byte(b.String()))
	if len(hunks) != 500 {
		t.Errorf("%d hunks, want 500", len(hunks))
	}
	for _, h := range hunks {
		if len(h.Removed) != 1 || len(h.Added) != 1 {
			t.Fatalf("a hunk of %d and %d lines", len(h.Removed), len(h.Added))
		}
	}
}

// applyHunks puts the added lines in the place of the removed ones and checks
// every line number and every line of context on the way: what is the same on
// both sides.
func applyHunks(old []string, new []string, hunks []Hunk) ([]string, error) {
	var out []string
	at := 0
	for i, h := range hunks {
		start := h.OldLine - 1
		if start < at || start+len(h.Removed) > len(old) {
			return nil, fmt.Errorf("hunk %d begins at old line %d, after line %d of %d", i, h.OldLine, at, len(old))
		}
		out = append(out, old[at:start]...)
		if len(out) != h.NewLine-1 {
			return nil, fmt.Errorf("hunk %d says new line %d, it is %d", i, h.NewLine, len(out)+1)
		}
		before, next := old[max(at, start-3):start], len(old)
		if i+1 < len(hunks) {
			next = hunks[i+1].OldLine - 1
		}
		at = start + len(h.Removed)
		if !slices.Equal(old[start:at], h.Removed) {
			return nil, fmt.Errorf("hunk %d removes other lines", i)
		}
		if !slices.Equal(before, h.Before) || !slices.Equal(old[at:min(next, at+3)], h.After) {
			return nil, fmt.Errorf("hunk %d has other context", i)
		}
		out = append(out, h.Added...)
		if len(out) > len(new) {
			return nil, fmt.Errorf("hunk %d goes past the end", i)
		}
	}
	return append(out, old[at:]...), nil
}

func checkHunks(t *testing.T, old, new string) {
	t.Helper()
	hunks := diffLines([]byte(old), []byte(new))
	o, n := bare(splitLines(old)), bare(splitLines(new))
	got, err := applyHunks(o, n, hunks)
	if err != nil || !slices.Equal(got, n) {
		t.Errorf("hunks of %q and %q give %q, %v", old, new, got, err)
	}
	if (old == new) != (len(hunks) == 0) {
		t.Errorf("%d hunks between %q and %q", len(hunks), old, new)
	}
	for i := 1; i < len(hunks); i++ {
		if hunks[i-1].OldLine+len(hunks[i-1].Removed) == hunks[i].OldLine {
			t.Errorf("hunks %d and %d of %q and %q touch", i-1, i, old, new)
		}
	}
}

func TestHunksApply(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewSource(5))
	text := func() string {
		var b strings.Builder
		for range rng.Intn(60) {
			b.WriteString([]string{"a", "b", "c", "d", fmt.Sprint(rng.Intn(40)), ""}[rng.Intn(6)])
			b.WriteString([]string{"\n", "\n", "\n", "\r\n"}[rng.Intn(4)])
		}
		return b.String()
	}
	for range 500 {
		checkHunks(t, text(), text())
	}
}

func FuzzHunks(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc\nb\n")
	f.Add("", "\n\n")
	f.Add("x\r\ny", "x\ny\r\n")
	f.Fuzz(checkHunks)
}
