// Package collect reads what coding agents on this machine were told: the
// memories of Claude Code and Codex, and the turns of their sessions in which a
// person corrected them. What it finds of one repository becomes feedback
// memories of that repository, on a local branch that a person looks at.
//
// These texts are private: secrets, addresses and the paths of a person's
// machine are taken out before anything is kept, nothing is pushed, and nothing
// of it goes into the journal. They are untrusted as well: a session quotes web
// pages and files.
package collect
