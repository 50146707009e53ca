// Package house has no code: its tests keep the shape of the program. They
// hold the directions of imports, the sizes of files and functions, package
// comments and documented names, and name the rule that a change breaks.
package house
