// Package gitea owns the calls that keep proposals as pull requests on a Gitea
// or Forgejo server, and the credentials for one. What is written, and in which
// order, is decided in internal/forge/pulls.
//
// The host gives no reason for a closed issue, and only an administrator may ask it
// who may write, so that members are named by hand (trust.members); without such a
// list every human author is one.
package gitea
