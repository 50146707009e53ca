package gitdiff

// group is a run of changed lines [start, end) of one side; between two
// unchanged lines there is always one, often empty.
type group struct{ start, end int }

func firstGroup(s *side) group {
	g := group{}
	for s.changed[g.end] {
		g.end++
	}
	return g
}

func (g *group) next(s *side) bool {
	if g.end == len(s.lines) {
		return false
	}
	g.start = g.end + 1
	g.end = g.start
	for s.changed[g.end] {
		g.end++
	}
	return true
}

func (g *group) previous(s *side) bool {
	if g.start == 0 {
		return false
	}
	g.end = g.start - 1
	g.start = g.end
	for s.isChanged(g.start - 1) {
		g.start--
	}
	return true
}

// down moves the group one line down where that says the same; it swallows the
// group it runs into.
func (g *group) down(s *side) bool {
	if g.end >= len(s.lines) || s.class[g.start] != s.class[g.end] {
		return false
	}
	s.changed[g.start], s.changed[g.end] = false, true
	g.start, g.end = g.start+1, g.end+1
	for s.changed[g.end] {
		g.end++
	}
	return true
}

func (g *group) up(s *side) bool {
	if g.start <= 0 || s.class[g.start-1] != s.class[g.end-1] {
		return false
	}
	g.start, g.end = g.start-1, g.end-1
	s.changed[g.start], s.changed[g.end] = true, false
	for s.isChanged(g.start - 1) {
		g.start--
	}
	return true
}

// slide moves each group of changed lines of s to where a person would expect
// it: next to a change of the other side, else where the indentation says that
// a block begins or ends.
func slide(s, other *side) {
	g, o := firstGroup(s), firstGroup(other)
	for {
		if g.end > g.start {
			slideGroup(s, other, &g, &o)
		}
		if !g.next(s) || !o.next(other) {
			return
		}
	}
}

func slideGroup(s, other *side, g, o *group) {
	earliest, aligned, size := extremes(s, other, g, o)
	switch {
	case g.end == earliest: // it cannot move
	case aligned:
		for o.end == o.start && g.up(s) && o.previous(other) {
		}
	default:
		best := bestShift(s, *g, earliest, size)
		for g.end > best && g.up(s) && o.previous(other) {
		}
	}
}

// extremes moves the group as far up and then as far down as it goes, again
// while it grows by that. It leaves the group at its lowest place.
func extremes(s, other *side, g, o *group) (earliest int, aligned bool, size int) {
	for {
		size = g.end - g.start
		for g.up(s) {
			o.previous(other)
		}
		earliest = g.end
		aligned = o.end > o.start
		for g.down(s) {
			o.next(other)
			aligned = aligned || o.end > o.start
		}
		if size == g.end-g.start {
			return earliest, aligned, size
		}
	}
}

const maxSlide = 100

// bestShift returns the end of the group for which its two edges are the
// likeliest borders of a block; the lowest of equals.
func bestShift(s *side, g group, earliest, size int) int {
	best, bestScore := -1, score{}
	for end := max(earliest, g.end-size-1, g.end-maxSlide); end <= g.end; end++ {
		sc := edgeAt(s, end).score().plus(edgeAt(s, end-size).score())
		if best < 0 || sc.compare(bestScore) <= 0 {
			best, bestScore = end, sc
		}
	}
	return best
}

// edge describes the lines around a possible border: the indentation of the
// line below it, of the nearest lines that are not blank on both sides, and
// how many blank lines lie between. An indentation of -1 is a blank line or
// none.
type edge struct {
	end                  bool
	indent, above, below int
	blankAbove           int
	blankBelow           int
}

const (
	maxIndent = 200
	maxBlanks = 20
)

func edgeAt(s *side, at int) edge {
	e := edge{end: at >= len(s.lines), indent: -1}
	if !e.end {
		e.indent = indentation(s.lines[at])
	}
	e.above, e.blankAbove = nearest(s, at-1, -1)
	e.below, e.blankBelow = nearest(s, at+1, 1)
	return e
}

func nearest(s *side, i, dir int) (indent, blanks int) {
	for ; i >= 0 && i < len(s.lines); i += dir {
		if in := indentation(s.lines[i]); in >= 0 {
			return in, blanks
		}
		if blanks++; blanks == maxBlanks {
			return 0, blanks
		}
	}
	return -1, blanks
}

func indentation(line []byte) int {
	n := 0
	for _, c := range line {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 8 - n%8
		case '\n', '\v', '\f', '\r':
		default:
			return n
		}
		if n >= maxIndent {
			return maxIndent
		}
	}
	return -1
}

// score says how bad a border is; less is better. Indentation goes first.
type score struct{ indent, penalty int }

func (a score) plus(b score) score { return score{a.indent + b.indent, a.penalty + b.penalty} }

func (a score) compare(b score) int {
	c := a.penalty - b.penalty
	switch {
	case a.indent > b.indent:
		c += 60
	case a.indent < b.indent:
		c -= 60
	}
	return c
}

// score weighs an edge. The numbers are git's, found there by trying them on
// many repositories.
func (e edge) score() score {
	var s score
	if e.above < 0 && e.blankAbove == 0 {
		s.penalty++ // the beginning of the file
	}
	if e.end {
		s.penalty += 21
	}
	below := 0
	if e.indent < 0 {
		below = 1 + e.blankBelow
	}
	blanks := e.blankAbove + below
	s.penalty += -30*blanks + 6*below
	s.indent = e.indent
	if e.indent < 0 {
		s.indent = e.below
	}
	s.penalty += e.relative(s.indent, blanks > 0)
	return s
}

// relative weighs how the line below the edge stands to those around it.
func (e edge) relative(indent int, blank bool) int {
	pickOne := func(without, with int) int {
		if blank {
			return with
		}
		return without
	}
	switch {
	case indent < 0 || e.above < 0 || indent == e.above:
		return 0
	case indent > e.above:
		return pickOne(-4, 10)
	case e.below >= 0 && e.below > indent:
		return pickOne(24, 17) // begins a block
	}
	return pickOne(23, 17)
}
