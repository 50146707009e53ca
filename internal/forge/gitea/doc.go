// Package gitea owns the calls that keep proposals as pull requests on a Gitea
// or Forgejo server, and the credentials for one. What is written, and in which
// order, is decided in internal/forge/pulls.
package gitea
