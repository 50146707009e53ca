package symbols

import (
	"bytes"
	"crypto/sha256"
	"sync"
)

// cache keeps what files define, without fingerprints: many names are looked up
// in the same file.
type cache struct {
	mu    sync.Mutex
	files map[cacheKey]cached
	order []cacheKey // oldest first
}

type cacheKey struct {
	file string
	sum  [sha256.Size]byte
}

type cached struct {
	file File
	err  error
}

const maxCached = 64 // files

var recent = cache{files: map[cacheKey]cached{}}

// read is like the function of that name, without fingerprints.
func (c *cache) read(file string, src []byte) (File, error) {
	key := cacheKey{file, sha256.Sum256(src)}
	c.mu.Lock()
	got, ok := c.files[key]
	c.mu.Unlock()
	if ok {
		return got.file, got.err
	}
	got.file, got.err = read(file, src, false)
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.files[key]; !ok {
		if len(c.order) == maxCached {
			delete(c.files, c.order[0])
			c.order = c.order[1:]
		}
		c.files[key] = got
		c.order = append(c.order, key)
	}
	return got.file, got.err
}

// Names returns the definitions of a file without fingerprints, if it has a
// word at all; nil where it cannot be parsed. That is much faster than Read.
func Names(file string, src []byte, word string) []Def {
	if !bytes.Contains(src, []byte(word)) || !Parsed(file) {
		return nil
	}
	f, err := recent.read(file, src)
	if err != nil {
		return nil
	}
	return f.Defs
}
