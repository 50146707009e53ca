package symbols

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// sample is a source in one language: what it defines, the same in another
// layout and with other comments, and what one changed token changes.
type sample struct {
	file, src string
	defs      string // name:line-end, in their order
	laidOut   string // the same program
	changed   string // the program with another body of what is named by touched
	touched   string // the definitions whose fingerprints change, in their order
}

var samples = map[string]sample{
	"Go": {
		file: "cart.go",
		src: `package cart

type Cart struct {
	Sum, Tax int
}

// Add adds.
func (c *Cart) Add(n int) {
	c.Sum += f(n,
		1,
	)
}

const Max = 3
`,
		defs: "Cart:3-5 Cart.Sum:4-4 Cart.Tax:4-4 Cart.Add:8-12 Max:14-14",
		laidOut: `package cart
type Cart struct { Sum, Tax int }
func (c *Cart) Add(n int) { c.Sum += /* now */ f(n, 1) }
const  Max  =  3 // three
`,
		changed: `package cart
type Cart struct { Sum, Tax int }
func (c *Cart) Add(n int) { c.Sum += f(n, 2) }
const Max = 3
`,
		touched: "Cart.Add",
	},
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for language, s := range samples {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			f, err := Read(s.file, []byte(s.src))
			if errors.Is(err, ErrNoParser) {
				t.Skip("this build has no grammar for " + language)
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := placesOf(f); got != s.defs {
				t.Errorf("defines\n%s, want\n%s", got, s.defs)
			}
			if got := differing(t, f, s.file, s.laidOut); got != "" {
				t.Errorf("another layout changes the fingerprints of %s", got)
			}
			if got := differing(t, f, s.file, s.changed); got != s.touched {
				t.Errorf("another token changes the fingerprints of %q, want %q", got, s.touched)
			}
		})
	}
}

func placesOf(f File) string {
	var out []string
	for _, d := range f.Defs {
		out = append(out, fmt.Sprintf("%s:%d-%d", d.Name, d.Line, d.End))
	}
	return strings.Join(out, " ")
}

// differing returns the names whose fingerprints are others in another source.
func differing(t *testing.T, f File, file, src string) string {
	t.Helper()
	g, err := Read(file, []byte(src))
	if err != nil || len(g.Defs) != len(f.Defs) {
		t.Fatalf("the other source defines %s: %v", placesOf(g), err)
	}
	var out []string
	for i, d := range f.Defs {
		if g.Defs[i].Name != d.Name || !strings.HasPrefix(d.Fingerprint, f.Engine+":") {
			t.Errorf("%s has fingerprint %q of %s", d.Name, d.Fingerprint, f.Engine)
		}
		if g.Defs[i].Fingerprint != d.Fingerprint {
			out = append(out, d.Name)
		}
	}
	return strings.Join(out, " ")
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	src := []byte(samples["Go"].src)
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
