package audit

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/sweep/anchor"
	"github.com/retrosweep/retrosweep/sweep/manifest"
)

// What a text says of a value is stale when a manifest held that value while
// the text said so, and now holds another one.

// news is a value that a commit changed.
type news struct {
	by, parent repo.Commit
	file       string
	value      manifest.Value // now
}

const maxEdits = 2000 // of one manifest that are looked at

// readValues finds what the documents say of values that no manifest has now.
func (a *auditor) readValues(ctx context.Context) error {
	a.readLines()
	said := a.sayValues()
	if len(said) == 0 {
		return nil
	}
	a.readCounts(ctx, said)
	now := a.valuesNow()
	for _, c := range said {
		if vs := now[c.cand.Path]; len(vs) > 0 && !anyHolds(c, vs) && c.cand.Mute() == "" {
			a.values = append(a.values, c)
		}
	}
	return nil
}

// sayValues returns the claims about values.
func (a *auditor) sayValues() []*claim {
	var out []*claim
	for _, d := range a.in.Docs {
		if a.asserts(d) {
			out = append(out, valuesOf(d)...)
		}
	}
	return out
}

// asserts reports whether a document says how the project is now.
func (a *auditor) asserts(d *knowledge.Document) bool {
	return d.Format != knowledge.Archive && !d.Event && !record(d) && manifest.Is(path.Join(path.Dir(d.Path), "go.mod")) && !a.ignores(d)
}

// valuesOf returns what one document says of values, each line's once.
func valuesOf(d *knowledge.Document) []*claim {
	var out []*claim
	reader, seen := anchor.NewReader(d), map[string]bool{}
	for i := range d.Facts {
		for _, c := range reader.Values(&d.Facts[i]) {
			k := fmt.Sprintf("%d %s", c.Line, c.Text)
			if !seen[k] && !d.Facts[i].Event {
				seen[k] = true
				out = append(out, &claim{doc: d, fact: &d.Facts[i], cand: c})
			}
		}
	}
	return out
}

// held is a value with the manifest that holds it.
type held struct {
	file string
	manifest.Value
}

// valuesNow returns the values of the manifests at head, by key.
func (a *auditor) valuesNow() map[string][]held {
	out, read := map[string][]held{}, 0
	for _, e := range a.entries {
		if !manifest.Is(e.Path) || a.isText(e.Path) || read > allCode {
			continue
		}
		src := a.code(e)
		read += len(src)
		for _, v := range manifest.Read(e.Path, src) {
			out[v.Key] = append(out[v.Key], held{e.Path, v})
		}
	}
	a.held = out
	return out
}

func anyHolds(c *claim, vs []held) bool {
	for _, v := range vs {
		if manifest.Holds(c.cand.Path, c.cand.Value, v.Text) {
			return true
		}
	}
	return false
}

// outdated finds the commits that changed the values.
func (a *auditor) outdated(context.Context) error {
	cache := map[repo.Hash][]manifest.Value{}
	for _, c := range a.values {
		for _, v := range a.held[c.cand.Path] {
			if n, ok := a.changedSince(c, v, cache); ok {
				a.news[c] = n
				break
			}
		}
	}
	return nil
}

// changedSince looks for the newest commit that changed the value in one
// manifest from what the text said by then.
func (a *auditor) changedSince(c *claim, v held, cache map[repo.Hash][]manifest.Value) (news, bool) {
	for i, e := range a.walk.log.files[v.file] {
		if i > maxEdits {
			break
		}
		if a.holds(v.file, e.from, c, cache) && !a.holds(v.file, e.to, c, cache) {
			return a.newsOf(c, v, e.n)
		}
	}
	return news{}, false
}

// holds reports whether a version of a manifest has the value that the text
// says.
func (a *auditor) holds(file string, h repo.Hash, c *claim, cache map[repo.Hash][]manifest.Value) bool {
	vs, ok := cache[h]
	if !ok && h != (repo.Hash{}) {
		vs = manifest.Read(file, a.code(repo.Entry{Path: file, Mode: repo.ModeFile, Hash: h}))
		cache[h] = vs
	}
	for _, v := range vs {
		if v.Key == c.cand.Path && manifest.Holds(v.Key, c.cand.Value, v.Text) {
			return true
		}
	}
	return false
}

// newsOf reads the commit of a step, if the document said so before it.
func (a *auditor) newsOf(c *claim, v held, n int) (news, bool) {
	by, parent, ok := a.pair(a.walk.log.steps[n])
	return news{by, parent, v.file, v.Value}, ok && a.saidAfter(c, n+1)
}

// saidAfter reports whether the document held the spelling after a step.
func (a *auditor) saidAfter(c *claim, n int) bool {
	d := a.walk.docs[c.doc.Path]
	for _, v := range d.versions {
		if v.n < n {
			src, err := a.in.Repo.Blob(v.from, maxDoc)
			if err != nil || !bytes.Contains(src, []byte(c.cand.Text)) {
				return false
			}
		}
	}
	return true
}

// valueFinding reports one value that a manifest no longer has.
func (a *auditor) valueFinding(c *claim, n news) knowledge.Finding {
	f := Describe(RuleValue, c.doc, c.fact, c.cand.Text)
	f.Anchor = &knowledge.Anchor{Kind: knowledge.AnchorValue, Text: c.cand.Text}
	f.Evidence = []knowledge.Quote{a.quote(c), {Commit: a.in.To.Hash.String(), Path: n.file, Line: n.value.Line, Quote: n.value.Text}}
	f.Was = &knowledge.Place{Commit: n.parent.Hash.String(), Path: n.file}
	f.Since = sinceOf(n.by)
	f.Action = &knowledge.Action{Type: knowledge.ActionWorklist}
	f.Reason = fmt.Sprintf("the text says %s, %s has %s; it changed in %s on %s",
		c.cand.Value, n.file, n.value.Text, n.by.Hash.String()[:8], n.by.Committer.When.UTC().Format(time.DateOnly))
	return f
}
