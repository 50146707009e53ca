package gitdiff

import "math"

const (
	minCost    = 256 // edits before a search may be cut short
	longSnake  = 20  // equal lines in a row that make a good place to split
	snakeShare = 4
)

// compare marks the lines of both sides that a shortest edit script changes.
func compare(a, b *side) {
	x, y := reduce(a, b)
	diagonals := len(x.class) + len(y.class) + 3
	s := &search{
		x: x, y: y, zero: len(y.class) + 1,
		forward:  make([]int, diagonals+1),
		backward: make([]int, diagonals+1),
		cost:     max(roughRoot(diagonals), minCost),
	}
	s.run(box{0, len(x.class), 0, len(y.class)}, false)
}

// search is Myers' linear-space comparison, with the shortcuts that keep it
// from taking too long on files that have little in common.
type search struct {
	x, y              candidates
	zero              int // where diagonal 0 is in forward and backward
	forward, backward []int
	cost              int
}

// box is a part of both sides: lines [x0, x1) and [y0, y1).
type box struct{ x0, x1, y0, y1 int }

// split is where a box falls into two; the flags say for which of them the
// shortest script must be found however long it takes.
type split struct {
	x, y           int
	minLow, minTop bool
}

func (s *search) run(b box, exact bool) {
	for b.x0 < b.x1 && b.y0 < b.y1 && s.x.class[b.x0] == s.y.class[b.y0] {
		b.x0, b.y0 = b.x0+1, b.y0+1
	}
	for b.x0 < b.x1 && b.y0 < b.y1 && s.x.class[b.x1-1] == s.y.class[b.y1-1] {
		b.x1, b.y1 = b.x1-1, b.y1-1
	}
	if b.x0 == b.x1 || b.y0 == b.y1 {
		s.x.mark(b.x0, b.x1)
		s.y.mark(b.y0, b.y1)
		return
	}
	at := s.split(b, exact)
	s.run(box{b.x0, at.x, b.y0, at.y}, at.minLow)
	s.run(box{at.x, b.x1, at.y, b.y1}, at.minTop)
}

func (c *candidates) mark(from, to int) {
	for i := from; i < to; i++ {
		c.side.changed[c.index[i]] = true
	}
}

// front is the reach of one direction of the search: the diagonals it covers.
type front struct {
	at          []int // by diagonal, shifted by zero: the furthest x
	zero, mid   int
	low, high   int
	bottom, top int // the diagonals of the box
	unreached   int
}

func (f *front) get(d int) int     { return f.at[d+f.zero] }
func (f *front) set(d, x int)      { f.at[d+f.zero] = x }
func (f *front) covers(d int) bool { return f.low <= d && d <= f.high }

// widen takes in the next diagonals on both sides, or gives up those that
// leave the box.
func (f *front) widen() {
	if f.low > f.bottom {
		f.low--
		f.set(f.low-1, f.unreached)
	} else {
		f.low++
	}
	if f.high < f.top {
		f.high++
		f.set(f.high+1, f.unreached)
	} else {
		f.high--
	}
}

func (s *search) fronts(b box) (f, r *front) {
	bottom, top := b.x0-b.y1, b.x1-b.y0
	f = &front{at: s.forward, zero: s.zero, mid: b.x0 - b.y0, bottom: bottom, top: top, unreached: -1}
	r = &front{at: s.backward, zero: s.zero, mid: b.x1 - b.y1, bottom: bottom, top: top, unreached: math.MaxInt}
	f.low, f.high, r.low, r.high = f.mid, f.mid, r.mid, r.mid
	f.set(f.mid, b.x0)
	r.set(r.mid, b.x1)
	return f, r
}

// split finds where the forward and the backward search meet.
func (s *search) split(b box, exact bool) split {
	f, r := s.fronts(b)
	odd := (f.mid-r.mid)&1 != 0
	for cost := 1; ; cost++ {
		at, met, snakeF := s.stepForward(b, f, r, odd)
		if met {
			return at
		}
		at, met, snakeR := s.stepBackward(b, f, r, odd)
		if met {
			return at
		}
		if exact {
			continue
		}
		if (snakeF || snakeR) && cost > minCost {
			if at, ok := s.goodForward(b, f, cost); ok {
				return at
			}
			if at, ok := s.goodBackward(b, r, cost); ok {
				return at
			}
		}
		if cost >= s.cost {
			return s.furthest(b, f, r)
		}
	}
}

