// Package board owns the text of the dashboard: one page that says what is open,
// what waits, what people refused and may ask for again, and how the last run
// went. It is a pure function of what it is about: the same state gives the same
// text, on any day on which nothing changed.
//
// The dashboard is off by default, and one issue of our own account. The host
// does not say who made which tick, so a tick counts only where everybody who
// edited the issue since we wrote it may write to the repository. GitLab and
// Gitea say neither who edited it nor who may write, so none counts there. What
// it says of facts is of the last run that changed anything, and what went wrong
// stands there without endpoints, commits or days: a night with nothing new
// writes nothing, and the same fault reads the same every night.
package board

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/report/markup"
)

// Title is that of the issue.
const Title = "What retrosweep waits for"

// Marker tells our page from others; it counts only under our own account.
const Marker = "<!-- retrosweep:dashboard:v1 -->"

// Entry is one proposal.
type Entry struct {
	Slot   string
	Title  string // "": its files
	Files  []string
	URL    string
	Reason string
}

// Due is a fact that retires soon by what is written in it.
type Due struct {
	File string
	Line int
	Day  string
}

// Page is what the dashboard says.
type Page struct {
	Open, Waiting, Rejected []Entry
	Ticks                   bool           // the host says who ticks a box
	Unknown                 map[string]int // facts that the last run looked at, by reason
	Due                     []Due
	Run, Day, Retro, Sweep  string // the last run that changed anything; the last reviewed commits
	Backlog                 int    // signals
	Corrections, Again      int    // of thirty days; of these, a rule had said so
	Errors                  []string
}

// most is how many lines a section has.
const most = 30

// Markdown is the page as it stands in an issue.
func (p Page) Markdown() string {
	var b strings.Builder
	b.WriteString(Marker + "\n")
	section(&b, "Open", p.Open, func(e Entry) string { return "- " + e.text() })
	section(&b, "Waiting", p.Waiting, func(e Entry) string { return "- " + e.text() })
	if !p.Ticks {
		section(&b, "Refused", p.Rejected, func(e Entry) string { return "- " + e.text() })
	} else if section(&b, "Refused", p.Rejected, func(e Entry) string { return "- [ ] " + tick(e.Slot) + " " + e.text() }); len(p.Rejected) > 0 {
		b.WriteString("\nA tick by somebody who may write here has it offered again.\n")
	}
	section(&b, "Retires soon", p.Due, func(d Due) string {
		return fmt.Sprintf("- %s, on %s", markup.Code(fmt.Sprintf("%s:%d", d.File, d.Line)), d.Day)
	})
	section(&b, "Could not be told by the last run", slices.Sorted(maps.Keys(p.Unknown)), func(reason string) string {
		return fmt.Sprintf("- %s: %s", markup.Prose(reason), counted(p.Unknown[reason], "fact"))
	})
	section(&b, "Went wrong", p.Errors, func(e string) string { return "- " + markup.Prose(e) })
	b.WriteString("\n### Last run that changed anything\n\n")
	if p.Run == "" {
		b.WriteString("There was none yet.\n")
	} else {
		fmt.Fprintf(&b, "Run %s on %s.", markup.Code(p.Run), p.Day)
		for _, m := range []struct{ pass, at string }{{"lessons", p.Retro}, {"facts", p.Sweep}} {
			if m.at != "" {
				fmt.Fprintf(&b, " Reviewed for %s as far as %s.", m.pass, markup.Code(m.at))
			}
		}
		if p.Backlog > 0 {
			fmt.Fprintf(&b, " Waiting for a budget: %s.", counted(p.Backlog, "signal"))
		}
		b.WriteString("\n")
	}
	if p.Corrections > 0 {
		fmt.Fprintf(&b, "\nCorrections in thirty days: %d; of something that a rule had said: %d.\n", p.Corrections, p.Again)
	}
	return b.String()
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func section[T any](b *strings.Builder, title string, all []T, line func(T) string) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s (%d)\n\n", title, len(all))
	for _, x := range all[:min(len(all), most)] {
		b.WriteString(line(x) + "\n")
	}
	if more := len(all) - most; more > 0 {
		fmt.Fprintf(b, "- and %d more\n", more)
	}
}

func (e Entry) text() string {
	what := markup.Prose(e.Title)
	if e.Title == "" {
		var files []string
		for _, f := range e.Files {
			files = append(files, markup.Code(f))
		}
		if what = strings.Join(files, ", "); what == "" {
			what = markup.Code(e.Slot)
		}
	}
	if e.URL != "" {
		what = "[" + what + "](" + e.URL + ")"
	}
	return what + ": " + markup.Prose(e.Reason)
}

func tick(slot string) string { return "<!-- retry:" + slot + " -->" }

var boxes = regexp.MustCompile(`(?m)^- \[[xX]\] <!-- retry:([0-9a-f]{32}) -->`)

// Ticks are the slots that somebody ticked.
func Ticks(body string) []string {
	var out []string
	for _, m := range boxes.FindAllStringSubmatch(body, most) {
		out = append(out, m[1])
	}
	return out
}

// Same reports whether two pages say the same, whatever is ticked, and however
// the host breaks its lines.
func Same(a, b string) bool { return plain(a) == plain(b) }

func plain(s string) string {
	s = strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
	return boxes.ReplaceAllString(s, "- [ ] <!-- retry:$1 -->")
}
