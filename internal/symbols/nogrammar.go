//go:build !cgo || nogrammars

package symbols

// grammarFor returns what reads a language by its grammar.
func grammarFor(string) engine { return nil }

// Engine says what this build reads of code, for people.
const Engine = "Go by its own parser; Swift and Dart by outlines of their tokens; other languages by whole words, as this build is without tree-sitter"
