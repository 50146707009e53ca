package report

import (
	"fmt"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Lint is what the check of a working tree tells beside its findings.
type Lint struct {
	Files   int      `json:"files"`             // knowledge files checked
	Ignored int      `json:"ignored,omitempty"` // findings that an ignore comment took out
	Known   int      `json:"known,omitempty"`   // findings that the baseline knows
	Gone    []string `json:"gone,omitempty"`    // findings of the baseline that are no more
	Fixed   []string `json:"fixed,omitempty"`   // what --fix did
}

// lint writes the findings of a working tree, a file at a time, what every
// session loads first.
func (p *printer) lint() {
	r := p.receipt
	shown := pick(r.Findings, p.limit)
	for i := 0; i < len(shown); {
		if i > 0 {
			p.line("")
		}
		if n := alike(shown[i:]); n >= fewAlike {
			p.lintAlike(shown[i : i+n])
			i += n
			continue
		}
		p.line("%s", p.bold(safe(shown[i].Fact.File)))
		for file := shown[i].Fact.File; i < len(shown) && shown[i].Fact.File == file; i++ {
			p.lintLine(&shown[i])
		}
	}
	if rest := r.Findings[len(shown):]; len(rest) > 0 {
		p.line("")
		p.indented(2, "", fmt.Sprintf("%s: %s  (--limit 0 lists all)", p.more(len(shown), len(r.Findings)), byRule(rest)))
	}
	if len(shown) > 0 || len(r.Findings) > 0 {
		p.line("")
	}
	p.lintNotes()
	p.line("%s", p.bold(lintTally(r)))
}

// fewAlike is how many files may each say the same before they are told as one.
const fewAlike = 4

// alike counts the findings at the front that say the same of one file each.
func alike(fs []knowledge.Finding) int {
	n := 1
	for n < len(fs) && fs[n].Rule == fs[0].Rule && fs[n].Reason == fs[0].Reason && fs[n].Fact.File != fs[n-1].Fact.File {
		n++
	}
	if n < len(fs) && fs[n].Fact.File == fs[n-1].Fact.File {
		n-- // the last file has more to say
	}
	return n
}

// lintAlike writes what is the same about several files once.
func (p *printer) lintAlike(fs []knowledge.Finding) {
	p.line("%s", p.bold(plural(len(fs), "file")))
	p.lintLine(&fs[0])
	for i := range fs {
		p.line("        %s", safe(fs[i].Fact.File))
	}
}

// lintLine writes one finding: where, how bad, which rule, what.
func (p *printer) lintLine(f *knowledge.Finding) {
	const margin = 16
	mend := ""
	if f.Action != nil && f.Action.Type == knowledge.ActionEdit {
		mend = "  (--fix)"
	}
	first := fmt.Sprintf("%6d  ", f.Fact.Line) + p.severity(f.Severity)
	p.indented(margin+1, first, safeText(f.Reason)+"  "+p.dim(safe(f.Rule)+mend))
	for _, q := range f.Evidence {
		p.indented(margin+1, "", p.dim("| "+safeText(q.Quote)))
	}
}

// lintNotes writes what was done and what was left out.
func (p *printer) lintNotes() {
	r := p.receipt
	if l := r.Lint; l != nil {
		for _, s := range l.Fixed {
			p.indented(7, p.green("fixed"), safeText(s))
		}
		for _, s := range l.Gone {
			p.indented(7, p.green("gone"), safeText(s))
		}
		if len(l.Gone) > 0 {
			p.indented(7, "", "The baseline names what is gone: --write-baseline takes it out.")
		}
	}
	for _, w := range r.Warnings {
		p.indented(7, p.yellow("!"), safeText(w))
	}
}

// lintTally is the line that a lint ends with.
func lintTally(r *Receipt) string {
	l := r.Lint
	if l == nil {
		l = &Lint{}
	}
	s := severities(r.Findings)
	if s == "" {
		s = "Nothing to mend"
	}
	s += fmt.Sprintf(" in %s (%s)", plural(l.Files, "file"), plural(r.Facts.Total, "fact"))
	var more []string
	if n := fixable(r.Findings); n > 0 {
		more = append(more, fmt.Sprintf("--fix mends %d", n))
	}
	if l.Known > 0 {
		more = append(more, fmt.Sprintf("%d known by the baseline", l.Known))
	}
	if l.Ignored > 0 {
		more = append(more, fmt.Sprintf("%d ignored", l.Ignored))
	}
	if len(l.Fixed) > 0 {
		more = append(more, fmt.Sprintf("%d fixed", len(l.Fixed)))
	}
	if len(more) > 0 {
		s += "; " + strings.Join(more, ", ")
	}
	return s + "."
}

func fixable(fs []knowledge.Finding) int {
	n := 0
	for i := range fs {
		if fs[i].Action != nil && fs[i].Action.Type == knowledge.ActionEdit {
			n++
		}
	}
	return n
}
