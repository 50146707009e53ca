// Package worktree reads the knowledge files of a directory as they stand on
// disk, in the index or on standard input, and writes back the few that a
// person asked to have mended.
//
// Only init and lint deal with a working tree; a night reads commits. What git
// ignores is left out unless it is tracked or named, symbolic links are folded
// into the documents they point at and never followed out of the tree, and a
// file is replaced in one step, if it still holds what was read.
package worktree
