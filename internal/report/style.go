package report

import (
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/text/width"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// The longest name or subject, and the longest sentence, that is printed.
const (
	maxName = 160
	maxText = 600
)

// safe is a name of the repository or of a model, fit to print.
func safe(s string) string { return guard.TerminalLine(s, maxName) }

// safeText is a sentence, fit to print on lines of our own.
func safeText(s string) string {
	return guard.TerminalLine(strings.Join(strings.Fields(s), " "), maxText)
}

// safeLine is a line of a diff, fit to print and not cut.
func safeLine(s string) string { return strings.TrimSuffix(guard.Terminal(s), "\n") }

// short is a commit id as people write it.
func short(id string) string { return safe(id[:min(len(id), 7)]) }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// thousands writes a count with commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

const reset = "\x1b[0m"

func (p *printer) color(code, s string) string {
	if !p.paint || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + reset
}

func (p *printer) bold(s string) string   { return p.color("1", s) }
func (p *printer) dim(s string) string    { return p.color("2", s) }
func (p *printer) red(s string) string    { return p.color("31", s) }
func (p *printer) green(s string) string  { return p.color("32", s) }
func (p *printer) yellow(s string) string { return p.color("33", s) }

func (p *printer) severity(s knowledge.Severity) string {
	switch s {
	case knowledge.Error:
		return p.red("error")
	case knowledge.Warning:
		return p.yellow("warning")
	}
	return p.dim("note")
}

func (p *printer) lessonMark(s LessonStatus, mark string) string {
	if s == LessonPromoted {
		return p.green(mark)
	}
	return mark
}

func (p *printer) state(s ProposalState, m Mode) string {
	words := stateWords(s, m)
	switch s {
	case ProposalOpened, ProposalUpdated:
		return p.green(words)
	case ProposalBlocked:
		return p.red(words)
	case ProposalWaiting:
		return p.yellow(words)
	}
	return p.dim(words)
}

var painted = regexp.MustCompile("\x1b\\[[0-9]+m")

// columns counts the cells that s takes on a terminal.
func columns(s string) int {
	n := 0
	for _, r := range painted.ReplaceAllString(s, "") {
		switch width.LookupRune(r).Kind() {
		case width.EastAsianWide, width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}

func pad(s string, to int) string { return s + strings.Repeat(" ", max(to-columns(s), 0)) }

// wrap breaks s between words into lines of at most limit columns. A word that
// is longer stands alone: paths are not broken, they are copied. Runs of blanks
// inside a line stay. Text always has at least one line.
func wrap(s string, limit int) []string {
	limit = max(limit, 20)
	var lines []string
	line := ""
	for _, word := range strings.SplitAfter(s, " ") {
		if line != "" && columns(line)+columns(strings.TrimRight(word, " ")) > limit {
			lines = append(lines, strings.TrimRight(line, " "))
			line = ""
		}
		line += word
	}
	return append(lines, strings.TrimRight(line, " "))
}
