// Package remote talks to git hosts: it checks addresses, opens sessions over
// HTTPS and SSH through go-git's transports, and explains what goes wrong
// without repeating secrets.
//
// Package repo builds clone, fetch and push on it. The library's own Remote type
// is not used: it sends no old value of our choosing with a push, so there is no
// compare-and-swap outside refs/heads and no create-only anywhere; its fetch
// deepens nothing; and it writes references in place.
//
// No address makes it run a program or read a repository's configuration. A
// secret goes to the host of the address alone: a redirect to another host is
// refused.
package remote
