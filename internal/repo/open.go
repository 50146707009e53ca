package repo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/config"
)

// Costs that the caches may hold: bytes of commits, entries of trees, whole
// file lists.
const (
	commitCacheBytes  = 24 << 20
	treeCacheEntries  = 400_000
	listCacheTrees    = 8
	maxConfigFileSize = 1 << 20
)

// Repo is one opened repository. Its methods may be called from several
// goroutines.
type Repo struct {
	path    string // as given to Open
	gitDir  string // HEAD is here
	common  string // objects and refs are here; differs from gitDir in a linked worktree
	bare    bool
	shallow map[Hash]bool // commits whose parents were cut off
	scratch bool          // writes stay in memory
	objects objects
	commits *cache[Hash, Commit]
	nodes   *cache[Hash, *node]
	lists   *cache[Hash, *Tree]

	maxFiles int                              // of one tree
	release  func()                           // lets go of the lock of a mirror; see [Sync]
	effect   func(kind, subject string) error // nil, but for [Repo.OnEffect]
}

// Open opens the repository at path: a bare repository, a directory with .git
// in it or a linked worktree. It reads the configuration file of the repository
// only to learn its format; nothing in it is followed or run.
func Open(_ context.Context, path string) (*Repo, error) {
	gitDir, bare, err := findGitDir(path)
	if err != nil {
		return nil, err
	}
	common := commonDir(gitDir)
	if err := checkFormat(path, filepath.Join(common, "config")); err != nil {
		return nil, err
	}
	shallow, err := readShallow(filepath.Join(common, "shallow"))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return &Repo{
		path: path, gitDir: gitDir, common: common, bare: bare, shallow: shallow,
		objects: newObjectStore(common),
		commits: newCache[Hash, Commit](commitCacheBytes),
		nodes:   newCache[Hash, *node](treeCacheEntries),
		lists:   newCache[Hash, *Tree](listCacheTrees),

		maxFiles: maxTreeFiles,
	}, nil
}

// Close closes the files that the repository holds open, and lets go of the
// lock of a mirror.
func (r *Repo) Close() error {
	err := r.objects.close()
	if r.release != nil {
		r.release()
	}
	return err
}

// Path returns the path that the repository was opened with.
func (r *Repo) Path() string { return r.path }

// GitDir returns the directory that holds objects and references.
func (r *Repo) GitDir() string { return r.common }

// Bare reports whether the repository has no working tree.
func (r *Repo) Bare() bool { return r.bare }

// Shallow reports whether the history was cut off somewhere.
func (r *Repo) Shallow() bool { return len(r.shallow) > 0 }

// Boundary reports whether the parents of this commit were cut off by a shallow
// clone. [Repo.Commit] returns it without parents, as git does.
func (r *Repo) Boundary(h Hash) bool { return r.shallow[h] }

func findGitDir(path string) (dir string, bare bool, err error) {
	if _, err := os.Stat(path); err != nil {
		return "", false, fmt.Errorf("open repository: %w", err)
	}
	dot := filepath.Join(path, ".git")
	info, err := os.Stat(dot)
	switch {
	case err == nil && info.IsDir() && isGitDir(dot):
		return dot, false, nil
	case err == nil && info.Mode().IsRegular():
		dir, err := readGitFile(dot)
		return dir, false, err
	case isGitDir(path):
		// The .git directory itself was named: its parent is a working tree.
		return path, filepath.Base(absolute(path)) != ".git", nil
	}
	return "", false, fmt.Errorf("open %s: %w: name a directory that has .git in it, a bare repository, or clone one there first", path, ErrNotRepository)
}

// isGitDir looks for what git looks for.
func isGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	common := commonDir(dir)
	for _, sub := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(common, sub)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// readGitFile follows a .git file, as worktrees and submodules have them.
func readGitFile(file string) (string, error) {
	b, err := readSmall(file)
	if err != nil {
		return "", fmt.Errorf("open repository: %w", err)
	}
	dir, ok := strings.CutPrefix(strings.TrimRight(string(b), "\r\n"), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("open %s: %w: the file does not begin with \"gitdir: \"", file, ErrNotRepository)
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(file), dir)
	}
	if !isGitDir(dir) {
		return "", fmt.Errorf("open %s: %w: it names %s, which is not a git directory; run git worktree repair, or open the main repository", file, ErrNotRepository, dir)
	}
	return dir, nil
}

// commonDir returns the directory a linked worktree shares with its repository.
func commonDir(gitDir string) string {
	b, err := readSmall(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return gitDir
	}
	dir := strings.TrimRight(string(b), "\r\n")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(gitDir, dir)
	}
	return dir
}

// ErrFormat says that a repository has a format that is not supported.
var ErrFormat = errors.New("this format is not supported")

// checkFormat refuses the two formats that go-git v5 cannot read; the others
// (worktreeConfig, partial clones, ...) do not matter to who reads objects only,
// so go-git's own check, which refuses them, is not used.
func checkFormat(path, file string) error {
	b, err := readSmall(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	c := config.New()
	if err := config.NewDecoder(strings.NewReader(string(b))).Decode(c); err != nil {
		return fmt.Errorf("open %s: read %s: %w", path, file, err)
	}
	ext := c.Section("extensions")
	if f := ext.Option("objectformat"); f != "" && !strings.EqualFold(f, "sha1") {
		return fmt.Errorf("open %s: object format %s: %w, only sha1 is: use a sha1 clone", path, f, ErrFormat)
	}
	if f := ext.Option("refstorage"); f != "" && !strings.EqualFold(f, "files") {
		return fmt.Errorf("open %s: reference storage %s: %w: run git refs migrate --ref-format=files", path, f, ErrFormat)
	}
	return nil
}

func readShallow(file string) (map[Hash]bool, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	shallow := map[Hash]bool{}
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		if line := strings.TrimSpace(sc.Text()); plumbing.IsHash(line) {
			shallow[plumbing.NewHash(line)] = true
		}
	}
	return shallow, sc.Err()
}

// readSmall reads a file that has no reason to be large.
func readSmall(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxConfigFileSize {
		return nil, fmt.Errorf("read %s: %w", file, ErrTooLarge)
	}
	return os.ReadFile(file)
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
