package pair

import (
	"math/rand"
	"slices"
	"strconv"
	"testing"
)

// TestSimilarFindsWhatComparingAllWould compares the prefiltered pairs with
// those of every text against every other.
func TestSimilarFindsWhatComparingAllWould(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(1))
	const alike = 0.8
	all := func(int, int) bool { return true }
	for range 60 {
		sets := randomSets(r, 80)
		ranked, _ := rankWords(sets)
		var want []Pair
		for i := range sets {
			for j := i + 1; j < len(sets); j++ {
				if jaccard(ranked[i], ranked[j]) >= alike {
					want = append(want, Pair{i, j})
				}
			}
		}
		if got := Similar(sets, alike, all); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

// randomSets makes word sets, some of them from an earlier one with a word more
// or less.
func randomSets(r *rand.Rand, n int) [][]string {
	var sets [][]string
	for i := range n {
		var s []string
		if i > 0 && r.Intn(2) == 0 {
			s = slices.Clone(sets[r.Intn(i)])
			s = slices.Delete(s, 0, min(r.Intn(2), len(s)))
		}
		for range r.Intn(4) + 5*(1-min(len(s), 1)) {
			s = append(s, strconv.Itoa(r.Intn(60)))
		}
		slices.Sort(s)
		sets = append(sets, slices.Compact(s))
	}
	return sets
}

// BenchmarkSimilar is about thousands of facts: the time must not be a square
// of their number.
func BenchmarkSimilar(b *testing.B) {
	for _, n := range []int{1000, 4000, 16000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			r := rand.New(rand.NewSource(1))
			sets := make([][]string, n)
			for i := range sets {
				for range 14 {
					sets[i] = append(sets[i], strconv.Itoa(int(r.ExpFloat64()*400)))
				}
				slices.Sort(sets[i])
				sets[i] = slices.Compact(sets[i])
			}
			for b.Loop() {
				Similar(sets, 0.8, func(int, int) bool { return true })
			}
		})
	}
}
