package report

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Compact returns r as the journal keeps it: ids, hashes, counts and
// commit:path:line. Whoever can read the repository can fetch the journal, so
// what was written by people or models (quotes, titles, subjects, reasons,
// texts, diffs) is not in it, and neither are the place of the repository and
// the endpoints.
func Compact(r *Receipt) (json.RawMessage, error) {
	c := copyOf(r).normal()
	c.Repo, c.Warnings, c.Diff = "", []string{}, ""
	for i := range c.Sent {
		c.Sent[i].Endpoint = ""
	}
	for i := range c.Findings {
		c.Findings[i] = compactFinding(c.Findings[i])
	}
	for i := range c.Checks {
		c.Checks[i] = compactCheck(c.Checks[i])
	}
	for i := range c.Lessons {
		l := &c.Lessons[i]
		l.Text, l.Reason, l.Evidence = "", "", compactQuotes(l.Evidence)
	}
	for i := range c.Proposals {
		p := &c.Proposals[i]
		p.Title, p.Reason, p.Body, p.Diff, p.URL = "", "", "", "", ""
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(c); err != nil {
		return nil, fmt.Errorf("compact the receipt of run %s: %w", r.Run, err)
	}
	return json.RawMessage(bytes.TrimSpace(b.Bytes())), nil
}

// compactFinding keeps which rule said what of which line. The anchor's text is
// a quote too.
func compactFinding(f knowledge.Finding) knowledge.Finding {
	f.Reason, f.Fact.Title = "", ""
	if f.Anchor != nil {
		f.Anchor = &knowledge.Anchor{Kind: f.Anchor.Kind, Declared: f.Anchor.Declared}
	}
	if f.Now != nil {
		f.Now = &knowledge.Place{Commit: f.Now.Commit, Path: f.Now.Path, Line: f.Now.Line}
	}
	if f.Was != nil {
		f.Was = &knowledge.Place{Commit: f.Was.Commit, Path: f.Was.Path, Line: f.Was.Line}
	}
	if f.Since != nil {
		f.Since = &knowledge.Since{Commit: f.Since.Commit, Date: f.Since.Date}
	}
	f.Evidence = compactQuotes(f.Evidence)
	if f.Action != nil {
		f.Action = &knowledge.Action{Type: f.Action.Type, Route: f.Action.Route}
	}
	return f
}

func compactQuotes(in []knowledge.Quote) []knowledge.Quote {
	out := make([]knowledge.Quote, len(in))
	for i, q := range in {
		out[i] = knowledge.Quote{Commit: q.Commit, Path: q.Path, Line: q.Line}
	}
	return out
}
