package audit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/sweep/anchor"
)

// report turns claims and removals into findings and states.
func (a *auditor) report(ctx context.Context) {
	a.res.Facts = map[*knowledge.Fact]State{}
	for _, c := range a.claims {
		f, ok := a.finding(c)
		if ok {
			a.res.Findings = append(a.res.Findings, f)
		}
		a.note(c, f, ok)
	}
	for _, c := range a.words {
		if !a.ignores(c.doc) && !a.partOf(c) && !a.foreign(ctx, c) && !a.unrelated(ctx, c) && !a.follows(c) {
			f := a.wordFinding(ctx, c)
			a.res.Findings = append(a.res.Findings, f)
			a.note(c, f, true)
		}
	}
	for _, c := range a.values {
		if n, ok := a.news[c]; ok {
			f := a.valueFinding(c, n)
			a.res.Findings = append(a.res.Findings, f)
			a.note(c, f, true)
		}
	}
	a.res.Findings = slices.Concat(a.res.Findings, a.lineFindings(), a.countFindings(ctx))
	for _, d := range a.in.Docs {
		a.rest(d)
	}
	a.res.Lead = leads(a.claims)
}

// partOf reports whether a word is the last part of a setting that is gone from
// the same line.
func (a *auditor) partOf(c *claim) bool {
	return c.cand.Kind == knowledge.AnchorSymbol && slices.ContainsFunc(a.words, func(o *claim) bool {
		return o.cand.Kind == knowledge.AnchorConfig && o.doc == c.doc && o.cand.Line == c.cand.Line && strings.HasSuffix(o.cand.Path, "."+c.cand.Path)
	})
}

// finding says what is wrong with one claim, if anything can be said.
func (a *auditor) finding(c *claim) (knowledge.Finding, bool) {
	rm := a.walk.found[c]
	switch {
	case !c.missing() && rm == nil:
		return knowledge.Finding{}, false
	case c.doc.Event || record(c.doc): // a whole record: what it names may be gone
		return knowledge.Finding{}, false
	case rm != nil && (provenance(c, rm) || fetched(c)):
		return knowledge.Finding{}, false
	case c.cand.Mute() != "" || a.in.Ignore != nil && a.in.Ignore(c.doc.Path):
		return knowledge.Finding{}, false
	case rm != nil && (c.missing() || rm.named && rm.now != ""):
		if a.ignored.Match(rm.was.Path, rm.was.Dir) || a.runtime[c.cand.Path] || scratch.MatchString(c.cand.Path) {
			return knowledge.Finding{}, false
		}
		return a.drifted(c, rm), true
	case c.missing() && !c.event() && a.promises(c):
		return a.never(c), true
	}
	return knowledge.Finding{}, false
}

// settling is how long after a record of a store was made the commit that it is
// about may reach the branch.
const settling = 48 * time.Hour

// provenance reports whether a store's record lists a file because the change
// that it is about took that file away.
func provenance(c *claim, rm *removal) bool {
	made := c.fact.Life.Created
	return c.doc.Format == knowledge.Store && !made.IsZero() && rm.by.Committer.When.Before(made.Add(settling))
}

// drifted reports an anchor that a commit took away.
func (a *auditor) drifted(c *claim, rm *removal) knowledge.Finding {
	rule := RuleBroken
	switch {
	case c.event():
		rule = RuleEvent
	case !rm.named:
		rule = RuleLate
	case rm.now != "":
		rule = RuleMoved
	}
	rm.by, rm.parent = a.culprit(rm.by, rm.parent, a.lacks(rm.was.Path))
	f := a.base(c, rule, rm.was)
	f.Was = &knowledge.Place{Commit: rm.parent.Hash.String(), Path: rm.was.Path}
	f.Since = sinceOf(rm.by)
	f.Evidence = []knowledge.Quote{a.quote(c)}
	f.Action = &knowledge.Action{Type: knowledge.ActionWorklist}
	if rm.now != "" {
		f.Now = &knowledge.Place{Path: rm.now}
	}
	if rule == RuleMoved {
		f.Action = a.rewrite(c, rm)
	}
	f.Reason = a.sentence(c, rm, rule)
	return f
}

