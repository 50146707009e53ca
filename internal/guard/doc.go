// Package guard owns what untrusted text and model output must pass.
//
// Untrusted is everything that comes from a repository or from a model: file
// content, file names, commit messages, author names, answers. The guard says
// where an edit of a path may go ([Policy.Route]), looks at a finished diff
// once more before it leaves ([Policy.CheckDiff]), makes text safe for a
// prompt ([Scrub], [Redact], [Fence]) or for a terminal ([Terminal]), and
// refuses text that a model wrote when it is more than prose ([OutputText],
// [Title], [Slug], [QuoteIn]).
//
// Every function is pure. None of them tries to recognise bad intent in
// wording: they bound what a text can do, whatever it says.
package guard
