package audit

import (
	"context"

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
