package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// TextOptions say how the text is written.
type TextOptions struct {
	Color bool // write ANSI colours
	Limit int  // findings to show; 0: all, notes too
	Width int  // columns; 0: 100
	Diff  bool // show the diff before the last line
}

// Text writes r for a person at a terminal: what ran, what does the most harm,
// what was learnt and offered, what could not be told, what it cost. The last
// line says whether anything was written and what to do next.
func Text(w io.Writer, r *Receipt, o TextOptions) error {
	buf := bufio.NewWriter(w)
	p := &printer{w: buf, receipt: r, paint: o.Color, width: o.Width, limit: o.Limit}
	if p.width <= 0 {
		p.width = 100
	}
	if r.Command == "lint" {
		p.lint()
		return flushed(buf)
	}
	p.header()
	if !passOver(r) {
		p.findings()
	}
	p.checks()
	p.lessons()
	p.proposals()
	if !passOver(r) {
		p.counts()
	}
	p.models()
	p.warnings()
	if o.Diff && r.Diff != "" {
		p.section("Diff", "")
		p.diff(r.Diff)
	}
	p.line("")
	p.line("%s", p.bold(Last(r)))
	return flushed(buf)
}

func flushed(b *bufio.Writer) error {
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write the receipt as text: %w", err)
	}
	return nil
}

// passOver reports whether a run checked no facts because nobody asked it to.
func passOver(r *Receipt) bool {
	return r.Facts.Total == 0 && len(r.Findings) == 0 && passing[r.Command]
}

// passing are the commands that check no facts, or the one that is named.
var passing = map[string]bool{"retro": true, "archive": true, "restore": true, "verify": true, "renew": true, "supersede": true}

// printer writes lines and remembers nothing but how to; errors stay in w.
type printer struct {
	w       *bufio.Writer
	receipt *Receipt
	paint   bool
	width   int
	limit   int
}

func (p *printer) line(format string, args ...any) {
	_, _ = fmt.Fprintf(p.w, format+"\n", args...) // bufio keeps the error for Flush
}

// section begins a block: an empty line and a heading with a summary.
func (p *printer) section(name, summary string) {
	p.line("")
	p.line("%s", strings.TrimRight(p.bold(pad(name, labelWidth))+summary, " "))
}

const labelWidth = 11

// labelled writes a line whose label is in the margin, wrapped under itself.
func (p *printer) labelled(label, text string) {
	indent := strings.Repeat(" ", labelWidth)
	for i, l := range wrap(text, p.width-labelWidth) {
		if i == 0 {
			p.line("%s%s", p.bold(pad(label, labelWidth)), l)
			continue
		}
		p.line("%s%s", indent, l)
	}
}

// indented writes text under a margin, wrapped.
func (p *printer) indented(margin int, first, text string) {
	for i, l := range wrap(text, p.width-margin) {
		lead := strings.Repeat(" ", margin)
		if i == 0 {
			lead = pad(first, margin)
		}
		p.line("%s%s", lead, l)
	}
}

func (p *printer) header() {
	r := p.receipt
	what := "retrosweep"
	if r.Command != "" {
		what += " " + r.Command
	}
	mode := ""
	if r.Mode != Apply {
		mode = " (dry run)"
	}
	p.line("%s%s  %s", p.bold(what), mode, safe(r.Repo))
	where := safe(r.Branch)
	if where != "" {
		where += "  "
	}
	for _, l := range wrap(where+rangeText(r.Range), p.width) {
		p.line("%s", p.dim(l))
	}
}

// rangeText says which commits were looked at and why from there.
func rangeText(g Range) string {
	switch {
	case g.To == "":
		return "no commits"
	case g.Commits == 0 && g.Basis == BasisWatermark:
		return fmt.Sprintf("%s  nothing new since the last run", short(g.To))
	case g.Basis == "":
		return short(g.To)
	case g.From == "":
		return fmt.Sprintf("%s  %s", short(g.To), basisText[g.Basis])
	}
	span := short(g.To)
	if g.From != "" {
		span = short(g.From) + ".." + span
	}
	s := fmt.Sprintf("%s  %s, %s", span, plural(g.Commits, "commit"), plural(g.Files, "file"))
	if why := basisText[g.Basis]; why != "" {
		s += "  " + why
	}
	return s
}

var basisText = map[Basis]string{
	BasisWatermark: "since the last run",
	BasisFirstRun:  "first run: every fact is checked",
	BasisTree:      "since the last run; the history was rewritten, its files were found again",
	BasisMergeBase: "since the merge base; the last reviewed commit is gone from this branch",
	BasisFull:      "everything; the last reviewed commit cannot be found",
	BasisExplicit:  "as asked",
}

