// Package gitdiff owns the unified diff of a dry run: the bytes that plain
// `git diff base..branch` prints once the branch exists. Git's output is no
// standard but a sum of choices (which of several shortest scripts, how groups
// of lines slide, where hunks join, which files count as renamed, how many
// digits of an id are shown), so the package makes the same choices: those of
// git 2.39 with its default configuration. Attributes and configuration that
// change git's output (diff drivers, diff.algorithm, core.abbrev) are not
// read.
package gitdiff
