package signal

import (
	"regexp"
	"strings"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// madeWith finds the trailers and lines by which coding agents sign what they
// wrote into a person's commit.
var madeWith = regexp.MustCompile(`(?im)^(co-authored-by|assisted-by|generated-by|co-developed-by):.*\b(claude|copilot|codex|cursor(agent)?|gemini|devin|aider|jules|amp|crush|windsurf|opencode|sweep|chatgpt|gpt-[\w.]+)\b` +
	`|^\W*(generated|made|written) (with|by) \[?(claude|codex|copilot|cursor|gemini|crush|amp|devin|aider)\b`)

// byAgent reports whether an agent had a hand in a commit.
func byAgent(c repo.Commit) bool {
	return agentAddress.MatchString(strings.TrimSpace(c.Author.Email)) || madeWith.MatchString(c.Message)
}
