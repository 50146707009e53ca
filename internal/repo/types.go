package repo

import (
	"errors"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// Hash names a git object.
type Hash = plumbing.Hash

// Errors that callers branch on.
var (
	ErrNotRepository = errors.New("not a git repository")
	ErrEmpty         = errors.New("the repository has no commits")
	ErrMissing       = errors.New("object is missing from the repository")
	ErrTooLarge      = errors.New("file is larger than the limit")
	ErrRefMoved      = errors.New("reference moved since it was read") // compare-and-swap lost
	ErrCheckedOut    = errors.New("branch is checked out in a working tree")
)

// Signature is an author or committer.
type Signature struct {
	Name, Email string
	When        time.Time
}

// Commit is what is read of one commit.
type Commit struct {
	Hash, Tree        Hash
	Parents           []Hash
	Author, Committer Signature
	Message           string
}

// Mode is the kind of a tree entry.
type Mode uint8

// Modes of tree entries.
const (
	ModeFile Mode = iota + 1
	ModeExec
	ModeSymlink
	ModeDir
	ModeSubmodule
)

// Entry is one file of a tree.
type Entry struct {
	Path string
	Mode Mode
	Hash Hash
}

// ChangeKind says how a path differs between two trees.
type ChangeKind uint8

// Kinds of changes.
const (
	Added ChangeKind = iota + 1
	Deleted
	Modified
	Renamed // From and To differ in path; the blobs are equal or similar
)

// Change is one path that differs between two trees. From is zero for Added,
// To is zero for Deleted.
type Change struct {
	Kind     ChangeKind
	From, To Entry
}

// Hunk is one contiguous change of one file. Lines are 1-based; Removed and
// Added hold the lines without their line ends. Line ends that differ count.
type Hunk struct {
	OldLine, NewLine int // first line of the hunk in the old and new file
	Removed, Added   []string
	Before, After    []string // up to 3 lines of context on each side
}
