// Package corpus reads the knowledge files of one commit: it finds them in a
// tree, refuses what is no text, folds symbolic links into the documents they
// point at, and parses the rest in parallel.
package corpus
