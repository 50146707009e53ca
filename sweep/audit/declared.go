package audit

import (
	"context"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/symbols"
	"github.com/retrosweep/retrosweep/sweep/anchor"
)

// resolveDeclared looks at head for the symbols that facts declare: in a range
// nothing else needs all of head.
func (a *auditor) resolveDeclared(ctx context.Context, named map[string][]*claim) error {
	gone := map[string]bool{}
	for k, claims := range named {
		if claims[0].cand.Form == anchor.FormDeclared {
			gone[k] = true
		}
	}
	if len(gone) == 0 {
		return nil
	}
	if err := a.strike(ctx, gone); err != nil {
		return err
	}
	a.noteResolved(named, gone)
	return nil
}

// noteResolved remembers which facts have all their declared symbols.
func (a *auditor) noteResolved(named map[string][]*claim, gone map[string]bool) {
	for k, claims := range named {
		for _, c := range claims {
			if c.cand.Form == anchor.FormDeclared {
				was, seen := a.symbols[c.fact]
				a.symbols[c.fact] = !gone[k] && (was || !seen)
			}
		}
	}
}

// follows reports whether a declared symbol is gone because its file is, which
// the finding about the file says.
func (a *auditor) follows(c *claim) bool {
	ref, ok := declaredRef(key(&c.cand))
	return ok && ref.Path != "" && slices.ContainsFunc(a.claims, func(f *claim) bool {
		return f.fact == c.fact && f.cand.Form == anchor.FormDeclared && f.cand.Path == ref.Path && a.walk.found[f] != nil
	})
}

// home is a place at head that defines the name of a declared symbol.
type home struct {
	entry repo.Entry
	name  string // with its nesting
}

// relocate says of a declared symbol that left a file how it was looked for and,
// if it stands in one other place now, where that is.
func (a *auditor) relocate(c *claim, f *knowledge.Finding, before repo.Commit, file string) {
	ref, _ := declaredRef(key(&c.cand))
	if was, err := symbols.Read(file, a.code(a.entryAt(before, file))); err == nil {
		if left := was.Find(ref); len(left) > 0 {
			a.move(c, f, ref, before, was, left)
		}
	}
	f.Reason += " (looked for " + symbols.Means(file) + ")"
}

// move turns the finding into that of a move, if one other place has what left.
func (a *auditor) move(c *claim, f *knowledge.Finding, ref symbols.Ref, before repo.Commit, was symbols.File, left []symbols.Def) {
	now := a.homes(ref.Last())
	now = slices.DeleteFunc(slices.Clone(now), func(h home) bool { return !a.same(left, h) || a.livedThere(h, before) })
	if len(now) != 1 {
		return
	}
	moved := c.cand.Text + " moved to " + now[0].entry.Path
	if now[0].name != left[0].Name {
		moved += " as " + now[0].name
	}
	to := Describe(RuleMoved, c.doc, c.fact, c.cand.Text)
	f.ID, f.Rule, f.Verdict, f.Severity = to.ID, to.Rule, to.Verdict, to.Severity
	f.Now = &knowledge.Place{Path: now[0].entry.Path, Symbol: now[0].name}
	f.Reason = strings.Replace(f.Reason, c.cand.Text+notFound, moved, 1)
	f.Action = a.offer(c, a.respellSymbol(c.cand.Path, ref, was, left[0], now[0]), moved)
}

// livedThere reports whether a home had its definition before the other one
// left: a twin that stayed is nowhere that anything moved to.
func (a *auditor) livedThere(h home, before repo.Commit) bool {
	e := a.entryAt(before, h.entry.Path)
	if e.Hash == h.entry.Hash {
		return true
	}
	f, err := symbols.Read(e.Path, a.code(e))
	return err == nil && slices.ContainsFunc(f.Defs, func(d symbols.Def) bool { return d.Name == h.name })
}

// same reports whether what stands at h is one of the definitions that left: it
// has their nesting, or every token of theirs.
func (a *auditor) same(left []symbols.Def, h home) bool {
	if slices.ContainsFunc(left, func(d symbols.Def) bool { return d.Name == h.name }) {
		return true
	}
	f, err := symbols.Read(h.entry.Path, a.code(h.entry))
	return err == nil && slices.ContainsFunc(f.Defs, func(d symbols.Def) bool {
		return d.Name == h.name && slices.ContainsFunc(left, func(l symbols.Def) bool { return l.Fingerprint == d.Fingerprint })
	})
}

// homes returns the places at head, but those in tests, that define a name. All
// declared symbols that left are looked for at once.
func (a *auditor) homes(name string) []home {
	if a.places != nil {
		return a.places[name]
	}
	a.places = map[string][]home{}
	var lost []string
	for _, c := range a.words {
		if ref, ok := declaredRef(key(&c.cand)); ok {
			lost = append(lost, key(&c.cand))
			a.places[ref.Last()] = nil
		}
	}
	voc, read := newVocabulary(lost), 0
	for _, e := range a.entries {
		if !symbols.Parsed(e.Path) || isTest(e.Path) || a.isDocument(e.Path) {
			continue
		}
		if read += a.inhabit(e, voc); read > allCode {
			clear(a.places) // too much to be sure that there is no second home
			break
		}
	}
	return a.places[name]
}

// inhabit notes which of the names a file defines, and returns how much it read.
func (a *auditor) inhabit(e repo.Entry, voc vocabulary) int {
	src, tried := a.code(e), map[string]bool{}
	for t := range tokens(src) {
		name := string(t)
		if len(voc[name]) == 0 || tried[name] {
			continue
		}
		tried[name] = true
		for _, d := range symbols.Names(e.Path, src, name) {
			if h := (home{e, d.Name}); (d.Name == name || strings.HasSuffix(d.Name, "."+name)) && !slices.Contains(a.places[name], h) {
				a.places[name] = append(a.places[name], h)
			}
		}
	}
	return len(src)
}

// entryAt returns what a commit has at a path.
func (a *auditor) entryAt(c repo.Commit, file string) repo.Entry {
	t, err := a.in.Repo.Tree(c.Tree)
	if err != nil {
		return repo.Entry{Path: file}
	}
	e, _, _ := t.Entry(file)
	e.Path = file
	return e
}
