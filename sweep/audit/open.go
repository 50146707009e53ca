package audit

import (
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/anchor"
)

// openClaims holds the claims whose removal is not found yet, by the last
// element of what they name.
type openClaims struct {
	byBase map[string]map[*claim]bool
	folded map[string]map[*claim]bool // wiki links
	globs  map[*claim]bool
	open   map[*claim]bool
}

func newOpen(claims []*claim) *openClaims {
	o := &openClaims{
		byBase: map[string]map[*claim]bool{}, folded: map[string]map[*claim]bool{},
		globs: map[*claim]bool{}, open: map[*claim]bool{},
	}
	for _, c := range claims {
		o.open[c] = true
		switch {
		case c.cand.Form == anchor.FormWiki:
			put(o.folded, anchor.Fold(c.cand.Base()), c)
		case c.cand.Kind == knowledge.AnchorGlob:
			o.globs[c] = true
		default:
			for _, p := range c.cand.Paths() {
				put(o.byBase, lastOf(p), c)
			}
		}
	}
	return o
}

func put(m map[string]map[*claim]bool, key string, c *claim) {
	if m[key] == nil {
		m[key] = map[*claim]bool{}
	}
	m[key][c] = true
}

func lastOf(p string) string {
	c := anchor.Candidate{Path: p}
	return c.Base()
}

func (o *openClaims) len() int { return len(o.open) }

// named returns the open claims that the removal of these paths could concern.
func (o *openClaims) named(paths []string) []*claim {
	seen := map[*claim]bool{}
	var out []*claim
	take := func(m map[*claim]bool) {
		for c := range m {
			if o.open[c] && !seen[c] {
				seen[c] = true
				out = append(out, c)
			}
		}
	}
	for _, p := range paths {
		b := lastOf(p)
		take(o.byBase[b])
		take(o.folded[anchor.Fold(b)])
	}
	if len(paths) > 0 {
		take(o.globs)
	}
	return out
}

// wants reports whether an open claim ends in this name.
func (o *openClaims) wants(name string) bool {
	for c := range o.byBase[name] {
		if o.open[c] {
			return true
		}
	}
	return false
}

func (o *openClaims) close(c *claim) { delete(o.open, c) }
