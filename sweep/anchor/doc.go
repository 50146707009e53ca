// Package anchor finds what a fact is about: the files, directories, globs and
// links that its text names, in whatever spelling people use, and where a
// spelling leads in a tree.
//
// It owns spelling and nothing else. [Find] is a pure function of a document:
// it says what a text may be naming, with the context a reader would use (the
// directory named on the line, above the list, in a drawn tree) and with the
// reason where the text itself says that a path is gone, planned or optional.
// [Index] answers where a spelling leads in one tree. Whether a path once was
// there, and so whether the text ever named anything, is for package audit.
package anchor
