package triage

import (
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/retro/signal"
)

// blobs is the content of files by the first byte of their hash.
type blobs map[byte]string

func (b blobs) Blob(h repo.Hash, _ int64) ([]byte, error) {
	if content, ok := b[h[0]]; ok {
		return []byte(content), nil
	}
	return nil, repo.ErrMissing
}

// FuzzGround: whatever a model answers, each piece of evidence that is kept
// stands in the commit, and a lesson that is kept has some.
func FuzzGround(f *testing.F) {
	f.Add("S1", "Run the tests before each push.", "aaaaaaaaaa", "a.go", 2, "return the answer", "R1", "C1")
	f.Add("S1", "Run it.", "aaaaaaaaaa", "", 1, "fix: the answer was wrong", "", "")
	f.Add("S9", "# x\n", "", "../x", -1, "\x00", "R9", "C9")
	const before, after, message = "package a\nreturn a question\n", "package a\nreturn the answer\n", "fix: the answer was wrong\n"
	files := blobs{1: before, 2: after}
	var commit, from, to repo.Hash
	for i := range commit {
		commit[i] = 0xaa
	}
	from[0], to[0] = 1, 2
	s := &signal.Signal{
		ID: "s1", Class: signal.Revert, Explicit: true, Path: "a.go", Trust: signal.Member,
		Commit: repo.Commit{Hash: commit, Message: message},
		Change: repo.Change{Kind: repo.Modified, From: repo.Entry{Path: "a.go", Hash: from}, To: repo.Entry{Path: "a.go", Hash: to}},
		Hunks:  []repo.Hunk{{OldLine: 2, NewLine: 2, Removed: []string{"return a question"}, Added: []string{"return the answer"}}},
	}
	v := newView(Question{Signals: []*signal.Signal{s}})
	f.Fuzz(func(t *testing.T, id, text, commit, path string, line int, quote, covered, same string) {
		e := prompts.Evidence{Commit: commit, Line: line, Quote: quote}
		if path != "" {
			e.Path = &path
		}
		res := v.ground(files, prompts.TriageAnswer{Items: []prompts.TriageItem{{
			Signal: id, Durable: true, Lesson: text, Evidence: []prompts.Evidence{e, e}, CoveredBy: &covered, SameAs: &same,
		}}})
		for _, l := range res.Lessons {
			if l.Dropped == "" && (len(l.Evidence) == 0 || l.Text == "" || strings.Contains(l.Text, "\n") || l.ID == "") {
				t.Errorf("kept: %+v", l)
			}
			for _, e := range l.Evidence {
				if !strings.Contains(before+after+message, strings.Join(strings.Fields(e.Quote.Quote), " ")) {
					t.Errorf("evidence that stands nowhere: %q", e.Quote.Quote)
				}
			}
		}
	})
}