func (p *printer) findings() {
	all := p.receipt.Findings
	summary := severities(all)
	if len(all) == 0 {
		summary = "none"
		if p.receipt.Facts.Total == 0 {
			summary = "none: no facts were checked"
		}
	}
	p.section("Findings", summary)
	shown := pick(all, p.limit)
	for i := range shown {
		if i == 0 || !sameStory(&shown[i-1], &shown[i]) {
			p.line("")
		}
		p.finding(&shown[i])
		if i == len(shown)-1 || !sameStory(&shown[i], &shown[i+1]) {
			p.story(&shown[i])
		}
	}
	if rest := byRule(all[len(shown):]); rest != "" {
		p.line("")
		p.indented(2, "", fmt.Sprintf("%s: %s  (--limit 0 lists all)", p.more(len(shown), len(all)), rest))
	}
}

func (p *printer) more(shown, all int) string {
	if shown == 0 {
		return "not listed"
	}
	return fmt.Sprintf("and %d more", all-shown)
}

// sameStory reports whether two findings have the same cause and the same
// remedy, so that they are told together.
func sameStory(a, b *knowledge.Finding) bool {
	return sinceText(a.Since, time.Time{}) == sinceText(b.Since, time.Time{}) && actionText(a) == actionText(b)
}

// told reports whether the reason itself names the commit that did it.
func told(f *knowledge.Finding) bool {
	return f.Since.Commit != "" && strings.Contains(f.Reason, short(f.Since.Commit))
}

// finding writes where and what.
func (p *printer) finding(f *knowledge.Finding) {
	at := safe(f.Fact.File)
	if f.Fact.Line > 0 {
		at += fmt.Sprintf(":%d", f.Fact.Line)
	}
	p.indented(labelWidth, "  "+p.severity(f.Severity), p.bold(at)+"  "+safeText(f.Reason))
}

// story writes since when, and what to do.
func (p *printer) story(f *knowledge.Finding) {
	if s := sinceText(f.Since, p.receipt.Started); s != "" && !told(f) {
		p.indented(labelWidth, "", s)
	} else if s != "" && f.Since.Subject != "" {
		p.indented(labelWidth, "", short(f.Since.Commit)+" "+safe(f.Since.Subject))
	}
	if s := actionText(f); s != "" {
		p.indented(labelWidth, strings.Repeat(" ", labelWidth-2)+"→", s)
	}
}

func (p *printer) lessons() {
	r := p.receipt
	if r.Signals == nil && len(r.Lessons) == 0 {
		return
	}
	p.section("Lessons", lessonSummary(r))
	for _, l := range r.Lessons {
		mark, note := lessonNote(l)
		p.indented(4, "  "+p.lessonMark(l.Status, mark), safeText(l.Text))
		p.indented(6, "", p.dim(note))
	}
}

func (p *printer) proposals() {
	r := p.receipt
	if len(r.Proposals) == 0 {
		return
	}
	p.section("Proposals", stateSummary(r))
	for _, q := range r.Proposals {
		p.line("")
		p.line("  %s  %s", p.bold(safe(q.Branch)), p.state(q.State, r.Mode))
		p.indented(6, "", safeText(q.Title))
		if q.Reason != "" {
			p.indented(6, "", p.dim(safeText(q.Reason)))
		}
		if look := lookCommand(q, r.Mode); look != "" {
			p.line("   →  %s", look)
		}
	}
}

func (p *printer) counts() {
	f := p.receipt.Facts
	p.line("")
	p.labelled("Facts", factsText(f))
	if s := reasonsText(f); s != "" {
		p.labelled("", s)
	}
	if f.Archived > 0 {
		p.labelled("", fmt.Sprintf("%d archived by this run", f.Archived))
	}
	if b := p.receipt.Backlog; b.Signals > 0 {
		s := plural(b.Signals, "signal") + " left for the next night"
		if b.Oldest != "" {
			s += ", the oldest of " + safe(b.Oldest)
		}
		p.labelled("Backlog", s)
	}
	if d := p.receipt.Dashboard; d != "" {
		p.labelled("Dashboard", "the issue was "+safe(string(d)))
	}
}

func (p *printer) models() {
	for i, s := range modelLines(p.receipt) {
		label := ""
		if i == 0 {
			label = "Models"
		}
		p.labelled(label, s)
	}
}

func (p *printer) warnings() {
	for i, s := range p.receipt.Warnings {
		label := ""
		if i == 0 {
			label = "Warnings"
		}
		p.labelled(label, p.yellow("! ")+safeText(s))
	}
}

// diff writes the diff: only what a terminal can be made to do is taken out.
func (p *printer) diff(diff string) {
	for l := range strings.Lines(diff) {
		l = safeLine(l)
		switch {
		case strings.HasPrefix(l, "+"):
			l = p.green(l)
		case strings.HasPrefix(l, "-"):
			l = p.red(l)
		}
		p.line("%s", l)
	}
}
