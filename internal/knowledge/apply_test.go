package knowledge

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

func TestAdd(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("testdata/apply/add.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var name, in string
	var edit Edit
	var had bool
	for _, f := range txtar.Parse(src).Files {
		switch f.Name {
		case "in":
			in, had = string(f.Data), true
		case "out":
			for variant, eol := range map[string]string{"lf": "\n", "crlf": "\r\n"} {
				if !had && eol != "\n" {
					continue // a file of our own has LF
				}
				t.Run(name+"/"+variant, func(t *testing.T) {
					checkAdd(t, edit, in, string(f.Data), had, eol)
				})
			}
		default:
			name, in, had = f.Name, "", false
			edit = Edit{}
			if err := json.Unmarshal(f.Data, &edit); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

func checkAdd(t *testing.T, edit Edit, in, want string, had bool, eol string) {
	tree := files{}
	if had {
		tree[edit.Path] = []byte(strings.ReplaceAll(in, "\n", eol))
	}
	got, err := tree.apply(edit)
	if err != nil {
		t.Fatal(err)
	}
	if eol != "\n" && in == "" {
		return
	}
	if diff := cmp.Diff(strings.ReplaceAll(want, "\n", eol), string(got[edit.Path])); diff != "" {
		t.Error(diff)
	}
}

// factWith returns the fact of a file whose text begins so.
func factWith(t *testing.T, tree files, name, text string) *Fact {
	t.Helper()
	d := parseAs(name, tree[name])
	for i := range d.Facts {
		if strings.HasPrefix(d.Facts[i].Text, text) {
			return &d.Facts[i]
		}
	}
	t.Fatalf("%s holds no fact %q", name, text)
	return nil
}

func TestTextCannotBecomeStructure(t *testing.T) {
	t.Parallel()
	tree := files{"lessons.md": []byte("# L\n\n- one\n- two\n\nA paragraph.\n\n| a | b |\n|---|---|\n| c | d |\n")}
	for _, text := range []string{
		"", " ", "a\n\nb", "a\n- b", "a\n# b", "# heading", "- nested", "1. nested", "> quote", "```", "```go", "---", "***", "<!-- open", "<div>", "a\n===", "a\n---",
		"a\x00b", "a\x1bb", "a\rb", "[x] done", "    indented\n```", "a\n  - nested", "\xff", "| a | b |\n|---|---|",
	} {
		for _, target := range []string{"one", "two"} {
			e := Edit{Op: OpReplace, Path: "lessons.md", FactID: factWith(t, tree, "lessons.md", target).ID, Text: text}
			if got, err := tree.apply(e); err == nil {
				t.Errorf("%q replaced %q:\n%s", text, target, got["lessons.md"])
			} else if !errors.Is(err, ErrStructure) {
				t.Errorf("%q: %v", text, err)
			}
		}
		for _, section := range []string{"L", "New", ""} {
			if got, err := tree.apply(Edit{Op: OpAdd, Path: "lessons.md", Section: section, Text: text}); err == nil {
				t.Errorf("%q was added:\n%s", text, got["lessons.md"])
			}
		}
	}
	for _, section := range []string{"a\nb", "a\x1b"} {
		if _, err := tree.apply(Edit{Op: OpAdd, Path: "lessons.md", Section: section, Text: "fine"}); !errors.Is(err, ErrStructure) {
			t.Errorf("section %q: %v", section, err)
		}
	}
	row := factWith(t, tree, "lessons.md", "c").ID
	if _, err := tree.apply(Edit{Op: OpReplace, Path: "lessons.md", FactID: row, Text: "x\ny"}); !errors.Is(err, ErrStructure) {
		t.Errorf("a row took two lines: %v", err)
	}
}

func TestRewriteWholePathsOnly(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ in, old, new, want string }{
		{"Run docs/a.md, docs/a.md.bak, ./docs/a.md; docs/a.md.", "docs/a.md", "guide/a.md", "Run guide/a.md, docs/a.md.bak, ./docs/a.md; guide/a.md."},
		{"`internal/rpc/` and internal/rpc/x.go", "internal/rpc/", "internal/net/", "`internal/net/` and internal/net/x.go"},
		{"cmd/foo and cmd/foo/main.go, cmd/foo-bar", "cmd/foo", "cmd/baz", "cmd/baz and cmd/foo/main.go, cmd/foo-bar"},
		{"[a](./b.md#x) b.md", "b.md", "c.md", "[a](./b.md#x) c.md"},
		{"pool.go spool.go pool.gohtml", "pool.go", "p.go", "p.go spool.go pool.gohtml"},
		{"aa aaa aa", "aa", "b", "b aaa b"},
	} {
		tree := files{"CLAUDE.md": []byte("- " + tc.in + "\n- " + tc.in + "\n")}
		id := parseAs("CLAUDE.md", tree["CLAUDE.md"]).Facts[0].ID
		got, err := tree.apply(Edit{Op: OpRewrite, Path: "CLAUDE.md", FactID: id, Old: tc.old, New: tc.new})
		if err != nil {
			t.Errorf("%q: %v", tc.in, err)
			continue
		}
		if want := "- " + tc.want + "\n- " + tc.in + "\n"; string(got["CLAUDE.md"]) != want {
			t.Errorf("%q:\n got %q\nwant %q", tc.in, got["CLAUDE.md"], want)
		}
	}
}

func TestEditsOfOneFactFollowIt(t *testing.T) {
	t.Parallel()
	tree := files{"CLAUDE.md": []byte("# G\n\n- see a.go and b.go\n- twice\n- twice\n")}
	d := parseAs("CLAUDE.md", tree["CLAUDE.md"])
	see, one, two := d.Facts[1].ID, d.Facts[2].ID, d.Facts[3].ID
	got, err := tree.apply(
		Edit{Op: OpRewrite, Path: "CLAUDE.md", FactID: see, Old: "a.go", New: "x.go"},
		Edit{Op: OpRewrite, Path: "CLAUDE.md", FactID: see, Old: "b.go", New: "y.go"},
		Edit{Op: OpReplace, Path: "CLAUDE.md", FactID: one, Text: "first"},
		Edit{Op: OpReplace, Path: "CLAUDE.md", FactID: two, Text: "second"},
		Edit{Op: OpReplace, Path: "CLAUDE.md", FactID: d.Facts[0].ID, Text: "Guide"},
	)
	if err != nil {
		t.Fatal(err)
	}
	if want := "# Guide\n\n- see x.go and y.go\n- first\n- second\n"; string(got["CLAUDE.md"]) != want {
		t.Errorf("got %q", got["CLAUDE.md"])
	}
	_, err = tree.apply(Edit{Op: OpArchive, Path: "CLAUDE.md", FactID: one}, Edit{Op: OpReplace, Path: "CLAUDE.md", FactID: one, Text: "x"})
	if !errors.Is(err, ErrNoFact) {
		t.Errorf("an archived fact was edited: %v", err)
	}
}

func TestMergeArchivesWhatIsCovered(t *testing.T) {
	t.Parallel()
	tree := files{"lessons.md": []byte("- lower the bid\n- other\n- bid lower\n")}
	d := parseAs("lessons.md", tree["lessons.md"])
	got, err := tree.apply(Edit{Op: OpMerge, Path: "lessons.md", FactID: d.Facts[0].ID, Merge: []string{d.Facts[2].ID}, Text: "Lower bids.", Date: editDay})
	if err != nil {
		t.Fatal(err)
	}
	if string(got["lessons.md"]) != "- Lower bids.\n- other\n" {
		t.Errorf("got %q", got["lessons.md"])
	}
	if !strings.Contains(string(got["archive/lessons.md"]), "\n- bid lower\n") {
		t.Errorf("not archived: %q", got["archive/lessons.md"])
	}
	_, err = tree.apply(Edit{Op: OpMerge, Path: "lessons.md", FactID: d.Facts[0].ID, Merge: []string{d.Facts[0].ID}, Text: "x"})
	if err == nil {
		t.Error("a fact was merged into itself")
	}
}

func TestEditErrors(t *testing.T) {
	t.Parallel()
	tree := files{"lessons.md": []byte("# L\n\n- one\n"), "KNOWLEDGE_VAULT.md": []byte("### S\n- **ID**: A-1\n- **Issue**: x\n")}
	id := factWith(t, tree, "lessons.md", "one").ID
	head := factWith(t, tree, "lessons.md", "L").ID
	for _, tc := range []struct {
		edit Edit
		want error
	}{
		{Edit{Op: OpReplace, Path: "lessons.md", FactID: "nope", Text: "x"}, ErrNoFact},
		{Edit{Op: OpReplace, Path: "lessons.md", Text: "x"}, ErrNoFact},
		{Edit{Op: OpReplace, Path: "none.md", FactID: id, Text: "x"}, ErrNoFile},
		{Edit{Op: OpReplace, FactID: id, Text: "x"}, ErrNoFile},
		{Edit{Op: OpArchive, Path: "lessons.md", FactID: head}, ErrUnsupported},
		{Edit{Op: OpSetField, Path: "lessons.md", FactID: id, Field: "ttl", Value: "1"}, ErrUnsupported},
		{Edit{Op: OpSetField, Path: "KNOWLEDGE_VAULT.md", FactID: "A-1", Field: "ttl", Value: "soon"}, ErrStructure},
		{Edit{Op: OpSetField, Path: "KNOWLEDGE_VAULT.md", FactID: "A-1", Field: "ttl", Value: "1\n- **ID**: A-2"}, ErrStructure},
		{Edit{Op: OpSetField, Path: "KNOWLEDGE_VAULT.md", FactID: "A-1", Field: "ttl"}, ErrStructure},
		{Edit{Op: OpReplace, Path: "KNOWLEDGE_VAULT.md", FactID: "A-1", Text: "x"}, ErrUnsupported},
		{Edit{Op: OpAdd, Path: "KNOWLEDGE_VAULT.md", Text: "x"}, ErrUnsupported},
		{Edit{Op: OpAdd, Path: "memory/new.md", Text: "x"}, ErrUnsupported},
		{Edit{Op: OpRewrite, Path: "lessons.md", FactID: id, Old: "", New: "x"}, ErrNoFact},
		{Edit{Op: OpRewrite, Path: "lessons.md", FactID: id, Old: "on", New: "x"}, ErrNoFact},
		{Edit{Op: OpRewrite, Path: "lessons.md", FactID: id, Old: "one", New: "x\n- y"}, ErrStructure},
		{Edit{Op: OpRestore, Path: "lessons.md", FactID: id}, ErrNoFact},
		{Edit{Op: "erase", Path: "lessons.md", FactID: id}, nil},
	} {
		changes, err := Apply(tree.read, []Edit{tc.edit})
		var ee *EditError
		if !errors.As(err, &ee) || changes != nil || (tc.want != nil && !errors.Is(err, tc.want)) {
			t.Errorf("%+v: %v, want %v", tc.edit, err, tc.want)
			continue
		}
		if ee.Edit.Op != tc.edit.Op || !strings.Contains(err.Error(), string(tc.edit.Op)+" ") {
			t.Errorf("the error does not name the edit: %v", err)
		}
	}
}

func TestNothingChangesNothing(t *testing.T) {
	t.Parallel()
	tree := files{"lessons.md": []byte("- one\n")}
	id := factWith(t, tree, "lessons.md", "one").ID
	changes, err := Apply(tree.read, []Edit{{Op: OpReplace, Path: "lessons.md", FactID: id, Text: "one"}})
	if err != nil || len(changes) != 0 {
		t.Errorf("%v %v", changes, err)
	}
}
