package repo

import "strings"

// Rule is what stands behind a refusal, as far as the host's words tell.
type Rule string

// Rules that hosts have.
const (
	RuleOther      Rule = ""
	RuleSignature  Rule = "signature"   // commits must be signed
	RuleSignOff    Rule = "sign-off"    // messages must bear a Signed-off-by
	RuleMergeQueue Rule = "merge queue" // changes go through a queue
	RulePull       Rule = "pull request"
	RuleProtected  Rule = "protected" // the branch takes no push of this account
)

// ruleWords are the words of GitHub, GitLab, Gitea and Forgejo, and of hooks that
// people copy, the more telling rule first: a branch that wants signatures is a
// protected one, too.
var ruleWords = []struct {
	rule  Rule
	words []string
}{
	{RuleSignature, []string{"verified signature", "must be signed", "require signed", "unsigned commit", "signed with a gpg key", "not signed"}},
	{RuleSignOff, []string{"signed-off-by", "signed off by", "sign-off", "signoff", "dco"}},
	{RuleMergeQueue, []string{"merge queue", "merge train"}},
	{RulePull, []string{"through a pull request", "through a merge request", "pull request is required"}},
	{RuleProtected, []string{"protected branch", "is protected", "gh006", "rule violations", "gh013", "not allowed to push"}},
}

// Rule tells which rule refused, by the words of the host. They are untrusted:
// they choose a sentence of ours, and nothing else.
func (e *RefusedError) Rule() Rule {
	said := e.Reason + "\n" + e.Message
	for _, reason := range e.Reasons {
		said += "\n" + reason
	}
	for _, r := range ruleWords {
		if oneOf(said, r.words) {
			return r.rule
		}
	}
	return RuleOther
}

// What a person can do about it.
var remedies = map[Rule]string{
	RuleSignature:  "the host takes signed commits only: name a key in delivery.signing_key, and add its public half to the account, or, for a GitHub App, set delivery.commits to api",
	RuleSignOff:    "the host takes commits with a sign-off only: set delivery.sign_off to the name and address that sign off",
	RuleMergeQueue: "the host merges by its queue only",
	RulePull:       "the host takes changes by pull request only",
	RuleProtected:  "the branch is protected",
}

// Remedy says in a sentence what the rule wants, and what to do about it; "" for a
// rule that is not known.
func (e *RefusedError) Remedy() string { return strings.TrimSpace(remedies[e.Rule()]) }
