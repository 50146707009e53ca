package repo

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

const (
	hunkContext  = 3
	binarySniff  = 8000 // bytes looked at for a NUL, as git does
	maxDiffLines = 200_000
)

// Hunks returns the line differences of one change, in order. Each hunk is one
// contiguous run of changed lines; its context ends where the next run begins.
// In a hunk that only adds, OldLine is the old line before which it adds; the
// same holds for NewLine and removals. Binary files, links to other repositories
// and files of more lines than anybody reads have no hunks.
func (r *Repo) Hunks(c Change, max int64) ([]Hunk, error) {
	before, err := r.side(c.From, max)
	if err != nil {
		return nil, fmt.Errorf("compare %s: %w", c.Path(), err)
	}
	after, err := r.side(c.To, max)
	if err != nil {
		return nil, fmt.Errorf("compare %s: %w", c.Path(), err)
	}
	if isBinary(before) || isBinary(after) {
		return nil, nil
	}
	return diffLines(before, after), nil
}

func (r *Repo) side(e Entry, max int64) ([]byte, error) {
	if e.Hash.IsZero() || e.Mode == ModeSubmodule {
		return nil, nil
	}
	return r.blob(e.Hash, max)
}

func isBinary(b []byte) bool { return bytes.IndexByte(b[:min(len(b), binarySniff)], 0) >= 0 }

// diffLines compares with line ends, so a change of line ends is a change, and
// returns lines without them.
func diffLines(before, after []byte) []Hunk {
	a, b := splitLines(string(before)), splitLines(string(after))
	if len(a) > maxDiffLines || len(b) > maxDiffLines {
		return nil
	}
	var hunks []Hunk
	edits := anchoredDiff(a, b)
	for i, d := range edits {
		first, last := 0, len(a) // of what is the same in both
		if i > 0 {
			first = edits[i-1].End
		}
		if i+1 < len(edits) {
			last = edits[i+1].Start
		}
		hunks = append(hunks, Hunk{
			OldLine: d.Start + 1, NewLine: d.ReplStart + 1,
			Removed: bare(a[d.Start:d.End]),
			Added:   bare(b[d.ReplStart:d.ReplEnd]),
			Before:  bare(a[max(first, d.Start-hunkContext):d.Start]),
			After:   bare(a[d.End:min(last, d.End+hunkContext)]),
		})
	}
	return hunks
}

// splitLines keeps the line ends.
func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// bare drops the line ends. It copies the lines: hunks are kept for a night, and
// must not keep their files with them.
func bare(lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.Clone(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
	}
	return out
}

// anchoredDiff compares the stretches between lines that are unique in both
// files and stand in the same order. The library gives up on a stretch with more
// than a hundred differences and calls all of it changed; between anchors that
// is rare, and costs one stretch and not the file.
// What both files begin and end with is left out at once: most changes are small.
func anchoredDiff(a, b []string) []lcs.Diff {
	var diffs []lcs.Diff
	from, tail := sharedEnds(a, b)
	i, j := from, from
	stretch := func(endA, endB int) {
		if i == endA || j == endB { // most stretches are empty on one side
			diffs = appendDiff(diffs, lcs.Diff{Start: i, End: endA, ReplStart: j, ReplEnd: endB})
			return
		}
		for _, d := range lcs.DiffLines(a[i:endA], b[j:endB]) {
			diffs = appendDiff(diffs, lcs.Diff{Start: d.Start + i, End: d.End + i, ReplStart: d.ReplStart + j, ReplEnd: d.ReplEnd + j})
		}
	}
	for _, p := range anchors(a[from:len(a)-tail], b[from:len(b)-tail]) {
		stretch(from+p.a, from+p.b)
		i, j = from+p.a+1, from+p.b+1
	}
	stretch(len(a)-tail, len(b)-tail)
	return diffs
}

// sharedEnds counts the lines that both files begin with, and those after these
// that both end with.
func sharedEnds(a, b []string) (begin, end int) {
	n := min(len(a), len(b))
	for begin < n && a[begin] == b[begin] {
		begin++
	}
	for end < n-begin && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return begin, end
}

// appendDiff joins a run to the one before where no common line lies between.
func appendDiff(diffs []lcs.Diff, d lcs.Diff) []lcs.Diff {
	if d.Start == d.End && d.ReplStart == d.ReplEnd {
		return diffs
	}
	if n := len(diffs); n > 0 && diffs[n-1].End == d.Start && diffs[n-1].ReplEnd == d.ReplStart {
		diffs[n-1].End, diffs[n-1].ReplEnd = d.End, d.ReplEnd
		return diffs
	}
	return append(diffs, d)
}

// pairing is a line of a and the equal line of b.
type pairing struct{ a, b int }

// anchors returns the longest increasing run of unique common lines.
func anchors(a, b []string) []pairing {
	pairs := uniquePairs(a, b)
	var tails []int // tails[n]: the pair that ends the best run of length n+1
	prev := make([]int, len(pairs))
	for i, p := range pairs {
		n, _ := slices.BinarySearchFunc(tails, p.b, func(t, b int) int { return cmp.Compare(pairs[t].b, b) })
		prev[i] = -1
		if n > 0 {
			prev[i] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, i)
		} else {
			tails[n] = i
		}
	}
	run := make([]pairing, len(tails))
	for n, i := len(tails)-1, last(tails); i >= 0; n, i = n-1, prev[i] {
		run[n] = pairs[i]
	}
	return run
}

func last(s []int) int {
	if len(s) == 0 {
		return -1
	}
	return s[len(s)-1]
}

// uniquePairs finds the lines that occur once in each file, in the order of a.
func uniquePairs(a, b []string) []pairing {
	type seen struct{ inA, inB, b int }
	lines := make(map[string]seen, len(a))
	for _, line := range a {
		s := lines[line]
		s.inA++
		lines[line] = s
	}
	for j, line := range b {
		if s, ok := lines[line]; ok {
			s.inB, s.b = s.inB+1, j
			lines[line] = s
		}
	}
	var pairs []pairing
	for i, line := range a {
		if s := lines[line]; s.inA == 1 && s.inB == 1 {
			pairs = append(pairs, pairing{i, s.b})
		}
	}
	return pairs
}
