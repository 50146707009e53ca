package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/retrosweep/retrosweep/internal/guard"
)

// colors of the statuses on a terminal.
var colors = map[Status]string{OK: "32", Warn: "33", Fail: "31", Unknown: "2"}

// Text writes one line a check, the remedy below it, and a last line that
// counts. Whatever a host or a repository said is made safe to print.
func Text(w io.Writer, lines []Line, color bool) error {
	p := &printer{w: w, color: color}
	widest := 0
	for _, l := range lines {
		widest = max(widest, len(l.Name))
	}
	count := map[Status]int{}
	for _, l := range lines {
		count[l.Status]++
		p.check(l, widest)
	}
	p.print("\n%d checks: %d ok, %d warn, %d fail, %d unknown\n", len(lines), count[OK], count[Warn], count[Fail], count[Unknown])
	return p.err
}

// JSON writes the checks with whether one failed.
func JSON(w io.Writer, lines []Line) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Schema string `json:"schema"`
		OK     bool   `json:"ok"`
		Checks []Line `json:"checks"`
	}{"retrosweep.doctor/v1", !Failed(lines), lines})
}

// printer keeps the first error of the writer.
type printer struct {
	w     io.Writer
	color bool
	err   error
}

func (p *printer) print(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) check(l Line, widest int) {
	status := fmt.Sprintf("%-7s", l.Status)
	if p.color {
		status = "\x1b[" + colors[l.Status] + "m" + status + "\x1b[0m"
	}
	// Behind the two columns: status and name.
	indent := "\n" + strings.Repeat(" ", len("unknown")+2+widest+2)
	p.print("%s  %-*s  %s\n", status, widest, l.Name, indented(l.Detail, indent))
	if l.Remedy != "" {
		p.print("%s> %s\n", indent[1:], indented(l.Remedy, indent+"  "))
	}
}

func indented(text, indent string) string {
	return strings.ReplaceAll(strings.TrimSpace(guard.Terminal(text)), "\n", indent)
}
