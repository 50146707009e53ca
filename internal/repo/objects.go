package repo

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	gitcache "github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

const (
	baseCacheBytes = 48 << 20            // delta bases
	looseCacheSize = 4 * gitcache.MiByte // what go-git keeps
	inMemoryObject = 8 << 20             // larger loose objects are streamed
	maxAlternates  = 16
)

// objects is where a [Repo] reads and writes objects.
type objects interface {
	// read returns the content of an object that is no larger than max bytes. The
	// size is checked on the header, before the content is inflated. The caller
	// may keep the content but not change it.
	read(h Hash, max int64) (plumbing.ObjectType, []byte, error)
	has(h Hash) bool
	withPrefix(hex string) ([]Hash, error) // ids that start with the digits
	write(t plumbing.ObjectType, b []byte) (Hash, error)
	sync() error  // makes what was written durable
	check() error // a pack that cannot be opened
	close() error
}

// objectStore reads packed objects by our own reader (see pack), and reads and
// writes loose ones through go-git, whose storage keeps state without a lock and
// so is used under one.
type objectStore struct {
	dirs  []string // objects directories: the repository's own, then its alternates
	bases *cache[packKey, packed]
	packs atomic.Pointer[packSet]

	mu       sync.Mutex
	stores   []*filesystem.ObjectStorage // of dirs
	unsynced []Hash                      // written since the last sync
}

// packSet is the packs that were there when they were last looked for.
type packSet struct {
	names []string // .idx files, in order
	packs map[string]*pack
	fault error // a pack that could not be opened
}

func newObjectStore(commonDir string) *objectStore {
	s := &objectStore{
		dirs:  objectDirs(filepath.Join(commonDir, "objects")),
		bases: newCache[packKey, packed](baseCacheBytes),
	}
	lru := gitcache.NewObjectLRU(looseCacheSize)
	for _, dir := range s.dirs {
		// Alternates are opened here and not by go-git, which opens them anew,
		// with their whole index, for each object it does not find.
		dot := dotgit.New(noAlternates{osfs.New(filepath.Dir(dir))})
		s.stores = append(s.stores, filesystem.NewObjectStorageWithOptions(dot, lru,
			filesystem.Options{KeepDescriptors: true, LargeObjectThreshold: inMemoryObject}))
	}
	s.packs.Store(&packSet{})
	s.repacked()
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

// listPacks returns the index files without their ending, sorted.
func (s *objectStore) listPacks() []string {
	var packs []string
	for _, dir := range s.dirs {
		entries, err := os.ReadDir(filepath.Join(dir, "pack"))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if name, ok := strings.CutSuffix(e.Name(), ".idx"); ok {
				packs = append(packs, filepath.Join(dir, "pack", name))
			}
		}
	}
	return packs
}

// repacked looks for packs that came or went since they were last looked for: a
// `git gc` or a fetch beside us moves objects while we read them. Packs that
// went stay open for who reads them now, and are closed with the repository.
func (s *objectStore) repacked() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, names := s.packs.Load(), s.listPacks()
	if slices.Equal(names, old.names) {
		return false
	}
	next := &packSet{names: names, packs: maps.Clone(old.packs)}
	if next.packs == nil {
		next.packs = map[string]*pack{}
	}
	for _, name := range names {
		if next.packs[name] != nil {
			continue
		}
		p, err := openPack(name, s.bases)
		if err != nil {
			next.fault = err
			continue
		}
		next.packs[name] = p
	}
	s.packs.Store(next)
	return true
}

func (s *objectStore) read(h Hash, max int64) (plumbing.ObjectType, []byte, error) {
	o, err := s.readOnce(h, max)
	if err != nil && !errors.Is(err, ErrTooLarge) && s.repacked() {
		o, err = s.readOnce(h, max)
	}
	switch {
	case errors.Is(err, ErrTooLarge):
		return o.kind, nil, fmt.Errorf("object %s: over the limit of %d bytes: %w", h, max, ErrTooLarge)
	case err != nil:
		return 0, nil, missing(h, err)
	}
	return o.kind, o.content, nil
}

