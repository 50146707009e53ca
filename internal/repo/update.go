package repo

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// UpdateRef moves a reference from old to new, if it still is at old; the zero
// old means that it must not exist. It takes the lock file that git takes, and a
// rename makes the change visible, so neither can lose the other's update:
// go-git's own way writes in place under flock, which git does not see.
//
// A reference that moved is an [ErrRefMoved], a branch that some working tree
// has checked out an [ErrCheckedOut]. No reflog is written and no hook runs.
func (r *Repo) UpdateRef(name string, old, new Hash) error {
	if new.IsZero() {
		return fmt.Errorf("update %s: there is no new commit", name)
	}
	return r.swapRef("update", name, old, func(lock *lockFile) error {
		if !r.objects.has(new) {
			return fmt.Errorf("object %s: %w", new, ErrMissing)
		}
		if err := r.nameFree(name, old); err != nil {
			return err
		}
		if err := r.objects.sync(); err != nil {
			return err
		}
		if err := writeSync(lock.File, []byte(new.String()+"\n")); err != nil {
			return err
		}
		return renameOver(lock, r.refPath(name))
	})
}

// DeleteRef removes a reference, loose and packed, if it still is at old.
func (r *Repo) DeleteRef(name string, old Hash) error {
	if old.IsZero() {
		return fmt.Errorf("delete %s: there is no old commit to compare with", name)
	}
	return r.swapRef("delete", name, old, func(lock *lockFile) error {
		// The packed one goes first: else it would show through for a moment.
		if err := r.unpackRef(name); err != nil {
			return err
		}
		if err := skipAbsent(os.Remove(r.refPath(name))); err != nil {
			return err
		}
		return os.Remove(lock.path)
	})
}

// swapRef runs change with the reference locked and still at old.
func (r *Repo) swapRef(verb, name string, old Hash, change func(lock *lockFile) error) error {
	err := checkRefName(name)
	if r.scratch {
		err = ErrReadOnly
	}
	if err == nil {
		err = r.checkedOut(name)
	}
	if err == nil {
		err = r.before(EffectReference, name)
	}
	if err == nil {
		err = r.withLock(r.refPath(name), func(lock *lockFile) error {
			if err := r.compareRef(name, old); err != nil {
				return err
			}
			return change(lock)
		})
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", verb, name, err)
	}
	return nil
}

// compareRef reads the reference itself, not what a symbolic one names.
func (r *Repo) compareRef(name string, old Hash) error {
	b, err := readSmall(r.refPath(name))
	if err == nil {
		if target, symbolic := symbolicTarget(b); symbolic {
			return fmt.Errorf("it is a symbolic reference to %s and is not written through", target)
		}
	}
	now, _, err := r.Ref(name)
	if err != nil {
		return err
	}
	if now != old {
		return fmt.Errorf("%w: it is at %s and was at %s", ErrRefMoved, shortHash(now), shortHash(old))
	}
	return nil
}

func shortHash(h Hash) string {
	if h.IsZero() {
		return "nothing"
	}
	return h.String()[:12]
}

// nameFree refuses a new name that is a directory of another reference's name,
// or the other way round: loose ones would collide on disk, packed ones would
// not, and git would then refuse the repository's own updates.
func (r *Repo) nameFree(name string, old Hash) error {
	if !old.IsZero() {
		return nil
	}
	below, err := r.Refs(name + "/")
	if err != nil {
		return err
	}
	for other := range below {
		return fmt.Errorf("reference %s is in the way", other)
	}
	for dir := filepath.ToSlash(filepath.Dir(name)); strings.Count(dir, "/") > 1; dir = filepath.ToSlash(filepath.Dir(dir)) {
		if _, ok, _ := r.Ref(dir); ok {
			return fmt.Errorf("reference %s is in the way", dir)
		}
	}
	return nil
}

// writeSync makes the content durable before a rename makes it visible.
func writeSync(f *os.File, b []byte) error {
	if _, err := f.Write(b); err != nil {
		return err
	}
	return f.Sync()
}

// renameOver renames onto path, where git may have left empty directories.
func renameOver(lock *lockFile, path string) error {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		removeEmptyDirs(path)
	}
	return lock.rename(path)
}

func removeEmptyDirs(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() {
			removeEmptyDirs(filepath.Join(dir, e.Name()))
		}
	}
	os.Remove(dir) // fails where it is not empty, and then so does the rename
}

// unpackRef takes a reference out of packed-refs, under git's lock of that file.
func (r *Repo) unpackRef(name string) error {
	file := filepath.Join(r.common, "packed-refs")
	if packed, err := r.packedRefs(name); err != nil || packed[name].IsZero() {
		return err
	}
	return r.withLock(file, func(lock *lockFile) error {
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := writeSync(lock.File, withoutRef(b, name)); err != nil {
			return err
		}
		return lock.rename(file)
	})
}

// withoutRef drops the line of a reference and the line with the commit of its
// tag behind it.
func withoutRef(packed []byte, name string) []byte {
	var kept []byte
	dropped := false
	for line := range bytes.Lines(packed) {
		if !bytes.HasPrefix(line, []byte("^")) {
			_, ref, _ := strings.Cut(strings.TrimRight(string(line), "\r\n"), " ")
			dropped = ref == name
		}
		if !dropped {
			kept = append(kept, line...)
		}
	}
	return kept
}

// checkedOut refuses a branch that a working tree stands on, or will come back
// to when its rebase or bisect ends.
func (r *Repo) checkedOut(name string) error {
	branch, ok := strings.CutPrefix(name, branchPrefix)
	if !ok {
		return nil
	}
	for _, dir := range r.worktreeDirs() {
		if slices.Contains(branchesInUse(dir), branch) {
			return fmt.Errorf("%w (%s)", ErrCheckedOut, dir)
		}
	}
	return nil
}

// worktreeDirs are the git directories of all working trees. The main one has a
// working tree unless the repository is bare; from a linked worktree that
// cannot be told without its configuration, so its HEAD counts too.
func (r *Repo) worktreeDirs() []string {
	var dirs []string
	if !r.bare {
		dirs = append(dirs, r.common)
	}
	entries, err := os.ReadDir(filepath.Join(r.common, "worktrees"))
	if err != nil {
		return dirs
	}
	for _, e := range entries {
		dirs = append(dirs, filepath.Join(r.common, "worktrees", e.Name()))
	}
	return dirs
}

func branchesInUse(gitDir string) []string {
	var branches []string
	for _, name := range []string{"HEAD", "rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"} {
		b, err := readSmall(filepath.Join(gitDir, filepath.FromSlash(name)))
		if err != nil {
			continue
		}
		target, _ := symbolicTarget(b)
		if target == "" {
			target = strings.TrimSpace(string(b))
		}
		branches = append(branches, strings.TrimPrefix(target, branchPrefix))
	}
	return branches
}
