package judge

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/prompts"
)

// Stage is the name of this stage in configuration, budgets and receipts.
const Stage = "judge"

// Asker puts a question to a model and decodes its checked answer. Its errors are
// ErrBudget, ErrUnanswered, and others after which no question is of use.
type Asker interface {
	Ask(ctx context.Context, stage string, p prompts.Prompt, out any) error
}

// What may keep a question from being asked or answered.
var (
	// ErrNothing says that there is no line of the code as it is now to judge by.
	ErrNothing = errors.New("nothing of the code as it is now can be shown")
	// ErrBudget is the planned end of the asking.
	ErrBudget = errors.New("the budget of the judge is spent")
	// ErrUnanswered says that this one question got no usable answer.
	ErrUnanswered = errors.New("the judge gave no usable answer")
)

// Question is one claim with the code that it names.
type Question struct {
	Doc     *knowledge.Document
	Fact    *knowledge.Fact
	Targets []Target
	View    View
	Commits [2]string // that the sides stand for, before and after, in quotes
}

// Answer is what a model said, as far as code found it again.
type Answer struct {
	Verdict knowledge.Verdict // Fresh, Stale or Unknown
	Reason  string            // of an unknown verdict: one of the reasons
	Words   string            // a sentence for a person, "" if what the model wrote may not be shown
	Quotes  []knowledge.Quote // those that were found
}

// Question puts together what a fact's question shows.
func (c *Change) Question(d *knowledge.Document, f *knowledge.Fact, targets []Target) (Question, error) {
	v, err := c.Show(d, f, targets)
	if err != nil {
		return Question{}, err
	}
	if len(v.After) == 0 {
		return Question{}, fmt.Errorf("%s:%d: %w", f.File, f.Line, ErrNothing)
	}
	return Question{Doc: d, Fact: f, Targets: targets, View: v}, nil
}

// Prompt renders the question. The same claim over the same code is the same
// prompt wherever the lines of the document have moved to.
func (q Question) Prompt() (prompts.Prompt, error) {
	p, err := prompts.Judge(prompts.JudgeData{
		Fence: fence, Claim: prompts.Untrusted(q.claim()), Names: prompts.Untrusted(q.named()),
		Before: prompts.Untrusted(text(q.View.Before)), After: prompts.Untrusted(text(q.View.After)),
	})
	if err != nil {
		return p, fmt.Errorf("write judge prompt: %w", err)
	}
	return p, nil
}

// Ask puts a question and grounds the answer.
func Ask(ctx context.Context, model Asker, q Question) (Answer, error) {
	p, err := q.Prompt()
	if err != nil {
		return Answer{}, err
	}
	var a prompts.JudgeAnswer
	if err := model.Ask(ctx, Stage, p, &a); err != nil {
		return Answer{}, fmt.Errorf("judge %s:%d: %w", q.Fact.File, q.Fact.Line, err)
	}
	return q.Ground(a), nil
}

// fence is the way of all repository text into a prompt.
func fence(label, text string) string {
	return strings.TrimRight(guard.Fence(label, clean(text)), "\n")
}

// claim is what the fact of a question says and where.
func (q Question) claim() string { return placed(q.Doc, q.Fact) }

// placed is the text of a fact with where it stands: its file, the headings above
// it, and the item or line that it hangs under.
func placed(d *knowledge.Document, f *knowledge.Fact) string {
	var b strings.Builder
	fmt.Fprintf(&b, "file: %s\n", oneLine(f.File))
	if len(f.Heading) > 0 {
		fmt.Fprintf(&b, "under: %s\n", short(oneLine(strings.Join(f.Heading, " / "))))
	}
	if p := oneLine(f.Parent); p != "" {
		fmt.Fprintf(&b, "below: %s\n", short(p))
	}
	fmt.Fprintf(&b, "claim: %s\n", shown(d, f))
	return b.String()
}

// shown is as much of what a fact says as a question has room for.
func shown(d *knowledge.Document, f *knowledge.Fact) string {
	said := []rune(strings.TrimSpace(said(d, f)))
	return string(said[:min(len(said), claimRunes)])
}

// said is all that a fact says: of a whole page that is what its parts say.
func said(d *knowledge.Document, f *knowledge.Fact) string {
	if f.Kind != knowledge.KindEntry || f.Span.Start > 0 {
		return f.Text
	}
	parts := []string{f.Text}
	for i := range d.Facts {
		if p := &d.Facts[i]; p.Kind != knowledge.KindEntry && p.Kind != knowledge.KindField {
			parts = append(parts, p.Text)
		}
	}
	return strings.Join(parts, "\n")
}

func short(s string) string {
	if r := []rune(s); len(r) > lineRunes {
		return string(r[:lineRunes]) + " …"
	}
	return s
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// named lists the targets, a line each.
func (q Question) named() string {
	var b strings.Builder
	for _, t := range q.Targets {
		switch {
		case t.Symbol != "":
			fmt.Fprintf(&b, "%s, which is %s in %s\n", oneLine(t.Text), t.Symbol, oneLine(t.Path))
		case t.Text != t.Path:
			fmt.Fprintf(&b, "%s, which is in %s\n", oneLine(t.Text), oneLine(t.Path))
		default:
			fmt.Fprintf(&b, "%s\n", oneLine(t.Path))
		}
	}
	return b.String()
}
