package patch

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/retro/backtest"
	"github.com/retrosweep/retrosweep/retro/rules"
)

// maxEdits bounds one answer: a playbook and an instruction file.
const maxEdits = 2

// maxReason and maxSection bound what else a model may write, in runes.
const (
	maxReason  = 400
	maxSection = 60
)

// check turns an answer into edits that may be made. It is pure.
func (q Question) check(answer prompts.PatchAnswer) Result {
	var out Result
	edits := answer.Edits
	if len(edits) > maxEdits {
		out.Refused = append(out.Refused, fmt.Sprintf("%d edits beyond the %d that one lesson may make", len(edits)-maxEdits, maxEdits))
		edits = edits[:maxEdits]
	}
	if len(edits) == 0 {
		out.None = "patch proposed no edit"
	}
	touched := map[string]bool{}
	for _, e := range edits {
		if e.Op == prompts.OpNone {
			out.None, out.Covered = q.reason(e.Reason), q.rule(e.Target)
			continue
		}
		edit, err := q.edit(e)
		if err != nil {
			out.Refused = append(out.Refused, fmt.Sprintf("%s: %v", e.Op, err))
			continue
		}
		if slices.ContainsFunc(edit.Files(), func(file string) bool { return touched[file] }) {
			out.Refused = append(out.Refused, e.Op+": a second edit of the same file")
			continue
		}
		for _, file := range edit.Files() {
			touched[file] = true
		}
		out.Edits = append(out.Edits, edit)
	}
	if len(out.Edits) > 0 {
		out.None, out.Covered = "", nil
	}
	return out
}

func (q Question) rule(id *string) *rules.Rule {
	if id == nil {
		return nil
	}
	for i, r := range q.Rules {
		if *id == fmt.Sprintf("R%d", i+1) {
			return r
		}
	}
	return nil
}

var ruleID = regexp.MustCompile(`\bR[1-9]\d?\b`)

// reason is a model's reason as a receipt may show it, with files in the place
// of the ids that only the model saw.
func (q Question) reason(text string) string {
	text = ruleID.ReplaceAllStringFunc(text, func(id string) string {
		if r := q.rule(&id); r != nil {
			return "the rule in " + r.Doc.Path
		}
		return id
	})
	text, err := guard.OutputText(text, maxReason)
	if err != nil {
		return "no reason that can be shown"
	}
	return text
}

func (q Question) edit(e prompts.PatchEdit) (Edit, error) {
	out := Edit{Why: q.reason(e.Reason), Check: check(e.Check)}
	out.Edit = knowledge.Edit{Date: day(q.Now), Reason: out.Why}
	if e.Op == prompts.OpMove {
		if err := q.move(&out, e); err != nil {
			return Edit{}, err
		}
		return out, q.route(&out)
	}
	if e.Text == nil {
		return Edit{}, fmt.Errorf("has no text")
	}
	var err error
	if out.Text, err = guard.OutputText(bare(strings.TrimSpace(*e.Text)), prompts.MaxRule); err != nil {
		return Edit{}, err
	}
	switch e.Op {
	case prompts.OpAdd:
		err = q.add(&out, e)
	case prompts.OpMerge, prompts.OpReword, prompts.OpReplace:
		err = q.change(&out, e)
	default:
		err = fmt.Errorf("is not an operation")
	}
	if err != nil {
		return Edit{}, err
	}
	if err := q.relevant(out); err != nil {
		return Edit{}, err
	}
	return out, q.route(&out)
}

// check reads a pattern that a model wrote; one that cannot be used is none.
func check(c *prompts.Check) *backtest.Check {
	if c == nil {
		return nil
	}
	parsed, err := backtest.Parse(c.Kind, c.Pattern)
	if err != nil {
		return nil
	}
	return parsed
}

// minShared is the least share of a rule's words that its lesson, evidence or
// old text must have: a rule that says less of them is about something else.
const minShared = 0.35

// relevant refuses a text that bears on nothing that was shown.
func (q Question) relevant(out Edit) error {
	known := q.shown()
	if out.Old != nil {
		known += " " + out.Old.Fact.Text
	}
	said, shown := rules.Words(bare(out.Text)), rules.Words(known)
	shared := 0
	for w := range said {
		if shown[w] {
			shared++
		}
	}
	if float64(shared) < minShared*float64(len(said)) {
		return fmt.Errorf("the rule bears on nothing that its lesson or evidence says")
	}
	return nil
}

// shown is what the lesson and its evidence say.
func (q Question) shown() string {
	text := q.Text
	for _, e := range q.Evidence {
		text += " " + e.Quote + " " + e.Path
	}
	return text
}

