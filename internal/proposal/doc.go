// Package proposal owns what is offered to people for review: which branch an
// edit belongs on (slots), what it is called and how it is explained, and
// whether a run may open, update or close one. Deciding is pure: [Decide] and
// [Stack] take what was read and return actions with reasons; the branches
// themselves live behind internal/forge.
//
// A layer of a branch holds why as well: reasons, models and cost stand beside
// its edits ([Layer]), so that a body that is written again still says where each
// edit came from.
//
// A branch that a person took over is left to them. Upkeep then goes on as
// retrosweep/upkeep-2, without what stands on theirs. One that was merged and not
// deleted is told of once; the next proposal for the file takes the name again
// once the base holds that commit.
//
// Taking back what was merged is a no, as closing it is; internal/night finds it.
package proposal
