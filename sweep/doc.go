// Package sweep checks what knowledge files say against the code as it is now.
//
// One sweep takes the facts of a corpus, finds what they are about (package
// anchor), says which anchors are gone or moved and since when (package audit),
// and which facts have reached the end they were written to have (package
// expire). It returns findings, counts and edits; it applies none of them.
package sweep
