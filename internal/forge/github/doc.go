// Package github owns the calls that keep proposals as pull requests on GitHub or
// on a GitHub Enterprise server, and the credentials for it. What is written, and
// in which order, is decided in internal/forge/pulls; internal/forge/wire owns the
// way there.
package github
