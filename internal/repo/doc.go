// Package repo reads and writes git objects through go-git, and nothing else
// in the program imports go-git.
//
// From bottom to top: pack and objectStore read objects (go-git's storage keeps
// the loose ones and all writing), node and Commit parse them, Tree, Diff, Hunks
// and DetectRenames compare, Range and its kin walk history (LastHeld for paths
// that went away, Origins for lines of documents), WriteTree and WriteCommit make
// new objects and UpdateRef lets them be seen. A [Repo] may be read from several
// goroutines; what it caches is bounded.
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
