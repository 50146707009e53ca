// Package proposal owns what is offered to people for review: which branch an
// edit belongs on (slots), what it is called and how it is explained, and
// whether a run may open, update or close one. Deciding is pure: [Decide] and
// [Stack] take what was read and return actions with reasons; the branches
// themselves live behind internal/forge.
package proposal
