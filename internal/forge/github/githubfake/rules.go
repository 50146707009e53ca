package githubfake

import (
	"errors"
	"path"
	"strings"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// Rule is a rule of the host for the references that fit a pattern.
type Rule struct {
	Pattern string // of path.Match, on full names
	Says    string // the host's words
	Wants   string // in the message of the commit; "": nothing of ours is taken
	Signed  bool   // what the host signed is taken
}

// Rules that hosts have, in their words.
var (
	MergeQueue = Rule{Pattern: "refs/heads/main", Says: "GH013: Repository rule violations found for refs/heads/main.; Changes must be made through the merge queue"}
	ByPull     = Rule{Pattern: "refs/heads/main", Says: "GH006: Protected branch update failed for refs/heads/main.; Changes must be made through a pull request."}
	Locked     = Rule{Pattern: "refs/heads/main", Says: "GH006: Protected branch update failed for refs/heads/main."}
	Signed     = Rule{Pattern: "refs/heads/*", Says: "GH013: Repository rule violations found; Commits must have verified signatures.", Signed: true}
	SignedOff  = Rule{Pattern: "refs/heads/*", Says: "GH013: Repository rule violations found; Commit message must match a given regex pattern: Signed-off-by: ", Wants: "Signed-off-by: "}
)

// Refuses says whether a rule of the host forbids an update, as a push is told.
func (r *Remote) Refuses(u repo.RefUpdate) error {
	for _, rule := range r.fake.Rules {
		fits := false
		for name := u.Name; !fits && strings.Count(name, "/") >= 2; name = path.Dir(name) { // * is any depth
			ok, err := path.Match(rule.Pattern, name)
			fits = ok && err == nil
		}
		if !fits || u.New.IsZero() {
			continue
		}
		c, err := r.repo.Commit(u.New)
		if err != nil {
			return errors.Join(err, repo.ErrMissing)
		}
		if rule.Signed && r.fake.Verified(u.New) {
			continue
		}
		if rule.Wants == "" || !strings.Contains(c.Message, rule.Wants) {
			return refusedBy(rule.Says, u.Name)
		}
	}
	return nil
}
