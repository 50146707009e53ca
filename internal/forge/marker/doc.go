// Package marker owns what a pull request remembers of itself: the hidden mark in
// its body, the island of text around it that is ours, and the edits that the
// branch holds. It talks to no host.
package marker
