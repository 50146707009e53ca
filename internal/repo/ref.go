package repo

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// ErrNoRevision says that a name given by a person means no commit here.
var ErrNoRevision = errors.New("no such branch, tag or commit")

const (
	maxSymbolicDepth = 5
	branchPrefix     = "refs/heads/"
)

// Head returns the commit that HEAD names and its branch; the branch is empty
// when HEAD is detached. A repository without any commit is an [ErrEmpty].
func (r *Repo) Head() (branch string, h Hash, err error) {
	target, h, err := r.readHead()
	if err != nil {
		return "", Hash{}, fmt.Errorf("read HEAD of %s: %w", r.path, err)
	}
	if branch, ok := strings.CutPrefix(target, branchPrefix); ok {
		return branch, h, nil
	}
	return "", h, nil
}

func (r *Repo) readHead() (target string, h Hash, err error) {
	b, err := readSmall(filepath.Join(r.gitDir, "HEAD"))
	if err != nil {
		return "", Hash{}, err
	}
	target, symbolic := symbolicTarget(b)
	if !symbolic {
		h, err := parseRef(b)
		return "", h, err
	}
	h, ok, err := r.Ref(target)
	if err != nil || ok {
		return target, h, err
	}
	branches, err := r.Refs(branchPrefix)
	if err != nil {
		return "", Hash{}, err
	}
	if len(branches) == 0 {
		return "", Hash{}, ErrEmpty
	}
	return "", Hash{}, fmt.Errorf("it names %s, which does not exist: name a branch", target)
}

// Ref reads one reference by its full name and follows symbolic ones.
func (r *Repo) Ref(name string) (Hash, bool, error) {
	for range maxSymbolicDepth {
		if err := checkRefName(name); err != nil {
			return Hash{}, false, err
		}
		b, err := readSmall(r.refPath(name))
		if isAbsent(err) {
			packed, err := r.packedRefs(name)
			h, ok := packed[name]
			return h, ok, err
		}
		if err != nil {
			return Hash{}, false, fmt.Errorf("read reference %s: %w", name, err)
		}
		target, symbolic := symbolicTarget(b)
		if !symbolic {
			h, err := parseRef(b)
			if err != nil {
				return Hash{}, false, fmt.Errorf("read reference %s: %w", name, err)
			}
			return h, true, nil
		}
		name = target
	}
	return Hash{}, false, fmt.Errorf("read reference %s: symbolic references nest too deeply", name)
}

// Refs returns the references whose full name starts with prefix. Broken ones
// are left out.
func (r *Repo) Refs(prefix string) (map[string]Hash, error) {
	refs, err := r.packedRefs(prefix)
	if err != nil {
		return nil, err
	}
	root := filepath.Join(r.common, "refs")
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return skipAbsent(err)
		}
		rel, err := filepath.Rel(r.common, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if !strings.HasPrefix(name, prefix) || checkRefName(name) != nil {
			return nil
		}
		delete(refs, name)
		if h, ok, err := r.Ref(name); err == nil && ok {
			refs[name] = h
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list references: %w", err)
	}
	return refs, nil
}

