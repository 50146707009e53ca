package audit

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// readMissing finds the words that the documents name and no code at head has.
func (a *auditor) readMissing(ctx context.Context) error {
	if a.ranged() {
		return nil
	}
	named := a.namedWords()
	gone := map[string]bool{}
	for k := range named {
		gone[k] = true
	}
	if err := a.strike(ctx, gone); err != nil {
		return err
	}
	a.noteResolved(named, gone)
	for _, k := range slices.Sorted(maps.Keys(gone)) {
		for _, c := range named[k] {
			if !c.event() && !a.ignores(c.doc) && c.cand.Mute() == "" {
				a.missing = append(a.missing, c)
			}
		}
	}
	return nil
}

// ignores reports whether the operator takes a document out.
func (a *auditor) ignores(d *knowledge.Document) bool {
	return a.in.Ignore != nil && a.in.Ignore(d.Path)
}

// strike takes out of gone what code at head shows.
func (a *auditor) strike(ctx context.Context, gone map[string]bool) error {
	voc, read := newVocabulary(slices.Collect(maps.Keys(gone))), 0
	for _, e := range a.entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		for t := range tokens([]byte(e.Path)) { // a workflow, a skill, a script by its name
			for _, k := range voc[string(t)] {
				if _, declared := declaredRef(k); !declared && !narrow(k) {
					delete(gone, k)
				}
			}
		}
		if a.isDocument(e.Path) || paper.MatchString(e.Path) || len(gone) == 0 {
			continue
		}
		src := a.code(e)
		if read += len(src); read > allCode {
			clear(gone) // too much to be sure
			return nil
		}
		strikeFile(e.Path, src, voc, gone)
	}
	return nil
}

// strikeFile takes out of gone what one file shows.
func strikeFile(file string, src []byte, voc vocabulary, gone map[string]bool) {
	tried := map[string]bool{}
	for t := range tokens(src) {
		for _, k := range voc[string(t)] {
			if gone[k] && !tried[k+string(t)] && attests(file, src, k, string(t)) {
				delete(gone, k)
			}
			tried[k+string(t)] = true
		}
	}
	if runFiles[path.Base(file)] != nil {
		maps.DeleteFunc(gone, func(k string, _ bool) bool { return strings.HasPrefix(k, "target ") && holds(file, src, k) })
	}
}

// attests reports whether a token in a file of head shows that there still is
// what the key names. That a test passes a flag does not mean that there is one,
// and a declared symbol must be defined.
func attests(file string, src []byte, k, token string) bool {
	if _, declared := declaredRef(k); declared {
		return introduces(file, src, k)
	}
	if narrow(k) {
		return mentions(file, src, k)
	}
	flag, ok := strings.CutPrefix(k, "flag ")
	return !ok || !isTest(file) && (flag != token || introduces(file, src, k))
}
