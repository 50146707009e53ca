package audit

import "github.com/retrosweep/retrosweep/internal/knowledge"

// Rules of findings.
const (
	RuleBroken  = "anchor/broken"          // it was there when the text named it, and is gone
	RuleMoved   = "anchor/moved"           // git knows where it went
	RuleWord    = "anchor/word"            // an identifier or target that no code has any more
	RuleValue   = "anchor/value"           // a manifest has another value now
	RuleLine    = "anchor/line"            // a line of a file that is no more where the text says
	RuleLate    = "anchor/late"            // the text named it only after it was gone
	RuleNever   = "anchor/never"           // no commit holds it
	RuleUnfound = "anchor/unfound"         // a line of the range names what is not there
	RuleEvent   = "anchor/event"           // a record names what is gone
	RuleExpired = "life/expired"           // its TTL or expiry has passed
	RuleNoDate  = "life/no-date"           // it was meant to end, and no date can be read
	RuleStale   = "judge/stale"            // the code that it names does not bear it out any more
	RuleFlaps   = "judge/flaps"            // judged this way and that: only a person can tell
	RuleRivals  = "conflict/contradiction" // two rules that one reader has, and cannot both follow
	RuleTwice   = "conflict/duplicate"     // two that say the same in other words
	RuleTask    = "life/task"              // its task ended otherwise than by being completed, or cannot be found
	RuleUnseen  = "life/unseen"            // nobody could look at its task
)

// grade is what a rule means for people.
type grade struct {
	verdict  knowledge.Verdict
	severity knowledge.Severity
	startup  knowledge.Severity // on a surface that every session loads
}

// grades is the one table of severities.
var grades = map[string]grade{
	RuleBroken:  {knowledge.Broken, knowledge.Warning, knowledge.Error},
	RuleMoved:   {knowledge.Broken, knowledge.Warning, knowledge.Warning},
	RuleWord:    {knowledge.Broken, knowledge.Warning, knowledge.Warning},
	RuleValue:   {knowledge.Stale, knowledge.Warning, knowledge.Warning},
	RuleLine:    {knowledge.Stale, knowledge.Warning, knowledge.Warning},
	RuleLate:    {knowledge.Broken, knowledge.Info, knowledge.Info},
	RuleNever:   {knowledge.Unknown, knowledge.Info, knowledge.Info},
	RuleUnfound: {knowledge.Unknown, knowledge.Info, knowledge.Info},
	RuleEvent:   {knowledge.Broken, knowledge.Info, knowledge.Info},
	RuleExpired: {knowledge.Stale, knowledge.Warning, knowledge.Warning},
	RuleNoDate:  {knowledge.Unknown, knowledge.Info, knowledge.Info},
	RuleStale:   {knowledge.Stale, knowledge.Warning, knowledge.Error},
	RuleFlaps:   {knowledge.Unknown, knowledge.Warning, knowledge.Warning},
	RuleRivals:  {knowledge.Unknown, knowledge.Warning, knowledge.Warning},
	RuleTwice:   {knowledge.Unknown, knowledge.Info, knowledge.Info},
	RuleTask:    {knowledge.Unknown, knowledge.Warning, knowledge.Warning},
	RuleUnseen:  {knowledge.Unknown, knowledge.Info, knowledge.Info},
}

// Grade returns the verdict and severity of a rule.
func Grade(rule string, startup bool) (knowledge.Verdict, knowledge.Severity) {
	g := grades[rule]
	if startup {
		return g.verdict, g.startup
	}
	return g.verdict, g.severity
}

// severityRank orders severities, worst first.
func severityRank(s knowledge.Severity) int {
	switch s {
	case knowledge.Error:
		return 0
	case knowledge.Warning:
		return 1
	}
	return 2
}