func (s *search) stepForward(b box, f, r *front, odd bool) (at split, met, snake bool) {
	f.widen()
	for d := f.high; d >= f.low; d -= 2 {
		x := f.get(d + 1)
		if f.get(d-1) >= x {
			x = f.get(d-1) + 1
		}
		from, y := x, x-d
		for x < b.x1 && y < b.y1 && s.x.class[x] == s.y.class[y] {
			x, y = x+1, y+1
		}
		snake = snake || x-from > longSnake
		f.set(d, x)
		if odd && r.covers(d) && r.get(d) <= x {
			return split{x, y, true, true}, true, snake
		}
	}
	return split{}, false, snake
}

func (s *search) stepBackward(b box, f, r *front, odd bool) (at split, met, snake bool) {
	r.widen()
	for d := r.high; d >= r.low; d -= 2 {
		x := r.get(d - 1)
		if x >= r.get(d+1) {
			x = r.get(d+1) - 1
		}
		from, y := x, x-d
		for x > b.x0 && y > b.y0 && s.x.class[x-1] == s.y.class[y-1] {
			x, y = x-1, y-1
		}
		snake = snake || from-x > longSnake
		r.set(d, x)
		if !odd && f.covers(d) && x <= f.get(d) {
			return split{x, y, true, true}, true, snake
		}
	}
	return split{}, false, snake
}

// goodForward looks for a diagonal that got far and ends in a long snake.
func (s *search) goodForward(b box, f *front, cost int) (at split, ok bool) {
	best := 0
	for d := f.high; d >= f.low; d -= 2 {
		x := f.get(d)
		y := x - d
		v := (x - b.x0) + (y - b.y0) - distance(d, f.mid)
		if v <= snakeShare*cost || v <= best || x < b.x0+longSnake || x >= b.x1 || y < b.y0+longSnake || y >= b.y1 {
			continue
		}
		if s.equalRun(x-longSnake, y-longSnake) {
			best, at = v, split{x, y, true, false}
		}
	}
	return at, best > 0
}

func (s *search) goodBackward(b box, r *front, cost int) (at split, ok bool) {
	best := 0
	for d := r.high; d >= r.low; d -= 2 {
		x := r.get(d)
		y := x - d
		v := (b.x1 - x) + (b.y1 - y) - distance(d, r.mid)
		if v <= snakeShare*cost || v <= best || x <= b.x0 || x > b.x1-longSnake || y <= b.y0 || y > b.y1-longSnake {
			continue
		}
		if s.equalRun(x, y) {
			best, at = v, split{x, y, false, true}
		}
	}
	return at, best > 0
}

func (s *search) equalRun(x, y int) bool {
	for k := range longSnake {
		if s.x.class[x+k] != s.y.class[y+k] {
			return false
		}
	}
	return true
}

// furthest gives up: the diagonal that got furthest, in either direction, is
// where the box is split.
func (s *search) furthest(b box, f, r *front) split {
	fBest, fx := -1, -1
	for d := f.high; d >= f.low; d -= 2 {
		x := min(f.get(d), b.x1)
		if x-d > b.y1 {
			x = b.y1 + d
		}
		if sum := 2*x - d; fBest < sum {
			fBest, fx = sum, x
		}
	}
	rBest, rx := math.MaxInt, math.MaxInt
	for d := r.high; d >= r.low; d -= 2 {
		x := max(r.get(d), b.x0)
		if x-d < b.y0 {
			x = b.y0 + d
		}
		if sum := 2*x - d; sum < rBest {
			rBest, rx = sum, x
		}
	}
	if b.x1+b.y1-rBest < fBest-(b.x0+b.y0) {
		return split{fx, fBest - fx, true, false}
	}
	return split{rx, rBest - rx, false, true}
}

func distance(a, b int) int { return max(a-b, b-a) }
