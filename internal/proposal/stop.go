package proposal

import (
	"fmt"
	"slices"
	"time"
)

// StopLabel on any open proposal of ours stops new ones. A label can only be set
// by who may write, and can only make us do less.
const StopLabel = Prefix + "-stop"

// stopped says why nothing new is opened, whatever the limits say; "" where it
// may be.
func stopped(s State, p Policy, now time.Time) string {
	var oldest time.Time
	var acted time.Time
	act := func(at time.Time) {
		if !at.After(now) { // one in the future is forged
			acted = later(acted, at)
		}
	}
	act(s.Acted)
	for i := range s.Existing {
		x := &s.Existing[i]
		if x.Status != Open {
			act(x.Ended)
			continue
		}
		if slices.Contains(x.Labels, StopLabel) {
			return fmt.Sprintf("%s bears the label %s: nothing new is opened", x.Branch, StopLabel)
		}
		if x.Kind != KindUpkeep && !x.Touched && (oldest.IsZero() || x.At.Before(oldest)) {
			oldest = x.At
		}
	}
	for _, r := range s.Rejected {
		act(r.At)
	}
	since := later(acted, oldest)
	if p.Idle == 0 || oldest.IsZero() || now.Sub(since) < p.Idle {
		return ""
	}
	return fmt.Sprintf("nobody merged or closed anything since %s: nothing new is opened before somebody does", since.UTC().Format(time.DateOnly))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
