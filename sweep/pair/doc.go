// Package pair finds the statements of documents that are read together and that
// use nearly the same words.
//
// It owns what is compared at all (rules in words, by who reads them), and how
// alike two texts are. That they are alike says nothing of what they say: a
// contradiction shares more words than a paraphrase. So it proposes, and what a
// pair means is for package lint, by rules, or for a judge.
//
// Documents that one reader never sees together (skills, tools, packages beside
// each other) are not compared.
package pair
