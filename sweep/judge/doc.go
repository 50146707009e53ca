// Package judge asks a model whether a claim still holds after the code that it
// names has changed, and believes only what code finds again.
//
// It owns three things: which facts a change is worth a question for (those that
// name a definition that differs, or a file of which a changed line names what
// the fact names), what of the code the question shows (that definition, or the
// lines near what is named, of both sides and of nothing else), and when an
// answer counts: it must quote a line of the code as it is now. What cannot be
// grounded is unknown. In the same way it asks whether two statements that package
// pair proposes contradict each other; then both must be quoted. The package writes
// nothing; what an answer leads to is for package sweep.
//
// The judge is asked rarely. A definition that a claim names must have lost a
// line that shares words with the claim, or a file that it names a line with a
// name of the claim; what was only added, laid out anew or commented contradicts
// nothing. What code can tell (gone, moved) is no question. What is not there any
// more, code says on lines numbered 0.
package judge
