package signal

import (
	"hash/fnv"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// lookback is how far back a commit is compared with what came before it: a line
// that is mended later than this was not a fix gone wrong.
const lookback = 30 * 24 * time.Hour

// past knows the lines and hunks that earlier commits wrote, by path: so a
// commit can be told to take back, or mend again, what one of them did. It is
// filled oldest commit first.
type past struct {
	lines map[string]map[uint64]origin // path to line to the last commit that added it
	hunks map[string]map[uint64]origin // path to a hunk turned round to the last commit that made it
}

// origin is what counts of the commit that wrote a line.
type origin struct {
	when  time.Time
	agent bool // an agent wrote it, alone or with a person
	fix   bool
}

func newPast() *past {
	return &past{lines: map[string]map[uint64]origin{}, hunks: map[string]map[uint64]origin{}}
}

// note adds what a commit did to a path.
func (p *past) note(path string, hunks []repo.Hunk, by origin) {
	if p.lines[path] == nil {
		p.lines[path], p.hunks[path] = map[uint64]origin{}, map[uint64]origin{}
	}
	for _, h := range hunks {
		for _, line := range h.Added {
			if key := telling(line); key != "" {
				p.lines[path][keyOf(key)] = by
			}
		}
		if key := hunkKey(h.Added, h.Removed); key != 0 {
			p.hunks[path][key] = by
		}
	}
}

// takesBack reports whether a hunk is an earlier one turned round.
func (p *past) takesBack(path string, h repo.Hunk, at time.Time) bool {
	key := hunkKey(h.Removed, h.Added)
	o, ok := p.hunks[path][key]
	return ok && key != 0 && recent(o, at)
}

// mends returns the origins of the lines that hunks remove, each line's last.
func (p *past) mends(path string, hunks []repo.Hunk, at time.Time) (out []origin) {
	for _, h := range hunks {
		for _, line := range h.Removed {
			if o, ok := p.lines[path][keyOf(telling(line))]; ok && recent(o, at) {
				out = append(out, o)
			}
		}
	}
	return out
}

func recent(o origin, at time.Time) bool { return at.Sub(o.when) < lookback }

// minTelling is how many letters a line needs to be known again: a brace or an
// "else" stands in every file.
const minTelling = 8

// telling is a line without its indent, "" where it says too little.
func telling(line string) string {
	line = strings.TrimSpace(line)
	letters := 0
	for _, r := range line {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	if letters < minTelling {
		return ""
	}
	return line
}

// keyOf is a short name of a text: the texts of a month would fill the memory.
func keyOf(text string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, text)
	return h.Sum64()
}

// hunkKey names a change of one text into another, 0 where neither says enough.
func hunkKey(from, to []string) uint64 {
	h, enough := fnv.New64a(), false
	for _, side := range [][]string{from, to} {
		for _, line := range side {
			enough = enough || telling(line) != ""
			_, _ = io.WriteString(h, strings.TrimSpace(line)+"\n")
		}
		_, _ = io.WriteString(h, "\x00")
	}
	if !enough {
		return 0
	}
	return h.Sum64()
}
