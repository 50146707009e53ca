package proposal

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/proposal/gitdiff"
)

const (
	maxShown = 18 // lines of one file that a body shows
	maxLine  = 400
	column   = 38 // lines are broken there: rules are long, and a phone shows that much
)

// lines shows what changes in a file, before and after, in a fence that nothing
// in them can close. Long lines are broken, and what hides in them is shown.
func lines(f gitdiff.File) string {
	was, is := split(f.Old), split(f.New)
	var out []string
	hidden := 0
	show := func(mark string, from []string) {
		for _, l := range from {
			if len(out) >= maxShown {
				hidden++
				continue
			}
			out = append(out, broken(mark, l)...)
		}
	}
	ranges := gitdiff.Lines(f.Old, f.New)
	for _, r := range ranges {
		if len(ranges) > 1 && len(out) < maxShown {
			out = append(out, fmt.Sprintf("@@ line %d @@", r.B0+1))
		}
		show("- ", was[min(r.A0, len(was)):min(r.A1, len(was))])
		show("+ ", is[min(r.B0, len(is)):min(r.B1, len(is))])
	}
	if len(out) == 0 {
		return ""
	}
	if hidden > 0 {
		out = append(out, fmt.Sprintf("… and %s more", counted(hidden, "line")))
	}
	text := strings.Join(out, "\n")
	fence := strings.Repeat("`", max(3, longestRun(text)+1))
	return fence + "diff\n" + text + "\n" + fence + "\n"
}

func split(content []byte) []string {
	if len(content) == 0 {
		return nil
	}
	return strings.Split(string(bytes.TrimSuffix(content, []byte("\n"))), "\n")
}

// broken is one line with its mark, on as many lines as it needs.
func broken(mark, line string) []string {
	line, _ = guard.Redact(strings.TrimSuffix(line, "\r"))
	line = guard.TerminalLine(line, maxLine)
	indent := strings.Repeat(" ", len(line)-len(strings.TrimLeft(line, " ")))
	return strings.Split(mark+indent+wrap(line, mark+indent+"  ", column-len(indent)), "\n")
}

func longestRun(s string) int {
	longest, run := 0, 0
	for _, r := range s {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
