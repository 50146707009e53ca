package judge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/prompts"
)

// Side is one of two statements that are held against each other.
type Side struct {
	Doc  *knowledge.Document
	Fact *knowledge.Fact
}

// Rivals are two statements that may contradict each other.
type Rivals [2]Side

// Ruling is what a model said of two statements, as far as code found it again.
type Ruling struct {
	Verdict string    // prompts.Contradicts, Duplicates or Compatible, else knowledge.Unknown
	Reason  string    // of an unknown verdict: one of the reasons
	Words   string    // a sentence for a person, "" if what the model wrote may not be shown
	Quotes  [2]string // what was found of each side; empty for an unknown verdict
}

// Key names the question about two statements: the same texts are the same
// question in whatever order and place they stand, until it is asked in other
// words.
func (r Rivals) Key() string {
	a, b := r[0].Fact.Claim, r[1].Fact.Claim
	sum := sha256.Sum256([]byte(strings.Join([]string{"rivals", min(a, b), max(a, b), prompts.ContradictVersion()}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Prompt renders the question: both texts with where they stand, nothing else.
func (r Rivals) Prompt() (prompts.Prompt, error) {
	p, err := prompts.Contradict(prompts.ContradictData{
		Fence: fence, First: prompts.Untrusted(placed(r[0].Doc, r[0].Fact)), Second: prompts.Untrusted(placed(r[1].Doc, r[1].Fact)),
	})
	if err != nil {
		return p, fmt.Errorf("write contradict prompt: %w", err)
	}
	return p, nil
}

// Ask puts the question and grounds the answer.
func (r Rivals) Ask(ctx context.Context, model Asker) (Ruling, error) {
	p, err := r.Prompt()
	if err != nil {
		return Ruling{}, err
	}
	var a prompts.ContradictAnswer
	if err := model.Ask(ctx, Stage, p, &a); err != nil {
		return Ruling{}, fmt.Errorf("hold %s:%d against %s:%d: %w", r[0].Fact.File, r[0].Fact.Line, r[1].Fact.File, r[1].Fact.Line, err)
	}
	return r.Ground(a), nil
}

// Ground believes an answer that quotes both statements; any other is unknown.
func (r Rivals) Ground(a prompts.ContradictAnswer) Ruling {
	out := Ruling{Verdict: string(knowledge.Unknown), Reason: knowledge.ReasonUndecided}
	switch a.Verdict {
	case prompts.Contradicts, prompts.Duplicates, prompts.Compatible:
	default:
		return out
	}
	first, okFirst := r[0].find(a.First)
	second, okSecond := r[1].find(a.Second)
	if !okFirst || !okSecond {
		out.Reason = knowledge.ReasonUngrounded
		return out
	}
	out = Ruling{Verdict: a.Verdict, Quotes: [2]string{first, second}}
	if words, err := guard.OutputText(a.Reason, prompts.MaxReason); err == nil {
		out.Words = words
	}
	return out
}

// find looks a quote up in the text of its side, as it was shown. One of few
// letters must be all that the side says.
func (s Side) find(quote string) (string, bool) {
	have := fold(shown(s.Doc, s.Fact))
	want := fold(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(quote), "…"), "..."))
	if want == "" || utf8.RuneCountInString(want) < prompts.MinQuote && want != have {
		return "", false
	}
	return short(want), strings.Contains(have, want)
}
