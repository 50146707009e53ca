package signal

import (
	"slices"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// Sizes of signals, in changed lines and signals a file.
const (
	maxLines     = 60
	maxKnowledge = 50 // signals of one knowledge file and commit
	maxOther     = 3  // of any other file
)

// group makes groups of hunks, a signal each. In a knowledge file each hunk is
// a statement and stands alone; elsewhere hunks are packed together. Hunks that
// are too long are split. cut says that the limit left some out.
func group(hunks []repo.Hunk, knowledge bool) (groups [][]repo.Hunk, cut bool) {
	limit := maxOther
	if knowledge {
		limit = maxKnowledge
	}
	size := 0
	for _, hunk := range hunks {
		for _, piece := range split(hunk) {
			n := len(piece.Removed) + len(piece.Added)
			if last := len(groups) - 1; last >= 0 && !knowledge && size+n <= maxLines {
				groups[last], size = append(groups[last], piece), size+n
				continue
			}
			if len(groups) == limit {
				return groups, true
			}
			groups, size = append(groups, []repo.Hunk{piece}), n
		}
	}
	return groups, false
}

// split cuts a hunk into pieces of at most maxLines lines.
func split(h repo.Hunk) []repo.Hunk {
	if len(h.Removed)+len(h.Added) <= maxLines {
		return []repo.Hunk{h}
	}
	half := maxLines
	if len(h.Removed) > 0 && len(h.Added) > 0 {
		half = maxLines / 2
	}
	var pieces []repo.Hunk
	for from := 0; from < max(len(h.Removed), len(h.Added)); from += half {
		removed, added := window(h.Removed, from, half), window(h.Added, from, half)
		pieces = append(pieces, repo.Hunk{
			OldLine: h.OldLine + min(from, len(h.Removed)), NewLine: h.NewLine + min(from, len(h.Added)),
			Removed: removed, Added: added,
		})
	}
	pieces[0].Before, pieces[len(pieces)-1].After = h.Before, h.After
	return pieces
}

func window(lines []string, from, n int) []string {
	if from >= len(lines) {
		return nil
	}
	return lines[from:min(from+n, len(lines))]
}

// inAll keeps the hunks of a merge against its first parent that overlap one
// against every other parent: what the merge itself changed.
func inAll(first []repo.Hunk, others [][]repo.Hunk) []repo.Hunk {
	return slices.DeleteFunc(slices.Clone(first), func(h repo.Hunk) bool {
		for _, other := range others {
			if !slices.ContainsFunc(other, func(o repo.Hunk) bool { return overlap(h, o) }) {
				return true
			}
		}
		return false
	})
}

// overlap reports whether two hunks touch the same lines of the new file. A
// hunk that only removes touches the line it stands at.
func overlap(a, b repo.Hunk) bool {
	return a.NewLine < b.NewLine+max(1, len(b.Added)) && b.NewLine < a.NewLine+max(1, len(a.Added))
}
