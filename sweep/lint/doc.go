// Package lint owns the rules that need no history: what is wrong with the
// knowledge files of one tree as they stand, decided by reading them alone.
//
// [Check] is pure. It takes parsed documents, a few questions about the tree
// they stand in and a day, and returns findings: what every session loads comes
// first. [Rules] lists what is looked for. Two texts that are alike, or that
// seem to say the opposite, are named as a pair for a person to look at; none is
// ever merged, and a rule that cannot be sure stays quiet: a linter that cries
// wolf is switched off.
//
// A rule is a method of checker in the file of its family (life, index, link,
// duplicate, conflict, state, vault, size, text). The mechanical remedies are
// planned in fix.go; the caller writes them.
//
// A lint reads the whole tree and reports on what was named, because an index is
// checked against the files beside it, and a memory against the instruction file.
package lint
