package replay

import (
	"fmt"
	"sort"
	"unicode/utf8"
)

// miss explains why nothing recorded answers a request: its hash, and where it
// leaves the recording that is nearest.
func (h *Handler) miss(req request) string {
	asked := req.lines()
	key := req.key()
	nearest, ok := h.nearest(asked)
	if !ok {
		return fmt.Sprintf("no recorded answer for request %s: nothing is recorded", key)
	}
	t := h.tapes[nearest]
	line, recorded, now := firstDifference(t.lines, asked)
	return fmt.Sprintf("no recorded answer for request %s: the nearest recording %s (%s) differs first in line %d: recorded %q, asked %q",
		key, nearest, t.file, line, recorded, now)
}

// nearest is the recording that shares the most lines.
func (h *Handler) nearest(asked []string) (string, bool) {
	best, most := "", -1
	for _, key := range sortedNames(h.tapes) {
		if n := shared(h.tapes[key].lines, asked); n > most {
			best, most = key, n
		}
	}
	return best, most >= 0
}

func shared(a, b []string) int {
	count := map[string]int{}
	for _, line := range a {
		count[line]++
	}
	n := 0
	for _, line := range b {
		if count[line] > 0 {
			count[line]--
			n++
		}
	}
	return n
}

// firstDifference counts lines from 1; a side that has ended says so.
func firstDifference(recorded, asked []string) (line int, was, is string) {
	i := 0
	for i < len(recorded) && i < len(asked) && recorded[i] == asked[i] {
		i++
	}
	at := 0
	if i < len(recorded) && i < len(asked) {
		at = differingByte(recorded[i], asked[i])
	}
	return i + 1, excerpt(recorded, i, at), excerpt(asked, i, at)
}

func differingByte(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}

// excerpt shows a line around the byte where it differs.
func excerpt(lines []string, i, at int) string {
	if i >= len(lines) {
		return "(end)"
	}
	line := lines[i]
	from := max(0, at-40)
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	runes := []rune(line[from:])
	out := string(runes[:min(len(runes), 100)])
	if from > 0 {
		out = "…" + out
	}
	return out
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
