package symbols

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRef(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]*Ref{
		"Total":                {Names: []string{"Total"}},
		"cart.Total()":         {Names: []string{"cart", "Total"}},
		"Cart#add":             {Names: []string{"Cart", "add"}},
		"shop::Cart::add":      {Names: []string{"shop", "Cart", "add"}},
		"src/cart.ts#Cart.add": {Path: "src/cart.ts", Names: []string{"Cart", "add"}},
		"./src/cart.go#Cart":   {Path: "src/cart.go", Names: []string{"Cart"}},
		"src/cart.go:12":       {Path: "src/cart.go", Line: 12},
		"src/cart.go:12-20":    {Path: "src/cart.go", Line: 12},
		"src/cart.go:0":        nil,
		"Cart#empty?":          {Names: []string{"Cart", "empty"}},
		`App\Shop\Cart`:        {Names: []string{"App", "Shop", "Cart"}},
		"two words":            nil,
		"src/cart.go":          nil,
		"":                     nil,
		"a#b#c d":              nil,
	} {
		got, ok := ParseRef(in)
		if ok != (want != nil) {
			t.Errorf("ParseRef(%q) = %+v, %v", in, got, ok)
		} else if want != nil {
			if diff := cmp.Diff(*want, got); diff != "" {
				t.Errorf("ParseRef(%q): -want +got\n%s", in, diff)
			}
		}
	}
}

const shop = `package cart

// Total is in a comment: Missing.
type Total[T any] struct {
	Sum, Tax int
	note     string
}

type Adder interface{ Add(int) }

func (t *Total[T]) Add(n int) {
	local := n
	_ = local
}

const (
	Max = 3
	Min = 1
)

func Of() {}
`

func TestGo(t *testing.T) {
	t.Parallel()
	f, err := Read("cart.go", []byte(shop))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range f.Defs {
		got = append(got, fmt.Sprintf("%s:%d-%d", d.Name, d.Line, d.End))
	}
	want := "Total:4-7 Total.Sum:5-5 Total.Tax:5-5 Total.note:6-6 Adder:9-9 Adder.Add:9-9 Total.Add:11-14 Max:17-17 Min:18-18 Of:21-21"
	if f.Engine != "go@1" || strings.Join(f.Scope, ".") != "cart" || strings.Join(got, " ") != want {
		t.Errorf("%s, package %s\ngot  %s\nwant %s", f.Engine, f.Scope, strings.Join(got, " "), want)
	}
}

func TestIn(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		ref, file, src string
		want           bool
	}{
		{"Total", "a/cart.go", shop, true},
		{"cart.Of", "a/cart.go", shop, true},
		{"shop.Of", "a/cart.go", shop, false},
		{"Total.Add", "a/cart.go", shop, true},
		{"Add", "a/cart.go", shop, true},
		{"Adder.Sum", "a/cart.go", shop, false},
		{"Missing", "a/cart.go", shop, false},
		{"local", "a/cart.go", shop, false},
		{"a/cart.go#Total", "x/a/cart.go", shop, true},
		{"b/cart.go#Total", "x/a/cart.go", shop, false},
		{"Of", "a/cart.go", shop[:len(shop)-2] + "\n\nfunc broken(", true},
		{"Of", "a/cart.go", "no go at all", false},
		{"Cart.add", "cart.ts", "class Cart { add() {} }", true},
		{"Cart.add", "cart.ts", "class Cart { addAll() {} }", false},
		{"$cart", "cart.js", "const $cart = 1", true},
	} {
		r, ok := ParseRef(tc.ref)
		if got := r.In(tc.file, []byte(tc.src)); !ok || got != tc.want {
			t.Errorf("%s in %s = %v, want %v", tc.ref, tc.file, got, tc.want)
		}
	}
}

func FuzzParseRef(f *testing.F) {
	f.Add("src/cart.go#Cart.add", shop)
	f.Add("x:1", "func")
	f.Fuzz(func(t *testing.T, ref, src string) {
		r, ok := ParseRef(ref)
		if ok && (r.Line == 0) == (r.Last() == "") {
			t.Errorf("%q is %+v: neither a line nor a name", ref, r)
		}
		r.In("a.go", []byte(src))
		r.In("a.ts", []byte(src))
	})
}
