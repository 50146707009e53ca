package config

import (
	"fmt"
	"strings"
)

// Fault is one thing wrong with a configuration.
type Fault struct {
	File    string // or the name of an environment variable, "$NAME"
	Line    int    // 1-based; 0 where there is no line
	Column  int    // 1-based
	Message string
	Suggest string // what was probably meant, "" if nothing is near
}

// String is file:line:col: message.
func (f Fault) String() string {
	where := f.File
	if f.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
	}
	if f.Suggest != "" {
		return fmt.Sprintf("%s: %s (did you mean %q?)", where, f.Message, f.Suggest)
	}
	return where + ": " + f.Message
}

// Faults is the error of a configuration: all of its faults, in order.
type Faults struct{ List []Fault }

// Error lists the faults, one a line.
func (e *Faults) Error() string {
	lines := make([]string, len(e.List))
	for i, f := range e.List {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}
