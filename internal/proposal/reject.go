package proposal

import (
	"slices"
	"time"
)

// Rejections are what is remembered of a person's no to a proposal: one for the
// whole, and one for each edit, so that none comes back in the company of
// others. What is known is left out.
func Rejections(x *Existing, known []Rejection, at time.Time) []Rejection {
	if slices.ContainsFunc(known, func(r Rejection) bool {
		return r.Slot == x.Slot && r.Content == x.Content && (r.Lifted.IsZero() || !at.After(r.Lifted))
	}) {
		return nil
	}
	fresh := []Rejection{{Slot: x.Slot, Content: x.Content, At: at}}
	for _, e := range x.Edits() {
		fresh = append(fresh, Rejection{Slot: x.Slot, Content: x.Content, Key: EditKey(e), At: at})
	}
	return fresh
}

// IsLifted reports whether a person asked for a proposal again after it was
// closed.
func IsLifted(x *Existing, known []Rejection) bool {
	return x.Status == Closed && slices.ContainsFunc(known, func(r Rejection) bool {
		return r.Slot == x.Slot && r.Content == x.Content && !r.Lifted.IsZero() && !x.Ended.After(r.Lifted)
	}) && !slices.ContainsFunc(known, func(r Rejection) bool {
		return r.Slot == x.Slot && r.Content == x.Content && r.Lifted.IsZero()
	})
}

// Until is when the cooldown of a slot ends; zero where none was rejected.
func (p Policy) Until(slot string, rejected []Rejection) time.Time {
	d := &decider{policy: p.withDefaults(), rejected: rejected}
	return d.coolUntil(slot)
}
