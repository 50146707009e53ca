package repo

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	gitcache "github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

const (
	objectCacheSize = 32 * gitcache.MiByte // delta bases
	inMemoryObject  = 8 << 20              // larger objects are streamed
	maxAlternates   = 16
)

// objectStore reads and writes objects. go-git's storage keeps open files and
// lazily filled maps without a lock, so one mutex guards each call; inflating
// is most of the work, and the caches above this type take most of the calls.
type objectStore struct {
	mu     *sync.Mutex                     // shared with scratch views
	stores []*filesystem.ObjectStorage     // the repository's own, then its alternates
	dirs   []string                        // their objects directories
	packs  []string                        // pack files seen when the indexes were loaded
	memory map[Hash]plumbing.EncodedObject // what a scratch view wrote; nil: writes go to stores[0]
}

func newObjectStore(commonDir string) *objectStore {
	s := &objectStore{mu: &sync.Mutex{}}
	lru := gitcache.NewObjectLRU(objectCacheSize)
	for _, dir := range objectDirs(filepath.Join(commonDir, "objects")) {
		// Alternates are opened here and not by go-git, which opens them anew,
		// with their whole index, for each object it does not find.
		dot := dotgit.New(noAlternates{osfs.New(filepath.Dir(dir))})
		s.stores = append(s.stores, filesystem.NewObjectStorageWithOptions(dot, lru,
			filesystem.Options{KeepDescriptors: true, LargeObjectThreshold: inMemoryObject}))
		s.dirs = append(s.dirs, dir)
	}
	s.packs = s.listPacks()
	return s
}

// noAlternates hides the list of alternates from go-git.
type noAlternates struct{ billy.Filesystem }

func (fs noAlternates) Open(name string) (billy.File, error) {
	if filepath.Base(name) == "alternates" {
		return nil, os.ErrNotExist
	}
	return fs.Filesystem.Open(name)
}

// objectDirs follows objects/info/alternates, breadth first.
func objectDirs(first string) []string {
	dirs := []string{first}
	for i := 0; i < len(dirs) && len(dirs) < maxAlternates; i++ {
		f, err := os.Open(filepath.Join(dirs[i], "info", "alternates"))
		if err != nil {
			continue
		}
		for sc := bufio.NewScanner(f); sc.Scan(); {
			alt := sc.Text()
			if alt == "" || alt[0] == '#' {
				continue
			}
			if !filepath.IsAbs(alt) {
				alt = filepath.Join(dirs[i], alt)
			}
			// go-git looks for a directory of this name inside a git directory.
			if filepath.Base(alt) == "objects" && !slices.Contains(dirs, alt) {
				dirs = append(dirs, alt)
			}
		}
		f.Close()
	}
	return dirs
}

func (s *objectStore) listPacks() []string {
	var packs []string
	for _, dir := range s.dirs {
		entries, err := os.ReadDir(filepath.Join(dir, "pack"))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".idx") {
				packs = append(packs, e.Name())
			}
		}
	}
	return packs
}

// read returns the content of an object that is no larger than max bytes. The
// size is checked on the header, before the content is inflated.
func (s *objectStore) read(h Hash, max int64) (plumbing.ObjectType, []byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	obj, err := s.find(h)
	if err != nil && s.repacked() {
		obj, err = s.find(h)
	}
	if err != nil {
		return 0, nil, missing(h, err)
	}
	if obj.Size() > max {
		return obj.Type(), nil, fmt.Errorf("object %s has %d bytes, the limit is %d: %w", h, obj.Size(), max, ErrTooLarge)
	}
	b, err := content(obj)
	if err != nil && s.repacked() {
		if obj, err = s.find(h); err == nil {
			b, err = content(obj)
		}
	}
	if err != nil {
		return 0, nil, missing(h, err)
	}
	return obj.Type(), b, nil
}

func (s *objectStore) find(h Hash) (plumbing.EncodedObject, error) {
	if obj, ok := s.memory[h]; ok {
		return obj, nil
	}
	var first error
	for _, store := range s.stores {
		obj, err := store.EncodedObject(plumbing.AnyObject, h)
		if err == nil {
			return obj, nil
		}
		if first == nil || !errors.Is(err, plumbing.ErrObjectNotFound) {
			first = err
		}
	}
	return nil, first
}

// repacked reloads the indexes when packs came or went since they were read: a
// `git gc` or a fetch beside us moves objects while we look at them.
func (s *objectStore) repacked() bool {
	now := s.listPacks()
	if slices.Equal(now, s.packs) {
		return false
	}
	s.packs = now
	for _, store := range s.stores {
		store.Reindex()
	}
	return true
}

func (s *objectStore) has(h Hash) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.memory[h]; ok {
		return true
	}
	for range 2 {
		for _, store := range s.stores {
			if store.HasEncodedObject(h) == nil {
				return true
			}
		}
		if !s.repacked() {
			break
		}
	}
	return false
}

// withPrefix lists objects whose id starts with the given hex digits.
func (s *objectStore) withPrefix(hex string) ([]Hash, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	raw := plumbing.NewHash(hex[:len(hex)/2*2] + strings.Repeat("0", 40-len(hex)/2*2))
	var found []Hash
	for _, store := range s.stores {
		all, err := store.HashesWithPrefix(raw[:len(hex)/2])
		if err != nil {
			return nil, fmt.Errorf("list objects that start with %s: %w", hex, err)
		}
		for _, h := range all {
			if strings.HasPrefix(h.String(), hex) && !slices.Contains(found, h) {
				found = append(found, h)
			}
		}
	}
	return found, nil
}

func (s *objectStore) write(t plumbing.ObjectType, b []byte) (Hash, error) {
	h := plumbing.ComputeHash(t, b)
	if s.has(h) {
		return h, nil
	}
	obj := &plumbing.MemoryObject{}
	obj.SetType(t)
	if _, err := obj.Write(b); err != nil {
		return Hash{}, fmt.Errorf("write %s object: %w", t, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.memory != nil {
		s.memory[h] = obj
		return h, nil
	}
	if _, err := s.stores[0].SetEncodedObject(obj); err != nil {
		return Hash{}, fmt.Errorf("write %s object: %w", t, err)
	}
	return h, nil
}

func (s *objectStore) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, store := range s.stores {
		errs = append(errs, store.Close())
	}
	return errors.Join(errs...)
}

// content reads exactly the size that the header promised.
func content(obj plumbing.EncodedObject) (b []byte, err error) {
	r, err := obj.Reader()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	b = make([]byte, obj.Size())
	_, err = io.ReadFull(r, b)
	return b, err
}

// missing is the error for an object that is not there or cannot be read: for a
// caller a damaged object is as missing as an absent one.
func missing(h Hash, cause error) error {
	if errors.Is(cause, plumbing.ErrObjectNotFound) {
		return fmt.Errorf("object %s: %w", h, ErrMissing)
	}
	return fmt.Errorf("object %s: %w (damaged: %v)", h, ErrMissing, cause)
}
