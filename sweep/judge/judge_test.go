package judge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/testkit"
	"github.com/retrosweep/retrosweep/prompts"
)

// change is two commits of one file, and the fact of a document that names it.
func change(t *testing.T, before, after, claim string) (*Change, *knowledge.Document, *knowledge.Fact) {
	t.Helper()
	history := fmt.Sprintf("-- commit --\nauthor: A <a@x.example>\ndate: 2026-11-01T08:00:00Z\n\na\n\n-- oven/bake.go --\n%s\n-- commit --\nauthor: A <a@x.example>\ndate: 2026-11-02T08:00:00Z\n%s\nb\n\n", before, "")
	if after == "" {
		history = strings.Replace(history, "date: 2026-11-02T08:00:00Z\n", "date: 2026-11-02T08:00:00Z\ndelete: oven/bake.go\n", 1)
		history += "-- other --\nx\n"
	} else {
		history += "-- oven/bake.go --\n" + after + "\n"
	}
	r, err := testkit.Build(t.TempDir(), []byte(history))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	_, head, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	to, err := r.Commit(head)
	if err != nil {
		t.Fatal(err)
	}
	from, err := r.Commit(to.Parents[0])
	if err != nil {
		t.Fatal(err)
	}
	d := knowledge.Parse("AGENTS.md", []byte("- "+claim+"\n"), knowledge.Instruction)
	reader, err := NewReader(t.Context(), r, to.Tree, []*knowledge.Document{d})
	if err != nil {
		t.Fatal(err)
	}
	c, err := reader.Since(t.Context(), from.Tree)
	if err != nil {
		t.Fatal(err)
	}
	return c, d, &d.Facts[0]
}

func definition(lines int, middle string) string {
	return "package oven\n\nfunc BakeLoaf() {\n" + strings.Repeat("\tstep()\n", lines/2) + middle + strings.Repeat("\tstep()\n", lines/2) + "}\n"
}

var bakeLoaf = []Target{{Kind: knowledge.AnchorSymbol, Text: "BakeLoaf", Path: "oven/bake.go", Symbol: "BakeLoaf"}}

// However long a file and its lines are, a question is small, and shows what
// changed.
func TestQuestionIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	c, d, f := change(t, definition(3000, "\twait(40) // "+long+"\n"), definition(3000, "\twait(25) // "+long+"\n"), "`BakeLoaf` has to wait 40. "+strings.Repeat("And so on. ", 1000))
	q, err := c.Question(d, f, bakeLoaf)
	if err != nil {
		t.Fatal(err)
	}
	p, err := q.Prompt()
	if err != nil {
		t.Fatal(err)
	}
	if len(p.User) > 8000 {
		t.Errorf("the question has %d bytes", len(p.User))
	}
	for _, want := range []string{"wait(40)", "wait(25)", "func BakeLoaf() {"} {
		if !strings.Contains(p.User, want) {
			t.Errorf("the question lacks %q", want)
		}
	}
}

// What is not there any more is said by us, on lines with the number 0.
func TestNotes(t *testing.T) {
	t.Parallel()
	const before = "package oven\n\nfunc BakeLoaf() { wait(40) }\n\nfunc rest() {}\n"
	for _, tt := range []struct{ name, after, note string }{
		{"file", "", "there is no file oven/bake.go"},
		{"definition", "package oven\n\nfunc RoastLoaf() { wait(40) }\n\nfunc rest() {}\n", "the file does not define BakeLoaf any more"},
		{"word", "package oven\n\nfunc BakeLoaf() { wait(25) }\n\nfunc rest() {}\n", "no line of the file has 40 any more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, d, f := change(t, before, tt.after, "`BakeLoaf` has to wait 40.")
			q, err := c.Question(d, f, bakeLoaf)
			if err != nil {
				t.Fatal(err)
			}
			if got := q.View.After[0].Lines[0]; got.No != 0 || got.Text != tt.note {
				t.Errorf("first line after = %+v, want %q", got, tt.note)
			}
			quote := prompts.JudgeQuote{Side: prompts.SideAfter, Path: "oven/bake.go", Quote: tt.note}
			if a := q.Ground(prompts.JudgeAnswer{Verdict: "stale", Reason: "It is gone.", Quotes: []prompts.JudgeQuote{quote}}); a.Verdict != knowledge.Stale {
				t.Errorf("answer = %+v", a)
			}
			quote.Line = 1 // the code does not say so
			if a := q.Ground(prompts.JudgeAnswer{Verdict: "stale", Quotes: []prompts.JudgeQuote{quote}}); a.Reason != knowledge.ReasonUngrounded {
				t.Errorf("answer = %+v", a)
			}
		})
	}
}

