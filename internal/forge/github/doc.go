// Package github owns proposals that live as pull requests on GitHub or on a
// GitHub Enterprise server. A proposal is found again by the marker in its body,
// by its author and by its repository, never by its title; the marker also holds
// the edits, so that a branch can be built again without a model. Branches move
// through a [Pusher], which requires their old values: what somebody else wrote
// is never overwritten. Every write leaves the proposal in a state that the next
// run can read, wherever it is cut short.
//
// The package also owns the credentials for the host; internal/forge/wire owns
// the way there.
package github
