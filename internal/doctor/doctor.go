// Package doctor owns what a first run needs and how to mend what is missing.
// Each need is a check: a value with a name and a function that looks. A check
// may have others behind it that make sense only after it. Nothing here writes,
// but for a file that is removed again where a directory must take one, and the
// references of the push test where a person asks for it.
package doctor

import (
	"context"
	"fmt"
	"slices"
)

// Status is how a check ended.
type Status string

// The ways in which a check ends.
const (
	OK      Status = "ok"
	Warn    Status = "warn"    // a night runs, but not in every way
	Fail    Status = "fail"    // a night will not run
	Unknown Status = "unknown" // it cannot be seen from here
)

// Check is one thing that a first run needs.
type Check struct {
	Name string
	Run  func(ctx context.Context) Result
}

// Result is what a check found.
type Result struct {
	Status Status
	Detail string  // what was found, in one sentence or a few lines
	Remedy string  // how to mend it; always there for a fail
	Then   []Check // what can be looked at now
}

// Line is a check that was made.
type Line struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"`
}

// Examine makes all checks in their order, each followed by those behind it.
// After the end of ctx the rest is unknown.
func Examine(ctx context.Context, checks []Check, tell func(name string)) []Line {
	var lines []Line
	for rest := slices.Clone(checks); len(rest) > 0; {
		c := rest[0]
		tell(c.Name)
		r := Result{Status: Unknown, Detail: "not looked at: the run was ended"}
		if ctx.Err() == nil {
			r = c.Run(ctx)
		}
		lines = append(lines, Line{Name: c.Name, Status: r.Status, Detail: r.Detail, Remedy: r.Remedy})
		rest = append(slices.Clone(r.Then), rest[1:]...)
	}
	return lines
}

// Failed reports whether one of the checks failed.
func Failed(lines []Line) bool {
	return slices.ContainsFunc(lines, func(l Line) bool { return l.Status == Fail })
}

func ok(format string, args ...any) Result {
	return Result{Status: OK, Detail: fmt.Sprintf(format, args...)}
}

func warn(detail, remedy string) Result { return Result{Status: Warn, Detail: detail, Remedy: remedy} }

func fail(err error, remedy string) Result {
	return Result{Status: Fail, Detail: err.Error(), Remedy: remedy}
}

func unknown(detail, remedy string) Result {
	return Result{Status: Unknown, Detail: detail, Remedy: remedy}
}

// then adds what can be looked at after r.
func (r Result) then(checks ...Check) Result {
	r.Then = append(r.Then, checks...)
	return r
}
