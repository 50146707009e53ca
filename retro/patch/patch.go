// Package patch turns a promoted lesson into the smallest edit that keeps it. A
// model chooses among nothing, merge, reword, replace, add and, for a rule that
// failed, move; code decides
// whether the edit may be made, where it may go, and what must not be lost, and
// writes day and commit behind the rule itself.
//
// A rule that failed may move, and only to where more is read: into a file that
// every session loads, within its own file, or from one playbook to another
// (move.go). It moves word for word, under a heading that stands there. What it
// did not prevent before is counted under its old place too.
package patch

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/retro/backtest"
	"github.com/retrosweep/retrosweep/retro/rules"
)

// Stage is the name of this stage in configuration, budgets and receipts.
const Stage = "patch"

// Dir is where new playbooks are created.
const Dir = "knowledge/playbooks"

// Asker puts a question to a model and decodes its checked answer; *llm.Client
// is one.
type Asker interface {
	Ask(ctx context.Context, stage string, p prompts.Prompt, out any) error
}

// Question is one promoted lesson and what it may touch.
type Question struct {
	Text      string // the lesson
	Topic     string // slug: the playbook it belongs to
	Kind      string
	Evidence  []knowledge.Quote
	Commit    string // short id of the commit that shows it, for the provenance
	Rules     []*rules.Rule
	Failed    bool                  // the one rule says it already and did not prevent it: nothing may be added
	Tonight   []string              // rules added earlier in this run, as "path: text"
	Places    []*knowledge.Document // where the one rule may move to, if it failed
	Playbooks []*knowledge.Document // those that exist
	Flopped   bool                  // something was tried and taken back: an event of it goes where failures are kept
	Route     func(path string) (knowledge.Route, string)
	Now       time.Time
}

// Edit is one change that may be made.
type Edit struct {
	knowledge.Edit
	Route knowledge.Route
	Why   string      // the model's reason, checked
	Old   *rules.Rule // the rule it changes, nil for a new one
	Check *backtest.Check
}

// Result is the outcome of one question.
type Result struct {
	Edits   []Edit
	Covered *rules.Rule // the model says that this rule does it already
	None    string      // why nothing is to be changed, "" if something is
	Refused []string    // what was proposed and may not be done
}

// Ask puts a question and checks the answer.
func Ask(ctx context.Context, model Asker, q Question) (Result, error) {
	prompt, err := prompts.Patch(q.data())
	if err != nil {
		return Result{}, fmt.Errorf("write patch prompt: %w", err)
	}
	var answer prompts.PatchAnswer
	if err := model.Ask(ctx, Stage, prompt, &answer); err != nil {
		return Result{}, fmt.Errorf("patch a lesson for %s: %w", q.Topic, err)
	}
	return q.check(answer), nil
}

// Sizes of what a prompt shows, in runes and entries.
const (
	ruleRunes    = 700
	quoteRunes   = 240
	maxPlaybooks = 30
	maxSections  = 15
)

func (q Question) data() prompts.PatchData {
	var evidence, near, books, places strings.Builder
	for _, e := range q.Evidence {
		at := e.Path
		if at == "" {
			at = "commit message"
		}
		fmt.Fprintf(&evidence, "%.10s %s:%d: %s\n", e.Commit, rules.Brief(at, 200), e.Line, rules.Brief(e.Quote, quoteRunes))
	}
	for i, r := range q.Rules {
		fmt.Fprintf(&near, "R%d [%s] %s (%s): %s\n", i+1, r.Doc.Format, rules.Brief(r.Doc.Path, 200), where(r), rules.Brief(bare(r.Fact.Text), ruleRunes))
	}
	for _, d := range q.Playbooks[:min(len(q.Playbooks), maxPlaybooks)] {
		books.WriteString(line(d))
	}
	for _, d := range q.Places {
		places.WriteString(line(d))
	}
	d := prompts.PatchData{
		Fence: fence, Lesson: prompts.Untrusted(q.Text), Kind: prompts.NameOf(q.Kind), Evidence: prompts.Untrusted(evidence.String()),
		Rules: prompts.Untrusted(near.String()), Tonight: prompts.Untrusted(strings.Join(q.Tonight, "\n")),
		Playbooks: prompts.Untrusted(books.String()), Places: prompts.Untrusted(places.String()),
	}
	d.Failed = q.Failed
	if !q.Failed && q.playbook(q.newPath()) == nil {
		d.NewPath = prompts.NameOf(q.newPath())
	}
	return d
}

// line is a file and its sections.
func line(d *knowledge.Document) string {
	return fmt.Sprintf("%s: %s\n", rules.Brief(d.Path, 200), rules.Brief(strings.Join(sections(d), "; "), 400))
}

// where is the section of a rule and the item that it stands under.
func where(r *rules.Rule) string {
	section := rules.Brief(strings.Join(r.Fact.Heading, " > "), 120)
	if r.Fact.Parent == "" {
		return section
	}
	return section + ", under: " + rules.Brief(r.Fact.Parent, 100)
}

func fence(label, text string) string {
	text, _ = guard.Scrub(text)
	text, _ = guard.Redact(text)
	return strings.TrimRight(guard.Fence(label, text), "\n")
}

// newPath is the playbook of the lesson's topic, which need not exist.
func (q Question) newPath() string {
	if q.failure() {
		return q.flopped()
	}
	return path.Join(Dir, guard.Slug(q.Topic, 40)+".md")
}

// Flops is the file that keeps what was tried and did not work.
const Flops = "what-flopped.md"

func (q Question) failure() bool { return q.Flopped && q.Kind == prompts.KindEvent }

// flopped is the file of failures that the repository has, else a new one beside
// the playbooks.
func (q Question) flopped() string {
	for _, d := range q.Playbooks {
		if path.Base(d.Path) == Flops {
			return d.Path
		}
	}
	return path.Join(path.Dir(Dir), Flops)
}

func (q Question) playbook(p string) *knowledge.Document {
	for _, d := range q.Playbooks {
		if d.Path == p {
			return d
		}
	}
	return nil
}

// sections are the headings of a playbook under which rules stand or may stand.
func sections(d *knowledge.Document) []string {
	var out []string
	for _, f := range d.Facts {
		title := ""
		switch n := len(f.Heading); {
		case n > 0 && f.Kind == knowledge.KindHeading:
			title = f.Text
		case n > 0:
			title = f.Heading[n-1]
		}
		if title != "" && !slices.Contains(out, title) && len(out) < maxSections {
			out = append(out, title)
		}
	}
	return out
}

// provenance is what code writes behind a rule.
func (q Question) provenance() string {
	return q.Now.UTC().Format("2006-01-02") + ", " + q.Commit
}
