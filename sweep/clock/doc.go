// Package clock owns the verification clock: what a claim was confirmed
// against, and whether all of that still looks the same.
//
// A [Face] is what a fact names and how each of these looked at one commit. A
// check (a person's verify, a judge's grounded answer) is believed for as long
// as the claim reads the same and every anchor has the fingerprint that was
// confirmed; how long ago that was does not matter, and neither does whether
// the commit can still be reached. [Compare] is pure.
//
// Fingerprints are engine@version:hash. A file has that of its blob, a
// directory that of its tree, a glob that of the files it matches, a declared
// symbol that of its tokens. A file in which a declared symbol was found does
// not count by itself: it is the symbol that the fact is about.
//
// A fact without anchors is never fresh: no fingerprint could ever end a check of
// it. A person may confirm it all the same, and the date counts for `status
// --unverified`. A check of a page speaks for its parts.
package clock
