// Package knowledge owns the words of the product: documents that hold what
// agents must know, the facts in them, the edits that may be made to them and
// the findings about them.
//
// A [Document] is one knowledge file, read without loss: every [Fact] is a byte
// span of the source, and everything outside the span of an [Edit] is written
// back as it was (line endings, byte order mark, comments, quoting). The
// package is pure: it never reads a file or a repository by itself.
//
// A fact is named by its own id (a vault's ID, an id field, the counter of an
// ACE line), a page by its path, anything else by a hash of path, headings and
// text; equal texts under equal headings are numbered in their order. A name or
// slug is no id: people change it. The claim hash names the text alone.
//
// [Apply] splices bytes at positions that parsers report, reads the result
// again, and refuses it where any other fact would read differently. Archives
// keep the original bytes between comment lines (a memory: its file with two
// lines more), so that [OpRestore] is the exact inverse of [OpArchive]; where
// the file has changed since, the fact goes back beside its old neighbours.
//
// Formats (see [Format]) are read permissively. A fault in a file is a [Fault]
// with its line, never an error that hides the rest of the file.
//
// YAML and Markdown are parsed for positions only, because no library writes
// either back unchanged.
//
// A line of an index ([Index]) goes with its file into a record of the archive, and
// comes back with it. An index that lists less than half of its directory is its
// owner's own and gets no lines. A tag that no entry has any more keeps its key in
// VAULT_INDEX.json, so that what is restored stands where it stood.
package knowledge
