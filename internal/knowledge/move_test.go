package knowledge

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// Each case of move.txtar is a line "from: text -> to # section", two files
// before and the same two after it, or the word that the refusal holds.
func TestMove(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("testdata/apply/move.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range strings.Split("\n"+string(src), "\n== ")[1:] {
		name, rest, _ := strings.Cut(c, "\n")
		line, rest, _ := strings.Cut(rest, "\n")
		for variant, eol := range map[string]string{"lf": "\n", "crlf": "\r\n"} {
			t.Run(name+"/"+variant, func(t *testing.T) {
				t.Parallel()
				checkMove(t, line, txtar.Parse([]byte(rest)), eol)
			})
		}
	}
}

func checkMove(t *testing.T, line string, a *txtar.Archive, eol string) {
	before, want, refusal := files{}, files{}, ""
	for _, f := range a.Files {
		data := []byte(strings.ReplaceAll(string(f.Data), "\n", eol))
		switch name, after := strings.CutPrefix(f.Name, "after "); {
		case f.Name == "refused":
			refusal = strings.TrimSpace(string(f.Data))
		case after:
			want[name] = data
		default:
			before[name] = data
		}
	}
	from, line, _ := strings.Cut(line, ": ")
	text, line, _ := strings.Cut(line, " -> ")
	to, section, _ := strings.Cut(line, " # ")
	fact := factWith(t, before, from, text)
	move := Edit{Op: OpMove, Path: from, To: to, Section: section, FactID: fact.ID, Text: fact.Text, Date: editDay}
	got, err := before.apply(move)
	if refusal != "" {
		if err == nil || !strings.Contains(err.Error(), refusal) {
			t.Errorf("error = %v, want %q", err, refusal)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
	if to != from && fact.Parent == "" && fact.Kind == KindBullet { // and home again: every word is where it was
		back, err := got.apply(Edit{Op: OpMove, Path: to, To: from, Section: last(fact.Heading), FactID: factWith(t, got, to, text).ID, Text: fact.Text})
		if err != nil || factWith(t, back, from, text).Claim != fact.Claim {
			t.Errorf("it cannot come back: %v", err)
		}
	}
	move.Text += " and more"
	if _, err := before.apply(move); !errors.Is(err, ErrNoFact) {
		t.Errorf("what was changed on the way is moved: %v", err)
	}
}

func last(heading []string) string {
	if len(heading) == 0 {
		return ""
	}
	return heading[len(heading)-1]
}

// At every fact of every sample a move changes two files by exactly its lines,
// or is refused.
func TestMoveTakesNothingElse(t *testing.T) {
	t.Parallel()
	const to = "AGENTS.md"
	moved := make(chan bool, 10000)
	t.Run("facts", func(t *testing.T) {
		everyFact(t, func(t *testing.T, tree files, doc *Document, i int) {
			f := &doc.Facts[i]
			tree[to] = []byte("# Guide\n\n## Rules\n\n- one\n\nThe end.\n")
			if doc.Path == to {
				return
			}
			got, err := tree.apply(Edit{Op: OpMove, Path: doc.Path, To: to, Section: "Rules", FactID: f.ID, Text: f.Text})
			if err != nil {
				return
			}
			moved <- true
			before, after := claims(doc, Span{}), claims(parseAs(doc.Path, got[doc.Path]), Span{})
			if len(after) != len(before)-1 {
				t.Errorf("%d facts become %d", len(before), len(after))
			}
			there := factWith(t, got, to, f.Text)
			if there.Claim != f.Claim || there.Event != f.Event {
				t.Errorf("%q arrives as %q", f.Text, there.Text)
			}
		})
	})
	if len(moved) == 0 {
		t.Error("nothing could be moved")
	}
}
