package knowledge

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// memoryTree has a memory that two index lines point at.
func memoryTree() files {
	return files{
		".claude/memory/MEMORY.md": []byte("# M\n- [A](a_b.md) — first\n- [Other](o.md)\n\n| f | t |\n|---|---|\n| `a-b.md` | x |\n"),
		".claude/memory/a_b.md":    []byte("---\nname: a_b\ntype: feedback\nreason: a field of its own\n---\nRule.\n"),
		".claude/memory/o.md":      []byte("---\nname: o\n---\nOther.\n"),
	}
}

func TestArchivedMemoryHoldsItsBytes(t *testing.T) {
	t.Parallel()
	tree := memoryTree()
	id := parseAs(".claude/memory/a_b.md", tree[".claude/memory/a_b.md"]).Facts[0].ID
	got, err := tree.apply(Edit{Op: OpArchive, Path: ".claude/memory/a_b.md", FactID: id, Reason: "ttl: 90 days\nended", Date: editDay})
	if err != nil {
		t.Fatal(err)
	}
	if _, there := got[".claude/memory/a_b.md"]; there {
		t.Error("the memory is still there")
	}
	want := "---\nname: a_b\ntype: feedback\nreason: a field of its own\narchived: 2026-11-30\nreason: \"ttl: 90 days ended\"\n---\nRule.\n"
	if diff := cmp.Diff(want, string(got[".claude/memory/archive/a_b.md"])); diff != "" {
		t.Error(diff)
	}
	if want := "# M\n- [Other](o.md)\n\n| f | t |\n|---|---|\n"; string(got[".claude/memory/MEMORY.md"]) != want {
		t.Errorf("the index is %q", got[".claude/memory/MEMORY.md"])
	}
	d := parseAs(".claude/memory/archive/a_b.md", got[".claude/memory/archive/a_b.md"])
	if d.Format != Archive || d.Facts[0].ID != id || d.Facts[0].Life.Archived != editDay {
		t.Errorf("the archive reads as %s %+v", d.Format, d.Facts[0])
	}
	back, err := got.apply(Edit{Op: OpRestore, Path: ".claude/memory/a_b.md", FactID: id})
	if err != nil {
		t.Fatal(err)
	}
	if d := diff(tree, back); d != "" {
		t.Error(d)
	}
}

func TestMemoryOfTheSameNameIsArchivedBesideTheFirst(t *testing.T) {
	t.Parallel()
	tree := memoryTree()
	name := ".claude/memory/a_b.md"
	id := parseAs(name, tree[name]).Facts[0].ID
	archive := Edit{Op: OpArchive, Path: name, FactID: id, Reason: "over", Date: editDay}
	once, err := tree.apply(archive)
	if err != nil {
		t.Fatal(err)
	}
	once[name] = []byte("---\nname: again\n---\nNew rule.\n")
	twice, err := once.apply(archive)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := twice[".claude/memory/archive/a_b-2.md"]; !ok {
		t.Fatal("the second was not archived beside the first")
	}
	back, err := twice.apply(Edit{Op: OpRestore, Path: name, FactID: id})
	if err != nil {
		t.Fatal(err)
	}
	if string(back[name]) != string(once[name]) {
		t.Errorf("the newest did not come back: %q", back[name])
	}
	if _, err := back.apply(Edit{Op: OpRestore, Path: name, FactID: id}); !errors.Is(err, ErrStructure) {
		t.Errorf("the first came back over the second: %v", err)
	}
}

func TestArchivesOfInstructionsStandAtTheTop(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		".claude/rules/a.md":       "ARCHIVED_KNOWLEDGE.md",
		"internal/x/AGENTS.md":     "ARCHIVED_KNOWLEDGE.md",
		"team/KNOWLEDGE_VAULT.md":  "team/ARCHIVED_KNOWLEDGE.md",
		"KNOWLEDGE_VAULT.md":       "ARCHIVED_KNOWLEDGE.md",
		"knowledge/playbooks/a.md": "knowledge/playbooks/archive/a.md",
		"wiki/a.md":                "wiki/archive/a.md",
		"facts/a.yaml":             "facts/ARCHIVED_KNOWLEDGE.md",
	} {
		f, _, _ := byPath.Classify(name)
		got := ArchivePath(name, f)
		if got != want {
			t.Errorf("%s goes to %s, want %s", name, got, want)
		}
		if a, _, ok := byPath.Classify(got); !ok || a != Archive {
			t.Errorf("%s is no archive but %q", got, a)
		}
	}
}

