// Package sweep checks what knowledge files say against the code as it is now.
//
// One sweep takes the facts of a corpus, finds what they are about (package
// anchor), says which anchors are gone or moved and since when (package audit),
// and which facts have reached the end they were written to have (package
// expire). It returns findings, counts and edits; it applies none of them.
//
// What follows from a judge's answer is decided here. It has a quarter of the
// run's budget, for it is asked before the retro; what no budget was left for
// waits in the journal with the commit since which it waits. A stale verdict that
// the journal remembers is a warning at most: a journal can be forged.
//
// Two facts that share many words are a question, never an answer, for likeness
// ranks contradictions above paraphrases. So code proposes the pairs of which one
// side is new, and the judge is asked about ten a night at most. What contradicts
// or repeats goes to a person; nothing is edited or merged. The journal remembers
// each pair by a hash of both texts and the prompt, so that it is asked about
// once.
package sweep
