package repo

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"path"
	"slices"
)

const (
	minSimilarity  = 60      // percent of the larger file's bytes, in common lines
	maxRenameBytes = 1 << 20 // larger files are renamed by exact content only
	maxRenamePairs = 10_000  // past this only files that keep their name are compared
)

// DetectRenames turns a deletion and an addition into one Renamed change: first
// where the content is the same, then where 60 % of it is. It returns a new
// slice, sorted by path. Files that are too many or too large to compare stay as
// they are.
func (r *Repo) DetectRenames(ctx context.Context, changes []Change) ([]Change, error) {
	m := renames{repo: r}
	out := make([]Change, 0, len(changes))
	for _, c := range changes {
		switch c.Kind {
		case Deleted:
			m.deleted = append(m.deleted, c.From)
		case Added:
			m.added = append(m.added, c.To)
		default:
			out = append(out, c)
		}
	}
	m.exact()
	if err := m.similar(ctx); err != nil {
		return nil, err
	}
	out = append(out, m.found...)
	for _, e := range m.deleted {
		out = append(out, Change{Kind: Deleted, From: e})
	}
	for _, e := range m.added {
		out = append(out, Change{Kind: Added, To: e})
	}
	slices.SortStableFunc(out, func(a, b Change) int { return cmp.Compare(a.Path(), b.Path()) })
	return out, nil
}

type renames struct {
	repo           *Repo
	deleted, added []Entry // what has no partner yet
	found          []Change
}

// pair takes deleted[i] and added[j] as one renamed file, for each match; the
// matches are taken in order and a file only once.
func (m *renames) pair(matches []match) {
	usedFrom, usedTo := map[string]bool{}, map[string]bool{}
	for _, p := range matches {
		if usedFrom[p.from.Path] || usedTo[p.to.Path] {
			continue
		}
		usedFrom[p.from.Path], usedTo[p.to.Path] = true, true
		m.found = append(m.found, Change{Kind: Renamed, From: p.from, To: p.to})
	}
	m.deleted = slices.DeleteFunc(m.deleted, func(e Entry) bool { return usedFrom[e.Path] })
	m.added = slices.DeleteFunc(m.added, func(e Entry) bool { return usedTo[e.Path] })
}

type match struct {
	from, to Entry
	score    int
}

// better orders matches: most alike first, then those that keep their name, then
// by path, so that the outcome never depends on map order.
func better(a, b match) int {
	return cmp.Or(
		cmp.Compare(b.score, a.score),
		cmp.Compare(nameScore(b), nameScore(a)),
		cmp.Compare(a.from.Path, b.from.Path),
		cmp.Compare(a.to.Path, b.to.Path),
	)
}

func nameScore(m match) int {
	if path.Base(m.from.Path) == path.Base(m.to.Path) {
		return 1
	}
	return 0
}

var emptyBlob = Hash{0xe6, 0x9d, 0xe2, 0x9b, 0xb2, 0xd1, 0xd6, 0x43, 0x4b, 0x8b, 0x29, 0xae, 0x77, 0x5a, 0xd8, 0xc2, 0xe4, 0x8c, 0x53, 0x91}

// exact pairs files with the same content. Empty files and many copies of one
// file say little: they are paired only where the name is kept.
func (m *renames) exact() {
	byHash := map[Hash][]Entry{}
	for _, e := range m.added {
		byHash[e.Hash] = append(byHash[e.Hash], e)
	}
	var matches []match
	pairs := 0
	for _, from := range m.deleted {
		many := from.Hash == emptyBlob || len(byHash[from.Hash]) > 64
		for _, to := range byHash[from.Hash] {
			p := match{from: from, to: to, score: 100}
			if pairs++; !alike(from, to) || (many || pairs > maxRenamePairs*10) && nameScore(p) == 0 {
				continue
			}
			matches = append(matches, p)
		}
	}
	slices.SortFunc(matches, better)
	m.pair(matches)
}

// alike is true for two plain files, two links, two submodules.
func alike(a, b Entry) bool {
	kind := func(m Mode) Mode {
		if m == ModeExec {
			return ModeFile
		}
		return m
	}
	return kind(a.Mode) == kind(b.Mode)
}

// similar compares the rest by their lines.
func (m *renames) similar(ctx context.Context) error {
	if len(m.deleted) == 0 || len(m.added) == 0 {
		return nil
	}
	onlySameName := len(m.deleted)*len(m.added) > maxRenamePairs
	prints := printCache{repo: m.repo, seed: maphash.MakeSeed(), known: map[Hash]*fingerprint{}}
	var matches []match
	for _, from := range m.deleted {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, to := range m.added {
			p := match{from: from, to: to}
			if onlySameName && nameScore(p) == 0 || from.Mode > ModeExec || to.Mode > ModeExec {
				continue
			}
			a, err := prints.of(from.Hash)
			if err != nil {
				return err
			}
			b, err := prints.of(to.Hash)
			if err != nil {
				return err
			}
			if p.score = a.similarity(b); p.score >= minSimilarity {
				matches = append(matches, p)
			}
		}
	}
	slices.SortFunc(matches, better)
	m.pair(matches)
	return nil
}

// fingerprint counts the bytes of each distinct line of a text file; nil where
// the file is not to be compared.
type fingerprint struct {
	lines map[uint64]int
	size  int
}

type printCache struct {
	repo  *Repo
	seed  maphash.Seed
	known map[Hash]*fingerprint
}

func (p *printCache) of(h Hash) (*fingerprint, error) {
	if f, ok := p.known[h]; ok {
		return f, nil
	}
	b, err := p.repo.Blob(h, maxRenameBytes)
	if err != nil && !errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrMissing) {
		return nil, err
	}
	var f *fingerprint
	if err == nil && len(b) > 0 && !isBinary(b) {
		f = &fingerprint{lines: map[uint64]int{}, size: len(b)}
		for _, line := range splitLines(string(b)) {
			f.lines[maphash.String(p.seed, line)] += len(line)
		}
	}
	p.known[h] = f
	return f, nil
}

// similarity is the percentage of the larger file that the two have in common.
func (f *fingerprint) similarity(g *fingerprint) int {
	if f == nil || g == nil {
		return 0
	}
	larger := max(f.size, g.size)
	if min(f.size, g.size)*100 < minSimilarity*larger {
		return 0
	}
	common := 0
	for line, n := range f.lines {
		common += min(n, g.lines[line])
	}
	return common * 100 / larger
}
