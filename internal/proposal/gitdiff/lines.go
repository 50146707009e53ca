package gitdiff

import "bytes"

// side is one of the two files under comparison.
type side struct {
	lines   [][]byte // with their line ends
	class   []int    // equal lines have equal classes, on both sides
	changed []bool   // one longer than lines; the last is always false
}

// newSides splits two files into lines and classifies them.
func newSides(a, b []byte) (x, y *side) {
	ids := map[string]int{}
	return newSide(a, ids), newSide(b, ids)
}

func newSide(src []byte, ids map[string]int) *side {
	s := &side{lines: bytes.SplitAfter(src, []byte("\n"))}
	if n := len(s.lines); len(s.lines[n-1]) == 0 {
		s.lines = s.lines[:n-1]
	}
	s.class = make([]int, len(s.lines))
	s.changed = make([]bool, len(s.lines)+1)
	for i, l := range s.lines {
		id, ok := ids[string(l)]
		if !ok {
			id = len(ids)
			ids[string(l)] = id
		}
		s.class[i] = id
	}
	return s
}

// isChanged is false before the first line too.
func (s *side) isChanged(i int) bool { return i >= 0 && s.changed[i] }

// candidates are the lines of a side that the comparison looks at.
type candidates struct {
	side  *side
	index []int // line numbers
	class []int
}

const (
	maxOften   = 1024 // a line that occurs this often on the other side says little
	scanWindow = 100
	scanShare  = 4
)

// How often a line occurs on the other side.
const (
	never = iota
	seldom
	often
)

// reduce marks the lines that have no counterpart as changed, drops those that
// match too often inside such runs, and returns what is left of both sides.
func reduce(a, b *side) (x, y candidates) {
	start := 0
	for start < len(a.class) && start < len(b.class) && a.class[start] == b.class[start] {
		start++
	}
	endA, endB := len(a.class), len(b.class)
	for endA > start && endB > start && a.class[endA-1] == b.class[endB-1] {
		endA, endB = endA-1, endB-1
	}
	countA, countB := count(a.class), count(b.class)
	return pick(a, start, endA, countB), pick(b, start, endB, countA)
}

func count(classes []int) map[int]int {
	n := map[int]int{}
	for _, c := range classes {
		n[c]++
	}
	return n
}

func pick(s *side, start, end int, other map[int]int) candidates {
	limit := min(roughRoot(len(s.class)), maxOften)
	how := make([]int, len(s.class))
	for i := start; i < end; i++ {
		switch n := other[s.class[i]]; {
		case n == 0:
			how[i] = never
		case n >= limit:
			how[i] = often
		default:
			how[i] = seldom
		}
	}
	out := candidates{side: s}
	for i := start; i < end; i++ {
		if how[i] == seldom || how[i] == often && !drowned(how, i, start, end-1) {
			out.index = append(out.index, i)
			out.class = append(out.class, s.class[i])
			continue
		}
		s.changed[i] = true
	}
	return out
}

// drowned reports whether a line that matches often stands among lines that
// match nothing, so that matching it would only break up a change.
func drowned(how []int, i, start, end int) bool {
	lone, many := 0, 0
	for _, dir := range []int{-1, 1} {
		l, m := runOf(how, i, dir, max(start, i-scanWindow), min(end, i+scanWindow))
		if l == 0 {
			return false
		}
		lone, many = lone+l, many+m
	}
	return many*scanShare < many+lone
}

// runOf counts the unmatched and the often matched lines next to i, in one
// direction, up to the first that matches seldom. The line itself counts once.
func runOf(how []int, i, dir, start, end int) (lone, many int) {
	many = 1
	for j := i + dir; j >= start && j <= end; j += dir {
		switch how[j] {
		case never:
			lone++
		case often:
			many++
		default:
			return lone, many
		}
	}
	return lone, many
}

// roughRoot is a power of two near the square root of n.
func roughRoot(n int) int {
	root := 1
	for ; n > 0; n >>= 2 {
		root <<= 1
	}
	return root
}
