package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/guard"
)

// Fault is one thing wrong with a configuration.
type Fault struct {
	File    string // or "$NAME" for a variable of the environment
	Line    int    // 1-based; 0 where there is none
	Column  int    // 1-based
	Message string
	Suggest string // what was probably meant, "" if nothing is near
}

// maxFault bounds a printed fault: the file may be anybody's.
const maxFault = 600

// String is "file:line:col: message", with the suggestion, safe to print.
func (f Fault) String() string {
	where, meant := f.File, ""
	if f.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
	}
	if f.Suggest != "" {
		meant = fmt.Sprintf("; did you mean %q?", f.Suggest)
	}
	return guard.TerminalLine(where+": "+f.Message+meant, maxFault)
}

// Faults is the error of a configuration: all of its faults, in the order of
// the file.
type Faults struct{ List []Fault }

// maxPrinted bounds the faults that are printed.
const maxPrinted = 100

// Error lists the faults, one a line; where there are very many, it counts the
// rest.
func (e *Faults) Error() string {
	lines := make([]string, 0, len(e.List))
	for i, f := range e.List {
		if i == maxPrinted {
			lines = append(lines, fmt.Sprintf("and %d more", len(e.List)-i))
			break
		}
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}

// asError sorts the faults and returns them as an error, nil if there are none.
func asError(list []Fault) error {
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return &Faults{List: list}
}
