package audit

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/sweep/anchor"
)

// The number of a line is out of date with nearly every commit to its file, and
// few people mind. A text that names one is only wrong for sure where the file
// ends before it. Who declares a line wants to know more: where what stood there
// when the text was written has gone.

// aLine is a line of a file that a text names.
type aLine struct {
	*claim
	file string // at head
	no   int
}

// readLines finds the named lines that files at head have not, and the declared
// ones.
func (a *auditor) readLines() {
	for _, d := range a.in.Docs {
		if !a.asserts(d) {
			continue
		}
		reader, seen := anchor.NewReader(d), map[string]bool{}
		for i := range d.Facts {
			for _, c := range reader.Lines(&d.Facts[i]) {
				k := fmt.Sprintf("%d %s", c.Line, c.Text)
				if l, ok := a.lineOf(&claim{doc: d, fact: &d.Facts[i], cand: c}); ok && !seen[k] {
					seen[k] = true
					a.lines = append(a.lines, l)
				}
			}
		}
	}
}

// lineOf finds the file of a named line. One that the text does not name for
// sure is nobody's fault.
func (a *auditor) lineOf(c *claim) (aLine, bool) {
	no, err := strconv.Atoi(c.cand.Value)
	if err != nil || c.fact.Event {
		return aLine{}, false
	}
	at := c.cand
	at.Kind = knowledge.AnchorFile
	place := a.head.Resolve(&at, c.doc.Path)
	if !place.How.Exact() && place.How != anchor.Context && place.How != anchor.Suffix || place.Dir || a.isDocument(place.Path) || prose.MatchString(place.Path) {
		return aLine{}, false
	}
	l := aLine{c, place.Path, no}
	declared := c.cand.Form == anchor.FormDeclared
	return l, (declared || countLines(a.code(a.headEntry(place.Path))) < no) && c.cand.Mute() == ""
}

// headEntry is what head has at a path.
func (a *auditor) headEntry(file string) repo.Entry { return a.entryAt(a.in.To, file) }

func countLines(src []byte) int {
	n := bytes.Count(src, []byte("\n"))
	if len(src) > 0 && src[len(src)-1] != '\n' {
		n++
	}
	return n
}

// lineFindings reports the lines that were there when the text named them.
func (a *auditor) lineFindings() []knowledge.Finding {
	var out []knowledge.Finding
	for _, l := range a.lines {
		f, ok := a.cutOff(l)
		if !ok && l.cand.Form == anchor.FormDeclared {
			f, ok = a.shifted(l)
		}
		if ok && !a.ignores(l.doc) {
			out = append(out, f)
			a.note(l.claim, f, true)
		}
	}
	return out
}

// cutOff reports a line behind the end of its file, and the commit that made the
// file shorter.
func (a *auditor) cutOff(l aLine) (knowledge.Finding, bool) {
	now := countLines(a.code(a.headEntry(l.file)))
	if now >= l.no || now == 0 {
		return knowledge.Finding{}, false
	}
	for i, e := range a.walk.log.files[l.file] {
		if i > maxEdits {
			break
		}
		had := a.code(repo.Entry{Path: l.file, Mode: repo.ModeFile, Hash: e.from})
		if e.from == (repo.Hash{}) || countLines(had) < l.no {
			continue
		}
		n, ok := a.newsOf(l.claim, held{file: l.file}, e.n)
		if !ok {
			return knowledge.Finding{}, false
		}
		f := a.lineFinding(l, RuleLine)
		f.Was = &knowledge.Place{Commit: n.parent.Hash.String(), Path: l.file}
		f.Since = sinceOf(n.by)
		f.Reason = fmt.Sprintf("the text names line %d of %s, which ends with line %d since %s of %s",
			l.no, l.file, now, n.by.Hash.String()[:8], n.by.Committer.When.UTC().Format(time.DateOnly))
		return f, true
	}
	return knowledge.Finding{}, false
}

// shifted reports a declared line whose text stands elsewhere in the file now,
// or nowhere.
func (a *auditor) shifted(l aLine) (knowledge.Finding, bool) {
	now := bytes.Split(a.code(a.headEntry(l.file)), []byte("\n"))
	then := bytes.Split(a.code(a.asWritten(l)), []byte("\n"))
	if l.no > len(then) {
		return knowledge.Finding{}, false
	}
	text := bytes.TrimSpace(then[l.no-1])
	if len(text) < 4 || l.no <= len(now) && bytes.Equal(bytes.TrimSpace(now[l.no-1]), text) {
		return knowledge.Finding{}, false
	}
	var at []int
	for i := range now {
		if bytes.Equal(bytes.TrimSpace(now[i]), text) {
			at = append(at, i+1)
		}
	}
	if len(at) != 1 {
		f := a.lineFinding(l, RuleLine)
		f.Reason = fmt.Sprintf("line %d of %s is another one than when the text was written, and which it is now cannot be told", l.no, l.file)
		return f, true
	}
	moved := fmt.Sprintf("line %d of %s is line %d now", l.no, l.file, at[0])
	f := a.lineFinding(l, RuleMoved)
	f.Now = &knowledge.Place{Path: l.file}
	f.Reason = moved
	file, _, _ := strings.Cut(l.cand.Text, ":")
	f.Action = a.offer(l.claim, fmt.Sprintf("%s:%d", file, at[0]), moved)
	return f, true
}

// asWritten is the file as it stood when the text came to name the line, or at
// the start of the range.
func (a *auditor) asWritten(l aLine) repo.Entry {
	e := a.headEntry(l.file)
	came := a.came(l.claim)
	for _, ed := range a.walk.log.files[l.file] {
		if ed.n >= came {
			break
		}
		e.Hash = ed.from
	}
	return e
}

// came is the step that wrote a text, or one more than all that were walked.
func (a *auditor) came(c *claim) int {
	d := a.walk.docs[c.doc.Path]
	for _, v := range d.versions {
		if !v.named {
			return v.n
		}
		src, err := a.in.Repo.Blob(v.from, maxDoc)
		if err != nil || !c.said(src) {
			return v.n
		}
	}
	return len(a.walk.log.steps)
}

func (a *auditor) lineFinding(l aLine, rule string) knowledge.Finding {
	f := Describe(rule, l.doc, l.fact, l.cand.Text)
	f.Anchor = &knowledge.Anchor{Kind: knowledge.AnchorLine, Text: l.cand.Text, Declared: l.cand.Form == anchor.FormDeclared}
	f.Evidence = []knowledge.Quote{a.quote(l.claim)}
	f.Action = &knowledge.Action{Type: knowledge.ActionWorklist}
	return f
}