// sentence says the finding to a person.
func (a *auditor) sentence(c *claim, rm *removal, rule string) string {
	short, date := rm.by.Hash.String()[:8], rm.by.Committer.When.UTC().Format(time.DateOnly)
	switch rule {
	case RuleMoved:
		return fmt.Sprintf("%s moved to %s in %s on %s", rm.was.Path, rm.now, short, date)
	case RuleLate:
		return fmt.Sprintf("%s was already gone when the text came to name it: removed in %s on %s", rm.was.Path, short, date)
	case RuleEvent:
		return fmt.Sprintf("a record names %s, gone since %s of %s", rm.was.Path, short, date)
	}
	days := int(a.in.Now.Sub(rm.by.Committer.When).Hours() / 24)
	if days < 1 {
		return fmt.Sprintf("%s is gone since %s of %s", rm.was.Path, short, date)
	}
	return fmt.Sprintf("%s is gone since %s of %s, %d days", rm.was.Path, short, date, days)
}

// never reports what the text names and no commit holds; in a range, what was
// there neither before nor in it.
func (a *auditor) never(c *claim) knowledge.Finding {
	rule, why := RuleNever, "is found in no commit"
	if a.ranged() {
		rule, why = RuleUnfound, "is named by a line of this range and is not there"
	}
	f := a.base(c, rule, anchor.Place{})
	f.Reason = c.cand.Text + " " + why
	f.Evidence = []knowledge.Quote{a.quote(c)}
	return f
}

// promises reports whether an unfound spelling so plainly means a file of this
// repository that it is worth a word: a link, or a file in a directory that is
// there. In a range only lines that the range wrote count.
func (a *auditor) promises(c *claim) bool {
	if a.ranged() && !a.changed[c.doc.Path] || c.cand.Rooted || c.guessed() || leaves(c) {
		return false
	}
	switch c.cand.Form {
	case anchor.FormDeclared, anchor.FormImport:
	case anchor.FormWiki:
		store := c.doc.Format == knowledge.Memory || c.doc.Format == knowledge.MemoryIndex
		return store && (!a.ranged() || !a.wasSaid(c))
	case anchor.FormLink:
		return !a.ranged() || !a.wasSaid(c)
	case anchor.FormSpan, anchor.FormField:
		d := parentOf(c.cand.Path)
		if d == "" || c.cand.Kind != knowledge.AnchorFile || !a.head.HasDir(d) {
			return false
		}
	default:
		return false
	}
	return !a.ignored.Match(c.cand.Path, false) && (!a.ranged() || !a.wasSaid(c))
}

// leaves reports whether a relative spelling leads out of the repository.
func leaves(c *claim) bool {
	p := path.Join(path.Dir(c.doc.Path), c.cand.Path)
	return p == ".." || strings.HasPrefix(p, "../")
}

// wasSaid reports whether the document said so at the start of the range.
func (a *auditor) wasSaid(c *claim) bool {
	from, err := a.in.Repo.Commit(a.in.From)
	if err != nil {
		return true
	}
	t, err := a.in.Repo.Tree(from.Tree)
	return err != nil || a.walk.says(t, c.doc.Path, c)
}

// base fills what every finding has.
func (a *auditor) base(c *claim, rule string, was anchor.Place) knowledge.Finding {
	f := Describe(rule, c.doc, c.fact, c.cand.Text)
	f.Anchor = &knowledge.Anchor{Kind: kindAt(c, was), Text: c.cand.Text, Declared: c.cand.Form == anchor.FormDeclared}
	return f
}

// Describe starts a finding about a fact. Its id depends on the fact, the rule
// and the anchor alone.
func Describe(rule string, d *knowledge.Document, f *knowledge.Fact, anchor string) knowledge.Finding {
	verdict, severity := Grade(rule, d.Startup)
	sum := sha256.Sum256([]byte(f.ID + "\x00" + rule + "\x00" + anchor))
	return knowledge.Finding{
		ID: hex.EncodeToString(sum[:8]), Rule: rule, Severity: severity, Verdict: verdict, Fact: f.Ref(),
	}
}

// quote is the line of the document that names the anchor.
func (a *auditor) quote(c *claim) knowledge.Quote {
	lines := strings.Split(string(c.doc.Source), "\n")
	q := knowledge.Quote{Commit: a.in.To.Hash.String(), Path: c.doc.Path, Line: c.cand.Line}
	if n := c.cand.Line; n > 0 && n <= len(lines) {
		q.Quote = strings.TrimSpace(lines[n-1])
	}
	return q
}

// sinceOf names a commit for people.
func sinceOf(c repo.Commit) *knowledge.Since {
	return &knowledge.Since{
		Commit: c.Hash.String(), Date: c.Committer.When.UTC().Format(time.DateOnly), Subject: subject(c.Message),
	}
}

func subject(message string) string {
	s, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return s
}
