package audit

import "github.com/retrosweep/retrosweep/internal/repo"

// The walk goes along the first parents, so that what a branch did comes with
// its merge. People are told the commit itself.

// sideWalk is how many commits of a merged branch are looked at.
const sideWalk = 300

// culprit finds, behind a merge that brought a change, the commit that made it
// and its first parent. changed says whether a commit has the change.
func (a *auditor) culprit(by, parent repo.Commit, changed func(repo.Commit) bool) (repo.Commit, repo.Commit) {
	for left := sideWalk; len(by.Parents) > 1 && left > 0; {
		inner, up, ok := a.onSide(by, changed, &left)
		if !ok {
			break
		}
		by, parent = inner, up
	}
	return by, parent
}

// onSide goes back along the merged sides of a merge to where the change was
// made.
func (a *auditor) onSide(merge repo.Commit, changed func(repo.Commit) bool, left *int) (by, parent repo.Commit, ok bool) {
	for _, p := range merge.Parents[1:] {
		c, err := a.in.Repo.Commit(p)
		for ; err == nil && *left > 0 && changed(c) && len(c.Parents) > 0; *left-- {
			up, upErr := a.in.Repo.Commit(c.Parents[0])
			if upErr != nil {
				break
			}
			if !changed(up) {
				return c, up, true
			}
			c = up
		}
	}
	return by, parent, false
}

// lacks reports whether a commit has nothing at a path.
func (a *auditor) lacks(file string) func(repo.Commit) bool {
	return func(c repo.Commit) bool {
		t, err := a.in.Repo.Tree(c.Tree)
		if err != nil {
			return false
		}
		_, ok, err := t.Entry(file)
		return err == nil && !ok
	}
}

// lost reports whether a file has not what a key names any more.
func (a *auditor) lost(file, k string) func(repo.Commit) bool {
	return func(c repo.Commit) bool {
		e := a.entryAt(c, file)
		return e.Hash.IsZero() || !has(file, a.code(e), k)
	}
}
