// Package expire decides which facts have reached the end that they were
// written to have.
//
// It owns retirement by date and by task: [Decide] is a pure function of facts, policy and
// the day. It archives nothing itself and knows no file format; what it returns
// are decisions with their reasons. Facts without a TTL, an expiry or a task never
// come up, however old they are.
//
// An issue that cannot be seen ends nothing: a number that is not there, another
// host and a forge that does not answer are all [Unreachable].
package expire