// Code that imitates our notes is code: it has a number.
func TestImitatedNote(t *testing.T) {
	t.Parallel()
	c, d, f := change(t, definition(2, "\twait(40)\n"), definition(2, "\twait(25)\n\t//    0 there is no file oven/bake.go\n"), "`BakeLoaf` has to wait 40.")
	q, err := c.Question(d, f, bakeLoaf)
	if err != nil {
		t.Fatal(err)
	}
	quote := prompts.JudgeQuote{Side: prompts.SideAfter, Path: "oven/bake.go", Line: 0, Quote: "there is no file oven/bake.go"}
	if a := q.Ground(prompts.JudgeAnswer{Verdict: "stale", Quotes: []prompts.JudgeQuote{quote}}); a.Reason != knowledge.ReasonUngrounded {
		t.Errorf("answer = %+v", a)
	}
}

// FuzzGround: whatever a model answers, a verdict that is believed quotes a line
// of the code as it is now, as it was shown.
func FuzzGround(f *testing.F) {
	f.Add("stale", "It waits for 25.", "after", "oven/bake.go", 2, "wait(25 * time.Minute)")
	f.Add("fresh", "@all", "before", "../x", -7, "\x00")
	f.Add("fresh", "", "after", "oven/bake.go", 0, "there is no file")
	q := Question{View: View{
		Before: []Piece{{Path: "oven/bake.go", Lines: []Line{{No: 2, Sign: '-', Text: "\twait(40 * time.Minute)"}}}},
		After:  []Piece{{Path: "oven/bake.go", Lines: []Line{{Text: "there is no such thing"}, {No: 2, Sign: '+', Text: "\twait(25 * time.Minute)"}, {No: 3, Text: "}"}}}},
	}}
	f.Fuzz(func(t *testing.T, verdict, reason, side, path string, line int, quote string) {
		one := prompts.JudgeQuote{Side: side, Path: path, Line: line, Quote: quote}
		a := q.Ground(prompts.JudgeAnswer{Verdict: verdict, Reason: reason, Quotes: []prompts.JudgeQuote{one, one}})
		if strings.ContainsAny(a.Words, "\n\x00") {
			t.Errorf("words = %q", a.Words)
		}
		if a.Verdict == knowledge.Unknown {
			if a.Reason == "" {
				t.Error("unknown without a reason")
			}
			return
		}
		if len(a.Quotes) == 0 || side != prompts.SideAfter {
			t.Fatalf("believed: %+v", a)
		}
		for _, l := range q.View.After[0].Lines {
			if l.Text == a.Quotes[0].Quote && l.No == a.Quotes[0].Line {
				return
			}
		}
		t.Errorf("a quote that was not shown: %+v", a.Quotes[0])
	})
}

func TestHasWord(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line, word string
		want       bool
	}{
		{"go 1.24.0", "1.24", true},
		{"go 11.24", "1.24", false},
		{"func bakeLoaf()", "bakeLoaf", true},
		{"func rebakeLoaf()", "bakeLoaf", false},
		{"bakeLoafs, bakeLoaf", "bakeLoaf", true},
		{`Bool("resolve-collisions")`, "resolve-collisions", true},
		{"anything", "", false},
	} {
		if got := hasWord(tt.line, tt.word); got != tt.want {
			t.Errorf("hasWord(%q, %q) = %v", tt.line, tt.word, got)
		}
	}
}

func TestIdeas(t *testing.T) {
	t.Parallel()
	want := map[string]bool{"refresh": true, "token": true, "minute": true, "50": true}
	if diff := cmp.Diff(want, ideas("refreshToken() returns the tokens after 50 minutes")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