// packedRefs reads the packed references whose name starts with prefix. The
// file is read each time: git rewrites it beside us.
func (r *Repo) packedRefs(prefix string) (map[string]Hash, error) {
	refs := map[string]Hash{}
	f, err := os.Open(filepath.Join(r.common, "packed-refs"))
	if isAbsent(err) {
		return refs, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read references: %w", err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		hex, name, ok := strings.Cut(sc.Text(), " ")
		if ok && strings.HasPrefix(name, prefix) && plumbing.IsHash(hex) && checkRefName(name) == nil {
			refs[name] = plumbing.NewHash(hex)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("read references: %w", err)
	}
	return refs, nil
}

// Resolve finds the commit that a person means by rev: HEAD, a branch, a tag, a
// remote branch, a full reference name, a full or short commit id, each with
// ~n and ^n behind it. A branch wins over a tag of the same name, since that is
// what this program is asked for.
func (r *Repo) Resolve(rev string) (Hash, error) {
	base, steps := rev, ""
	if i := strings.IndexAny(rev, "~^"); i >= 0 {
		base, steps = rev[:i], rev[i:]
	}
	h, err := r.resolveName(base)
	if err == nil {
		h, err = r.peel(h)
	}
	if err == nil {
		h, err = r.step(h, steps)
	}
	if err != nil {
		return Hash{}, fmt.Errorf("resolve %q: %w", rev, err)
	}
	return h, nil
}

func (r *Repo) resolveName(name string) (Hash, error) {
	if name == "HEAD" || name == "@" {
		_, h, err := r.Head()
		return h, err
	}
	if len(name) == 40 && plumbing.IsHash(name) {
		return plumbing.NewHash(name), nil
	}
	for _, full := range []string{name, branchPrefix + name, "refs/tags/" + name, "refs/remotes/" + name, "refs/remotes/" + name + "/HEAD"} {
		if checkRefName(full) != nil {
			continue
		}
		if h, ok, err := r.Ref(full); ok || err != nil && !isAbsent(err) {
			return h, err
		}
	}
	return r.resolveShort(name)
}

func (r *Repo) resolveShort(name string) (Hash, error) {
	lower := strings.ToLower(name)
	if len(lower) < 4 || len(lower) > 40 || strings.Trim(lower, "0123456789abcdef") != "" {
		return Hash{}, ErrNoRevision
	}
	found, err := r.objects.withPrefix(lower)
	if err != nil {
		return Hash{}, err
	}
	var commits []Hash
	for _, h := range found {
		if c, err := r.peel(h); err == nil {
			commits = append(commits, c)
		}
	}
	switch len(commits) {
	case 0:
		return Hash{}, ErrNoRevision
	case 1:
		return commits[0], nil
	}
	return Hash{}, fmt.Errorf("%w: %d commits start with it, give more digits", ErrNoRevision, len(commits))
}

// step follows ~n and ^n.
func (r *Repo) step(h Hash, steps string) (Hash, error) {
	for steps != "" {
		op := steps[0]
		digits := steps[1:]
		if i := strings.IndexFunc(digits, func(c rune) bool { return c < '0' || c > '9' }); i >= 0 {
			digits = digits[:i]
		}
		steps = steps[1+len(digits):]
		n := 1
		if digits != "" {
			var err error
			if n, err = strconv.Atoi(digits); err != nil {
				return Hash{}, ErrNoRevision
			}
		}
		var err error
		switch op {
		case '~':
			h, err = r.ancestor(h, n)
		case '^':
			h, err = r.parent(h, n)
		default:
			err = ErrNoRevision
		}
		if err != nil {
			return Hash{}, err
		}
	}
	return h, nil
}

func (r *Repo) ancestor(h Hash, n int) (_ Hash, err error) {
	for range n {
		if h, err = r.parent(h, 1); err != nil {
			return Hash{}, err
		}
	}
	return h, nil
}

func (r *Repo) parent(h Hash, n int) (Hash, error) {
	c, err := r.Commit(h)
	switch {
	case err != nil:
		return Hash{}, err
	case n == 0:
		return h, nil
	case n > len(c.Parents):
		return Hash{}, fmt.Errorf("%w: %s has no parent %d", ErrNoRevision, h, n)
	}
	return c.Parents[n-1], nil
}

func (r *Repo) refPath(name string) string {
	return filepath.Join(r.common, filepath.FromSlash(name))
}

// checkRefName refuses what git refuses, and every name outside refs/: a name
// becomes a file path.
func checkRefName(name string) error {
	ok := strings.HasPrefix(name, "refs/") && len(name) < maxPathLength &&
		plumbing.ReferenceName(name).Validate() == nil && filepath.IsLocal(filepath.FromSlash(name))
	if !ok {
		return fmt.Errorf("%q is not a full reference name", name)
	}
	return nil
}

func symbolicTarget(b []byte) (string, bool) {
	rest, ok := strings.CutPrefix(string(b), "ref:")
	return strings.TrimSpace(rest), ok
}

func parseRef(b []byte) (Hash, error) {
	hex, _, _ := strings.Cut(strings.TrimSpace(string(b)), " ")
	if !plumbing.IsHash(hex) {
		return Hash{}, fmt.Errorf("%w: the file holds no object id", ErrDamaged)
	}
	return plumbing.NewHash(hex), nil
}
