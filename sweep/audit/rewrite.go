package audit

import (
	"path"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/anchor"
)

// rewrite offers the mechanical edit for a moved path: the new place in the
// style of the old spelling. Where the spelling also stands inside another
// word, or in a drawing, a person must do it.
func (a *auditor) rewrite(c *claim, rm *removal) *knowledge.Action {
	if knowledge.IsIndex(c.doc.Path) && path.Base(path.Dir(rm.now)) == "archive" {
		return &knowledge.Action{Type: knowledge.ActionWorklist} // an index does not list what is archived
	}
	return a.offer(c, Respell(&c.cand, rm.was, rm.now, c.doc.Path), rm.was.Path+" moved to "+rm.now)
}

// offer makes an edit of another spelling, where one may be written.
func (a *auditor) offer(c *claim, spelled, reason string) *knowledge.Action {
	if spelled == "" || spelled == c.cand.Text || !plain(c) {
		return &knowledge.Action{Type: knowledge.ActionWorklist}
	}
	edit := &knowledge.Edit{
		Op: knowledge.OpRewrite, Path: c.doc.Path, FactID: c.fact.ID, Old: c.cand.Text, New: spelled, Reason: reason,
	}
	act := &knowledge.Action{Type: knowledge.ActionWorklist, Edit: edit, Route: knowledge.RouteNever}
	if a.in.Route == nil {
		return act
	}
	act.Route = a.in.Route(c.doc.Path)
	switch act.Route {
	case knowledge.RouteNever:
		act.Edit = nil // offered nowhere: the file is not ours to change
	case knowledge.RouteQueue:
		act.Type = knowledge.ActionPropose
	default:
		act.Type = knowledge.ActionEdit
	}
	return act
}

// plain reports whether every occurrence of the spelling in the fact stands by
// itself, so that rewriting all of them changes nothing else.
func plain(c *claim) bool {
	if c.cand.Form == anchor.FormTree || c.cand.Form == anchor.FormModule || c.cand.Form == anchor.FormWiki {
		return false
	}
	if c.fact.Span.Start < 0 || c.fact.Span.End > len(c.doc.Source) || c.fact.Span.Start >= c.fact.Span.End {
		return false
	}
	text, n := string(c.doc.Source[c.fact.Span.Start:c.fact.Span.End]), 0
	for i := 0; ; n++ {
		k := strings.Index(text[i:], c.cand.Text)
		if k < 0 {
			return n > 0
		}
		at, end := i+k, i+k+len(c.cand.Text)
		if at > 0 && inPath(text[at-1]) || end < len(text) && inPath(text[end]) && !endsSentence(text[end:]) {
			return false
		}
		i = end
	}
}

func inPath(b byte) bool {
	return b == '/' || b == '_' || b == '-' || b == '.' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

func endsSentence(rest string) bool {
	return rest[0] == '.' && (len(rest) == 1 || rest[1] == ' ' || rest[1] == '\n' || rest[1] == '\r')
}

// Respell writes the path to the way c writes the path was.
func Respell(c *anchor.Candidate, was anchor.Place, to, doc string) string {
	old := strings.TrimSuffix(c.Text, "/")
	slash := c.Text[len(old):]
	switch {
	case strings.HasPrefix(old, "/"):
		return "/" + to + slash
	case was.How == anchor.Relative && path.Dir(doc) != ".":
		return keepDot(old, relative(path.Dir(doc), to)) + slash
	case c.Bare() && path.Dir(was.Path) == path.Dir(to):
		return keepDot(old, path.Base(to)) + slash
	}
	lead := strings.TrimSuffix(was.Path, strings.TrimPrefix(old, "./"))
	if lead != was.Path && lead != "" && strings.HasPrefix(to, lead) {
		return keepDot(old, strings.TrimPrefix(to, lead)) + slash
	}
	return keepDot(old, to) + slash
}

func keepDot(old, p string) string {
	if strings.HasPrefix(old, "./") && !strings.HasPrefix(p, "../") {
		return "./" + p
	}
	return p
}

// relative returns to as seen from the directory from, both from the root.
func relative(from, to string) string {
	f, t := strings.Split(from, "/"), strings.Split(to, "/")
	n := 0
	for n < len(f) && n < len(t)-1 && f[n] == t[n] {
		n++
	}
	return strings.Repeat("../", len(f)-n) + strings.Join(t[n:], "/")
}