func TestRestoreFindsThePlaceInAChangedFile(t *testing.T) {
	t.Parallel()
	const before = "# L\n\n## A\n\n- one\n- two\n- three\n\n## B\n\n- four\n"
	tree := files{"lessons.md": []byte(before)}
	two := factWith(t, tree, "lessons.md", "two").ID
	gone, err := tree.apply(Edit{Op: OpArchive, Path: "lessons.md", FactID: two, Date: editDay})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ now, want string }{
		"a line above":        {"# L\n\nNew.\n\n## A\n\n- one\n- three\n\n## B\n\n- four\n", "# L\n\nNew.\n\n## A\n\n- one\n- two\n- three\n\n## B\n\n- four\n"},
		"one neighbour":       {"# L\n\n## A\n\n- one, better\n- three\n\n## B\n\n- four\n", "# L\n\n## A\n\n- one, better\n- two\n- three\n\n## B\n\n- four\n"},
		"only the section":    {"# L\n\n## A\n\n- other\n\n## B\n\n- four\n", "# L\n\n## A\n\n- other\n- two\n\n## B\n\n- four\n"},
		"another line end":    {strings.ReplaceAll("# L\n\n## A\n\n- one\n- three\n", "\n", "\r\n"), "# L\r\n\r\n## A\r\n\r\n- one\r\n- two\n- three\r\n"},
		"nothing is the same": {"# Other", "# Other\n- two\n"},
	} {
		gone["lessons.md"] = []byte(tc.now)
		back, err := gone.apply(Edit{Op: OpRestore, Path: "lessons.md", FactID: two})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(tc.want, string(back["lessons.md"])); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		if _, there := back["archive/lessons.md"]; there {
			t.Errorf("%s: the empty archive stays", name)
		}
	}
}

func TestRestoreFromAnArchiveThatPeopleTouched(t *testing.T) {
	t.Parallel()
	tree := files{"lessons.md": []byte("- one\n- two\n- three\n")}
	d := parseAs("lessons.md", tree["lessons.md"])
	gone, err := tree.apply(
		Edit{Op: OpArchive, Path: "lessons.md", FactID: d.Facts[1].ID, Date: editDay},
		Edit{Op: OpArchive, Path: "lessons.md", FactID: d.Facts[2].ID, Date: editDay})
	if err != nil {
		t.Fatal(err)
	}
	archive := string(gone["archive/lessons.md"])
	gone["archive/lessons.md"] = []byte(strings.Replace("A note by a person.\n"+archive, "\n- two\n", "\n- two,\n  as we said\n", 1))
	back, err := gone.apply(Edit{Op: OpRestore, Path: "lessons.md", FactID: d.Facts[2].ID})
	if err != nil {
		t.Fatal(err)
	}
	if string(back["lessons.md"]) != "- one\n- three\n" || !strings.HasPrefix(string(back["archive/lessons.md"]), "A note by a person.\n") {
		t.Errorf("got %q and %q", back["lessons.md"], back["archive/lessons.md"])
	}
}

// A fact may hold the very lines that end a record.
func TestForgedMarksInsideAFact(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"- two\n  <!-- retrosweep:end ID -->\n  tail\n",
		"- two\n  <!-- retrosweep:original -->\n",
		"- two\n\n  ```\n<!-- retrosweep:end ID -->\n  ```\n",
	} {
		src := "- one\n" + text + "- three\n"
		tree := files{"lessons.md": []byte(src)}
		id := factWith(t, tree, "lessons.md", "two").ID
		tree["lessons.md"] = []byte(strings.ReplaceAll(src, "ID", id))
		id = factWith(t, tree, "lessons.md", "two").ID
		gone, err := tree.apply(Edit{Op: OpArchive, Path: "lessons.md", FactID: id, Date: editDay})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		back, err := gone.apply(Edit{Op: OpRestore, Path: "lessons.md", FactID: id})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if d := diff(tree, back); d != "" {
			t.Errorf("%q:\n%s", text, d)
		}
	}
}

func TestArchiveIsListedUnderTheOldIDs(t *testing.T) {
	t.Parallel()
	tree := samples(t, "lf")
	gone, err := tree.apply(Edit{Op: OpArchive, Path: "KNOWLEDGE_VAULT.md", FactID: "B-002", Reason: "fixed in the library", Date: editDay})
	if err != nil {
		t.Fatal(err)
	}
	d := parseAs("ARCHIVED_KNOWLEDGE.md", gone["ARCHIVED_KNOWLEDGE.md"])
	f, ok := d.Fact("B-002")
	if !ok || f.Life.Archived != editDay || !strings.Contains(f.Text, "Two entries may share a heading.") {
		t.Errorf("the archive reads as %+v", d.Facts)
	}
	if !strings.Contains(string(d.Source), "Archived 2026-11-30 from `KNOWLEDGE_VAULT.md`: fixed in the library") {
		t.Errorf("a reader is not told why: %s", d.Source)
	}
}

func TestArchivedFactsAreNotArchivedAgain(t *testing.T) {
	t.Parallel()
	tree := files{"archive/lessons.md": []byte("# L\n\n- one\n")}
	if _, err := tree.apply(Edit{Op: OpArchive, Path: "archive/lessons.md", FactID: "x"}); err == nil {
		t.Error("an archive was archived")
	}
}
