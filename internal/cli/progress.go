package cli

import (
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"time"
)

// Where nobody watches, a run is silent at first, so that a quick one leaves
// nothing in a log; then each step is a line, and a step that goes on is one line
// in a while.
const (
	silentFor  = 10 * time.Second
	sameStep   = 15 * time.Second
	livingLine = 78 // columns; a longer line would wrap and could not be wiped
)

// progress returns what is told of each step of a run, and of its end by "". It
// is one and the same for all steps of a command.
func (m *Main) progress(f *flags) func(string) {
	if f.tell == nil {
		f.tell = m.teller(f)
	}
	return f.tell
}

func (m *Main) teller(f *flags) func(string) {
	if m.IsTerm(m.Stderr) && m.Getenv("TERM") != "dumb" && !f.verbose {
		return living(m.Stderr)
	}
	l := &pacer{clock: m.Clock, silent: silentFor, emit: func(text string) { fmt.Fprintf(m.Stderr, "retrosweep: %s\n", text) }}
	if f.verbose {
		l.silent = 0
	}
	return l.tell
}

// logged is progress as a daemon tells it.
func (m *Main) logged(log *slog.Logger) func(string) {
	l := &pacer{clock: m.Clock, silent: silentFor, emit: func(text string) { log.Info("progress", "step", text) }}
	return l.tell
}

// living is one line of a terminal that is written over.
func living(w io.Writer) func(string) {
	return func(text string) {
		if text == "" {
			fmt.Fprint(w, "\r\x1b[K")
			return
		}
		if runes := []rune(text); len(runes) > livingLine {
			text = string(runes[:livingLine])
		}
		fmt.Fprintf(w, "\r\x1b[K%s …", text)
	}
}

// pacer decides which steps become lines.
type pacer struct {
	clock  func() time.Time
	silent time.Duration // since the first step
	emit   func(string)

	began, told time.Time
	step        string // of the last line
}

// numbers are what differs between two reports of one step.
var numbers = regexp.MustCompile(`[0-9]+`)

func (p *pacer) tell(text string) {
	now := p.clock()
	if p.began.IsZero() {
		p.began = now
	}
	step := numbers.ReplaceAllString(text, "")
	if text == "" || now.Sub(p.began) < p.silent || step == p.step && now.Sub(p.told) < sameStep {
		return
	}
	p.step, p.told = step, now
	p.emit(text)
}
