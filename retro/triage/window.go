package triage

import (
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/retro/signal"
)

// bytesPerToken is what an unknown model's tokens are counted by.
const bytesPerToken = 4

// Window is a run of signals that fit one question.
type Window struct {
	Signals []*signal.Signal
	Tokens  int // of the signals and messages, estimated
}

// Size is how many tokens a signal takes without its message, estimated.
func Size(s *signal.Signal) int { return len(body(s))/bytesPerToken + 20 }

// Windows packs signals, in their order, into windows of at most budget
// tokens. A signal that is larger than a window gets one of its own.
func Windows(signals []*signal.Signal, budget int) []Window {
	var out []Window
	var seen map[repo.Hash]bool
	for _, s := range signals {
		size := Size(s)
		whole := size + len(message(s.Commit))/bytesPerToken + 20
		if len(out) > 0 && !seen[s.Commit.Hash] {
			size = whole
		}
		if last := len(out) - 1; last >= 0 && out[last].Tokens+size <= budget {
			out[last].Signals = append(out[last].Signals, s)
			out[last].Tokens += size
			seen[s.Commit.Hash] = true
			continue
		}
		out = append(out, Window{Signals: []*signal.Signal{s}, Tokens: whole})
		seen = map[repo.Hash]bool{s.Commit.Hash: true}
	}
	return out
}
