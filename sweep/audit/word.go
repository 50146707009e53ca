package audit

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/sweep/anchor"
)

// In a range, what it took out of the code is a short list of identifiers and
// targets, and only that is looked for. Without one, see past.go.

const (
	maxCode = 2 << 20                           // the largest file that is read for words
	allCode = 96 << 20                          // and the most of a tree
	spare   = `(?:\.(?:new|old|bak|orig|tmp))?` // what is put behind the name of a copy
)

var (
	tests = regexp.MustCompile(`(?i)(?:^|/)(?:tests?|__tests__|spec)/|(?:^|[/_.-])tests?\.\w+$|_test\.|\.(?:test|spec)\.`)
	paper = regexp.MustCompile(`(?i)\.(?:html?|md|mdx|mdc|markdown|rst|txt|lock|sum|svg|csv|jsonl|min\.js|map|png|jpe?g|gif|ico|pdf|woff2?|ttf|zip|gz|wasm|snap)` + spare + `$`)
	prose = regexp.MustCompile(`(?i)\.(?:html?|md|mdx|mdc|markdown|rst|txt|lock|sum|svg|csv|jsonl|min\.js|map|png|jpe?g|gif|ico|pdf|woff2?|ttf|zip|gz|wasm|snap)` + spare + `$|(?:^|/)(?:package-lock\.json|vendor|node_modules|testdata|fixtures|docs?)(?:$|/)`)
)

// readWords finds what the range took out of the code and the documents still
// name.
func (a *auditor) readWords(ctx context.Context) error {
	if !a.ranged() {
		return nil
	}
	named := a.namedWords()
	if len(named) == 0 {
		return nil
	}
	if err := a.resolveDeclared(ctx, named); err != nil {
		return err
	}
	gone := a.taken(named)
	if len(gone) == 0 {
		return nil
	}
	if err := a.strike(ctx, gone); err != nil {
		return err
	}
	for name := range gone {
		for _, c := range named[name] {
			if c.cand.Mute() == "" && !c.event() && a.wasSaid(c) {
				a.words = append(a.words, c)
			}
		}
	}
	sortClaims(a.words)
	return nil
}

// taken returns the named words that the range took out of a file.
func (a *auditor) taken(named map[string][]*claim) map[string]bool {
	gone, voc := map[string]bool{}, newVocabulary(slices.Collect(maps.Keys(named)))
	for _, c := range a.changes {
		if c.Kind != repo.Added && !a.isText(c.From.Path) {
			a.took(c, voc, named, gone)
		}
	}
	return gone
}

// sortClaims puts claims in the order of the documents.
func sortClaims(cs []*claim) {
	slices.SortFunc(cs, func(x, y *claim) int {
		return cmp.Or(strings.Compare(x.doc.Path, y.doc.Path), cmp.Compare(x.cand.Line, y.cand.Line), strings.Compare(x.cand.Text, y.cand.Text))
	})
}

// key tells an identifier from a target and from a flag of the same name.
func key(c *anchor.Candidate) string {
	if c.Form == anchor.FormDeclared {
		return "symbol " + c.Path
	}
	switch c.Kind {
	case knowledge.AnchorCommand:
		if runners[c.Tool] {
			return targetKey(c.Tool, c.Path)
		}
		return "sub " + c.Path
	case knowledge.AnchorFlag:
		return "flag " + c.Path
	case knowledge.AnchorConfig:
		return "conf " + c.Path
	}
	return c.Path
}

// owns reports whether a flag or a subcommand may be one of this repository's
// programs.
func (a *auditor) owns(c *anchor.Candidate) bool {
	switch c.Kind {
	case knowledge.AnchorFlag:
		return c.Tool == "" && strings.Contains(c.Path, "-") || a.programs()[c.Tool]
	case knowledge.AnchorCommand:
		return runners[c.Tool] || a.programs()[c.Tool]
	}
	return true
}

// namedWords returns the claims about words, by what they name.
func (a *auditor) namedWords() map[string][]*claim {
	named := map[string][]*claim{}
	for _, d := range a.in.Docs {
		if d.Format == knowledge.Archive || d.Event || record(d) {
			continue
		}
		reader, seen := anchor.NewReader(d), map[string]bool{}
		for i := range d.Facts {
			for _, c := range reader.Words(&d.Facts[i]) {
				k := fmt.Sprintf("%d %s", c.Line, key(&c))
				if !seen[k] && a.owns(&c) {
					seen[k] = true
					named[key(&c)] = append(named[key(&c)], &claim{doc: d, fact: &d.Facts[i], cand: c})
				}
			}
		}
	}
	return named
}

