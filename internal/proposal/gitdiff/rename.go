package gitdiff

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
)

// Similarities in git's scale. Files that share half are a rename; where the
// name without its directory is unique and stays the same, that pair is tried
// first and must share three quarters.
const (
	whole       = 60000
	half        = whole / 2
	sameName    = half + half/2
	renameLimit = 1000 // deleted times added files, both over this: only exact renames
)

// pairs joins deleted and added files into renames as git does by default, and
// returns all entries in path order.
func pairs(files []File) []pair {
	r := &renames{score: map[int]int{}, from: map[int]int{}, used: map[int]bool{}}
	for i := range files {
		switch f := &files[i]; {
		case f.OldMode == "":
			r.added = append(r.added, i)
		case f.NewMode == "":
			r.deleted = append(r.deleted, i)
		}
	}
	if len(r.added) > 0 && len(r.deleted) > 0 {
		r.find(files)
	}
	var out []pair
	for i := range files {
		if r.used[i] {
			continue
		}
		from, ok := r.from[i]
		if !ok {
			out = append(out, newPair(&files[i], &files[i]))
			continue
		}
		p := newPair(&files[from], &files[i])
		p.renamed, p.similarity = true, r.score[i]*100/whole
		out = append(out, p)
	}
	return out
}

// renames is the state of the search; files are named by their index.
type renames struct {
	added, deleted []int
	from           map[int]int // added to deleted
	score          map[int]int // of an added file that is a rename
	used           map[int]bool
}

func (r *renames) record(to, from, score int) {
	r.from[to], r.score[to], r.used[from] = from, score, true
}

func (r *renames) find(files []File) {
	r.exact(files)
	r.byName(files)
	left := slices.DeleteFunc(slices.Clone(r.deleted), func(i int) bool { return r.used[i] })
	open := slices.DeleteFunc(slices.Clone(r.added), func(i int) bool { _, ok := r.from[i]; return ok })
	if len(left)*len(open) <= renameLimit*renameLimit {
		r.similar(files, left, open)
	}
}

// exact pairs files with the same content, the same base name first.
func (r *renames) exact(files []File) {
	byContent := map[string][]int{}
	for _, i := range r.deleted {
		byContent[string(files[i].Old)] = append(byContent[string(files[i].Old)], i)
	}
	for _, to := range r.added {
		best, bestScore := -1, 0
		for _, from := range byContent[string(files[to].New)] {
			if r.used[from] || !regular(files, from, to) && files[from].OldMode != files[to].NewMode {
				continue
			}
			if s := 1 + nameScore(files, from, to); s > bestScore {
				best, bestScore = from, s
			}
		}
		if best >= 0 {
			r.record(to, best, whole)
		}
	}
}

// byName pairs files whose base name is unique on both sides.
func (r *renames) byName(files []File) {
	to := uniqueNames(files, r.added, func(i int) bool { _, done := r.from[i]; return done })
	from := uniqueNames(files, r.deleted, func(i int) bool { return r.used[i] })
	for _, i := range r.deleted {
		base := path.Base(files[i].Path)
		f, ok := from[base]
		t, there := to[base]
		if !ok || !there || f != i || t < 0 {
			continue
		}
		if s := similarity(files, i, t, sameName); s >= sameName {
			r.record(t, i, s)
		}
	}
}

// uniqueNames maps base names to files; -1 for a name that occurs twice.
func uniqueNames(files []File, among []int, skip func(int) bool) map[string]int {
	names := map[string]int{}
	for _, i := range among {
		if skip(i) {
			continue
		}
		base := path.Base(files[i].Path)
		if _, twice := names[base]; twice {
			names[base] = -1
			continue
		}
		names[base] = i
	}
	return names
}

// candidate is a possible rename; the zero value is an empty place.
type candidate struct {
	from, to    int
	score, name int
	set         bool
}

func compareCandidates(a, b candidate) int {
	if a.set != b.set {
		if a.set {
			return -1
		}
		return 1
	}
	return cmp.Or(b.score-a.score, b.name-a.name)
}

// similar pairs what is left by likeness, the most alike first. For each added
// file the four best are kept.
func (r *renames) similar(files []File, deleted, added []int) {
	var all []candidate
	for _, to := range added {
		best := make([]candidate, 4)
		for _, from := range deleted {
			c := candidate{from, to, similarity(files, from, to, half), nameScore(files, from, to), true}
			worst := 0
			for i := range best {
				if compareCandidates(best[i], best[worst]) > 0 {
					worst = i
				}
			}
			if compareCandidates(best[worst], c) > 0 {
				best[worst] = c
			}
		}
		all = append(all, best...)
	}
	slices.SortStableFunc(all, compareCandidates)
	for _, c := range all {
		if !c.set || c.score < half {
			return
		}
		if _, done := r.from[c.to]; !done && !r.used[c.from] {
			r.record(c.to, c.from, c.score)
		}
	}
}

func nameScore(files []File, from, to int) int {
	if path.Base(files[from].Path) == path.Base(files[to].Path) {
		return 1
	}
	return 0
}

func regular(files []File, from, to int) bool {
	return strings.HasPrefix(files[from].OldMode, "100") && strings.HasPrefix(files[to].NewMode, "100")
}

// similarity is the share of the larger file that both have, out of whole.
func similarity(files []File, from, to, minimum int) int {
	src, dst := files[from].Old, files[to].New
	large, small := max(len(src), len(dst)), min(len(src), len(dst))
	if !regular(files, from, to) || large*(whole-minimum) < (large-small)*whole || len(dst) == 0 {
		return 0
	}
	shared := 0
	other := pieces(dst)
	for hash, n := range pieces(src) {
		shared += min(n, other[hash])
	}
	return shared * whole / large
}

// pieces cuts a file after each line end and after 64 bytes at the latest, and
// counts the bytes of each distinct piece. What follows the last cut does not
// count, and in text neither does a CR before a line end.
func pieces(b []byte) map[uint32]int {
	out := map[uint32]int{}
	text := !isBinary(b)
	var x, y uint32
	n := 0
	for i, c := range b {
		if text && c == '\r' && bytes.HasPrefix(b[i+1:], []byte("\n")) {
			continue
		}
		x, y = x<<7^y>>25, y<<7^x>>25
		x += uint32(c)
		if n++; n < 64 && c != '\n' {
			continue
		}
		out[(x+y*0x61)%107927] += n
		x, y, n = 0, 0, 0
	}
	return out
}
