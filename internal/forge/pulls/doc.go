// Package pulls owns proposals that live as pull or merge requests on a host,
// whichever it is: an adapter brings the calls ([Host]), and what is ours, what
// people did to it and in which order things are written is decided here. A
// proposal is found again by the marker in its body, by its author and by its
// repository, never by its title; the marker also holds the edits. Branches move
// through a [Pusher], which requires their old values. Every write leaves the
// proposal in a state that the next run can read, wherever it is cut short.
package pulls
