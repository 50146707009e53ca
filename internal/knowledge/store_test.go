package knowledge

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStore(t *testing.T) {
	t.Parallel()
	src := "\xef\xbb\xbf" + `{"id":"mx-1","type":"pattern","name":"dedup","description":"record.ts checks first.","files":["src/record.ts"],"dir_anchors":["src/lib"],"more":{"a":1}}
{"type":"failure","description":"It broke.","resolution":"Mend it."}

{"type":"pattern"}
not JSON
{"description":12}
{"type":"convention","recorded_at":"2026-04-30T19:16:08.572Z","content":"Say \"why\"."}`
	d := Parse(".mulch/expertise/cli.jsonl", []byte(src), Store)
	var got []string
	for _, f := range d.Facts {
		got = append(got, strings.Join(append([]string{f.Type, f.Title, f.Text}, f.Life.AnchorFiles...), "|"))
	}
	want := []string{"pattern|dedup|record.ts checks first.|src/record.ts|src/lib", "failure|It broke. Mend it.|It broke.\nMend it.", "convention|Say \"why\".|Say \"why\"."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if d.Facts[0].ID != "mx-1" || d.Facts[0].Line != 1 || d.Facts[1].Line != 2 || !d.Facts[1].Event || d.Facts[2].Life.Created.Year() != 2026 || d.Facts[2].Line != 7 {
		t.Errorf("facts %+v", d.Facts)
	}
	if len(d.Faults) != 2 || d.Faults[0].Line != 5 || d.Faults[1].Line != 6 {
		t.Errorf("faults %+v", d.Faults)
	}
}

func TestStoreIsNeverWritten(t *testing.T) {
	t.Parallel()
	f, r, ok := NewClassifier(nil).Classify(".mulch/expertise/cli.jsonl")
	if f != Store || r != RouteNever || !ok {
		t.Errorf("Classify = %s %s %v", f, r, ok)
	}
	if _, _, ok := NewClassifier(nil).Classify("data/cli.jsonl"); ok {
		t.Error("any JSON lines are taken for knowledge")
	}
}

// said writes facts with their anchors.
func said(d *Document) []string {
	var out []string
	for _, f := range d.Facts {
		out = append(out, strings.Join(slices.Concat([]string{f.Title}, f.Life.AnchorFiles, f.Life.AnchorSymbols), "|"))
	}
	return out
}

func TestDriftLock(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		src   string
		want  []string
		lines []int
	}{
		"tables": {`version = 1

[[bindings]]
doc = "docs/cart.md"
target = "src/cart.ts#Cart.total"
sig = "0123456789abcdef"

# another
[[bindings]]
doc = "docs/ship.md"
target = "src/ship.ts"
sig = "fedcba9876543210"
origin = "github:acme/ship"

[other]
doc = "x"
[[bindings]]
target = "src/half.ts"
`, []string{
			"docs/cart.md -> src/cart.ts#Cart.total|docs/cart.md|src/cart.ts|src/cart.ts#Cart.total",
			"docs/ship.md -> src/ship.ts",
		}, []int{3, 9}},
		"lines": {
			"docs/cart.md -> src/cart.ts#total sig:01\r\n\r\n# -> no\r\ndocs/a.md -> src/a.ts@qpvuntsm sig:02 origin:github:acme/a\r\ndocs/b.md -> src/b.ts@change sig:03",
			[]string{
				"docs/cart.md -> src/cart.ts#total|docs/cart.md|src/cart.ts|src/cart.ts#total",
				"docs/a.md -> src/a.ts@qpvuntsm",
				"docs/b.md -> src/b.ts@change|docs/b.md|src/b.ts",
			}, []int{1, 4, 5},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := Parse("drift.lock", []byte(tc.src), Store)
			if diff := cmp.Diff(tc.want, said(d)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			for i, f := range d.Facts {
				if i < len(tc.lines) && f.Line != tc.lines[i] {
					t.Errorf("%s stands in line %d, want %d", f.Title, f.Line, tc.lines[i])
				}
			}
		})
	}
	if d := Parse("drift.lock", []byte("[[bindings]]\ndoc = \"a\ntarget"), Store); len(d.Faults) != 1 || d.Faults[0].Rule != "toml/invalid" {
		t.Errorf("faults %+v", d.Faults)
	}
}

func TestDoctrine(t *testing.T) {
	t.Parallel()
	src := "\xef\xbb\xbfmemory_uid = \"mem-1\"\nmemory_type = \"pattern\"\nstatus = \"active\"\ntitle = \"Totals\"\nsummary = \"The cart adds them up.\"\ncreated = 2026-01-02\n[scope]\npaths = [\"src/cart.ts\"]\nglobs = [\"src/**/*.ts\"]\n"
	const name = ".doctrine/memory/items/mem-1/memory.toml"
	d := Parse(name, []byte(src), Store)
	if diff := cmp.Diff([]string{"Totals|src/cart.ts|src/**/*.ts"}, said(d)); diff != "" {
		t.Fatalf("-want +got\n%s", diff)
	}
	if f := d.Facts[0]; f.ID != "mem-1" || f.Event || f.Life.Created.Day() != 2 || f.Text != "The cart adds them up." {
		t.Errorf("%+v", f)
	}
	gone := Parse(name, []byte(strings.Replace(src, "active", "retracted", 1)), Store)
	if len(gone.Facts) != 1 || !gone.Facts[0].Event {
		t.Error("what was retracted still claims something")
	}
	if d := Parse(name, []byte("title = \"a\"\nstatus = ["), Store); len(d.Faults) != 1 || d.Faults[0].Line != 2 {
		t.Errorf("faults %+v", d.Faults)
	}
	for file, want := range map[string]Format{name: Store, "drift.lock": Store, "web/drift.lock": Store, "Cargo.lock": "", "pyproject.toml": ""} {
		if f, r, _ := NewClassifier(nil).Classify(file); f != want || want == Store && r != RouteNever {
			t.Errorf("Classify(%s) = %s %s", file, f, r)
		}
	}
}
