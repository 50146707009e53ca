package board

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarkdown(t *testing.T) {
	t.Parallel()
	slot := strings.Repeat("0a", 16)
	p := Page{
		Ticks:    true,
		Open:     []Entry{{Title: "docs: @ada fixes #1 <img>", URL: "https://github.com/acme/shop/pull/1", Reason: "open"}},
		Rejected: []Entry{{Slot: slot, Files: []string{"a|b`c.md"}, Reason: "a person said no"}},
		Unknown:  map[string]int{"no date": 2, "changed": 1},
		Due:      []Due{{"a.md", 3, "2026-12-01"}},
		Run:      "20261130-01", Day: "2026-11-30", Sweep: "0123456", Corrections: 4, Again: 1,
	}
	got := p.Markdown()
	for _, bad := range []string{"@ada", "#1", "<img"} {
		if strings.Contains(got, bad) {
			t.Errorf("it holds %q", bad)
		}
	}
	for _, part := range []string{Marker, "### Open (1)", "- [ ] <!-- retry:" + slot, "- changed: 1 fact\n- no date: 2 facts", "`a.md:3`, on 2026-12-01", "Corrections in thirty days: 4; of something that a rule had said: 1."} {
		if !strings.Contains(got, part) {
			t.Errorf("it lacks %q:\n%s", part, got)
		}
	}
	ticked := strings.ReplaceAll(strings.Replace(got, "- [ ]", "- [x]", 1), "\n", "\r\n")
	if diff := cmp.Diff([]string{slot}, Ticks(strings.ReplaceAll(ticked, "\r\n", "\n"))); diff != "" {
		t.Error(diff)
	}
	if !Same(got, ticked) || Same(got, strings.Replace(got, "no date", "other", 1)) {
		t.Error("a tick makes a page another one, or a word does not")
	}
	p.Ticks = false
	if silent := p.Markdown(); strings.Contains(silent, "- [ ]") || strings.Contains(silent, "tick") {
		t.Errorf("where the host does not say who ticks, nobody is asked to:\n%s", silent)
	}
	if len(Ticks(got)) != 0 || len(Ticks("- [x] <!-- retry:zz -->")) != 0 {
		t.Error("ticks that nobody made")
	}
}
