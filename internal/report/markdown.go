package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/report/markup"
)

// A job summary is cut by its host; so many rows and bytes of diff are enough
// to see what is the matter.
const (
	maxRows = 50
	maxDiff = 200_000
)

// Markdown writes r for the job summary of a CI run.
func Markdown(w io.Writer, r *Receipt) error {
	var b bytes.Buffer
	title := "retrosweep"
	if r.Command != "" {
		title += " " + r.Command
	}
	if r.Command == "lint" {
		fmt.Fprintf(&b, "# %s\n\n%s\n\n", title, markup.Code(r.Repo))
		markdownFindings(&b, r)
		fmt.Fprintf(&b, "\n**%s**\n", markup.Prose(Last(r)))
		return written(w, b.Bytes())
	}
	fmt.Fprintf(&b, "# %s\n\n%s, branch %s: %s\n\n", title, markup.Code(r.Repo), markup.Code(r.Branch), markup.Prose(rangeText(r.Range)))
	markdownFindings(&b, r)
	markdownLessons(&b, r)
	markdownProposals(&b, r)
	markdownNumbers(&b, r)
	fmt.Fprintf(&b, "\n**%s**\n", markup.Prose(Last(r)))
	return written(w, b.Bytes())
}

func written(w io.Writer, text []byte) error {
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("write the receipt as Markdown: %w", err)
	}
	return nil
}

func markdownFindings(b *bytes.Buffer, r *Receipt) {
	b.WriteString("## Findings\n\n")
	if len(r.Findings) == 0 {
		b.WriteString("None.\n")
		return
	}
	shown := pick(r.Findings, maxRows)
	fmt.Fprintf(b, "%s.\n", severities(r.Findings))
	if len(shown) > 0 {
		b.WriteString("\n| Where | What is wrong | Since | What to do |\n|---|---|---|---|\n")
	}
	for i := range shown {
		b.WriteString(markdownRow(&shown[i], r))
	}
	if rest := byRule(r.Findings[len(shown):]); rest != "" {
		fmt.Fprintf(b, "\nNot listed: %s.\n", markup.Prose(rest))
	}
}

func markdownRow(f *knowledge.Finding, r *Receipt) string {
	at := f.Fact.File
	if f.Fact.Line > 0 {
		at += fmt.Sprintf(":%d", f.Fact.Line)
	}
	cells := []string{
		markup.CodeCell(at),
		fmt.Sprintf("%s: %s", f.Severity, markup.Prose(f.Reason)),
		markup.Prose(sinceText(f.Since, r.Started)),
		markup.Prose(actionText(f)),
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

func markdownLessons(b *bytes.Buffer, r *Receipt) {
	if r.Signals == nil && len(r.Lessons) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## Lessons\n\n%s.\n", markup.Prose(lessonSummary(r)))
	for i, l := range r.Lessons {
		if i == 0 {
			b.WriteString("\n")
		}
		_, note := lessonNote(l)
		fmt.Fprintf(b, "- %s (%s)\n", markup.Prose(l.Text), markup.Prose(note))
	}
}

func markdownProposals(b *bytes.Buffer, r *Receipt) {
	if len(r.Proposals) == 0 {
		return
	}
	b.WriteString("\n## Proposals\n\n| Branch | Title | State | Reason |\n|---|---|---|---|\n")
	for _, p := range r.Proposals {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", markup.CodeCell(p.Branch), markup.Prose(p.Title), markup.Prose(stateWords(p.State, r.Mode)), markup.Prose(p.Reason))
	}
	if r.Diff != "" && len(r.Diff) <= maxDiff {
		fmt.Fprintf(b, "\n<details><summary>Diff</summary>\n\n%s\n</details>\n", fenced("diff", r.Diff))
	}
}

// fenced sets text as a code block whose fence is longer than any in it.
func fenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	var b strings.Builder
	for l := range strings.Lines(text) {
		b.WriteString(safeLine(l) + "\n")
	}
	return fence + language + "\n" + b.String() + fence + "\n"
}

func markdownNumbers(b *bytes.Buffer, r *Receipt) {
	fmt.Fprintf(b, "\n## Numbers\n\n- %s\n", markup.Prose(factsText(r.Facts)))
	if s := reasonsText(r.Facts); s != "" {
		fmt.Fprintf(b, "- %s\n", markup.Prose(s))
	}
	if r.Facts.Archived > 0 {
		fmt.Fprintf(b, "- %d archived\n", r.Facts.Archived)
	}
	if r.Backlog.Signals > 0 {
		fmt.Fprintf(b, "- %s left for the next night\n", plural(r.Backlog.Signals, "signal"))
	}
	if r.Dashboard != "" {
		fmt.Fprintf(b, "- the dashboard was %s\n", markup.Prose(string(r.Dashboard)))
	}
	for _, s := range modelLines(r) {
		fmt.Fprintf(b, "- models: %s\n", markup.Prose(s))
	}
	for _, s := range r.Warnings {
		fmt.Fprintf(b, "- warning: %s\n", markup.Prose(s))
	}
}
