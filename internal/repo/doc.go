// Package repo reads and writes git objects through go-git, and nothing else
// in the program imports go-git.
//
// It never touches a working tree, an index or a checked-out branch, and runs
// nothing from the repository. Trees are compared by our own differ, ranges are
// walked without visiting all ancestors, and references move by the same lock
// files that git uses, because go-git's ways of doing these are slow or unsafe
// (the measurements are in the comments beside them).
//
// Objects that are missing (shallow or partial clones, snapshots) are an
// [ErrMissing], which callers survive and report.
package repo
