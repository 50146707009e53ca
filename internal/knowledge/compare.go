package knowledge

import (
	"fmt"
	"slices"
	"strings"
)

// wanted is asked what a change should have done to the facts that it touches.
// Where bytes come back that stood there before, nothing is asked.
type wanted func(doc *Document, before, after []*Fact) error

// compare checks that a change of bytes leaves every fact outside it as it
// was, and returns how ids before the change are called after it ("" for
// facts that went). The page as a whole is always touched.
func compare(before, after *Document, at Span, size int, want wanted) (map[string]string, error) {
	if f := newFault(before, after); f != nil && want != nil {
		return nil, fmt.Errorf("%w: %s (%s)", ErrStructure, f.Text, f.Rule)
	}
	keptB, hitB, pageB := split(before, at)
	keptA, hitA, pageA := split(after, Span{at.Start, at.Start + size})
	if len(keptB) != len(keptA) {
		return nil, fmt.Errorf("%w: %d other facts before, %d after", ErrStructure, len(keptB), len(keptA))
	}
	heading := slices.ContainsFunc(hitB, func(f *Fact) bool { return f.Kind == KindHeading })
	pairs := make(map[string]string, len(keptB))
	for i, b := range keptB {
		if !alike(b, keptA[i], heading) {
			return nil, fmt.Errorf("%w: line %d (%s) would read differently", ErrStructure, b.Line, b.Title)
		}
		pairs[b.ID] = keptA[i].ID
	}
	if want != nil {
		if err := want(after, hitB, hitA); err != nil {
			return nil, err
		}
	}
	for i, b := range hitB {
		pairs[b.ID] = ""
		if len(hitB) == len(hitA) {
			pairs[b.ID] = hitA[i].ID
		}
	}
	if pageB != nil && pageA != nil {
		pairs[pageB.ID] = pageA.ID
	}
	return pairs, nil
}

// newFault returns a fault of structure that the change brought; what an
// entry lacks may come back with it.
func newFault(before, after *Document) *Fault {
	had := map[string]int{}
	for _, f := range before.Faults {
		had[f.Rule]++
	}
	for i, f := range after.Faults {
		if had[f.Rule]--; had[f.Rule] < 0 && (strings.HasPrefix(f.Rule, "front-matter/") || strings.HasPrefix(f.Rule, "yaml/")) {
			return &after.Faults[i]
		}
	}
	return nil
}

// split sorts facts into those that a change of bytes leaves alone, those it
// touches, and the page itself.
func split(d *Document, at Span) (kept, hit []*Fact, page *Fact) {
	for i := range d.Facts {
		f := &d.Facts[i]
		switch {
		case d.isPage(i):
			page = f
		case overlaps(f.Span, at):
			hit = append(hit, f)
		default:
			kept = append(kept, f)
		}
	}
	return kept, hit, page
}

// isPage reports whether a fact is the whole page.
func (d *Document) isPage(i int) bool {
	return d.Facts[i].Kind == KindEntry && d.layout[i].style == styleFrontMatter
}

func overlaps(f, at Span) bool {
	if at.Start == at.End {
		return f.Start < at.Start && at.Start < f.End
	}
	return f.Start < at.End && at.Start < f.End
}

// alike reports whether two facts say the same at the same place.
func alike(a, b *Fact, heading bool) bool {
	return a.Kind == b.Kind && a.Claim == b.Claim && a.Fence == b.Fence && len(a.Heading) == len(b.Heading) &&
		(heading || slices.Equal(a.Heading, b.Heading))
}

// same expects as many facts of the same kinds as before.
func same(_ *Document, before, after []*Fact) error {
	if len(before) != len(after) {
		return fmt.Errorf("%w: %d facts become %d", ErrStructure, len(before), len(after))
	}
	for i := range before {
		if before[i].Kind != after[i].Kind {
			return fmt.Errorf("%w: a %s becomes a %s", ErrStructure, before[i].Kind, after[i].Kind)
		}
	}
	return nil
}
