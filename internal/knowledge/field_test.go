package knowledge

import (
	"strings"
	"testing"
)

func TestSetFieldKeepsSpellingAndQuotes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ path, in, field, value, want string }{
		"plain stays plain": {"memory/a.md", "---\nname: a\nttl: 90 days # so long\n---\nx\n", "ttl", "30 days", "---\nname: a\nttl: 30 days # so long\n---\nx\n"},
		"single quotes":     {"memory/a.md", "---\ncreated: '2026-01-01'\n---\n", "created", "2026-02-02", "---\ncreated: '2026-02-02'\n---\n"},
		"double quotes":     {"memory/a.md", "---\nname: \"a \\\"b\\\"\"\n---\n", "name", `say "c"`, "---\nname: \"say \\\"c\\\"\"\n---\n"},
		"an alias":          {"memory/a.md", "---\nlastVerified: 2026-01-01\n---\n", "verified", "2026-02-02", "---\nlastVerified: 2026-02-02\n---\n"},
		"nested":            {"memory/a.md", "---\nmetadata:\n  type: user\n  verified: 2026-01-01\n---\n", "verified", "2026-02-02", "---\nmetadata:\n  type: user\n  verified: 2026-02-02\n---\n"},
		"empty":             {"memory/a.md", "---\nname: a\nttl:\n---\n", "ttl", "30 days", "---\nname: a\nttl: 30 days\n---\n"},
		"absent":            {"memory/a.md", "---\r\nname: a\r\n---\r\nx", "verified", "2026-02-02", "---\r\nname: a\r\nverified: 2026-02-02\r\n---\r\nx"},
		"needs quotes":      {"memory/a.md", "---\nname: a\n---\n", "retire_when", "acme/shop#12: no", "---\nname: a\nretire_when: \"acme/shop#12: no\"\n---\n"},
		"not a boolean":     {"memory/a.md", "---\nstatus: draft\n---\n", "status", "yes", "---\nstatus: yes\n---\n"},
		"unicode before":    {"memory/a.md", "---\nnäme: é # ü\nttl: \"1 day\"\n---\n", "ttl", "2 days", "---\nnäme: é # ü\nttl: \"2 days\"\n---\n"},
		"vault":             {"KNOWLEDGE_VAULT.md", "### S\n- **ID**: A-1\n- **TTL**: 30 days\n\n### T\n", "ttl", "indefinite", "### S\n- **ID**: A-1\n- **TTL**: indefinite\n\n### T\n"},
		"vault absent":      {"KNOWLEDGE_VAULT.md", "### S\n* **ID:** A-1\n* **TTL:** 3\n\n### T\n", "verified", "2026-02-02", "### S\n* **ID:** A-1\n* **TTL:** 3\n* **Last Verified**: 2026-02-02\n\n### T\n"},
		"vault at the end":  {"KNOWLEDGE_VAULT.md", "### S\n- **ID**: A-1\n- **Issue**: x", "renewed", "2026-02-02", "### S\n- **ID**: A-1\n- **Issue**: x\n- **Renewed**: 2026-02-02"},
		"yaml absent":       {"facts/a.yaml", "- lesson: a\n  body: |\n    b\n- lesson: c\n  ttl: 1 day\n", "verified", "2026-02-02", "- lesson: a\n  verified: 2026-02-02\n  body: |\n    b\n- lesson: c\n  ttl: 1 day\n"},
		"yaml alone":        {"facts/a.yaml", "- lesson: a\n- lesson: c\n", "verified", "2026-02-02", "- lesson: a\n  verified: 2026-02-02\n- lesson: c\n"},
	} {
		tree := files{tc.path: []byte(tc.in)}
		d := parseAs(tc.path, tree[tc.path])
		var id string
		for i := range d.Facts {
			if d.Facts[i].Kind == KindEntry && id == "" {
				id = d.Facts[i].ID
			}
		}
		got, err := tree.apply(Edit{Op: OpSetField, Path: tc.path, FactID: id, Field: tc.field, Value: tc.value})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if string(got[tc.path]) != tc.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got[tc.path], tc.want)
		}
	}
}

