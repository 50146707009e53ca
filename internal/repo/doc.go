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
// It never touches a working tree or a checked-out branch, reads the index and
// never writes it ([Repo.Index]), and runs nothing from the repository. Trees are
// compared by our own differ, ranges are walked without visiting all ancestors,
// and references move by the same lock files that git uses, because go-git's ways
// of doing these are slow or unsafe (the measurements are in the comments beside
// them).
//
// Sync, Fetch, Deepen and Push deal with a remote: a mirror has the remote's
// branches and refs/retrosweep/* under their own names, and a push moves several
// references in one transaction, each from an old value that the server compares.
// They stand on package remote (addresses, sessions over HTTPS and SSH), package
// credentials (tokens) and package gitcli (the git binary, where there is one).
//
// Objects that are missing (shallow or partial clones, snapshots) are an
// [ErrMissing], which callers survive and report.
//
// Shallow clones are deepened without git, by go-git's transport under our own
// session; git, where it is installed, only helps. A person's own clone is deepened
// by an apply alone, and as far as the run begins. A dry run must show what that
// apply would do, and fetches into a copy that borrows the clone's objects
// ([Repo.Borrow]).
package repo