func day(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// add makes a new rule in a playbook that exists or in that of the topic.
func (q Question) add(out *Edit, e prompts.PatchEdit) error {
	if q.Failed {
		return fmt.Errorf("a rule says it already: a second one is not added")
	}
	out.Path = q.newPath()
	if e.Path != nil && *e.Path != "" && *e.Path != out.Path && !q.failure() {
		if q.playbook(*e.Path) == nil {
			return fmt.Errorf("the file is none of the playbooks that were offered")
		}
		out.Path = *e.Path
	}
	section := "Rules"
	if q.Kind == prompts.KindEvent {
		section = "Events"
	}
	if e.Section != nil && strings.TrimSpace(*e.Section) != "" {
		title, err := q.section(out.Path, *e.Section)
		if err != nil {
			return err
		}
		section = title
	}
	out.Op, out.Section = knowledge.OpAdd, section
	out.Text += " (" + q.provenance() + ")"
	return nil
}

// section accepts a heading that stands in the playbook as it is, and a new
// one only if it is a plain short title.
func (q Question) section(path, name string) (string, error) {
	name = strings.TrimSpace(strings.TrimLeft(name, "# "))
	if d := q.playbook(path); d != nil {
		for _, s := range sections(d) {
			if s == name {
				return s, nil
			}
		}
	}
	title, err := guard.OutputText(name, maxSection)
	if err != nil {
		return "", fmt.Errorf("its section: %w", err)
	}
	return title, nil
}

// change makes an edit of a rule that stands.
func (q Question) change(out *Edit, e prompts.PatchEdit) error {
	r := q.rule(e.Target)
	if r == nil {
		return fmt.Errorf("its target is none of the rules that were shown")
	}
	if !r.Playbook() && !r.Instruction() {
		return fmt.Errorf("%s is no playbook and no instruction file", r.Doc.Path)
	}
	if r.Fact.Event {
		return fmt.Errorf("the target is a record of an event, which stays as it is")
	}
	if lost := lost(bare(r.Fact.Text), out.Text, e.Reason); len(lost) > 0 {
		return fmt.Errorf("the rule would lose %s, and the reason does not say why", strings.Join(lost, ", "))
	}
	out.Op, out.Path, out.FactID, out.Old = knowledge.OpReplace, r.Doc.Path, r.Fact.ID, r
	if err := q.takeUp(out, e); err != nil {
		return err
	}
	if r.Playbook() || provenanceOf(r.Fact.Text) != "" {
		out.Text += " (" + joined(provenanceOf(r.Fact.Text), q.provenance()) + ")"
	}
	if bare(out.Text) == bare(r.Fact.Text) {
		return fmt.Errorf("it changes nothing")
	}
	return nil
}

// takeUp makes a merge of two or more rules of one file: the others are archived,
// and what they say must not be lost either.
func (q Question) takeUp(out *Edit, e prompts.PatchEdit) error {
	if len(e.Also) > 0 && e.Op != prompts.OpMerge {
		return fmt.Errorf("only a merge takes up other rules")
	}
	for _, id := range e.Also {
		r := q.rule(&id)
		switch {
		case r == nil || r.Fact.ID == out.FactID || slices.Contains(out.Merge, r.Fact.ID):
			return fmt.Errorf("what it takes up is no other rule that was shown")
		case r.Doc.Path != out.Path || r.Fact.Event || !r.Playbook():
			return fmt.Errorf("it takes up what is no rule of the same playbook")
		}
		if lost := lost(bare(r.Fact.Text), out.Text, e.Reason); len(lost) > 0 {
			return fmt.Errorf("the rule taken up would lose %s, and the reason does not say why", strings.Join(lost, ", "))
		}
		out.Op, out.Merge = knowledge.OpMerge, append(out.Merge, r.Fact.ID)
	}
	return nil
}

// route decides where the edit may go, whatever the model said.
func (q Question) route(out *Edit) error {
	route := knowledge.RouteAuto
	for _, file := range out.Files() {
		if err := guard.CheckPath(file); err != nil {
			return err
		}
		allowed, why := q.Route(file)
		if !slices.Contains([]knowledge.Route{knowledge.RouteAuto, knowledge.RouteUpkeep, knowledge.RouteQueue}, allowed) {
			return fmt.Errorf("%s may not be edited: %s", file, why)
		}
		route = route.Stricter(allowed)
	}
	if slices.ContainsFunc(q.Places, func(d *knowledge.Document) bool {
		return d.Path == out.To && d.Format == knowledge.Instruction
	}) {
		route = route.Stricter(knowledge.RouteQueue)
	}
	if out.Old != nil && out.Old.Instruction() {
		route = route.Stricter(knowledge.RouteQueue)
	}
	out.Route = route
	return nil
}
