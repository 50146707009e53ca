package rules

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

func docs() []*knowledge.Document {
	return []*knowledge.Document{
		knowledge.Parse("AGENTS.md", []byte("# Guide\n\nRead this before you begin.\n\n```sh\nmake install everything now\n```\n\nSteps for a release:\n\n- Build with make install.\n- Run it\n"), knowledge.Instruction),
		knowledge.Parse("docs/x.md", []byte("Build with make install, says the manual.\n"), knowledge.Docs),
		knowledge.Parse("knowledge/playbooks/shell-use.md", []byte("# Shell use\n\n- Pass -f to cp, mv and rm, so that no prompt waits.\n- Quote paths with spaces.\n- Quote variables in scripts.\n"), knowledge.Playbook),
		knowledge.Parse("memory/a.md", []byte("---\nname: no fallbacks\ntype: feedback\n---\nLet bad data fail.\n\nMore about it here.\n"), knowledge.Memory),
	}
}

func lines(rules []*Rule) []string {
	out := make([]string, 0, len(rules))
	for _, r := range rules {
		out = append(out, r.Line(60))
	}
	return out
}

// Statements are rules; code, lead-ins, two-word items and plain documentation
// are not, and a memory is one rule.
func TestCollect(t *testing.T) {
	t.Parallel()
	want := []string{
		"AGENTS.md: Read this before you begin.",
		"AGENTS.md: Build with make install.",
		"knowledge/playbooks/shell-use.md: Pass -f to cp, mv and rm, so that no prompt waits.",
		"knowledge/playbooks/shell-use.md: Quote paths with spaces.",
		"knowledge/playbooks/shell-use.md: Quote variables in scripts.",
	}
	got := lines(Collect(docs()).Rules)
	if len(got) != len(want)+1 || got[len(want)][:13] != "memory/a.md: " {
		t.Fatalf("rules = %q", got)
	}
	if diff := cmp.Diff(want, got[:len(want)]); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	s := Collect(docs())
	for _, tt := range []struct{ text, want string }{
		{"the build used an old binary: always make install", "AGENTS.md: Build with make install."},
		{"a script hung on a prompt of rm", "knowledge/playbooks/shell-use.md: Pass -f to cp, mv and rm, so that no prompt waits."},
		{"quoting of a variable", "knowledge/playbooks/shell-use.md: Quote variables in scripts."},
	} {
		got := s.Nearest(tt.text, 1, nil)
		if len(got) != 1 || got[0].Line(60) != tt.want {
			t.Errorf("near %q: %q", tt.text, lines(got))
		}
	}
	if got := s.Nearest("zebra", 5, nil); len(got) != 0 {
		t.Errorf("near nothing: %q", lines(got))
	}
	if got := s.Nearest("make install", 5, (*Rule).Playbook); len(got) != 0 {
		t.Errorf("rules that were not to be kept: %q", lines(got))
	}
}

// A long text does not crowd out what is near a short one.
func TestAround(t *testing.T) {
	t.Parallel()
	s := Collect(docs())
	got := s.Around([]string{"quote paths, spaces, variables and scripts; rm, mv and cp wait for a prompt", "bad data"}, 3, 2, nil)
	if len(got) != 2 || got[1].Doc.Path != "memory/a.md" {
		t.Errorf("around = %q", lines(got))
	}
	all := s.Around([]string{"quote paths", "quote paths"}, 3, 9, nil)
	if diff := cmp.Diff(lines(s.Nearest("quote paths", 3, nil)), lines(all)); diff != "" {
		t.Errorf("the same text twice (-want +got):\n%s", diff)
	}
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want float64
	}{
		{"Quote paths", "quoted path", 1},
		{"Quote paths", "Pass -f", 0},
		{"", "Quote", 0},
		{"build tests", "build all the things", 0.5},
	} {
		if got := Overlap(tt.a, tt.b); got != tt.want || Overlap(tt.b, tt.a) != got {
			t.Errorf("Overlap(%q, %q) = %v, want %v both ways", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestBrief(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		max  int
		want string
	}{
		{" a\n\tb  c ", 9, "a b c"},
		{"äöü äöü", 5, "äöü…"},
		{"", 5, ""},
	} {
		if got := Brief(tt.text, tt.max); got != tt.want {
			t.Errorf("Brief(%q, %d) = %q, want %q", tt.text, tt.max, got, tt.want)
		}
	}
}

// A rule that moved is remembered by the file it came from, unless a rule of the
// same commit stands there.
func TestNames(t *testing.T) {
	t.Parallel()
	const made = " (2026-01-02, 0123456789)"
	s := Collect([]*knowledge.Document{
		knowledge.Parse("AGENTS.md", []byte("- Pass -f to cp."+made+"\n"), knowledge.Instruction),
		knowledge.Parse("knowledge/playbooks/git.md", []byte("- Push at the end."+made+"\n"), knowledge.Playbook),
		knowledge.Parse("knowledge/playbooks/shell.md", []byte("- Quote every path.\n"), knowledge.Playbook),
	})
	want := []string{KeyOf("AGENTS.md", "0123456789"), KeyOf("knowledge/playbooks/shell.md", "0123456789")}
	if got := s.Names(s.Rules[0]); !slices.Equal(got, want) {
		t.Errorf("names = %v, want %v", got, want)
	}
	if got := s.Names(s.Rules[2]); !slices.Equal(got, []string{s.Rules[2].Key()}) {
		t.Errorf("names = %v", got)
	}
}
