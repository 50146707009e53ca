package measure

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/prompts"
)

var (
	commitLine = regexp.MustCompile(`^## Commit ([0-9a-f]+),`)
	signalLine = regexp.MustCompile(`^### (S\d+) `)
	pathLine   = regexp.MustCompile(`^path: (\S+)`)
	addedLine  = regexp.MustCompile(`^\+ *(\d+) (.*)$`)
)

// greedy makes a lesson of the first telling line of every signal: the worst
// that a model can do that quotes what is there.
func greedy(user string) (items []prompts.TriageItem) {
	items = []prompts.TriageItem{}
	commit, signal, path := "", "", ""
	for line := range strings.Lines(user) {
		line = strings.TrimRight(line, "\n")
		if m := commitLine.FindStringSubmatch(line); m != nil {
			commit, signal = m[1], ""
		} else if m := signalLine.FindStringSubmatch(line); m != nil {
			signal = m[1]
		} else if m := pathLine.FindStringSubmatch(line); m != nil {
			path = m[1]
		} else if m := addedLine.FindStringSubmatch(line); m != nil && signal != "" && len(m[2]) > 40 {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				continue
			}
			at := path
			items = append(items, prompts.TriageItem{
				Signal: signal, Durable: true, Title: "Keep it", Lesson: "Remember this rule of the project: " + strings.Trim(m[2], "-*+ `#>|"), Topic: "rules",
				Evidence: []prompts.Evidence{{Commit: commit, Path: &at, Line: n, Quote: m[2]}}, Kind: prompts.KindState, Confidence: "high",
			})
			signal = ""
		}
	}
	return items
}

// Even a model that makes a rule of whatever it is shown gets few ordinary
// commits promoted: code decides what is explicit, and what stands already.
func TestGreedyModelPromotesLittle(t *testing.T) {
	known := readCorrections(t)
	commits, promoted := 0, 0
	for name, ids := range ordinary(t, known) {
		r := open(t, name)
		if r == nil {
			continue
		}
		for _, id := range ids {
			c := commit(t, r, id)
			p := newReplay(t, r)
			p.model = answering(t)
			commits++
			for _, l := range p.pass(made(t, r, id), c.Parents[0], c.Hash, c.Committer.When).Lessons {
				if l.Status == report.LessonPromoted {
					promoted++
					t.Logf("%s %.10s: %s (%s)", name, id, l.Text, l.Reason)
					break
				}
			}
		}
	}
	t.Logf("%d of %d ordinary commits gave a promoted rule, with a model that finds a lesson everywhere", promoted, commits)
	if 50*promoted >= commits {
		t.Error("two in a hundred or more")
	}
}

func answering(t *testing.T) *llm.Client {
	t.Helper()
	fake := &llmtest.Fake{Answer: func(req llm.Request) (llmtest.Reply, bool) {
		var answer any = prompts.PatchAnswer{Edits: []prompts.PatchEdit{}}
		if req.Stage == "triage" {
			answer = prompts.TriageAnswer{Items: greedy(req.Prompt.User)}
		} else if _, rest, ok := strings.Cut(req.Prompt.User, "lesson⟧\n"); ok {
			text, _, _ := strings.Cut(rest, "\n")
			answer = prompts.PatchAnswer{Edits: []prompts.PatchEdit{{Op: prompts.OpAdd, Text: &text, Reason: "Nothing near it."}}}
		}
		b, err := json.Marshal(answer)
		if err != nil {
			t.Error(err)
		}
		return llmtest.Reply{Text: string(b)}, true
	}}
	c, err := llm.New(llm.Options{Default: llm.Stage{Generator: fake}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
