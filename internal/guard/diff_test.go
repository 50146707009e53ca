package guard

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

func edited(file, old, new string) FileChange {
	return FileChange{Path: file, OldMode: "100644", NewMode: "100644", Old: []byte(old), New: []byte(new)}
}

func added(file, content string) FileChange {
	return FileChange{Path: file, NewMode: "100644", New: []byte(content)}
}

func removed(file, content string) FileChange {
	return FileChange{Path: file, OldMode: "100644", Old: []byte(content)}
}

const memory = "---\nname: a\ntype: feedback\n---\nUse pnpm.\n"

var archived = strings.Replace(memory, "---\nUse", "archived: 2026-11-30\nreason: expired\n---\nUse", 1)

func TestCheckDiff(t *testing.T) {
	t.Parallel()
	token := "ghp" + "_" + strings.Repeat("a1B2", 9)
	other := "ghp" + "_" + strings.Repeat("c3D4", 9)
	for _, c := range []struct {
		name    string
		route   knowledge.Route
		changes []FileChange
		want    string // part of the error; "" for none
	}{
		{"an edit", knowledge.RouteAuto, []FileChange{edited("knowledge/playbooks/a.md", "x\n", "y\n")}, ""},
		{"a freer path on a stricter branch", knowledge.RouteUpkeep, []FileChange{edited("knowledge/playbooks/a.md", "x\n", "y\n")}, ""},
		{"a stricter path on a freer branch", knowledge.RouteAuto, []FileChange{edited("memory/a.md", "x\n", "y\n")}, "its route is upkeep"},
		{"an instruction surface on upkeep", knowledge.RouteUpkeep, []FileChange{edited("AGENTS.md", "x\n", "y\n")}, "its route is queue"},
		{"an instruction surface in the queue", knowledge.RouteQueue, []FileChange{edited("AGENTS.md", "x\n", "y\n")}, ""},
		{"protected beside allowed", knowledge.RouteQueue, []FileChange{edited("AGENTS.md", "x\n", "y\n"), edited("go.mod", "x\n", "y\n")}, `"go.mod"`},
		{"no branch for never", knowledge.RouteNever, nil, "no branch"},
		{"archived", knowledge.RouteUpkeep, []FileChange{removed("memory/a.md", memory), added("memory/archive/a.md", archived)}, ""},
		{"restored", knowledge.RouteUpkeep, []FileChange{removed("memory/archive/a.md", archived), added("memory/a.md", memory)}, ""},
		{"deleted", knowledge.RouteUpkeep, []FileChange{removed("memory/a.md", memory)}, "no archive holds it"},
		{"archived without a line", knowledge.RouteUpkeep, []FileChange{removed("memory/a.md", memory), added("memory/archive/a.md", strings.Replace(archived, "Use pnpm.\n", "", 1))}, "no archive holds it"},
		{"moved elsewhere", knowledge.RouteUpkeep, []FileChange{removed("memory/a.md", memory), added("memory/b.md", memory)}, "no archive holds it"},
		{"a secret added", knowledge.RouteUpkeep, []FileChange{edited("memory/a.md", "x\n", "x "+token+"\n")}, "introduces a secret (github-token)"},
		{"a secret that was there", knowledge.RouteUpkeep, []FileChange{edited("memory/a.md", token+"\n", token+" x\n")}, ""},
		{"a secret exchanged", knowledge.RouteUpkeep, []FileChange{edited("memory/a.md", token+"\n", other+"\n")}, "introduces a secret"},
		{"a secret archived", knowledge.RouteUpkeep, []FileChange{removed("memory/a.md", token), added("memory/archive/a.md", token)}, ""},
		{"a hidden character added", knowledge.RouteUpkeep, []FileChange{edited("memory/a.md", "x\n", "x\u200b\n")}, "hidden character (U+200B"},
		{"a hidden character that was there", knowledge.RouteUpkeep, []FileChange{edited("memory/a.md", "x\u200b\n", "y\u200b\n")}, ""},
		{"a hidden character doubled", knowledge.RouteUpkeep, []FileChange{edited("memory/a.md", "x\u200b\n", "x\u200b\n\u200b")}, "hidden character"},
		{"UTF-8 lost", knowledge.RouteUpkeep, []FileChange{edited("memory/a.md", "x\n", "x\xff\n")}, "UTF-8"},
		{"too large", knowledge.RouteUpkeep, []FileChange{added("memory/a.md", strings.Repeat("x", maxFileBytes+1))}, "larger than"},
		{"clash", knowledge.RouteUpkeep, []FileChange{added("memory/a.md", "x"), added("memory/A.md", "x")}, "clashes"},
		{"too many lines", knowledge.RouteQueue, []FileChange{edited("AGENTS.md", "", numbered(401))}, "401 changed lines"},
		{"lines enough", knowledge.RouteQueue, []FileChange{edited("AGENTS.md", "", numbered(400))}, ""},
		{"too many files", knowledge.RouteQueue, manyFiles(21), "21 files"},
		{"files enough", knowledge.RouteUpkeep, manyFiles(21), ""},
		{"far too many files", knowledge.RouteUpkeep, manyFiles(501), "501 files"},
	} {
		err := policy(Routes{}, Routes{}).CheckDiff(c.route, c.changes)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: refused: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

func TestCheckDiffNamesNoSecret(t *testing.T) {
	t.Parallel()
	token := "ghp" + "_" + strings.Repeat("a1B2", 9)
	err := policy(Routes{}, Routes{}).CheckDiff(knowledge.RouteUpkeep, []FileChange{added("memory/a.md", token)})
	if err == nil || strings.Contains(err.Error(), token) {
		t.Errorf("error %v: want one without the secret", err)
	}
}

func numbered(n int) string {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func manyFiles(n int) []FileChange {
	var changes []FileChange
	for i := range n {
		changes = append(changes, added(fmt.Sprintf("memory/%d.md", i), "x\n"))
	}
	return changes
}

// TestMovesNeedNoReading: a file that moves to the archive as it is takes no
// place among those that a person has to read, and neither do its lines.
func TestMovesNeedNoReading(t *testing.T) {
	t.Parallel()
	old := []byte("---\nname: a\n---\nIt is so.\n")
	kept := []byte("---\nname: a\narchived: 2026-11-30\nreason: over\n---\nIt is so.\n")
	moved := []FileChange{
		{Path: "m/a.md", OldMode: "100644", Old: old},
		{Path: "m/archive/a.md", NewMode: "100644", New: kept},
	}
	if files, lines := Reading(moved); files != 0 || lines != 2 {
		t.Errorf("a move: %d files, %d lines", files, lines)
	}
	if files, lines := Reading(append(moved, FileChange{Path: "b.md", OldMode: "100644", NewMode: "100644", Old: []byte("x\n"), New: []byte("y\n")})); files != 1 || lines != 4 {
		t.Errorf("a move and an edit: %d files, %d lines", files, lines)
	}
	if files, _ := Reading(moved[1:]); files != 1 {
		t.Errorf("a new file in an archive counts as %d", files)
	}
}
