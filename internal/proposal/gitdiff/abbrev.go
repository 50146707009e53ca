package gitdiff

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
)

// minAbbrev is the least number of digits that git shows.
const minAbbrev = 7

// NewAbbreviate returns the way in which git shortens ids in the repository
// whose objects lie in dir: the more packed objects there are the more digits,
// and always as many as tell an id from all others.
func NewAbbreviate(dir string) (Abbreviate, error) {
	packs, err := openPacks(dir)
	if err != nil {
		return nil, err
	}
	objects := 0
	for _, p := range packs {
		objects += p.count()
	}
	digits := max(minAbbrev, (bits.Len(uint(objects))+1)/2)
	return func(id string) string {
		n := digits
		for _, p := range packs {
			n = max(n, p.digits(id, n))
		}
		return id[:min(len(id), max(n, looseDigits(dir, id, n)))]
	}, nil
}

// looseDigits counts the digits that tell id from the loose objects. The first
// two name a directory: an unreadable one has nothing to be told from.
func looseDigits(dir, id string, n int) int {
	entries, err := os.ReadDir(filepath.Join(dir, id[:2]))
	if err != nil {
		return n
	}
	for _, e := range entries {
		n = max(n, needed(id, id[:2]+e.Name()))
	}
	return n
}

// needed is the number of digits that tell id from other; 0 for itself.
func needed(id, other string) int {
	if id == other {
		return 0
	}
	n := 0
	for n < len(id) && n < len(other) && id[n] == other[n] {
		n++
	}
	return n + 1
}

// pack is the index of a pack file: a fan-out table and sorted ids.
type pack struct {
	fanout []byte
	ids    []byte
	stride int // bytes an entry
	skip   int // bytes before the id in an entry
}

const (
	idSize     = 20
	fanoutSize = 256 * 4
)

func openPacks(dir string) ([]pack, error) {
	names, err := filepath.Glob(filepath.Join(globSafe(dir), "pack", "*.idx"))
	if err != nil {
		return nil, fmt.Errorf("list the packs in %s: %w", dir, err)
	}
	var out []pack
	for _, name := range names {
		p, err := openPack(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // repacked meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("read the pack index %s: %w", name, err)
		}
		out = append(out, p)
	}
	return out, nil
}

func globSafe(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

func openPack(name string) (pack, error) {
	f, err := os.Open(name)
	if err != nil {
		return pack{}, err
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 8+fanoutSize)
	if _, err := io.ReadFull(f, head); err != nil {
		return pack{}, err
	}
	p := pack{fanout: head[8:], stride: idSize}
	if !bytes.HasPrefix(head, []byte("\xfftOc")) { // version 1: no header, offsets between the ids
		p = pack{fanout: head[:fanoutSize], stride: idSize + 4, skip: 4}
		if _, err := f.Seek(fanoutSize, io.SeekStart); err != nil {
			return pack{}, err
		}
	}
	info, err := f.Stat()
	if err != nil {
		return pack{}, err
	}
	if size := int64(p.count()) * int64(p.stride); size > info.Size() {
		return pack{}, fmt.Errorf("it says %d objects and is too short for them", p.count())
	}
	p.ids = make([]byte, p.count()*p.stride)
	if _, err := io.ReadFull(f, p.ids); err != nil {
		return pack{}, err
	}
	return p, nil
}

func (p pack) count() int { return int(binary.BigEndian.Uint32(p.fanout[fanoutSize-4:])) }

// digits returns how many digits tell id from its neighbours in the pack.
func (p pack) digits(id string, n int) int {
	raw, err := hex.DecodeString(id)
	if err != nil || len(raw) != idSize {
		return n
	}
	low, high := 0, p.count()
	if raw[0] > 0 {
		low = int(binary.BigEndian.Uint32(p.fanout[4*(int(raw[0])-1):]))
	}
	high = min(high, int(binary.BigEndian.Uint32(p.fanout[4*int(raw[0]):])))
	for low < high {
		mid := (low + high) / 2
		if bytes.Compare(p.at(mid), raw) < 0 {
			low = mid + 1
		} else {
			high = mid
		}
	}
	for i := low - 1; i <= low+1; i++ {
		if i >= 0 && i < p.count() {
			n = max(n, needed(id, hex.EncodeToString(p.at(i))))
		}
	}
	return n
}

func (p pack) at(i int) []byte {
	from := i*p.stride + p.skip
	return p.ids[from : from+idSize]
}
