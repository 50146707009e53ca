// Package github owns the calls that keep proposals as pull requests on GitHub or
// on a GitHub Enterprise server, and the credentials for it. What is written, and
// in which order, is decided in internal/forge/pulls; internal/forge/wire owns the
// way there.
//
// # Why not createCommitOnBranch
//
// Commits that the host is to sign (delivery.commits: api) are made of git's
// objects through the REST API, without an author, so that an App's are signed;
// the branch then moves by GraphQL's updateRefs, from its old value and all the
// way back to a new base. Tree and parents must come out as they were checked
// here. The mutation createCommitOnBranch has a lease as well, but it only adds
// to a branch (which would have to go back to its base first, and that closes its
// pull request), knows no modes, and moves the branch before anybody can note the
// id. Made this way, a commit is an object that nothing names until its id is
// noted or its branch is made, so that a run may die anywhere, as with a push.
// Journal, records and the commit for the base are pushed all the same. A
// sign-off should name the App, as slug[bot].
package github
