package patch

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestLost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, before, after, reason string
		want                        []string
	}{
		{"nothing", "Run `make test` before a push.", "Before you push, run `make test`.", "", nil},
		{"a number", "Retry 5 times.", "Retry.", "", []string{"5"}},
		{"a longer number is another", "Retry 5 times.", "Retry 50 times.", "", []string{"5"}},
		{"a number with its unit", "Wait 30 s.", "Wait 30s.", "", nil},
		{"a number named in the reason", "Wait 30 s.", "Wait for the signal.", "30 s was a guess, the signal is exact", nil},
		{"a code span", "Use `bd update`, never `bd edit`.", "Use `bd update`.", "", []string{"bd edit"}},
		{"a name", "Open AGENT_INSTRUCTIONS.md and ask GitHub.", "Ask.", "", []string{"AGENT_INSTRUCTIONS.md", "GitHub"}},
		{"a path and a flag", "Read docs/dev/setup and pass --force.", "Read it.", "", []string{"docs/dev/setup", "--force"}},
		{"loud words are no names", "ALWAYS run the tests. NEVER skip them.", "Run the tests each time.", "", nil},
		{"a condition", "Push at once unless CI is red.", "Push at once.", "", []string{"unless CI"}},
		{"a condition said otherwise", "Push unless CI is red.", "Push, except when CI is red.", "", nil},
		{"a condition named in the reason", "Push unless CI is red.", "Push.", "drops \"unless CI is red\": CI now blocks it", nil},
		{"when and if are one", "When a test fails, stop.", "Stop if a test fails.", "", nil},
		{"only", "Use sudo only in CI.", "Use sudo.", "", []string{"only in CI"}},
		{"said once", "Use `x` and `x`.", "Use it.", "", []string{"x"}},
		{"empty span", "Use `` ` `` here.", "Use it.", "", nil},
	} {
		got := lost(tt.before, tt.after, tt.reason)
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestProvenance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ rule, bare, from, next string }{
		{"Do it.", "Do it.", "", "2026-11-30, abcdef0123"},
		{"Do it. (2026-01-02, 0123456789)", "Do it.", "2026-01-02, 0123456789", "2026-01-02, 0123456789; 2026-11-30, abcdef0123"},
		{"Do it. (2026-01-02, 0123456789; 2026-02-03, 1234567890)", "Do it.", "2026-01-02, 0123456789; 2026-02-03, 1234567890", "2026-01-02, 0123456789; 2026-11-30, abcdef0123"},
		{"Do it (see 2026-01-02, the log).", "Do it (see 2026-01-02, the log).", "", "2026-11-30, abcdef0123"},
	} {
		if got := bare(tt.rule); got != tt.bare {
			t.Errorf("bare(%q) = %q", tt.rule, got)
		}
		if got := provenanceOf(tt.rule); got != tt.from {
			t.Errorf("provenanceOf(%q) = %q", tt.rule, got)
		}
		if got := joined(provenanceOf(tt.rule), "2026-11-30, abcdef0123"); got != tt.next {
			t.Errorf("joined(%q) = %q", tt.rule, got)
		}
	}
	if got := joined("2026-11-30, abcdef0123", "2026-11-30, abcdef0123"); got != "2026-11-30, abcdef0123" {
		t.Errorf("the same origin twice: %q", got)
	}
}

func FuzzLost(f *testing.F) {
	f.Add("Run `make test` 5 times unless CI is red.", "Run it.", "")
	f.Add("```", "", "`")
	f.Add("0 0", "0", "0")
	f.Add("0`0", "0", "0")
	f.Add("`\xd1`\x81", "0", "0")
	f.Fuzz(func(t *testing.T, before, after, reason string) {
		if got := lost(before, before, ""); len(got) != 0 {
			t.Errorf("a rule that stays loses %q", got)
		}
		if got := lost(before, after, before); len(got) != 0 {
			t.Errorf("a reason that quotes the whole rule leaves %q", got)
		}
		_ = lost(before, after, reason)
	})
}
