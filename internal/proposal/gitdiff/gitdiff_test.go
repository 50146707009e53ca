package gitdiff_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/proposal/gitdiff"
)

func TestFormatKnown(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files []gitdiff.File
		want  string
	}{
		{"nothing", nil, ""},
		{"same", []gitdiff.File{edited("a", []byte("x\n"), []byte("x\n"))}, ""},
		{"added", []gitdiff.File{{Path: "a", NewMode: regular, New: []byte("x\n")}}, "diff --git a/a b/a\nnew file mode 100644\nindex 0000000..587be6b\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n"},
		{"moved", []gitdiff.File{{Path: "b", NewMode: regular, New: []byte("x\n")}, {Path: "a", OldMode: regular, Old: []byte("x\n")}}, "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, gitdiff.Format(tt.files, gitdiff.Seven)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	got := gitdiff.Lines([]byte("a\nb\nc\n"), []byte("a\nB\nc\nd\n"))
	want := []gitdiff.Range{{A0: 1, A1: 2, B0: 1, B1: 2}, {A0: 3, A1: 3, B0: 3, B1: 4}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzLines: whatever two files say, putting the ranges of the second into the
// first gives the second.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\n"), []byte("b\na"))
	f.Add([]byte(""), []byte("\n"))
	f.Add([]byte("x\n\n\n  y\n"), []byte("x\n\n  y\n\n  y\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		x, y := bytes.SplitAfter(a, []byte("\n")), bytes.SplitAfter(b, []byte("\n"))
		var out []byte
		at := 0
		for _, r := range gitdiff.Lines(a, b) {
			out = append(out, bytes.Join(x[at:r.A0], nil)...)
			out = append(out, bytes.Join(y[r.B0:r.B1], nil)...)
			at = r.A1
		}
		if out = append(out, bytes.Join(x[at:], nil)...); !bytes.Equal(out, b) {
			t.Errorf("patched %q is not %q", out, b)
		}
	})
}

func TestAbbreviateBrokenPack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "pack"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pack", "pack-1.idx"), bytes.Repeat([]byte{0xff}, 2000), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := gitdiff.NewAbbreviate(dir); err == nil {
		t.Error("an index that says more objects than it has room for is taken")
	}
}
