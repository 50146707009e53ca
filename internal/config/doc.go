// Package config owns the two configuration files: the operator's, which sets
// everything, and the repository's .retrosweep.yaml, which may only narrow
// routes, declare formats and add ignores.
//
// Reading is strict and complete: an error is a [Faults] that lists every
// fault at once, each with its file, line and column, and what was probably
// meant.
package config