func (s *objectStore) readOnce(h Hash, max int64) (packed, error) {
	set := s.packs.Load()
	fault := set.fault
	for _, p := range set.packs {
		offset, ok := p.find(h)
		if !ok {
			continue
		}
		o, err := p.read(offset, max)
		if err == nil || errors.Is(err, ErrTooLarge) {
			return o, err
		}
		fault = err
	}
	if store := s.loose(h); store != nil {
		return s.readLoose(store, h, max)
	}
	if fault != nil {
		return packed{}, fault
	}
	return packed{}, plumbing.ErrObjectNotFound
}

func (s *objectStore) readLoose(store *filesystem.ObjectStorage, h Hash, max int64) (packed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	obj, err := store.EncodedObject(plumbing.AnyObject, h)
	if err != nil {
		return packed{}, err
	}
	if obj.Size() > max {
		return packed{kind: obj.Type()}, ErrTooLarge
	}
	b, err := content(obj)
	return packed{obj.Type(), b}, err
}

// loose returns where an object has a file of its own, nil if nowhere.
func (s *objectStore) loose(h Hash) *filesystem.ObjectStorage {
	hex := h.String()
	for i, dir := range s.dirs {
		if _, err := os.Lstat(filepath.Join(dir, hex[:2], hex[2:])); err == nil {
			return s.stores[i]
		}
	}
	return nil
}

func (s *objectStore) has(h Hash) bool { return s.hasOnce(h) || s.repacked() && s.hasOnce(h) }

func (s *objectStore) hasOnce(h Hash) bool {
	for _, p := range s.packs.Load().packs {
		if _, ok := p.find(h); ok {
			return true
		}
	}
	return s.loose(h) != nil
}

func (s *objectStore) withPrefix(hex string) ([]Hash, error) {
	even := hex[:len(hex)/2*2]
	raw := plumbing.NewHash(even + strings.Repeat("0", 40-len(even)))
	prefix := raw[:len(even)/2]
	var all []Hash
	for _, p := range s.packs.Load().packs {
		all = append(all, p.withPrefix(prefix)...)
	}
	for _, dir := range s.dirs {
		entries, _ := os.ReadDir(filepath.Join(dir, hex[:2])) // often absent
		for _, e := range entries {
			if id := hex[:2] + e.Name(); plumbing.IsHash(id) {
				all = append(all, plumbing.NewHash(id))
			}
		}
	}
	all = slices.DeleteFunc(all, func(h Hash) bool { return !strings.HasPrefix(h.String(), hex) })
	slices.SortFunc(all, func(a, b Hash) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(all), nil
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
	if _, err := s.stores[0].SetEncodedObject(obj); err != nil {
		return Hash{}, fmt.Errorf("write %s object: %w", t, err)
	}
	s.unsynced = append(s.unsynced, h)
	return h, nil
}

// sync is called before a reference names what was written: after a power cut a
// reference to empty files would be worse than one that did not move.
func (s *objectStore) sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.unsynced {
		hex := h.String()
		// Absent: packed meanwhile. Not permitted: Windows syncs no read-only file.
		err := syncFile(filepath.Join(s.dirs[0], hex[:2], hex[2:]))
		if skipAbsent(err) != nil && !errors.Is(err, os.ErrPermission) {
			return fmt.Errorf("make object %s durable: %w", h, err)
		}
	}
	s.unsynced = nil
	return nil
}

// check reports a pack that could not be opened.
func (s *objectStore) check() error {
	s.repacked()
	return s.packs.Load().fault
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (s *objectStore) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, store := range s.stores {
		errs = append(errs, store.Close())
	}
	for _, p := range s.packs.Load().packs {
		errs = append(errs, p.f.Close())
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
