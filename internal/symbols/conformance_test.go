package symbols

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// Each file of testdata is a source in one language: what it defines, the same
// program in another layout and with other comments, and one where a token
// changed with the definitions that this touches.
func TestConformance(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 16 {
		t.Fatalf("samples: %d, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			conforms(t, file)
		})
	}
}

func conforms(t *testing.T, sample string) {
	name, parts := readSample(t, sample)
	f, err := Read(name, []byte(parts[name]))
	if errors.Is(err, ErrNoParser) {
		t.Skip("this build has no grammar for " + Language(name))
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(parts["defines"], placesOf(f)); diff != "" {
		t.Errorf("defines: -want +got\n%s", diff)
	}
	if got := differing(t, f, name, parts["laid out"]); got != "" {
		t.Errorf("another layout changes the fingerprints of\n%s", got)
	}
	if diff := cmp.Diff(parts["touched"], differing(t, f, name, parts["changed"])); diff != "" {
		t.Errorf("what another token touches: -want +got\n%s", diff)
	}
	if _, again := readSample(t, sample); differing(t, f, name, again[name]) != "" {
		t.Error("the same source has other fingerprints when it is read again")
	}
}

// readSample returns the name of the source and all parts of a sample.
func readSample(t *testing.T, file string) (string, map[string]string) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for _, f := range a.Files {
		parts[f.Name] = string(f.Data)
	}
	return a.Files[0].Name, parts
}

func placesOf(f File) string {
	var out strings.Builder
	for _, d := range f.Defs {
		fmt.Fprintf(&out, "%s:%d-%d\n", d.Name, d.Line, d.End)
	}
	return out.String()
}

// differing returns the names whose fingerprints are others in another source.
func differing(t *testing.T, f File, file, src string) string {
	t.Helper()
	g, err := Read(file, []byte(src))
	if err != nil || len(g.Defs) != len(f.Defs) {
		t.Fatalf("the other source defines %s: %v", placesOf(g), err)
	}
	var out strings.Builder
	for i, d := range f.Defs {
		if g.Defs[i].Name != d.Name || !strings.HasPrefix(d.Fingerprint, f.Engine+":") {
			t.Errorf("%s has fingerprint %q of %s", d.Name, d.Fingerprint, f.Engine)
		}
		if g.Defs[i].Fingerprint != d.Fingerprint {
			out.WriteString(d.Name + "\n")
		}
	}
	return out.String()
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	_, parts := readSample(t, "testdata/go.txtar")
	src := []byte(parts["cart.go"])
	f, err := Read("shop/cart.go", src)
	if err != nil {
		t.Fatal(err)
	}
	for anchor, def := range map[string]int{
		"Cart": 0, "cart.Cart": 0, "Cart.Add": 3, "Add": 3, "cart.go#Cart.Add": 3, "shop/cart.go:11": 3, "Max": 4, "cart.go:4": 2,
	} {
		got, err := Fingerprint("shop/cart.go", src, anchor)
		if err != nil || got != f.Defs[def].Fingerprint {
			t.Errorf("%s: %q, %v, want that of %s", anchor, got, err, f.Defs[def].Name)
		}
	}
	for anchor, want := range map[string]error{"Gone": ErrUndefined, "shop.Max": ErrUndefined, "other.go#Max": ErrUndefined, "cart.go:13": ErrUndefined, "two words": ErrUndefined} {
		if _, err := Fingerprint("shop/cart.go", src, anchor); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", anchor, err, want)
		}
	}
	if _, err := Fingerprint("notes.txt", src, "Max"); !errors.Is(err, ErrNoParser) {
		t.Errorf("a text: %v", err)
	}
	if _, err := Fingerprint("big.go", make([]byte, maxBytes+1), "Max"); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a big file: %v", err)
	}
}

func TestFingerprintOfSeveral(t *testing.T) {
	t.Parallel()
	of := func(src string) string {
		s, err := Fingerprint("a.go", []byte("package a\n"+src), "Add")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	x, y := "func (X) Add() { x() }\n", "func (Y) Add() { y() }\n"
	if of(x+y) != of(y+x) || of(x+y) == of(x) || of(x+y) == of(x+strings.Replace(y, "y()", "z()", 1)) {
		t.Error("one for both, in any order, and another when one of them changes")
	}
}

// FuzzRead holds that no source makes reading fail in another way than it may,
// crash or hang, and that what is found lies in the file.
func FuzzRead(f *testing.F) {
	samples, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(samples) == 0 {
		f.Fatalf("samples: %v", err)
	}
	var ends []string
	for e := range languages {
		ends = append(ends, e)
	}
	slices.Sort(ends)
	for _, s := range samples {
		a, err := txtar.ParseFile(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(slices.Index(ends, path.Ext(a.Files[0].Name))), string(a.Files[0].Data))
	}
	f.Fuzz(func(t *testing.T, end uint8, src string) {
		file := "a" + ends[int(end)%len(ends)]
		got, err := Read(file, []byte(src))
		if err != nil && !errors.Is(err, ErrNoParser) && !errors.Is(err, ErrTooLarge) {
			t.Error(err)
		}
		for _, d := range got.Defs {
			if d.Line < 1 || d.End < d.Line || d.End > 1+strings.Count(src, "\n") || d.Fingerprint == "" {
				t.Errorf("%s has %+v, in %d lines", file, d, 1+strings.Count(src, "\n"))
			}
		}
	})
}
