package knowledge

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// stampLine is a line that says when a claim was verified, in every spelling of
// the samples.
var stampLine = regexp.MustCompile(`(?im)^[^\n]*\b(?:last[ _]?)?verified(?:_?at)?\b\**:[^\n]*$`)

// stamps are all such lines of a tree, sorted: a fact that moves to the archive
// takes its own along.
func stamps(tree files) []string {
	var out []string
	for _, src := range tree {
		for _, l := range stampLine.FindAllString(string(src), -1) {
			out = append(out, strings.TrimRight(l, "\r"))
		}
	}
	slices.Sort(out)
	return out
}

// randomEdit is an edit of any kind but a stamp, at a fact drawn at random.
func randomEdit(rnd *rand.Rand, tree files) Edit {
	names := slices.Sorted(maps.Keys(tree))
	name := names[rnd.IntN(len(names))]
	doc := parseAs(name, tree[name])
	e := Edit{Path: name, Date: editDay, Reason: "drawn"}
	if len(doc.Facts) == 0 {
		e.Op, e.Text = OpAdd, "A new rule."
		return e
	}
	f := doc.Facts[rnd.IntN(len(doc.Facts))]
	e.FactID = f.ID
	words := strings.Fields(string(doc.Source[f.Span.Start:f.Span.End]))
	switch rnd.IntN(8) {
	case 0:
		e.Op, e.FactID, e.Text = OpAdd, "", fmt.Sprintf("Rule number %d.", rnd.IntN(1000))
	case 1:
		e.Op, e.Text = OpReplace, fmt.Sprintf("Other words, %d.", rnd.IntN(1000))
	case 2:
		e.Op, e.Text, e.Merge = OpMerge, "Both in one.", []string{doc.Facts[rnd.IntN(len(doc.Facts))].ID}
	case 3:
		e.Op, e.Field, e.Value = OpSetField, []string{"created", "renewed", "expires", "status", "ttl", "superseded_by", "supersedes"}[rnd.IntN(7)], "2027-01-01"
	case 4: // any word of the fact: a date among them
		e.Op, e.New = OpRewrite, "2027-02-02"
		if len(words) > 0 {
			e.Old = strings.Trim(words[rnd.IntN(len(words))], "'\"`*")
		}
	case 5:
		e.Op = OpArchive
	case 6:
		e.Op = OpRestore
		for _, a := range names {
			if d := parseAs(a, tree[a]); d.Format == Archive && len(d.Facts) > 0 {
				if file, id, ok := d.Origin(&d.Facts[rnd.IntN(len(d.Facts))]); ok {
					e.Path, e.FactID = file, id
				}
			}
		}
	default:
		e.Op, e.Path, e.FactID, e.Text = OpIndex, ".claude/memory/MEMORY.md", "", "project_state.md"
	}
	return e
}

// TestNoEditMovesAStamp: whatever is done to whichever fact, in whatever order,
// every line that says when something was verified stands as it stood.
func TestNoEditMovesAStamp(t *testing.T) {
	t.Parallel()
	for variant := range variants {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(5, 6))
			done := map[Op]int{}
			for range 60 {
				tree := samples(t, variant)
				want := stamps(tree)
				if len(want) < 2 {
					t.Fatalf("the samples have %d stamps", len(want))
				}
				for range 12 {
					e := randomEdit(rnd, tree)
					after, err := tree.apply(e)
					if err != nil {
						if !errors.As(err, new(*EditError)) {
							t.Fatal(err)
						}
						continue
					}
					done[e.Op]++
					if got := stamps(after); !slices.Equal(want, got) {
						t.Fatalf("%+v moves a stamp:\n%q\n%q", e, want, got)
					}
					tree = after
				}
			}
			for _, op := range []Op{OpAdd, OpReplace, OpSetField, OpRewrite, OpArchive, OpRestore} {
				if done[op] == 0 {
					t.Errorf("no %s was applied", op)
				}
			}
		})
	}
}

// TestStampMovesOneField: dating a fact changes its own field and no other byte,
// and not what the fact says.
func TestStampMovesOneField(t *testing.T) {
	t.Parallel()
	everyFact(t, func(t *testing.T, tree files, doc *Document, i int) {
		f := &doc.Facts[i]
		old, ok := doc.Field(f, "verified")
		if !ok || f.Kind != KindEntry || doc.Format == Archive {
			return
		}
		after, err := tree.apply(Edit{Op: OpSetField, Path: doc.Path, FactID: f.ID, Field: "verified", Value: "2026-11-30"})
		if err != nil {
			t.Fatal(err)
		}
		now := parseAs(doc.Path, after[doc.Path])
		x, ok := now.Fact(f.ID)
		if !ok || x.Claim != f.Claim || x.Life.Verified != editDay || x.Life.Created != f.Life.Created || x.Life.Renewed != f.Life.Renewed {
			t.Errorf("after the stamp the fact reads as %+v", x)
		}
		back, err := after.apply(Edit{Op: OpSetField, Path: doc.Path, FactID: f.ID, Field: "verified", Value: old})
		if err != nil {
			t.Fatal(err)
		}
		if d := diff(tree, back); d != "" {
			t.Errorf("more than the field changed:\n%s", d)
		}
	})
}

// TestRewriteOfAStampIsRefused: a rewrite may not reach the clock by way of a
// text that stands in it.
func TestRewriteOfAStampIsRefused(t *testing.T) {
	t.Parallel()
	tree := files{"KNOWLEDGE_VAULT.md": []byte("- **ID**: B-1\n- **Issue**: Since 2026-07-01.\n- **Last Verified**: 2026-07-01\n")}
	_, err := tree.apply(Edit{Op: OpRewrite, Path: "KNOWLEDGE_VAULT.md", FactID: "B-1", Old: "2026-07-01", New: "2026-11-30"})
	if !errors.Is(err, ErrStructure) {
		t.Errorf("%v", err)
	}
}
