package clock_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/quick"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/testkit"
	"github.com/retrosweep/retrosweep/sweep/clock"
)

const doc = `---
anchor_files: [src/chain.go, src/, "src/*.txt"]
anchor_symbols: [src/chain.go#Build, Limit, tool.zig#run]
---
The limiter stands first, see [the notes](notes.txt) and maybe ` + "`src/none.go`" + `.
`

const history = `-- commit --

one
-- facts/limiter.md --
` + doc + `-- facts/notes.txt --
first
-- tool.zig --
fn run() void {}
-- src/chain.go --
package src

// Build makes a chain.
func Build() int { return 1 }

func other() {}
-- src/limit.go --
package src

const Limit = 3
-- src/a.txt --
a
-- commit --

format and comment, and another function
-- src/chain.go --
package src

// Build builds a chain.
func Build() int {
	return 1
}

func other() { println() }
-- commit --

the symbol
-- src/chain.go --
package src

func Build() int { return 2 }
-- commit --

the notes
-- facts/notes.txt --
second
`

// faces are those of the fact at each commit, newest first.
func faces(t *testing.T) []clock.Face {
	t.Helper()
	r, err := testkit.Build(t.TempDir(), []byte(history))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	d := knowledge.Parse("facts/limiter.md", []byte(doc), knowledge.Anchored)
	var out []clock.Face
	for _, rev := range []string{"HEAD", "HEAD~1", "HEAD~2", "HEAD~3"} {
		h, err := r.Resolve(rev)
		if err != nil {
			t.Fatal(err)
		}
		reader, err := clock.NewReader(context.Background(), r, h)
		if err != nil {
			t.Fatal(err)
		}
		face, err := reader.Face(context.Background(), d, d.Page())
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, face)
	}
	return out
}

func texts(marks []clock.Mark) []string {
	out := []string{}
	for _, m := range marks {
		out = append(out, string(m.Anchor.Kind)+" "+m.Anchor.Text)
	}
	return out
}

func TestFace(t *testing.T) {
	t.Parallel()
	first := faces(t)[3]
	want := []string{"symbol src/chain.go#Build", "symbol Limit", "symbol tool.zig#run", "dir src/", "glob src/*.txt", "link notes.txt"}
	got := texts(first.Marks)
	for i := range got {
		got[i] = strings.Replace(got[i], "file notes", "link notes", 1)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, m := range first.Marks {
		if (m.Print == "") != (m.Anchor.Text == "tool.zig#run") {
			t.Errorf("%s looks like %q (%s)", m.Anchor.Text, m.Print, m.Why)
		}
	}
}

func TestStanding(t *testing.T) {
	t.Parallel()
	all := faces(t)
	without := func(f clock.Face, names ...string) clock.Face {
		f.Marks = slices.DeleteFunc(slices.Clone(f.Marks), func(m clock.Mark) bool { return slices.Contains(names, m.Anchor.Text) })
		return f
	}
	quiet := func(f clock.Face) clock.Face { return without(f, "tool.zig#run", "src/") } // a directory differs with each of its files
	for name, tc := range map[string]struct {
		then, now clock.Face
		reason    string // "": it holds
		changed   []string
	}{
		"the same":                     {quiet(all[3]), quiet(all[3]), "", nil},
		"comments, another function":   {quiet(all[3]), quiet(all[2]), "", nil},
		"the symbol":                   {quiet(all[3]), quiet(all[1]), knowledge.ReasonChanged, []string{"symbol src/chain.go#Build"}},
		"a linked file":                {quiet(all[1]), quiet(all[0]), knowledge.ReasonChanged, []string{"link notes.txt"}},
		"a directory":                  {without(all[3], "tool.zig#run"), without(all[2], "tool.zig#run"), knowledge.ReasonChanged, []string{"dir src/"}},
		"a language nobody reads":      {all[3], all[3], knowledge.ReasonNoParser, nil},
		"changed outweighs unreadable": {all[3], all[2], knowledge.ReasonChanged, []string{"dir src/"}},
		"an anchor that came later":    {without(quiet(all[3]), "Limit"), quiet(all[3]), knowledge.ReasonUnconfirmed, nil},
		"nothing is named":             {clock.Face{}, clock.Face{}, knowledge.ReasonUnconfirmed, nil},
		"one is gone":                  {quiet(all[3]), clock.Face{Marks: quiet(all[3]).Marks, Gone: []knowledge.Anchor{{Text: "x"}}}, knowledge.ReasonUnconfirmed, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var v journal.Verdict
			tc.then.Record(&v)
			got := clock.Compare(v, tc.now)
			if got.Holds != (tc.reason == "") || got.Reason != tc.reason {
				t.Errorf("holds %v, %q; want %q", got.Holds, got.Reason, tc.reason)
			}
			changed := texts(got.Changed)
			for i := range changed {
				changed[i] = strings.Replace(changed[i], "file notes", "link notes", 1)
			}
			if !slices.Equal(changed, tc.changed) {
				t.Errorf("changed %q, want %q", changed, tc.changed)
			}
		})
	}
}

// TestAnotherEngineIsNoChange: an engine that comes or goes with a build proves
// nothing in either direction.
func TestAnotherEngineIsNoChange(t *testing.T) {
	t.Parallel()
	face := func(print string) clock.Face {
		return clock.Face{Marks: []clock.Mark{{Anchor: knowledge.Anchor{Kind: knowledge.AnchorSymbol, Text: "Build"}, Print: print}}}
	}
	var v journal.Verdict
	face("go@1:aa").Record(&v)
	if got := clock.Compare(v, face("go@2:bb")); got.Holds || got.Reason != knowledge.ReasonUnconfirmed {
		t.Errorf("%+v", got)
	}
	v.Fingerprints = nil // a journal that somebody wrote by hand
	if got := clock.Compare(v, face("go@1:aa")); got.Holds {
		t.Error("half a record is believed")
	}
}

// TestOneDifferenceIsSeen: whatever a check was made against, one fingerprint
// that differs is enough.
func TestOneDifferenceIsSeen(t *testing.T) {
	t.Parallel()
	property := func(prints []uint16, which uint8, other uint16) bool {
		var face clock.Face
		for i, p := range prints {
			face.Marks = append(face.Marks, clock.Mark{Anchor: knowledge.Anchor{Text: strings.Repeat("a", i+1)}, Print: "blob@1:" + strings.Repeat("x", int(p%97)+1)})
		}
		var v journal.Verdict
		face.Record(&v)
		if len(prints) == 0 {
			return !clock.Compare(v, face).Holds
		}
		now := clock.Face{Marks: slices.Clone(face.Marks)}
		slices.Reverse(now.Marks)
		if !clock.Compare(v, now).Holds {
			return false
		}
		at := int(which) % len(now.Marks)
		was := now.Marks[at].Print
		now.Marks[at].Print = "blob@1:" + strings.Repeat("x", int(other%97)+1)
		return clock.Compare(v, now).Holds == (was == now.Marks[at].Print)
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}
