package signal

import (
	"regexp"
	"strings"
)

// agentAddress matches addresses that no person writes from.
var agentAddress = regexp.MustCompile(`(?i)(\[bot\]|^(no-?reply|bot|agent|claude|cursoragent|copilot|codex)@|^noreply@|-bot@|@(users\.noreply\.)?anthropic\.com$)`)

// DefaultTrust is the rule without a forge and without a list of members: every
// human author is a member.
func DefaultTrust(email string) Trust {
	email = strings.TrimSpace(email)
	switch {
	case email == "" || !strings.Contains(email, "@"):
		return Outsider
	case agentAddress.MatchString(email):
		return Agent
	}
	return Member
}
