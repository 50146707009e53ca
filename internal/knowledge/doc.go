// Package knowledge owns the words of the product: documents that hold what
// agents must know, the facts in them, the edits that may be made to them and
// the findings about them.
//
// A [Document] is one knowledge file, read without loss: every [Fact] is a byte
// span of the source, and everything outside the span of an [Edit] is written
// back as it was (line endings, byte order mark, comments, quoting). The
// package is pure: it never reads a file or a repository by itself.
//
// Formats (see [Format]) are read permissively. A fault in a file is a [Fault]
// with its line, never an error that hides the rest of the file.
package knowledge
