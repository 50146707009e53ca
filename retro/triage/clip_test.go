package triage

import (
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/retro/signal"
)

// Of a long line that changed far from its beginning, what changed is shown on
// both sides.
func TestLongLinesAreCutAroundTheChange(t *testing.T) {
	t.Parallel()
	lead, tail := strings.Repeat("the same words ", 60), strings.Repeat(" and more of them", 60)
	s := &signal.Signal{Path: "AGENTS.md", Hunks: []repo.Hunk{{
		OldLine: 4, NewLine: 4, Removed: []string{lead + "cite the old section" + tail}, Added: []string{lead + "cite the live document" + tail},
	}}}
	got := body(s)
	for _, want := range []string{"-   4 … ", "+   4 … ", "cite the old section", "cite the live document", " …\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	for line := range strings.Lines(got) {
		if n := len([]rune(line)); n > lineRunes+20 {
			t.Errorf("a line of %d runes", n)
		}
	}
	for _, tt := range []struct{ quote, want string }{{"… cite the live document …", "cite the live document"}, {" plain words... ", "plain words"}, {"plain", "plain"}} {
		if got := uncut(tt.quote); got != tt.want {
			t.Errorf("uncut(%q) = %q, want %q", tt.quote, got, tt.want)
		}
	}
}
