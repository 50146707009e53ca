package audit

import (
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/anchor"
)

// weight orders the states a fact may be in: a broken anchor outweighs the
// others, a changed one those that merely resolve.
var weight = map[string]int{
	knowledge.ReasonNoAnchor: 0, knowledge.ReasonNoParser: 1, knowledge.ReasonOutside: 2,
	knowledge.ReasonNeverExisted: 3, knowledge.ReasonUnconfirmed: 4, knowledge.ReasonChanged: 5,
}

// Open reports whether a check of the claim would say more than what is known:
// nothing it names is known to be gone or to differ.
func (s State) Open() bool {
	return s.Verdict == knowledge.Unknown && s.Reason != knowledge.ReasonNeverExisted && s.Reason != knowledge.ReasonNoDate
}

// note updates the state of a claim's fact. An anchor that resolves confirms
// nothing: the fact is unknown until somebody checks what it says.
func (a *auditor) note(c *claim, f knowledge.Finding, found bool) {
	s := a.res.Facts[c.fact]
	touched := c.at.How != anchor.Nowhere && a.changed[c.at.Path]
	s.Touched = s.Touched || touched
	next := State{Verdict: knowledge.Unknown, Touched: s.Touched}
	switch {
	case found && f.Verdict != knowledge.Unknown && f.Severity != knowledge.Info:
		next.Verdict = f.Verdict
		next.Touched = next.Touched || a.ranged()
	case found && f.Rule == RuleNever:
		next.Reason = knowledge.ReasonNeverExisted
	case touched:
		next.Reason = knowledge.ReasonChanged
	case c.at.How == anchor.Nowhere || c.at.How == anchor.Behind:
		next.Reason = knowledge.ReasonOutside
	default:
		next.Reason = knowledge.ReasonUnconfirmed
	}
	worse := s.Verdict == knowledge.Unknown && next.Verdict != knowledge.Unknown || next.Verdict == knowledge.Broken
	if s.Verdict == knowledge.Broken || s.Verdict != "" && !worse && (s.Verdict == knowledge.Stale || weight[s.Reason] >= weight[next.Reason]) {
		s.Touched = next.Touched
		next = s
	}
	a.res.Facts[c.fact] = next
}

// rest gives a state to the facts that name nothing, and to those that are
// preferences rather than claims about code.
func (a *auditor) rest(d *knowledge.Document) {
	if d.Format == knowledge.Archive {
		return
	}
	for i := range d.Facts {
		f := &d.Facts[i]
		s, ok := a.res.Facts[f]
		switch {
		case ok && s.Verdict != knowledge.Unknown:
			continue
		case f.Type == "user" || f.Type == "feedback":
			s.Verdict, s.Reason = knowledge.Unknown, knowledge.ReasonPreference
		case a.symbols[f]:
			if !ok || weight[s.Reason] < weight[knowledge.ReasonUnconfirmed] {
				s.Verdict, s.Reason = knowledge.Unknown, knowledge.ReasonUnconfirmed
			}
		case ok:
			continue
		case len(f.Life.AnchorSymbols) > 0:
			s.Verdict, s.Reason = knowledge.Unknown, knowledge.ReasonNoParser
		default:
			s.Verdict, s.Reason = knowledge.Unknown, knowledge.ReasonNoAnchor
		}
		a.res.Facts[f] = s
	}
}
