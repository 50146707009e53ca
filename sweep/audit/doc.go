// Package audit turns candidates into verdicts: it says which anchors are gone
// or moved, since which commit, and how bad that is.
//
// It owns the two-point check. A spelling counts as an anchor only where it was
// earned: it led somewhere in a commit in which the document already said so.
// What led somewhere then and leads nowhere at head has drifted, and the commit
// that removed it is named. Everything that cannot be shown so stays unknown.
// The package reads git objects and changes nothing.
package audit
