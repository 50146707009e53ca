// Package suggest finds the word that was probably meant, for flags, commands
// and keys that do not exist.
package suggest

import "strings"

// Nearest returns the known word that word was probably meant to be, "" if
// none is near: spelt with another case or separator, or a few letters off.
func Nearest(word string, known []string) string {
	best, distance := "", len(word)/3+1
	for _, k := range known {
		if d := edits(plain(word), plain(k)); d <= distance && (best == "" || d < distance) {
			best, distance = k, d
		}
	}
	return best
}

func plain(s string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
}

// edits is the number of letters to put in, take out or exchange between a
// and b.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
