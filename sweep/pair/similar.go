package pair

import (
	"cmp"
	"math"
	"slices"
)

// Pair is two of the texts that were compared, by their places, the first before
// the second.
type Pair struct{ A, B int }

// mostCopies is with how many texts of one word a text is compared: a line that
// stands in hundreds of files is a template, and would cost a square of time.
const mostCopies = 200

// Similar returns the pairs of word sets that have at least the share alike of
// their words in common, in order. It compares few of them: the words of a set
// are ordered by how rare they are, and two sets of that likeness must share
// one of the first few (prefix filtering, Bayardo and others 2007). May says
// which texts matter to each other at all.
func Similar(sets [][]string, alike float64, may func(x, y int) bool) []Pair {
	ranked, words := rankWords(sets)
	order := make([]int, len(sets))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(len(ranked[x]), len(ranked[y])) })
	var out []Pair
	index := make([][]int, words)  // word -> sets with it among their first
	seen := make([]int, len(sets)) // the last set that one was compared with, plus one
	for _, x := range order {
		for _, y := range candidates(ranked, index, seen, x, alike) {
			if may(x, y) && jaccard(ranked[x], ranked[y]) >= alike {
				out = append(out, Pair{min(x, y), max(x, y)})
			}
		}
		for _, w := range prefix(ranked[x], alike) {
			if index[w] = append(index[w], x); len(index[w]) > mostCopies {
				index[w] = index[w][1:]
			}
		}
	}
	slices.SortFunc(out, func(p, q Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) })
	return out
}

// rankWords numbers words, the rarest first, and writes each set as sorted
// numbers. It returns how many words there are, too.
func rankWords(sets [][]string) ([][]int, int) {
	ids, count, names := map[string]int{}, []int{}, []string{}
	out := make([][]int, len(sets))
	for i, s := range sets {
		out[i] = make([]int, len(s))
		for j, w := range s {
			id, ok := ids[w]
			if !ok {
				id = len(names)
				ids[w], names, count = id, append(names, w), append(count, 0)
			}
			count[id]++
			out[i][j] = id
		}
	}
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(names[a], names[b])) })
	rank := make([]int, len(names))
	for at, id := range order {
		rank[id] = at
	}
	for _, s := range out {
		for j := range s {
			s[j] = rank[s[j]]
		}
		slices.Sort(s)
	}
	return out, len(names)
}

// prefix is the part of a set of which two similar ones share a word.
func prefix(s []int, alike float64) []int {
	n := len(s) - int(math.Ceil(alike*float64(len(s)))) + 1
	return s[:min(max(n, 0), len(s))]
}

// candidates are the sets before x, each once, that may be similar to it.
func candidates(sets, index [][]int, seen []int, x int, alike float64) []int {
	var out []int
	least := int(math.Ceil(alike * float64(len(sets[x]))))
	for _, w := range prefix(sets[x], alike) {
		for len(index[w]) > 0 && len(sets[index[w][0]]) < least {
			index[w] = index[w][1:] // too short for this one, and for all that follow
		}
		for _, y := range index[w] {
			if seen[y] != x+1 {
				seen[y] = x + 1
				out = append(out, y)
			}
		}
	}
	return out
}

// jaccard is the share of common members of two sorted sets.
func jaccard(a, b []int) float64 {
	i, j, both := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] < b[j]:
			i++
		case b[j] < a[i]:
			j++
		default:
			i, j, both = i+1, j+1, both+1
		}
	}
	all := len(a) + len(b) - both
	if all == 0 {
		return 0
	}
	return float64(both) / float64(all)
}