// took adds to gone the named words that one file introduced before and does
// not show now.
func (a *auditor) took(c repo.Change, voc vocabulary, named map[string][]*claim, gone map[string]bool) {
	old := a.code(c.From)
	if old == nil {
		return
	}
	var now []byte
	if c.Kind != repo.Deleted {
		now = a.code(c.To)
	}
	left := shown(c.To.Path, now, voc, named)
	for k := range shown(c.From.Path, old, voc, named) {
		if !gone[k] && !(left[k] && shows(c.To.Path, now, k)) && introduces(c.From.Path, old, k) {
			gone[k] = true
		}
	}
}

// shown returns the named words whose tokens a file has, and its targets if it
// is a task runner's.
func shown(file string, src []byte, voc vocabulary, named map[string][]*claim) map[string]bool {
	out := map[string]bool{}
	voc.shows(src, func(k string) { out[k] = true })
	for t := range targetsOf(file, src) {
		if named[t] != nil {
			out[t] = true
		}
	}
	return out
}

// shows reports whether a file that has the tokens of a word shows that it still
// is what the key names: a declared symbol must be defined, and what is called as
// much else is must stand where it could be.
func shows(file string, src []byte, k string) bool {
	_, declared := declaredRef(k)
	return !(declared && !introduces(file, src, k) || narrow(k) && !mentions(file, src, k))
}

// isText reports whether a file is no code: prose, data, or a document whose
// claims are checked.
func (a *auditor) isText(file string) bool { return a.isDocument(file) || prose.MatchString(file) }

// isDocument reports whether a file is one of the documents.
func (a *auditor) isDocument(file string) bool {
	if a.texts == nil {
		a.texts = map[string]bool{}
		for _, d := range a.in.Docs {
			a.texts[d.Path] = true
		}
	}
	return a.texts[file]
}

// code reads a file of code; nil if it is none or cannot be read.
func (a *auditor) code(e repo.Entry) []byte {
	if e.Mode != repo.ModeFile && e.Mode != repo.ModeExec {
		return nil
	}
	src, err := a.in.Repo.Blob(e.Hash, maxCode)
	if err != nil || bytes.IndexByte(src[:min(len(src), 8000)], 0) >= 0 {
		return nil
	}
	return src
}

// holds reports whether a file has the word, or the target.
func holds(file string, src []byte, w string) bool {
	t, ok := strings.CutPrefix(w, "target ")
	switch _, declared := declaredRef(w); {
	case declared || narrow(w):
		return introduces(file, src, w)
	case !ok:
		return bytes.Contains(src, []byte(strings.TrimPrefix(w, "flag ")))
	}
	tool, t, _ := strings.Cut(t, " ")
	pattern := tool == "make" && bytes.Contains(src, []byte("%:")) // a rule for any name
	return reads(tool, file) && (pattern || bytes.Contains(src, []byte(t+":")) || targetsOf(file, src)[w])
}

// notFound is what is said of a word that no code has.
const notFound = " is found in no code any more"

// wordFinding reports one word that the code no longer has.
func (a *auditor) wordFinding(ctx context.Context, c *claim) knowledge.Finding {
	f := Describe(RuleWord, c.doc, c.fact, c.cand.Text)
	f.Anchor = &knowledge.Anchor{Kind: c.cand.Kind, Text: c.cand.Text, Declared: c.cand.Form == anchor.FormDeclared}
	f.Evidence = []knowledge.Quote{a.quote(c)}
	f.Action = &knowledge.Action{Type: knowledge.ActionWorklist}
	f.Was = &knowledge.Place{Symbol: c.cand.Path}
	if a.ranged() {
		f.Was.Commit = a.in.From.String()
	}
	f.Reason = c.cand.Text + notFound
	if by, parent, file := a.tookIt(ctx, c); file != "" {
		by, parent = a.culprit(by, parent, a.lost(file, key(&c.cand)))
		f.Was = &knowledge.Place{Commit: parent.Hash.String(), Path: file, Symbol: c.cand.Path}
		f.Since = sinceOf(by)
		f.Reason += fmt.Sprintf(", since %s of %s took it out of %s", by.Hash.String()[:8], f.Since.Date, file)
		if f.Anchor.Declared {
			a.relocate(c, &f, parent, file)
		}
	}
	return f
}

// tookIt names the last commit of the range that took the word out of a file.
func (a *auditor) tookIt(ctx context.Context, c *claim) (by, parent repo.Commit, file string) {
	if l, ok := a.losses[c]; ok {
		return l.by, l.parent, l.file
	}
	for n, at := 0, a.in.To; a.ranged() && n <= a.length && at.Hash != a.in.From && len(at.Parents) > 0; n++ {
		up, err := a.in.Repo.Commit(at.Parents[0])
		if err != nil {
			return by, parent, ""
		}
		changes, err := a.in.Repo.Diff(ctx, up.Tree, at.Tree)
		if err != nil {
			return by, parent, ""
		}
		for _, ch := range changes {
			if ch.Kind != repo.Added && !a.isText(ch.From.Path) && holds(ch.From.Path, a.code(ch.From), key(&c.cand)) {
				return at, up, ch.From.Path
			}
		}
		at = up
	}
	return by, parent, ""
}
