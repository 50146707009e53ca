package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// stepping runs a command's steps, each at a second of a fake clock, and returns
// what stands on standard error.
func stepping(terminal, verbose bool, term string, steps map[int]string, last int) string {
	var errs bytes.Buffer
	second := 0
	m := &Main{
		Stderr: &errs, Getenv: func(name string) string { return map[string]string{"TERM": term}[name] },
		Clock:  func() time.Time { return time.Unix(int64(second), 0) },
		IsTerm: func(io.Writer) bool { return terminal },
	}
	f := &flags{verbose: verbose}
	for ; second <= last; second++ {
		if text, ok := steps[second]; ok {
			m.progress(f)(text)
		}
	}
	m.progress(f)("")
	return errs.String()
}

func TestProgress(t *testing.T) {
	t.Parallel()
	quick := map[int]string{0: "cloning shop", 1: "received 1 MB", 2: "sweeping", 4: "pushing"}
	long := map[int]string{0: "cloning shop", 100: "sweeping", 101: "looking for lessons", 102: "triage 1/3: 4 signals", 103: "triage 2/3: 9 signals", 140: "triage 3/3: 2 signals", 141: "pushing"}
	for s := 1; s < 90; s++ {
		long[s] = fmt.Sprintf("received %d MB", s)
	}
	for _, test := range []struct {
		name              string
		terminal, verbose bool
		term              string
		steps             map[int]string
		want              string
	}{
		{"a quick run says nothing", false, false, "", quick, ""},
		{"a quick run, -v", false, true, "", quick, "cloning shop|received 1 MB|sweeping|pushing"},
		{"a long run", false, false, "", long, "received 10 MB|received 25 MB|received 40 MB|received 55 MB|received 70 MB|received 85 MB|" +
			"sweeping|looking for lessons|triage 1/3: 4 signals|triage 3/3: 2 signals|pushing"},
		{"a terminal that cannot wipe", true, false, "dumb", quick, ""},
	} {
		want := ""
		for line := range strings.SplitSeq(test.want, "|") {
			if line != "" {
				want += "retrosweep: " + line + "\n"
			}
		}
		if got := stepping(test.terminal, test.verbose, test.term, test.steps, 150); got != want {
			t.Errorf("%s:\n%s\nand not\n%s", test.name, got, want)
		}
	}
}

// A terminal has one line, which is gone at the end.
func TestProgressOnATerminal(t *testing.T) {
	t.Parallel()
	got := stepping(true, false, "xterm", map[int]string{0: "sweeping", 1: strings.Repeat("long ", 40)}, 2)
	if strings.Contains(got, "\n") || !strings.HasSuffix(got, "\r\x1b[K") || !strings.Contains(got, "\r\x1b[Ksweeping …") {
		t.Errorf("%q", got)
	}
	for line := range strings.SplitSeq(got, "\r\x1b[K") {
		if n := len([]rune(line)); n > 80 {
			t.Errorf("a line of %d columns wraps", n)
		}
	}
}
