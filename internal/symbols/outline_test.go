package symbols

import (
	"slices"
	"strings"
	"testing"
)

// What is one token must be one, or what stands in it would count.
func TestLexemes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ language, src, want string }{
		{"Swift", `a/* b /* c */ d */+//e` + "\n" + `f`, "a|+|f"},
		{"Swift", `x = "a \(f("b)", [1]) + "c") d" + y`, `x|=|"a \(f("b)", [1]) + "c") d"|+|y`},
		{"Swift", `#"a " \(b) \#(c("}")) "# {`, `#"a " \(b) \#(c("}")) "#|{`},
		{"Swift", "\"\"\"\n a \"b\" {\n\"\"\" }", "\"\"\"\n a \"b\" {\n\"\"\"|}"},
		{"Swift", `f(/[{"]\//) / 2 / g`, `f|(|/[{"]\//|)|/|2|/|g`},
		{"Swift", `#/a"/b/# #if`, `#/a"/b/#|#if`},
		{"Swift", "\"not closed {\nlet `in`: é? = 0x1F.5_0", "\"not closed {|let|`in`|:|é|?|=|0x1F.5_0"},
		{"Swift", "#!/usr/bin/swift {\na->b", "a|->|b"},
		{"Dart", `'a ${m['}'].map((e) { return "${e}'"; })} $b' + c`, `'a ${m['}'].map((e) { return "${e}'"; })} $b'|+|c`},
		{"Dart", `r'\' var'x\'' "$"`, `r'\'|var|'x\''|"$"`},
		{"Dart", "'''a ' { '' ''' r\"\"\"\\\"\"\" 1.5e3..b", "'''a ' { '' '''|r\"\"\"\\\"\"\"|1.5e3|.|.|b"},
		{"Dart", "'not closed {\n}", "'not closed {|}"},
	} {
		src, got := outlines[tc.language].dialect.lex([]byte(tc.src))
		s := source{src: src, lex: got}
		var texts []string
		for i := range got {
			texts = append(texts, s.text(i))
		}
		if is := strings.Join(texts, "|"); is != tc.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", tc.language, tc.src, is, tc.want)
		}
	}
}

// What looks like a declaration and is none, and what is one all the same.
func TestOutline(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ file, src, want string }{
		{"a.swift", "func a() { let b = 1; if let c = b {}; func d() {} }", "a a.d"},
		{"a.swift", "if x {\n let b = 1\n}\nlet y = 1", "y"},
		{"a.swift", "let f = foo(\n class: 1,\n func: 2)\nlet g = 2", "f g"},
		{"a.swift", "let (a, (b, _)) = t, c = cond\n ? x\n : y\nvar d: Int\n{ 1 }", "a b c d"},
		{"a.swift", "class A: B,\n @unchecked C\n{\n class var x: Int { 1 }\n final class D {}\n}", "A A.x A.D"},
		{"a.swift", "extension A.B<Int>.C where D == E { init?<T>(x: T) {} }", "A.B.C.init"},
		{"a.swift", "extension [String: Int] { var x: Int { 1 } }", "Dictionary.x"},
		{"a.swift", "prefix func ||<T>(a: T) {}\nstatic func <(a: A, b: A) {}\nfunc ≠(a: A) {}", "|| < ≠"},
		{"a.swift", "open(file)\nactor = 1\ninit(x)\nenum E { case a(x: Int, b: [Int]), `in` }\nswitch e { case .a: break }", "E E.a E.in"},
		{"a.swift", "@_spi(A) import struct B.C\n@objc(x) private(set) unowned(unsafe) var y: Int?", "y"},
		{"a.swift", "typealias F =\n @convention(c) (Int) -> Int\nlet z = a <\n b", "F z"},
		{"a.swift", "#if A\nlet a = 1\n#elseif os(B)\nlet a = 2\n#endif", "a a"},
		{"a.swift", "class A {\n func b() {\n", "A A.b"},
		{"a.swift", "class A { func b( }\nfunc c() {} }}}", "A A.b c"},
		{"a.dart", "void f() { if (a) { b(); } else if (c) {} for (;;) {} g(h) { } await i(() {}); try {} on A catch (e) {} }", "f f.g"},
		{"a.dart", "int f(x) => switch (x) { A(:var b) => 1, C() => 2, };\nvar y = {a: (b) { c(); }, 'd': 1};", "f y"},
		{"a.dart", "class A { A(); A.b(this.c) : c = const {}, d = {1: 2}[1] { e(); } int? get, set; get x => 1; set y(v) {} static base() {} on(x) {} }", "A A.A A.b A.get A.set A.x A.y A.base A.on"},
		{"a.dart", "var a = f<B, C>(), b = x < y, c = const <D, E>{};", "a b c"},
		{"a.dart", "(int, int) f() => (1, 2);\nfinal (x, y) = f();\nprefix.Type<A>? g(void h(int i)) {}\nint Function(int)? k;", "f g k"},
		{"a.dart", "@TestOn('vm')\nlibrary;\nexport 'b.dart' hide c;\nmixin class A {}\nbase mixin B {}\nmixin C on A {}", "A B C"},
		{"a.dart", "extension on Map<A, B> { c() {} }\nextension D<T> on E { f() {} }\nextension type G.h(int i) {}", "Map.c D D.f G G.i"},
		{"a.dart", "enum A { a, b(c: 1), d<int>.e(); A(); static final f = 1; }\nenum G { h, i, }", "A A.a A.b A.d A.A A.f G G.h G.i"},
		{"a.dart", "class A { void b() {\n", "A A.b"},
		{"a.dart", "class A { void b( }\nint c() => 1; }}}", "A c"},
	} {
		f, err := Read(tc.file, []byte(tc.src))
		var got []string
		for _, d := range f.Defs {
			got = append(got, d.Name)
		}
		if is := strings.Join(got, " "); err != nil || is != tc.want {
			t.Errorf("%s\ngot  %s %v\nwant %s", tc.src, is, err, tc.want)
		}
	}
}

// TestHostile holds what once took minutes or gigabytes: a run of one thing.
func TestHostile(t *testing.T) {
	t.Parallel()
	for _, run := range strings.Split(`#|"|'|/*|"\(|'${|{|<|(|[|}{|public |let (a,|let a,|func a{|struct a{|enum a{case b,|class a{A():a={|typedef a<|switch(a){|@a(`, "|") {
		for _, file := range []string{"a.swift", "a.dart"} {
			if _, err := Read(file, []byte(strings.Repeat(run, maxParsed/4/len(run)))); err != nil {
				t.Error(err)
			}
		}
	}
}

// A name has those that it lies in before it: a long one is not repeated for
// all that it holds.
func TestLongNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", maxName+1)
	f, err := Read("a.dart", []byte("class "+long+" {"+strings.Repeat("int b;", 10_000)+"} class C { int d; }"))
	if err != nil || len(f.Defs) != 10_002 || f.Defs[10_001].Name != "C.d" {
		t.Fatalf("%d definitions, %v", len(f.Defs), err)
	}
	if i := slices.IndexFunc(f.Defs, func(d Def) bool { return len(d.Name) > maxName }); i >= 0 {
		t.Errorf("a name of %d bytes", len(f.Defs[i].Name))
	}
}

func TestOutlineIsTooLarge(t *testing.T) {
	t.Parallel()
	if r, _ := ParseRef("a"); !r.In("a.dart", []byte(strings.Repeat("var b;\n", maxParsed/7+1)+" a ")) {
		t.Error("a word of a file that is too large to parse")
	}
}