func TestSetPathField(t *testing.T) {
	t.Parallel()
	tree := files{".cursor/rules/a.mdc": []byte("---\nglobs: *.ts\ndescription: \"x\"\n---\n- y\n")}
	id := factWith(t, tree, ".cursor/rules/a.mdc", "*.ts").ID
	got, err := tree.apply(Edit{Op: OpReplace, Path: ".cursor/rules/a.mdc", FactID: id, Text: "src/**/*.ts"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "---\nglobs: src/**/*.ts\ndescription: \"x\"\n---\n- y\n"; string(got[".cursor/rules/a.mdc"]) != want {
		t.Errorf("got %q", got[".cursor/rules/a.mdc"])
	}
}

// Hostile YAML is refused before it can grow, and the page is still read.
func TestHostileFrontMatter(t *testing.T) {
	t.Parallel()
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		bomb += strings.ReplaceAll(strings.ReplaceAll("aN: &aN [*aM, *aM, *aM, *aM, *aM, *aM, *aM, *aM, *aM]\n", "N", string(rune('1'+i))), "M", string(rune('0'+i)))
	}
	for name, yaml := range map[string]string{
		"billion laughs": bomb,
		"itself":         "a: &a [*a]\n",
		"merge":          "base: &b {ttl: 1 day}\n<<: *b\n",
		"merge inline":   "<<: {ttl: 36500 days}\n",
		"binary":         "ttl: !!binary MzA=\n",
		"deep":           "a: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "\n",
		"deep block":     "a:\n" + strings.Repeat("- ", 5000) + "x\n",
		"large":          "a: " + strings.Repeat("x", maxYAML) + "\n",
	} {
		d := Parse("memory/a.md", []byte("---\n"+yaml+"---\n- bullet\n"), Memory)
		if len(d.Faults) == 0 || d.Faults[0].Rule != "front-matter/yaml" {
			t.Errorf("%s: faults are %+v", name, d.Faults)
		}
		if l := d.Facts[0].Life; l.TTL != 0 || l.Indefinite {
			t.Errorf("%s: a TTL was read: %+v", name, l)
		}
		if last := d.Facts[len(d.Facts)-1]; last.Text != "bullet" {
			t.Errorf("%s: the page is not read: %q", name, last.Text)
		}
		if f := parseAs("facts/a.yaml", []byte(yaml)); len(f.Facts) != 0 {
			t.Errorf("%s: facts are %+v", name, f.Facts)
		}
	}
}

func TestBytesThatAreNoText(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		src  string
		rule string
		read bool
	}{
		"nul":       {"- a\n- b\x00\n", "encoding/binary", false},
		"utf16":     {"\xff\xfe-\x00 \x00a\x00", "encoding/binary", false},
		"latin1":    {"- caf\xe9\n- b\n", "encoding/utf8", true},
		"overlong":  {"- \xc0\xaf\n- b\n", "encoding/utf8", true},
		"surrogate": {"- \xed\xa0\x80\n- b\n", "encoding/utf8", true},
	} {
		d := Parse("lessons.md", []byte(tc.src), Playbook)
		if len(d.Faults) != 1 || d.Faults[0].Rule != tc.rule || (len(d.Facts) == 2) != tc.read {
			t.Errorf("%s: %+v %+v", name, d.Faults, d.Facts)
		}
	}
}

func TestLongLinesAndManyFacts(t *testing.T) {
	t.Parallel()
	long := "- " + strings.Repeat("word ", 200_000)
	if d := Parse("lessons.md", []byte(long), Playbook); len(d.Facts) != 1 || len([]rune(d.Facts[0].Title)) > titleRunes+1 {
		t.Errorf("%d facts, title %q", len(d.Facts), d.Facts[0].Title)
	}
	many := Parse("lessons.md", []byte(strings.Repeat("- same\n", 20_000)), Playbook)
	sound(t, many)
	if len(many.Facts) != 20_000 {
		t.Errorf("%d facts", len(many.Facts))
	}
	nested := Parse("lessons.md", []byte(strings.Repeat("> ", 3000)+"x\n"), Playbook)
	sound(t, nested)
}

func TestIDsHoldWhileTheTextAroundChanges(t *testing.T) {
	t.Parallel()
	before := parseAs("lessons.md", []byte("# L\n\n## A\n\n- one rule\n  wrapped\n- two\n"))
	after := parseAs("lessons.md", []byte("New first line.\n\n# L\n\n## Z\n\n- zero\n\n## A\n\n- nought\n* one\n  rule wrapped\n- two\n"))
	for _, text := range []string{"one rule wrapped", "two"} {
		find := func(d *Document) (string, string) {
			for _, f := range d.Facts {
				if normal(f.Text) == text {
					return f.ID, f.Claim
				}
			}
			return "", ""
		}
		id1, claim1 := find(before)
		id2, claim2 := find(after)
		if id1 == "" || id1 != id2 || claim1 != claim2 {
			t.Errorf("%q: %s %s, then %s %s", text, id1, claim1, id2, claim2)
		}
	}
	if a, b := parseAs("lessons.md", []byte("- x\n")), parseAs("wiki/a.md", []byte("- x\n")); a.Facts[0].ID == b.Facts[0].ID || a.Facts[0].Claim != b.Facts[0].Claim {
		t.Error("the id must name the place and the claim must not")
	}
}

func TestLocate(t *testing.T) {
	t.Parallel()
	d := parseAs("lessons.md", []byte("# L\n\n- one `a.go`\n  two `b.go`\n"))
	f := &d.Facts[1]
	for text, want := range map[string]int{"a.go": 3, "b.go": 4, "c.go": 3, "": 3} {
		if got := d.Locate(f, text); got != want {
			t.Errorf("%q stands on line %d, want %d", text, got, want)
		}
	}
	if _, ok := d.Fact("none"); ok {
		t.Error("a fact without a name was found")
	}
}
