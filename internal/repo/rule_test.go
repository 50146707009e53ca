package repo

import "testing"

func TestRules(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]Rule{
		"GH006: Protected branch update failed for refs/heads/main.; Commits must have verified signatures.":         RuleSignature,
		"GH013: Repository rule violations found for refs/heads/main.; Changes must be made through the merge queue": RuleMergeQueue,
		"GH013: Repository rule violations found; Changes must be made through a pull request.":                      RulePull,
		"Commit message must match a given regex pattern: ^Signed-off-by: ":                                          RuleSignOff,
		"GitLab: Commit must be signed with a GPG key":                                                               RuleSignature,
		"GitLab: You are not allowed to push code to protected branches on this project.":                            RuleProtected,
		"Not allowed to push to protected branch main":                                                               RuleProtected,
		"main is protected":           RuleProtected,
		"the disk is full":            RuleOther,
		"pre-receive hook declined":   RuleOther,
		"DCO: commit 1234 is missing": RuleSignOff,
	} {
		e := &RefusedError{Ref: "refs/heads/main", Reason: "pre-receive hook declined", Message: said}
		if got := e.Rule(); got != want || (e.Remedy() == "") != (want == RuleOther) {
			t.Errorf("%q is %q, not %q: %q", said, got, want, e.Remedy())
		}
	}
}
