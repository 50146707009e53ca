package judge

import "slices"

// choose returns the numbers of the lines to show, in order: places worth
// showing, and as much around them as there is room for.
func (s *sheet) choose(terms []string) []int {
	if !s.there {
		return nil
	}
	reach := around
	if len(s.spans) > 0 {
		reach = linesOfFile // the whole definition, if it fits
	}
	taken := map[int]bool{}
	seeds := s.seeds(terms)
	for r := 0; r <= reach; r++ {
		for _, seed := range seeds {
			for _, n := range []int{seed - r, seed + r} {
				if len(taken) < linesOfFile && s.allowed(n) {
					taken[n] = true
				}
			}
		}
	}
	out := make([]int, 0, len(taken))
	for n := range taken {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// allowed reports whether a line may be shown: of a file in which definitions
// are asked for, only those.
func (s *sheet) allowed(n int) bool {
	if n < 1 || n > len(s.lines) || n == len(s.lines) && s.lines[n-1] == "" {
		return false
	}
	return len(s.spans) == 0 || s.inside(n)
}

func (s *sheet) inside(n int) bool {
	return slices.ContainsFunc(s.spans, func(at [2]int) bool { return at[0] <= n && n <= at[1] })
}

// seeds are the places worth showing, the most telling first.
func (s *sheet) seeds(terms []string) []int {
	var heads, changed, named, both []int
	for _, at := range s.spans {
		heads = append(heads, at[0])
	}
	for n := 1; n <= len(s.lines); n++ {
		if !s.allowed(n) {
			continue
		}
		hit := hasAny(s.lines[n-1], terms)
		switch {
		case hit && s.changed[n]:
			both = append(both, n)
		case hit:
			named = append(named, n)
		case s.changed[n] && !s.changed[n-1]: // the first of a run
			changed = append(changed, n)
		}
	}
	for _, n := range s.edges {
		if s.allowed(n) {
			changed = append(changed, n)
		}
	}
	near := slices.DeleteFunc(slices.Clone(changed), func(n int) bool { return !close(n, both) && !close(n, named) })
	telling := slices.DeleteFunc(slices.Clone(s.telling), func(n int) bool { return !s.allowed(n) })
	out := slices.Concat(heads, some(both), some(telling), some(near), some(named))
	if len(s.spans) > 0 || len(both)+len(named) == 0 {
		out = append(out, some(changed)...)
	}
	if len(out) == 0 {
		out = []int{1}
	}
	return unique(out)[:min(len(unique(out)), maxSeeds)]
}

// close reports whether a place lies near one of others.
func close(n int, others []int) bool {
	return slices.ContainsFunc(others, func(o int) bool { return o-n <= 6 && n-o <= 6 })
}

// some are a few of many places, from all over the file.
func some(all []int) []int {
	const few = 6
	if len(all) <= few {
		return all
	}
	var out []int
	for i := range few {
		out = append(out, all[i*(len(all)-1)/(few-1)])
	}
	return out
}

func unique(all []int) []int {
	var out []int
	for _, n := range all {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}
